"""Training in blocks: question pairs, resampled to as many as 4,000,000.

    REKERN_DATA=... python benchmarks/blocks.py [--sizes 100000,400000] [--memory 4GB] [--whole]

Trains from raw text (default kernel, with probabilities) in a process of its own for each size and prints seconds, CPU
seconds (of all threads, which depend little on what else the machine does), the largest resident size, passes over the
blocks, and the accuracy on the last 5,000 pairs of the training part of QQP, which are held out; no test part is read.
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

import numpy as np

from rekern import PairClassifier
from rekern.datasets.public_corpora import load_qqp
from scaling import draw_sample

HELD_OUT = 5_000


def train(size: int, memory: str, whole: bool, stream: int) -> dict[str, object]:
    """Train on a sample and return what it took."""
    table = load_qqp("train")
    known = list(table.labels or [])
    pairs, labels = draw_sample(table.pairs[:-HELD_OUT], known[:-HELD_OUT], size)
    model = PairClassifier()
    started, processor = time.perf_counter(), time.process_time()
    if stream:
        for first in range(0, size, stream):
            model.partial_fit(pairs[first : first + stream], labels[first : first + stream])
    elif whole:
        model.fit(pairs, labels)
    else:
        model.fit_in_blocks(pairs, labels, memory=memory)
    seconds, processor = time.perf_counter() - started, time.process_time() - processor
    memory_used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    accuracy = float((model.predict(table.pairs[-HELD_OUT:]) == np.array(known[-HELD_OUT:])).mean())
    return {
        "pairs": size,
        "seconds": seconds,
        "cpu": processor,
        "GB": memory_used,
        "accuracy": 100 * accuracy,
        "solver": model.solver_,
    }


def main() -> None:
    """Print a row for each size."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--sizes", default="40773,100000,400000")
    options.add_argument("--memory", default="4GB")
    options.add_argument("--whole", action="store_true", help="train in one piece too")
    options.add_argument("--stream", type=int, default=0, help="also learn from a stream, in blocks of so many pairs")
    options.add_argument("--one", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        size, kind = chosen.one.split(",")
        found = train(int(size), chosen.memory, kind == "whole", chosen.stream if kind == "stream" else 0)
        print(json.dumps(found))
        return
    print(f"{'pairs':>9} {'seconds':>8} {'CPU':>7} {'GB':>6} {'accuracy':>8}  solver", flush=True)
    kinds = ["blocks", *(["whole"] if chosen.whole else []), *(["stream"] if chosen.stream else [])]
    for size in chosen.sizes.split(","):
        for kind in kinds:
            command = [sys.executable, __file__, "--one", f"{size},{kind}", "--memory", chosen.memory]
            done = subprocess.run([*command, "--stream", str(chosen.stream)], stdout=subprocess.PIPE, check=True)
            row = json.loads(done.stdout)
            numbers = f"{row['pairs']:>9,} {row['seconds']:>8.1f} {row['cpu']:>7.1f} {row['GB']:>6.2f}"
            print(f"{numbers} {row['accuracy']:>7.2f}%  {row['solver']}", flush=True)


if __name__ == "__main__":
    main()
