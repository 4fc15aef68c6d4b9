"""From raw text to tokens, scores and decisions: pairs per second, beside the plain way and the first start.

Run it with ``REKERN_DATA=DIR python benchmarks/text_speed.py`` (DIR holds MSRP); without it, the corpus of the
demonstration is read. All figures of one run are of the test pairs, so their ratios can be compared; models also score
all pairs, those that they were trained on among them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from experiments.corpora import load_msrp
from rekern import PairClassifier
from rekern.datasets import load_rewrites
from rekern.kernels import Rewriting
from rekern.similarity import Similarities
from rekern.structures import Pairs, Tokenizer, Tokens
from rekern.structures.pairs import as_pairs

REPEATS = 7


def measure(function: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The least time of several calls, after one that fills the caches."""
    function()
    times = []
    for _ in range(REPEATS):
        started = clock()
        function()
        times.append(clock() - started)
    return min(times)


def read_plainly(pairs: list[tuple[str, str]]) -> Tokens:
    """Tokenize text by text, and number the tokens one by one."""
    tokenizer = Tokenizer()
    return Tokens.from_texts([tokenizer(text) for pair in pairs for text in pair])


def read_twice(pairs: list[tuple[str, str]]) -> tuple[Tokens, Tokens]:
    """The tokens, and in a second pass the same tokens as they are written."""
    written = Tokenizer().as_written()
    return read_plainly(pairs), Tokens.from_texts([written(text) for pair in pairs for text in pair])


def load_pairs() -> tuple[list[tuple[str, str]], list[object], list[tuple[str, str]]]:
    """Training pairs, their labels, and test pairs."""
    if not os.environ.get("REKERN_DATA"):
        pairs, labels = load_rewrites("train")
        return list(zip(*as_pairs(pairs))), list(labels), list(zip(*as_pairs(load_rewrites("test")[0])))
    train, test = load_msrp("train"), load_msrp("test")
    return list(zip(*as_pairs(train.items))), list(train.labels), list(zip(*as_pairs(test.items)))


def time_first_answer() -> float:
    """The time of ``rekern ask`` in a fresh process without any compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        command = [sys.executable, "-m", "rekern", "ask", "What is the capital of France?"]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "NUMBA_CACHE_DIR": folder})
        return time.perf_counter() - started


def time_scoring(model: PairClassifier, pairs: list[tuple[str, str]]) -> str:
    """Pairs per second with all cores, and the CPU time of a pair, of all threads together."""
    rate = len(pairs) / measure(lambda: model.predict(pairs))
    spent = measure(lambda: model.predict(pairs), time.process_time) / len(pairs)
    return f"{rate:10,.0f} pairs/s, {1e6 * spent:.1f} µs of CPU time a pair"


def main() -> None:
    """Print all figures."""
    train, labels, test = load_pairs()
    print(f"{len(train)} training pairs, {len(test)} test pairs")
    plain, fast = measure(lambda: read_plainly(test)), measure(lambda: Pairs.from_items(test))
    print(
        f"tokens                    {len(test) / fast:10,.0f} pairs/s, {plain / fast:.1f} times as fast as text by text"
    )
    plain, fast = measure(lambda: read_twice(test)), measure(lambda: Pairs.from_items(test, with_forms=True))
    print(
        f"tokens and written forms  {len(test) / fast:10,.0f} pairs/s, {plain / fast:.1f} times as fast as two passes"
    )
    scores = Similarities().fit(train)
    print(f"28 basic scores           {len(test) / measure(lambda: scores.scores(test)):10,.0f} pairs/s")
    kernels = {"default kernel": None, "rules + 28 scores": Rewriting(k=(1, 4)) + Similarities(), "paper": "paper"}
    for name, kernel in kernels.items():
        model = PairClassifier(kernel, calibration=0).fit(train, labels)
        for part, pairs in (("", test), (", all", [*train, *test])):
            print(f"{name + part:25} {time_scoring(model, pairs)}")
    print(f"rekern ask, fresh install {time_first_answer():10.2f} s")


if __name__ == "__main__":
    main()
