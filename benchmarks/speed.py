"""How fast Rekern is on this machine: the rates of the main tasks, some with a comparison.

    python benchmarks/speed.py [--quick] [--data DIR] [--jobs N] [--json]

The texts come from MSRP if the corpora are there (``--data`` or REKERN_DATA), otherwise from the embedded corpus, whose
short texts are joined to about the same length. Comparisons with the algorithms of the papers and with other programs
are in the other files of this folder.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np

from experiments.corpora import DataPath, load_msrp
from rekern.core.json_values import JsonObject
from rekern.datasets import load_rewrites
from rekern.errors import InputError
from rekern.kernels import Rewriting, Subsequence
from rekern.learning import PairClassifier
from rekern.structures.pairs import Pairs
from rekern.structures.tokens import Tokens

TextPairs = list[tuple[str, str]]


def measure_time(function: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest time of a few runs, in seconds.

    >>> measure_time(lambda: None) < 1
    True
    """
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def load_sentence_pairs(data: DataPath = None, n: int = 5801) -> tuple[str, TextPairs, list[int]]:
    """Load ``n`` pairs of sentences of about 22 words; return the name of the corpus, the pairs and their labels."""
    try:
        parts = [load_msrp(part, data) for part in ("train", "test")]
        pairs = [pair for part in parts for pair in part.pairs]
        labels = [label for part in parts for label in part.labels or []]
        return "MSRP", pairs[:n], labels[:n]
    except InputError:
        if data is not None:
            raise
    short, labels = load_rewrites("train")
    drawn = np.random.default_rng(0).integers(len(short), size=(n, 3)).tolist()
    threes = [[short[place] for place in places] for places in drawn]
    joined = [(" ".join(source for source, _ in three), " ".join(target for _, target in three)) for three in threes]
    return "embedded corpus", joined, [labels[first] for first, *_ in drawn]


def run(quick: bool = False, data: DataPath = None, n_jobs: int | None = None) -> JsonObject:
    """Measure all tasks in one run; a row has ``what``, ``rate``, ``unit`` and what it is compared with."""
    started = time.perf_counter()
    corpus, pairs, labels = load_sentence_pairs(data, 1000 if quick else 5801)
    count = len(pairs)
    rows: list[JsonObject] = []

    def add_row(what: str, rate: float, unit: str, compared: str = "", ratio: float | None = None) -> None:
        rows.append({"what": what, "rate": rate, "unit": unit, "compared_with": compared or None, "ratio": ratio})

    kernel = Rewriting(k=(1, 4))
    compiling = measure_time(lambda: kernel.gram(pairs[:20], n_jobs=n_jobs), 1)
    add_row("first Gram, compiled or loaded from the cache", compiling, "s")
    texts = [side for pair in pairs for side in pair]
    add_row("tokens from raw text, one thread", len(texts) / measure_time(lambda: Tokens.from_texts(texts)), "texts/s")
    kernel.features(pairs[:20], n_jobs)
    seconds = measure_time(lambda: kernel.features(pairs, n_jobs))
    add_row("feature extraction, k = 1..4, from raw text", count / seconds, "pairs/s")
    tokens = Pairs.from_items(pairs)
    add_row(
        "feature extraction, k = 1..4, from tokens",
        count / measure_time(lambda: kernel.features(tokens, n_jobs)),
        "pairs/s",
    )
    seconds = measure_time(lambda: kernel.gram(pairs, n_jobs=n_jobs))
    some = pairs[:40]
    one_by_one = measure_time(lambda: [kernel(a, b) for a in some[:10] for b in some[:10]], 1) / 100
    what = f"Gram of {count:,} pairs, k = 1..4, normalised, from raw text"
    add_row(what, seconds, "s", "one kernel call for each cell", one_by_one * count * count / 2 / seconds)
    words = Tokens.from_texts([(text * 3)[:25] for text in Tokens.from_texts(texts[:1000])])
    sequence = Subsequence(max_length=3, decay=0.75)
    sequence.gram(words[:10], n_jobs=1)
    seconds = measure_time(lambda: sequence.gram(words, n_jobs=1))
    add_row(
        "word subsequences, 25 words, length ≤ 3, one thread", len(words) * (len(words) + 1) / 2 / seconds, "values/s"
    )
    model = PairClassifier("paper", n_jobs=n_jobs, calibration=0)
    model.fit(pairs[:100], labels[:100])  # loads scikit-learn and what is compiled
    training = measure_time(lambda: model.fit(pairs[:1000], labels[:1000]))
    add_row("training on 1,000 pairs from raw text", training, "s")
    model.predict(pairs[:20])
    add_row("scoring from raw text", count / measure_time(lambda: model.predict(pairs)), "pairs/s")
    one = measure_time(lambda: [model.predict([pair]) for pair in some], 1) / len(some)
    add_row("scoring one pair at a time", 1 / one, "pairs/s")
    return {"name": "bench", "corpus": corpus, "pairs": count, "rows": rows, "seconds": time.perf_counter() - started}


def render(result: JsonObject) -> str:
    """Format the result as text."""
    lines = [f"{result['pairs']:,} pairs of {result['corpus']}; {result['seconds']:.0f} s", ""]
    for row in result["rows"]:
        rate = f"{row['rate']:,.0f}" if row["rate"] >= 100 else f"{row['rate']:.3g}"
        compared = f"   {row['ratio']:,.0f} times as fast as {row['compared_with']}" if row["ratio"] else ""
        lines.append(f"{row['what']:<62} {rate:>12} {row['unit']}{compared}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller inputs: seconds instead of minutes")
    parser.add_argument("--data", help="folder with the corpora; REKERN_DATA by default")
    parser.add_argument("--jobs", type=int, help="number of threads; all cores by default")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    result = run(options.quick, options.data, options.jobs)
    print(json.dumps(result, indent=2) if options.json else render(result))


if __name__ == "__main__":
    main()
