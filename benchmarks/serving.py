"""How fast and how steady ``rekern serve`` is: a server process and its clients on the loopback address.

    REKERN_DATA=... python benchmarks/serving.py              # all measurements, some minutes
    REKERN_DATA=... python benchmarks/serving.py explain --seconds 60
    REKERN_DATA=... python benchmarks/serving.py what-if      # in Chromium: from a key to the drawing of what changed
    python benchmarks/serving.py --quick                      # the model of the demonstration, a few seconds each

The model is trained on MSRP and saved as ``rekern train`` saves it; with --keep-pairs it keeps its training pairs, and
explanations have neighbours, which cost more than the rest. Clients are in this process and share the machine with the
server. Each measurement is printed beside its target, with the ratio of both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

BATCH = 100
CLIENTS = 500
FLOOD = 10  # times more than the server can do
MALFORMED = 0.2
BAD_BODIES = (
    b"{",
    b'{"pairs": 7}',
    b'{"pairs": [["a"]]}',
    b'{"pairs": []}',
    b"\xff\xfe",
    b'{"pairs": [["a", 1]]}',
    b"[]",
)

# Changes the last word of the second text again and again, and measures until what changed is drawn.
CHANGE_WORDS = """async (count) => {
  const field = document.getElementById("target"), result = document.getElementById("result");
  const words = field.value.trim().split(" "), times = [];
  for (let number = 0; number < count; number++) {
    words[words.length - 1] = ["today", "pilots", "nobody", "houses"][number % 4];
    const started = performance.now();
    const drawn = new Promise((go) => {
      const observer = new MutationObserver(() => { observer.disconnect(); requestAnimationFrame(() => go()); });
      observer.observe(result, { childList: true });
    });
    field.value = words.join(" ");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn;
    times.push(performance.now() - started);
    await new Promise((go) => setTimeout(go, 60));
  }
  return times;
}"""
CHANGES = 12  # of each pair

Pairs = list[tuple[str, str]]


class Answer(NamedTuple):
    """The status of an answer, and how long it took; status 0 is none."""

    status: int
    seconds: float


class Server(NamedTuple):
    """A running server."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    def measure_memory(self) -> float:
        """Return the resident memory in MB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def measure_work(self) -> float:
        """Return the seconds that the processor has worked for the server, whatever else runs."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client:
    """One connection that is kept open; it sends one request after the other."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, path: str, body: bytes) -> Answer:
        """Post JSON and read the whole answer."""
        started = time.perf_counter()
        try:
            status = await asyncio.wait_for(self._exchange(path, body), 60)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
            self.close()
            status = 0
        return Answer(status, time.perf_counter() - started)

    async def _exchange(self, path: str, body: bytes) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        head = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
        writer.write("\r\n".join([*head, f"Content-Length: {len(body)}\r\n\r\n"]).encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
        await reader.readexactly(length)
        return int(lines[0].split()[1])

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


def make_model(folder: Path, quick: bool, keep_pairs: bool) -> tuple[Path | None, Pairs]:
    """Train the model on MSRP; without the corpus, or quickly, that of the demonstration is served."""
    from rekern.datasets import load_rewrites
    from rekern.datasets.public_corpora import load_msrp
    from rekern.errors import MissingDataError
    from rekern.learning import PairClassifier

    if not quick:
        try:
            table = load_msrp()
        except MissingDataError:
            print("MSRP is not there: REKERN_DATA names its folder; the model is that of the demonstration")
        else:
            path = folder / "msrp.rekern"
            PairClassifier().fit(table.pairs, table.labels or []).save(path, keep_pairs)
            return path, load_msrp("test").pairs
    return None, load_rewrites("test")[0]


@contextmanager
def run_server(model: Path | None, folder: Path) -> Iterator[Server]:
    """Start a server on a free port, and end it."""
    log = folder / "server.log"
    with log.open("w") as errors:
        arguments = [sys.executable, "-m", "rekern", "serve", "--port", "0", *([str(model)] if model else [])]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield Server(process, int(line.split("/")[2].split(":")[1]), log)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def make_predict_bodies(pairs: Pairs, size: int) -> list[bytes]:
    """Return bodies of ``size`` pairs each."""
    return [
        json.dumps({"pairs": [pairs[(start + place) % len(pairs)] for place in range(size)]}).encode()
        for start in range(0, max(len(pairs), size), size)
    ]


def make_explain_bodies(pairs: Pairs) -> list[bytes]:
    """Return bodies of one pair each."""
    return [json.dumps({"source": source, "target": target}).encode() for source, target in pairs[:500]]


async def send_steadily(
    port: int, path: str, bodies: Sequence[bytes], rate: float, seconds: float, n: int
) -> list[Answer]:
    """Send requests at a rate, whether the earlier ones are answered or not, from at most ``n`` clients."""
    free: list[Client] = [Client(port) for _ in range(n)]
    tasks: list[asyncio.Task[Answer]] = []
    skipped = 0

    async def send(client: Client, body: bytes) -> Answer:
        answer = await client.send(path, body)
        free.append(client)
        return answer

    started = time.perf_counter()
    for number in range(int(rate * seconds)):
        wait = started + number / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        elif number % 20 == 0:
            await asyncio.sleep(0)
        if free:
            tasks.append(asyncio.create_task(send(free.pop(), bodies[number % len(bodies)])))
        else:
            skipped += 1
    answers = list(await asyncio.gather(*tasks))
    for client in free:
        client.close()
    if skipped:
        print(f"  {skipped:,} requests were not sent: all {n:,} clients were waiting")
    return answers


async def send_at_once(port: int, n: int, total: int, choose: Callable[[int], tuple[str, bytes]]) -> list[Answer]:
    """Send requests as fast as ``n`` clients can, each after the answer to its last."""
    numbers = iter(range(total))
    answers: list[Answer] = []

    async def work() -> None:
        client = Client(port)
        answers.extend([await client.send(*choose(number)) for number in numbers])
        client.close()

    await asyncio.gather(*(work() for _ in range(n)))
    return answers


def find_share(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lie."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def report(what: str, value: float, target: float, unit: str, is_least: bool = False) -> None:
    """Print a measurement beside its target; the ratio is above 1 if the target is reached."""
    ratio = (value / target if is_least else target / value) if value and target else float("inf")
    sign = "≥" if is_least else "≤"
    print(f"{what:58} {value:12,.1f} {unit:8} target {sign} {target:,.0f}   ratio {ratio:.2f}", flush=True)


def measure_start(model: Path | None, folder: Path, body: bytes) -> None:
    """Measure the time from the start of the process to its first answer."""
    times, works = [], []
    for _ in range(3):
        started = time.perf_counter()
        with run_server(model, folder) as server:
            asyncio.run(_send_one(server.port, body))
            times.append(time.perf_counter() - started)
            works.append(server.measure_work())
    report("start until the first answer, the best of 3", min(times), 2.0, "s")
    print(f"  the processor worked {min(works):.1f} s for it")


async def _send_one(port: int, body: bytes) -> Answer:
    client = Client(port)
    try:
        return await client.send("/api/predict", body)
    finally:
        client.close()


async def measure_explain(server: Server, bodies: Sequence[bytes], seconds: float) -> None:
    """Measure single explanations at 50 requests a second."""
    await send_steadily(server.port, "/api/explain", bodies, 20, 2, 100)
    before = server.measure_work()
    answers = await send_steadily(server.port, "/api/explain", bodies, 50, seconds, 200)
    work = 1000 * (server.measure_work() - before) / max(len(answers), 1)
    times = [1000 * answer.seconds for answer in answers]
    wrong = sum(answer.status != 200 for answer in answers)
    report(f"explain, 50 requests/s for {seconds:g} s: p99", find_share(times, 0.99), 60, "ms")
    print(
        f"  median {find_share(times, 0.5):.1f} ms, p90 {find_share(times, 0.9):.1f} ms, {wrong} not answered with 200"
    )
    print(f"  the processor worked {work:.1f} ms for each")


async def measure_predict(server: Server, bodies: Sequence[bytes], seconds: float) -> float:
    """Measure batches of pairs from four clients; returns the requests a second."""
    count = 200
    while True:
        started, before = time.perf_counter(), server.measure_work()
        answers = await send_at_once(
            server.port, 4, count, lambda number: ("/api/predict", bodies[number % len(bodies)])
        )
        took = time.perf_counter() - started
        if took >= seconds / 2:
            break
        count = int(count * max(2.0, seconds / took))
    rate = sum(answer.status == 200 for answer in answers) / took
    work = 1000 * (server.measure_work() - before) / len(answers)
    report(f"predict in batches of {BATCH}", BATCH * rate, 10_000, "pairs/s", is_least=True)
    print(f"  the processor worked {work:.1f} ms for each batch")
    return rate


async def measure_flood(server: Server, bodies: Sequence[bytes], capacity: float, seconds: float) -> None:
    """Measure what happens if far more is asked than the server can do."""
    before = server.measure_memory()
    answers = await send_steadily(server.port, "/api/predict", bodies, FLOOD * capacity, seconds, CLIENTS)
    memory = server.measure_memory()
    answered = [answer for answer in answers if answer.status == 200]
    refused = [1000 * answer.seconds for answer in answers if answer.status == 429]
    print(
        f"  {CLIENTS} clients, {FLOOD * capacity:,.0f} requests/s: {dict(Counter(answer.status for answer in answers))}"
    )
    report("flood: answers a second, beside full rate", len(answered) / seconds, capacity, "1/s", is_least=True)
    report("flood: refusals, median", find_share(refused, 0.5), 50, "ms")
    report("flood: refusals, p99", find_share(refused, 0.99), 50, "ms")
    print(f"  requests without an answer: {sum(answer.status == 0 for answer in answers)} (target 0)")
    report("flood: memory", memory, 1.2 * before, "MB")


def measure_what_if(server: Server, pairs: Pairs) -> None:
    """Measure in Chromium how long it takes from a key on the page Pair until what changed is drawn."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from web.browser import find_chromium, open_browser

    chromium = find_chromium()
    if chromium is None:
        print("  what-if: there is no chromium on the path, and REKERN_CHROMIUM names none")
        return
    times: list[float] = []
    before = server.measure_work()
    with open_browser(chromium) as browser:
        page = browser.new_page(base_url=f"http://127.0.0.1:{server.port}")
        for source, target in pairs[:5]:
            state = {"source": source, "target": target, "was_source": source, "was_target": target}
            page.goto("/pair?" + urlencode(state))
            times += page.evaluate(CHANGE_WORDS, CHANGES)[1:]
    work = 1000 * (server.measure_work() - before) / (5 * CHANGES)
    report("what-if in Chromium, from the key to the drawing: p90", find_share(times, 0.9), 100, "ms")
    print(f"  median {find_share(times, 0.5):.1f} ms, of which 20 ms wait for the next key")
    print(f"  the processor worked {work:.1f} ms for each")


