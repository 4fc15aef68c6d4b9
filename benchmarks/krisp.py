"""The semantic parser on GeoQuery: training on the 792 examples of one fold, and parsing its test questions.

    python benchmarks/krisp.py [--kernel NAME ...] [--examples 792] [--data DIR]

Prints for each kernel the seconds of training, the questions parsed per second and the CPU time of each, the peak
memory of the process, and how many times faster the values of all substrings are computed together than one pair of
substrings at a time.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

KERNELS = ("dependency", "word", "syntactic")


def compare_with_single_values(parser, rows=40):
    """Return the time for kernel values of substrings one by one, divided by the time for all of them together."""
    from rekern.krisp.substrings import Substrings, list_spans

    corpus, kernel = parser.weights_.substrings.corpus, parser.kernel_
    lengths = [len(sentence.words) for sentence in corpus.sentences[:rows]]
    chosen = [Substrings(corpus, list_spans(length, place)) for place, length in enumerate(lengths)]
    kernel.compute_values(chosen[0], chosen[1])
    started = time.perf_counter()
    whole = [kernel.compute_values(chosen[0], other) for other in chosen]
    at_once = time.perf_counter() - started
    started = time.perf_counter()
    left, right = ([part[[place]] for place in range(len(part))] for part in chosen[:2])
    single = np.array([[kernel.compute_values(a, b)[0, 0] for b in right] for a in left])
    one_by_one = (time.perf_counter() - started) * sum(map(len, chosen)) / len(chosen[1])
    assert np.allclose(single, whole[1])
    return one_by_one / at_once


def measure_kernel(kernel, examples, data):
    """Train, parse and print."""
    from rekern.krisp import SemanticParser
    from rekern.reproduce.geoquery import SETTINGS, load_geoquery

    corpus = load_geoquery(data)
    fold = corpus.splits["run-0"]["fold-0"]

    def select(part, field):
        return [field[number] for number in part]

    def train(part):
        started = time.perf_counter()
        fields = (corpus.sentences, corpus.meanings, corpus.trees, corpus.productions)
        parser = SemanticParser(corpus.grammar, kernel=kernel, **SETTINGS)
        parser.fit(*(select(part, field) for field in fields))
        return parser, time.perf_counter() - started

    train(fold["train-N20"])  # compiles
    parser, seconds = train(fold[f"train-N{examples}"])
    test = select(fold["test"], corpus.sentences), select(fold["test"], corpus.trees)
    started, busy = time.perf_counter(), time.process_time()
    parser.parse_all(*test, 1)
    rate = len(test[0]) / (time.perf_counter() - started)
    cost = 1000 * (time.process_time() - busy) / len(test[0])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{kernel}: training on {examples} examples {seconds:.1f} s, parsing {rate:.0f} questions/s "
        f"({cost:.1f} ms CPU each), {memory:.2f} GB; "
        f"all substrings together {compare_with_single_values(parser):,.0f} times as fast as one by one",
        flush=True,
    )


def main():
    """Measure each kernel in a process of its own, so that its memory is its own."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kernel", action="append", default=None)
    options.add_argument("--examples", type=int, default=792)
    options.add_argument("--data", default=None)
    given = options.parse_args()
    names = given.kernel or KERNELS
    if len(names) == 1:
        measure_kernel(names[0], given.examples, given.data)
        return
    for name in names:
        data = ["--data", given.data] if given.data else []
        examples = ["--examples", str(given.examples)]
        subprocess.run([sys.executable, __file__, "--kernel", name, *examples, *data], check=True)


if __name__ == "__main__":
    main()
