"""Guards: what must not become slower, of one or two checkouts, alternately, in fresh processes.

    REKERN_DATA=... python benchmarks/guards.py                                # this checkout
    REKERN_DATA=... python benchmarks/guards.py --before ../rekern-before      # that one beside it, and ratios
    REKERN_DATA=... python benchmarks/guards.py --before DIR --only train explain --rounds 5

The best of some rounds counts (one for the longest tasks), seconds by the clock and the processor's seconds of all
threads. A ratio is the time before divided by the time now: 0.9 means that it takes 1.11 times as long. Texts are those
of QQP (its training part only), trees those of MSRP. Compiled code is in the cache before anything is measured, and
each process has warmed up on other texts, but for commands, which are timed as a whole, and "first run", which has
empty caches. ``benchmarks/serving.py`` makes the figures of the server.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
PAIR = ("--source-text", "Who wrote the play Hamlet ?", "--target-text", "Hamlet was written by whom ?")

# What a process of Python measures: `warm` and `work` are called with 50 and with all items.
IN_PYTHON = """
import json, sys, time
from rekern import PairClassifier, load_model
from rekern.datasets import read_table
from rekern.kernels import DependencyPaths, PartialTree, Rewriting, SmoothedPartialTree, SubsetTree
folder = sys.argv[1]
def pairs(name): return read_table(folder + "/" + name).pairs
def trees(count): return open(folder + "/trees.txt").read().splitlines()[:count]
def measure(work, few, all):
    work(few)
    started = time.perf_counter(), time.process_time()
    work(all)
    print(json.dumps([time.perf_counter() - started[0], time.process_time() - started[1]]))
"""
PYTHON = {
    "gram rules, 4,000 pairs": "x = pairs('train.tsv'); measure(Rewriting(k=(1, 4)).gram, x[:50], x[-4000:])",
    "gram default, 3,000 pairs": (
        "x = pairs('train.tsv'); y = [n % 2 for n in range(300)]\n"
        "measure(PairClassifier().fit(x[:300], y).kernel_.gram, x[300:350], x[-3000:])"
    ),
    "gram PartialTree, 1,500 trees": "x = trees(1550); measure(PartialTree().gram, x[:50], x[50:])",
    "gram SubsetTree, 4,000 trees": "x = trees(4050); measure(SubsetTree().gram, x[:50], x[50:])",
    "gram DependencyPaths, 1,500 trees": "x = trees(1550); measure(DependencyPaths().gram, x[:50], x[50:])",
    "gram SmoothedPartialTree, GloVe, 400 trees": (
        "from rekern.similarity import WordVectors\n"
        "words = WordVectors.from_file(folder + '/vectors.txt')\n"
        "x = trees(450); measure(SmoothedPartialTree(similarity=words).gram, x[:50], x[50:])"
    ),
    "fit default, 4,000 pairs": (
        "t = read_table(folder + '/train.tsv'); x, y = t.pairs, t.labels\n"
        "measure(lambda n: PairClassifier().fit(x[-n:], y[-n:]), 300, 4000)"
    ),
    "scoring 15,000 pairs": (
        "m = load_model(folder + '/model'); x = pairs('unseen.tsv'); measure(m.predict_proba, x[:50], x[50:])"
    ),
    "explain 200 pairs": (
        "m = load_model(folder + '/model'); x = pairs('unseen.tsv')\n"
        "measure(lambda some: [m.explain(pair) for pair in some], x[:20], x[50:250])"
    ),
}  # fmt: skip
COMMANDS = {
    "train, 10,000 pairs": ("train", "{0}/train.tsv", "-o", "{0}/trained"),
    "predict, one pair": ("predict", "{0}/model", *PAIR),
    "explain, one pair": ("explain", "{0}/model", PAIR[1], PAIR[3]),
    "rules": ("rules", "{0}/model"),
    "ask": ("ask", "What is the capital of France?"),
    "question": ("question", "Who wrote Hamlet?"),
    "help": ("--help",),
}
LONG = {
    "match, 117,000 questions": ("match", "{0}/questions.tsv", "--model", "{0}/model", "-o", "{0}/matches.tsv"),
    "train --memory, 400,000 pairs": ("train", "{0}/large.tsv", "-o", "{0}/trained", "--memory", "4GB"),
}


class Took(NamedTuple):
    """Seconds by the clock, the processor's, and the largest memory in MB, or nan."""

    seconds: float
    cpu: float
    megabytes: float


