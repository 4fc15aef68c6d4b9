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
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from rekern.datasets import load_rewrites, read_table

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


class Client(asyncio.Protocol):
    """One connection that is kept open; it sends one request after the other.

    It does as little as a client can: it shares the cores with the server that is measured.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._transport: asyncio.WriteTransport | None = None
        self._answered: asyncio.Future[int] | None = None
        self._status, self._missing = (
            0,
            -1,
        )  # of the answer that arrives; before its head is there, -1 bytes are missing
        self._head = b""

    async def send(self, request: bytes) -> Answer:
        """Send a whole request and read the whole answer."""
        started = time.perf_counter()
        loop = asyncio.get_running_loop()
        status = 0
        try:
            if self._transport is None:
                self._transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", self._port)
            self._answered = loop.create_future()
            limit = loop.call_later(60, self.close)
            try:
                self._transport.write(request)
                status = await self._answered
            finally:
                limit.cancel()
        except OSError:
            self.close()
        return Answer(status, time.perf_counter() - started)

    def data_received(self, data: bytes) -> None:
        """Read a piece of an answer."""
        if self._missing < 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._head[: end + 2].lower()
            length = head.index(b"\r\ncontent-length:") + 17
            self._status = int(head[9:12])
            self._missing = int(head[length : head.index(b"\r\n", length)]) - (len(self._head) - end - 4)
            self._head = b""
        else:
            self._missing -= len(data)
        if self._missing == 0:
            self._missing = -1
            self._finish(self._status)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that there is no answer any more."""
        self._transport = None
        self._finish(0)

    def _finish(self, status: int) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(status)

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._transport is not None:
            self._transport.close()
        self._transport = None
        self._head, self._missing = b"", -1
        self._finish(0)


def make_request(path: str, body: bytes) -> bytes:
    """Return a whole request, so that sending it costs nothing but the sending."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def make_model(
    folder: Path, given: Path | None, table: Path | None, quick: bool, keep_pairs: bool
) -> tuple[Path | None, Pairs]:
    """Train the model on MSRP, unless it is given; without the corpus, or quickly, the demonstration's is served."""
    if given and table:
        return given, read_table(table).pairs
    from experiments.corpora import load_msrp
    from rekern.errors import MissingDataError
    from rekern.learning import PairClassifier

    if not quick:
        try:
            table = load_msrp()
        except MissingDataError:
            print("MSRP is not there: REKERN_DATA names its folder; the model is that of the demonstration")
        else:
            path = given or folder / "msrp.rekern"
            if given is None:
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


def make_predict_requests(pairs: Pairs, size: int) -> list[bytes]:
    """Return requests of ``size`` pairs each."""
    batches = [
        [pairs[(start + place) % len(pairs)] for place in range(size)]
        for start in range(0, max(len(pairs), size), size)
    ]
    return [make_request("/api/predict", json.dumps({"pairs": batch}).encode()) for batch in batches]


def make_explain_requests(pairs: Pairs) -> list[bytes]:
    """Return requests of one pair each."""
    bodies = [json.dumps({"source": source, "target": target}) for source, target in pairs[:500]]
    return [make_request("/api/explain", body.encode()) for body in bodies]


async def send_steadily(port: int, requests: Sequence[bytes], rate: float, seconds: float, n: int) -> list[Answer]:
    """Send requests at a rate, whether the earlier ones are answered or not, from at most ``n`` clients."""
    free: list[Client] = [Client(port) for _ in range(n)]
    tasks: list[asyncio.Task[Answer]] = []
    skipped = 0

    async def send(client: Client, request: bytes) -> Answer:
        answer = await client.send(request)
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
            tasks.append(asyncio.create_task(send(free.pop(), requests[number % len(requests)])))
        else:
            skipped += 1
    answers = list(await asyncio.gather(*tasks))
    for client in free:
        client.close()
    if skipped:
        print(f"  {skipped:,} requests were not sent: all {n:,} clients were waiting")
    return answers


async def send_at_once(port: int, n: int, total: int, choose: Callable[[int], bytes]) -> list[Answer]:
    """Send requests as fast as ``n`` clients can, each after the answer to its last."""
    numbers = iter(range(total))
    answers: list[Answer] = []

    async def work() -> None:
        client = Client(port)
        answers.extend([await client.send(choose(number)) for number in numbers])
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


def measure_start(model: Path | None, folder: Path, request: bytes) -> None:
    """Measure the time from the start of the process to its first answer."""
    times, works = [], []
    for _ in range(3):
        started = time.perf_counter()
        with run_server(model, folder) as server:
            run_clients(_send_one(server.port, request))
            times.append(time.perf_counter() - started)
            works.append(server.measure_work())
    report("start until the first answer, the best of 3", min(times), 2.0, "s")
    print(f"  the processor worked {min(works):.1f} s for it")


async def _send_one(port: int, request: bytes) -> Answer:
    client = Client(port)
    try:
        return await client.send(request)
    finally:
        client.close()


