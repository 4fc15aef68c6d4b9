"""The semantic parser on GeoQuery: training on the 792 examples of one fold, and parsing its test questions.

    python benchmarks/krisp.py [--kernel NAME ...] [--examples 792] [--models DIR] [--jobs N] [--data DIR]

Prints for each kernel the seconds of training, the questions parsed per second and the CPU time of each, once when they
are seen for the first time and once again, the peak memory of the process, and how many times faster the values of all
substrings are computed together than one pair of substrings at a time (for a kernel alone). "ranked" is the sum of the
three kernels with ranking=4, "ranked-NAME" another kernel with it. With --models, parsers are kept in a folder, and a
later run only times the parsing.
"""

import argparse
import gc
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

KERNELS = ("dependency", "word", "syntactic", "dependency+word+syntactic", "ranked")


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


def train_parser(corpus, fold, examples, kernel, jobs):
    """Train on some examples of a fold."""
    from experiments.geoquery import SETTINGS
    from experiments.parser_learning_curves import find_parser_settings
    from rekern.krisp import SemanticParser

    used, settings = find_parser_settings(kernel, SETTINGS)
    part = fold[f"train-N{examples}"]
    fields = (corpus.sentences, corpus.meanings, corpus.trees, corpus.productions)
    parser = SemanticParser(corpus.grammar, kernel=used, n_jobs=jobs, **settings)
    return parser.fit(*([field[number] for number in part] for field in fields))


def time_parsing(parser, questions):
    """Parse questions, given with their trees; return how many in a second, and the CPU time of each."""
    gc.collect()  # Python does so once after a model is loaded, in a tenth of a second, in one pass or another
    started, busy = time.perf_counter(), time.process_time()
    parser.parse_all(*questions, 1)
    rate = len(questions[0]) / (time.perf_counter() - started)
    cost = 1000 * (time.process_time() - busy) / len(questions[0])
    return f"{rate:.0f} questions/s ({cost:.1f} ms CPU each)"


def measure_kernel(kernel, examples, models, jobs, data):
    """Train or load, parse and print."""
    from experiments.geoquery import load_geoquery
    from rekern import load_model
    from rekern.krisp.substring_kernels import SubstringKernel

    corpus = load_geoquery(data)
    fold = corpus.splits["run-0"]["fold-0"]
    path = None if models is None else Path(models, f"{kernel}-{examples}.rekern")
    if path is not None and path.is_file():
        parser, training = load_model(path).set_params(n_jobs=jobs), "trained before"
    else:
        train_parser(corpus, fold, 20, kernel, jobs)  # compiles
        started = time.perf_counter()
        parser = train_parser(corpus, fold, examples, kernel, jobs)
        training = f"training on {examples} examples {time.perf_counter() - started:.1f} s"
        if path is not None:
            parser.save(path)
    known, new = (
        ([corpus.sentences[n] for n in part], [corpus.trees[n] for n in part])
        for part in (fold["train-N20"], fold["test"])
    )
    parser.parse_all(*known, 1)  # compiles: a rate is that of a parser at work
    first, again = time_parsing(parser, new), time_parsing(parser, new)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    line = f"{kernel}: {training}, parsing {again}, for the first time {first}, {memory:.2f} GB"
    if isinstance(parser.kernel_, SubstringKernel):
        factor = compare_with_single_values(parser)
        line += f"; all substrings together {factor:,.0f} times as fast as one by one"
    print(line, flush=True)


def main():
    """Measure each kernel in a process of its own, so that its memory is its own."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kernel", action="append", default=None)
    options.add_argument("--examples", type=int, default=792)
    options.add_argument("--models", default=None)
    options.add_argument("--jobs", type=int, default=None)
    options.add_argument("--data", default=None)
    given = options.parse_args()
    names = given.kernel or KERNELS
    if len(names) == 1:
        measure_kernel(names[0], given.examples, given.models, given.jobs, given.data)
        return
    others = [f"--{name}={value}" for name, value in vars(given).items() if name != "kernel" and value is not None]
    for name in names:
        subprocess.run([sys.executable, __file__, "--kernel", name, *others], check=True)


if __name__ == "__main__":
    main()
