"""Model files: how fast a trained model is there, and how much it needs.

    REKERN_DATA=... python benchmarks/model_files.py [--pairs 10000] [--keep FOLDER]
    REKERN_DATA=... python benchmarks/model_files.py --folds 5

With ``--folds`` it compares exact and compact models by cross-validation instead, on these pairs and on the training
part of MSRP.

The training pairs are pairs of PAWS, two with the same label joined, until both sides have 25 to 40 words. Every
command runs in a process of its own. Times are wall-clock seconds; "CPU" is user and system time of all threads, which
does not depend on what else the machine does; memory is the largest resident size.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.corpora import load_msrp, load_paws
from rekern import PairClassifier, load_model
from rekern.datasets import write_table

MOST_WORDS, FEWEST_WORDS = 40, 25

IN_PYTHON = """
import json, sys, time
from rekern import load_model
from rekern.datasets import read_table

def take(call, times):
    lasted = []
    for _ in range(times):
        started = time.perf_counter(), time.process_time()
        call()
        lasted.append((time.perf_counter() - started[0], time.process_time() - started[1]))
    return min(lasted)

pairs = read_table(sys.argv[2]).pairs
found = {"load_model": take(lambda: load_model(sys.argv[1]), 1)}
model = load_model(sys.argv[1])
found["first predict after load_model"] = take(lambda: model.predict(pairs[:1]), 1)
found["next predict"] = take(lambda: model.predict(pairs[1:2]), 5)
found["explain, first"] = take(lambda: model.explain(pairs[2]), 1)
found["explain"] = take(lambda: model.explain(pairs[3]), 5)
found["explain without neighbours"] = take(lambda: model.explain(pairs[3], neighbors=0), 5)
found["explain without neighbours, as text"] = take(lambda: str(model.explain(pairs[3], neighbors=0)), 5)
found["explain without neighbours, all parts"] = take(lambda: model.explain(pairs[3], neighbors=0).to_dict(), 5)
started = time.perf_counter()
model.predict(pairs)
found[f"predict {len(pairs):,} pairs"] = (time.perf_counter() - started, 0.0)
print(json.dumps(found))
"""


class Run(NamedTuple):
    """What a process printed and took."""

    seconds: float
    cpu: float
    megabytes: float
    printed: str


def make_corpus(size: int, seed: int) -> dict[str, list[object]]:
    """Return the columns of a table of joined pairs."""
    table = load_paws("dev")
    by_label: dict[object, list[tuple[str, str]]] = {}
    for pair, label in zip(table.pairs, table.labels or []):
        by_label.setdefault(label, []).append(pair)
    chance = random.Random(seed)
    columns: dict[str, list[object]] = {"source": [], "target": [], "label": []}
    while len(columns["label"]) < size:
        label = chance.choice(table.labels or [])
        first, second = chance.sample(by_label[label], 2)
        sides = [f"{first[side]} {second[side]}" for side in (0, 1)]
        if all(FEWEST_WORDS <= len(text.split()) <= MOST_WORDS for text in sides):
            for name, value in zip(columns, (*sides, label)):
                columns[name].append(value)
    return columns


def run(*arguments: object) -> Run:
    """Run a Python process and measure it."""
    measure = (
        "import os, resource, subprocess, sys\n"
        "os.environ.pop('PYTHONDONTWRITEBYTECODE', None)\n"  # an installed package has its bytecode
        "done = subprocess.run([sys.executable, *sys.argv[1:]], capture_output=True, text=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "sys.stdout.write(f'{used.ru_maxrss} {used.ru_utime + used.ru_stime} {done.returncode}\\n' + done.stdout)\n"
        "sys.stderr.write(done.stderr)\n"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", measure, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - started
    first, _, printed = done.stdout.partition("\n")
    memory, cpu, code = first.split()
    if code != "0":
        raise SystemExit(f"{' '.join(map(str, arguments))} failed:\n{done.stderr}")
    kilobytes = float(memory) / (1 if sys.platform != "darwin" else 1024)
    return Run(seconds, float(cpu), kilobytes / 1024, printed)


def show(name: str, seconds: float, cpu: float, megabytes: float | None = None) -> None:
    """Print one row."""
    memory = "" if megabytes is None else f"{megabytes:8.0f} MB"
    print(f"{name:44} {seconds:8.3f} s {cpu:8.3f} s CPU {memory}", flush=True)


def compare_in_folds(name: str, pairs: Sequence[tuple[str, str]], labels: Sequence[object], folds: int) -> None:
    """Print the accuracy of exact models and of their compact forms on held-out pairs."""
    truth = np.array(labels)
    order = np.random.default_rng(0).permutation(len(pairs))
    right, largest = np.zeros(2), 0
    for test in np.array_split(order, folds):
        train = np.setdiff1d(order, test)
        model = PairClassifier(calibration=0).fit([pairs[row] for row in train], truth[train])
        with tempfile.TemporaryDirectory() as folder:
            model.save(f"{folder}/compact.rekern", compact=True)
            largest = max(largest, Path(folder, "compact.rekern").stat().st_size)
            compact = load_model(f"{folder}/compact.rekern")
        held_out = [pairs[row] for row in test]
        right += [(one.predict(held_out) == truth[test]).sum() for one in (model, compact)]
    exact, small = 100 * right / len(pairs)
    print(
        f"{name:12} exact {exact:.2f} %, compact {small:.2f} %, largest compact file {largest / 1e6:.1f} MB", flush=True
    )


def main() -> None:
    """Train on the corpus and print every row."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--pairs", type=int, default=10_000)
    options.add_argument("--keep", type=Path, help="a folder for the tables and models")
    options.add_argument("--folds", type=int, help="compare exact and compact models in so many folds")
    chosen = options.parse_args()
    if chosen.folds:
        columns = make_corpus(chosen.pairs, seed=1)
        joined = [(str(one), str(two)) for one, two in zip(columns["source"], columns["target"])]
        compare_in_folds("joined PAWS", joined, columns["label"], chosen.folds)
        msrp = load_msrp("train")
        compare_in_folds("MSRP", msrp.pairs, msrp.labels or [], chosen.folds)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or Path(temporary)
        train, test = folder / "train.tsv", folder / "test.tsv"
        write_table(train, make_corpus(chosen.pairs, seed=1))
        write_table(test, make_corpus(1000, seed=2))
        one = ("--source-text", "Anna praised the old house in Kent .", "--target-text", "The house was praised .")
        for name, flags in (("exact", ()), ("with pairs", ("--keep-pairs",)), ("compact", ("--compact",))):
            model = folder / f"{name.replace(' ', '-')}.rekern"
            trained = run("-m", "rekern", "train", train, "-o", model, "--json", *flags)
            show(f"rekern train ({name})", *trained[:3])
            print(f"{f'  file ({name})':44} {model.stat().st_size / 1e6:8.1f} MB")
            report = json.loads(trained.printed)
            if "compact" in report:
                print(f"{'  largest change of a decision value':44} {report['compact']['largest_change']:8.3f}")
            command = ("-m", "rekern")
            show(f"rekern predict, one pair ({name})", *run(*command, "predict", model, *one)[:3])
            show(f"rekern rules ({name})", *run(*command, "rules", model)[:3])
            for label, (seconds, cpu) in json.loads(run("-c", IN_PYTHON, model, test).printed).items():
                show(f"{label} ({name})", seconds, cpu)


if __name__ == "__main__":
    main()