async def measure_explain(server: Server, requests: Sequence[bytes], seconds: float) -> None:
    """Measure single explanations at 50 requests a second."""
    await send_steadily(server.port, requests, 20, 2, 100)
    before = server.measure_work()
    answers = await send_steadily(server.port, requests, 50, seconds, 200)
    work = 1000 * (server.measure_work() - before) / max(len(answers), 1)
    times = [1000 * answer.seconds for answer in answers]
    wrong = sum(answer.status != 200 for answer in answers)
    report(f"explain, 50 requests/s for {seconds:g} s: p99", find_share(times, 0.99), 60, "ms")
    print(
        f"  median {find_share(times, 0.5):.1f} ms, p90 {find_share(times, 0.9):.1f} ms, {wrong} not answered with 200"
    )
    print(f"  the processor worked {work:.1f} ms for each")


async def measure_predict(server: Server, requests: Sequence[bytes], seconds: float) -> float:
    """Measure batches of pairs from four clients; returns the requests a second."""
    count = 200
    while True:
        started, before, own = time.perf_counter(), server.measure_work(), time.process_time()
        answers = await send_at_once(server.port, 4, count, lambda number: requests[number % len(requests)])
        took = time.perf_counter() - started
        if took >= seconds / 2:
            break
        count = int(count * max(2.0, seconds / took))
    rate = sum(answer.status == 200 for answer in answers) / took
    work, own = (
        1000 * seconds / len(answers) for seconds in (server.measure_work() - before, time.process_time() - own)
    )
    report(f"predict in batches of {BATCH}", BATCH * rate, 10_000, "pairs/s", is_least=True)
    print(f"  the processor worked {work:.2f} ms for each batch, and {own:.2f} ms for the clients")
    return rate


async def measure_flood(server: Server, requests: Sequence[bytes], capacity: float, seconds: float) -> None:
    """Measure what happens if far more is asked than the server can do."""
    before, work, own = server.measure_memory(), server.measure_work(), time.process_time()
    answers = await send_steadily(server.port, requests, FLOOD * capacity, seconds, CLIENTS)
    memory, work, own = server.measure_memory(), server.measure_work() - work, time.process_time() - own
    answered = [answer for answer in answers if answer.status == 200]
    refused = [1000 * answer.seconds for answer in answers if answer.status == 429]
    print(
        f"  {CLIENTS} clients, {FLOOD * capacity:,.0f} requests/s: {dict(Counter(answer.status for answer in answers))}"
    )
    print(f"  the processor worked {work:.1f} s for the server, and {own:.1f} s for the clients")
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


async def measure_steadiness(server: Server, requests: Sequence[bytes], total: int) -> None:
    """Measure many requests, of which some are malformed."""
    rng = random.Random(0)
    malformed = [make_request("/api/predict", body) for body in BAD_BODIES]
    bad = [rng.choice(malformed) if rng.random() < MALFORMED else None for _ in range(total)]

    def choose(number: int) -> bytes:
        return bad[number] or requests[number % len(requests)]

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
    options.add_argument("--model", type=Path, metavar="FILE", help="a model of MSRP that is trained already")
    options.add_argument("--table", type=Path, metavar="FILE", help="with --model: pairs to ask about; else MSRP's")
    options.add_argument("--quick", action="store_true", help="the demonstration, and a few seconds for each")
    options.add_argument("--keep-pairs", action="store_true", help="the model keeps its training pairs")
    chosen = options.parse_args()
    wanted = set(chosen.measurements or names)
    seconds = chosen.seconds or (5.0 if chosen.quick else 60.0)
    total = chosen.requests or (5_000 if chosen.quick else 100_000)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start; clients and server share them")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, pairs = make_model(folder, chosen.model, chosen.table, chosen.quick, chosen.keep_pairs)
        one = make_predict_requests(pairs, 1)[0]
        with run_server(model, folder) as server:  # the first one may train or compile
            run_clients(_send_one(server.port, make_predict_requests(pairs, BATCH)[0]))
        if "start" in wanted:
            measure_start(model, folder, one)
        with run_server(model, folder) as server:
            if "what-if" in wanted:
                measure_what_if(server, pairs)
            run_clients(_run(server, wanted, pairs, seconds, total))


async def _run(server: Server, wanted: set[str], pairs: Pairs, seconds: float, total: int) -> None:
    if "explain" in wanted:
        await measure_explain(server, make_explain_requests(pairs), seconds)
    if wanted & {"predict", "flood"}:
        batches = make_predict_requests(pairs, BATCH)
        capacity = await measure_predict(server, batches, min(seconds, 20))
        if "flood" in wanted:
            await measure_flood(server, batches, capacity, min(seconds, 20))
    if "steady" in wanted:
        await measure_steadiness(server, make_predict_requests(pairs, 2), total)


def run_clients(work: Coroutine[object, object, object]) -> None:
    """Run clients in the event loop that the server has, too: it costs less than asyncio's own."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(work)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


if __name__ == "__main__":
    main()
