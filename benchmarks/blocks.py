"""Training in blocks: question pairs, resampled to as many as 4,000,000.

    REKERN_DATA=... python benchmarks/blocks.py [--sizes 100000,400000] [--memory 4GB] [--whole]

Writes the pairs to a TSV file, trains from it (default kernel, with probabilities) in a process of its own for each
size, and prints seconds, CPU seconds (of all threads, which depend little on what else the machine does), the largest
resident size of this process, passes over the blocks, and the accuracy on the last 5,000 pairs of the training part of
QQP, which are held out; no test part is read. Seconds include reading the file. The resident size is that of the whole
process: Python, the libraries, compiled code and all data. Files that it reads are not mapped into memory, so the
system's copies of them are not part of it.

``--whole`` trains in one piece beside it. A sample larger than the 40,773 other pairs repeats them; each repetition has
one invented word at the end of both sides.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments.corpora import load_qqp
from rekern import PairClassifier
from rekern.datasets import iterate_table, read_table, store_table
from scaling import iterate_sample

HELD_OUT = 5_000


def write_sample(path: Path, size: int) -> None:
    """Write a table of so many pairs."""
    table = load_qqp("train")
    with open(path, "w", encoding="utf-8") as file:
        file.write("source\ttarget\tlabel\n")
        for source, target, label in iterate_sample(
            table.pairs[:-HELD_OUT], list(table.labels or [])[:-HELD_OUT], size
        ):
            file.write(f"{source}\t{target}\t{label}\n")


def train(path: Path, kind: str, memory: str, stream: int) -> dict[str, object]:
    """Train on a table and return what it took."""
    model, pairs = PairClassifier(), 0
    started, processor = time.perf_counter(), time.process_time()
    if kind == "stream":
        for block in iterate_table(path, rows=stream):
            model.partial_fit(block.table.pairs, block.table.labels or [], classes=[0, 1])
            pairs += len(block.table)
    elif kind == "whole":
        table = read_table(path)
        pairs = len(model.fit(table.pairs, table.labels or []).labels_)
    else:
        table = store_table(path)
        model.fit_in_blocks(table.pairs, table.labels or [], memory=memory)
        pairs = len(table)
    seconds, processor = time.perf_counter() - started, time.process_time() - processor
    memory_used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    known = load_qqp("train")
    right = model.predict(known.pairs[-HELD_OUT:]) == np.array((known.labels or [])[-HELD_OUT:])
    return {
        "pairs": pairs,
        "seconds": seconds,
        "cpu": processor,
        "GB": memory_used,
        "accuracy": 100 * float(right.mean()),
        "solver": model.solver_,
    }


def main() -> None:
    """Print a row for each size."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--sizes", default="40773,100000,400000")
    options.add_argument("--memory", default="4GB")
    options.add_argument("--whole", action="store_true", help="train in one piece too")
    options.add_argument("--stream", type=int, default=0, help="also learn from a stream, in blocks of so many pairs")
    options.add_argument("--one", nargs=2, metavar=("FILE", "KIND"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        print(json.dumps(train(Path(chosen.one[0]), chosen.one[1], chosen.memory, chosen.stream)))
        return
    print(f"{'pairs':>9} {'seconds':>8} {'CPU':>7} {'GB':>6} {'accuracy':>8}  solver", flush=True)
    kinds = ["blocks", *(["whole"] if chosen.whole else []), *(["stream"] if chosen.stream else [])]
    for size in chosen.sizes.split(","):
        with TemporaryDirectory() as folder:
            path = Path(folder, "pairs.tsv")
            write_sample(path, int(size))
            for kind in kinds:
                command = [sys.executable, __file__, "--one", str(path), kind, "--memory", chosen.memory]
                done = subprocess.run([*command, "--stream", str(chosen.stream)], stdout=subprocess.PIPE, check=True)
                row = json.loads(done.stdout)
                numbers = f"{row['pairs']:>9,} {row['seconds']:>8.1f} {row['cpu']:>7.1f} {row['GB']:>6.2f}"
                print(f"{numbers} {row['accuracy']:>7.2f}%  {row['solver']}", flush=True)


if __name__ == "__main__":
    main()