async def measure_steadiness(server: Server, bodies: Sequence[bytes], total: int) -> None:
    """Measure many requests, of which some are malformed."""
    rng = random.Random(0)
    bad = [rng.choice(BAD_BODIES) if rng.random() < MALFORMED else None for _ in range(total)]

    def choose(number: int) -> tuple[str, bytes]:
        body = bad[number]
        return "/api/predict", bodies[number % len(bodies)] if body is None else body

    await send_at_once(server.port, 8, min(total // 10, 2000), choose)
    before, started = server.measure_memory(), time.perf_counter()
    answers = await send_at_once(server.port, 8, total, choose)
    took, after = time.perf_counter() - started, server.measure_memory()
    print(f"  {total:,} requests in {took:.0f} s: {dict(sorted(Counter(answer.status for answer in answers).items()))}")
    print(f"  answers of 5xx: {sum(answer.status >= 500 for answer in answers)} (target 0)")
    text = server.log.read_text()
    print(f"  tracebacks in the log: {text.count('Traceback')}, errors: {text.count('error:')} (target 0)")
    report("memory after them, beside memory before", after, 1.05 * before, "MB")


def main() -> None:
    """Run the measurements that are named on the command line, or all."""
    names = ("start", "explain", "what-if", "predict", "flood", "steady")
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("measurements", nargs="*", metavar="|".join(names), default=[])
    options.add_argument("--seconds", type=float, help="length of a measurement")
    options.add_argument("--requests", type=int, help="number of requests of the last measurement")
    options.add_argument("--quick", action="store_true", help="the demonstration, and a few seconds for each")
    options.add_argument("--keep-pairs", action="store_true", help="the model keeps its training pairs")
    chosen = options.parse_args()
    wanted = set(chosen.measurements or names)
    seconds = chosen.seconds or (5.0 if chosen.quick else 60.0)
    total = chosen.requests or (5_000 if chosen.quick else 100_000)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start; clients and server share them")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, pairs = make_model(folder, chosen.quick, chosen.keep_pairs)
        batches, single = make_predict_bodies(pairs, BATCH), make_explain_bodies(pairs)
        with run_server(model, folder) as server:  # the first one may train or compile
            asyncio.run(_send_one(server.port, batches[0]))
        if "start" in wanted:
            measure_start(model, folder, make_predict_bodies(pairs, 1)[0])
        with run_server(model, folder) as server:
            if "what-if" in wanted:
                measure_what_if(server, pairs)
            asyncio.run(_run(server, wanted, batches, single, seconds, total))


async def _run(
    server: Server, wanted: set[str], batches: Sequence[bytes], single: Sequence[bytes], seconds: float, total: int
) -> None:
    if "explain" in wanted:
        await measure_explain(server, single, seconds)
    if wanted & {"predict", "flood"}:
        capacity = await measure_predict(server, batches, min(seconds, 20))
        if "flood" in wanted:
            await measure_flood(server, batches, capacity, min(seconds, 20))
    if "steady" in wanted:
        await measure_steadiness(server, make_small(batches), total)


def make_small(batches: Sequence[bytes]) -> list[bytes]:
    """Return bodies of two pairs each, for many requests."""
    return [json.dumps({"pairs": json.loads(body)["pairs"][:2]}).encode() for body in batches]


if __name__ == "__main__":
    main()