def read_qqp() -> Iterator[tuple[str, str, str]]:
    """Yield the pairs of QQP's training part with their labels."""
    path = Path(os.environ["REKERN_DATA"], "qqp_partial", "qqp_partial.tsv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if not {"bimpm_dev", "bimpm_test"} & set(row["sources"].split(",")):
                yield row["question1"], row["question2"], row["is_duplicate"]


def write_tsv(path: Path, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Write a table."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in (head, *rows))


def write_corpora(folder: Path) -> None:
    """Write the tables, trees and vectors that the tasks read."""
    from scaling import iterate_sample

    rows, head = list(read_qqp()), ("source", "target", "label")
    write_tsv(folder / "train.tsv", head, rows[:10_000])
    write_tsv(folder / "unseen.tsv", head, rows[-15_050:])
    large = iterate_sample([row[:2] for row in rows], [int(row[2]) for row in rows], 400_000)
    write_tsv(folder / "large.tsv", head, ((one, two, str(label)) for one, two, label in large))
    texts = dict.fromkeys(text for row in rows for text in row[:2])
    numbered = [*texts, *(f"{text} {number}" for number, text in enumerate(texts))][:117_000]
    write_tsv(folder / "questions.tsv", ("text",), ((text,) for text in numbered))
    data = Path(os.environ["REKERN_DATA"])
    with gzip.open(data / "msrp" / "trees.tsv.gz", "rt", encoding="utf-8") as file:
        next(file)
        trees = [line.rstrip("\n").split("\t")[1] for line in file]
    (folder / "trees.txt").write_text("\n".join(trees), encoding="utf-8")
    with gzip.open(data / "glove_twitter_25d_12k" / "vectors.txt.gz", "rt", encoding="utf-8") as file:
        (folder / "vectors.txt").write_text(file.read(), encoding="utf-8")


def run(tree: Path, arguments: list[str], **variables: str) -> tuple[Took, str]:
    """Run Python on a checkout, and return what it took and printed."""
    path = os.pathsep.join([str(tree / "src"), str(tree)])
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    measure = (
        "import resource, subprocess, sys, time\n"
        "started = time.perf_counter()\n"
        "done = subprocess.run([sys.executable, *sys.argv[1:]], capture_output=True, text=True)\n"
        "seconds = time.perf_counter() - started\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, done.returncode)\n"
        "sys.stdout.write(done.stdout)\n"
        "sys.stderr.write(done.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", measure, *arguments], capture_output=True, text=True, env=environment, check=True
    )
    first, _, printed = done.stdout.partition("\n")
    seconds, cpu, memory, code = first.split()
    if code != "0":
        raise SystemExit(f"{' '.join(arguments)} failed in {tree}:\n{done.stderr[-2000:]}")
    return Took(float(seconds), float(cpu), float(memory)), printed


def run_in_python(tree: Path, folder: Path, snippet: str) -> Took:
    """Measure inside of a fresh process."""
    took, printed = run(tree, ["-c", IN_PYTHON + snippet, str(folder)])
    seconds, cpu = json.loads(printed)
    return Took(seconds, cpu, took.megabytes)


def run_command(tree: Path, folder: Path, command: tuple[str, ...]) -> Took:
    """Measure a whole command."""
    for name in ("trained", "matches.tsv"):
        (folder / name).unlink(missing_ok=True)
    return run(tree, ["-m", "rekern", *(part.format(folder) for part in command)])[0]


def run_first(tree: Path, folder: Path, arguments: list[str]) -> Took:
    """Measure a process with empty caches."""
    with tempfile.TemporaryDirectory() as caches:
        return run(tree, arguments, NUMBA_CACHE_DIR=caches, XDG_CACHE_HOME=caches, REKERN_CACHE=caches)[0]


def list_tasks() -> dict[str, tuple[Callable[[Path, Path], Took], bool]]:
    """Return what measures each task, and whether it takes long."""
    fit = "from rekern import *; from rekern.datasets import load_rewrites\n"
    fit += "x, y = load_rewrites('train'); m = PairClassifier().fit(x, y); m.predict_proba(x[:5]); m.explain(x[0])"
    tasks: dict[str, tuple[Callable[[Path, Path], Took], bool]] = {}
    for name, snippet in PYTHON.items():
        tasks[name] = (lambda tree, folder, snippet=snippet: run_in_python(tree, folder, snippet), False)
    for name, command in (COMMANDS | LONG).items():
        tasks[name] = (lambda tree, folder, command=command: run_command(tree, folder, command), name in LONG)
    demo = ["-m", "rekern", "demo", "-o", os.devnull]
    tasks["first run: demo"] = (lambda tree, folder: run_first(tree, folder, demo), True)
    tasks["first run: fit, predict_proba, explain"] = (lambda tree, folder: run_first(tree, folder, ["-c", fit]), True)
    return tasks


def measure_server(tree: Path, folder: Path) -> dict[str, float]:
    """Return the figures that benchmarks/serving.py of this checkout prints of a server of that one."""
    script = [str(REPOSITORY / "benchmarks" / "serving.py"), "explain", "predict", "flood", "--seconds", "10"]
    printed = run(tree, [*script, "--model", str(folder / "model"), "--table", str(folder / "unseen.tsv")])[1]
    found = re.findall(r"^(\S.*?)  +([\d,.]+) +(\S+) +target ([≤≥])", printed, re.MULTILINE)
    return {f"serve: {what}, {unit} {sign}": float(value.replace(",", "")) for what, value, unit, sign in found}


def main() -> None:
    """Print a row for each task."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--before", type=Path, help="another checkout, run alternately")
    options.add_argument("--now", type=Path, default=REPOSITORY, help="a checkout; this one by default")
    options.add_argument("--only", nargs="+", default=[], help="tasks whose names begin so; serve is the server")
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    if not os.environ.get("REKERN_DATA"):
        raise SystemExit("guards: REKERN_DATA must name the folder of the corpora")
    trees = [tree.resolve() for tree in ([chosen.before] if chosen.before else []) + [chosen.now]]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before the start, {time.strftime('%F')}")
    print(f"{'':44} {'s' if len(trees) == 1 else 's, before and now, and ratio'}", flush=True)
    tasks = {
        name: task
        for name, task in list_tasks().items()
        if not chosen.only or name.startswith(tuple(chosen.only))
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name, str(number)) for number in range(len(trees))]
        for tree, folder in zip(trees, folders):
            folder.mkdir()
            write_corpora(folder)
            run(tree, ["-m", "rekern", "train", str(folder / "train.tsv"), "-o", str(folder / "model")])
        for what, (measure, takes_long) in tasks.items():
            if not takes_long:
                for tree, folder in zip(trees, folders):
                    measure(tree, folder)  # compiles, and writes byte code
            best = [Took(float("inf"), float("inf"), float("inf"))] * len(trees)
            for _ in range(1 if takes_long else chosen.rounds):
                for place, (tree, folder) in enumerate(zip(trees, folders)):
                    best[place] = Took(*map(min, best[place], measure(tree, folder)))
            show(what, [one.seconds for one in best], [one.cpu for one in best], [one.megabytes for one in best])
        if not chosen.only or "serve" in chosen.only:
            figures = [measure_server(tree, folder) for tree, folder in zip(trees, folders)]
            for what in figures[0]:
                show(what, [one[what] for one in figures])


def show(what: str, values: list[float], cpu: list[float] | None = None, memory: list[float] | None = None) -> None:
    """Print a row; a ratio below 1 is worse than before."""
    ratio = ""
    if len(values) > 1:
        is_least = what.endswith("≥")
        ratio = f"  ratio {(values[1] / values[0] if is_least else values[0] / values[1]):5.2f}"
    row = f"{what:44} " + " ".join(f"{value:9.3f}" for value in values) + ratio
    if cpu and memory:
        row += "   CPU " + " ".join(f"{value:8.2f}" for value in cpu)
        row += f" ratio {cpu[0] / cpu[1]:5.2f}" if len(cpu) > 1 else ""
        row += "   MB " + " ".join(f"{value:6.0f}" for value in memory)
    print(row, flush=True)


if __name__ == "__main__":
    main()
