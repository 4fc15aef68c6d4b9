"""How fast Rekern is on this machine: rates of the main jobs, each beside something to compare it with.

Text comes from MSRP where the corpora are at hand (``--data`` or REKERN_DATA), else from the embedded corpus, joined to
sentences of about the same length. Comparisons with the paper's own algorithms and with other programs are in the
repository's ``benchmarks`` folder.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Texts = list[tuple[str, str]]


def best_time(function: Callable[[], Any], repeats: int = 3) -> float:
    """The shortest of a few runs, in seconds.

    >>> best_time(lambda: None) < 1
    True
    """
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def pairs_of_sentences(data: Any = None, number: int = 5801) -> tuple[str, Texts, list[int]]:
    """Where the text comes from, pairs of sentences of about 22 words, and their labels."""
    from rekern.datasets import load_rewrites
    from rekern.datasets.public_corpora import load_msrp
    from rekern.errors import InputError

    try:
        parts = [load_msrp(part, data) for part in ("train", "test")]
        pairs = [pair for part in parts for pair in part.pairs]
        labels = [label for part in parts for label in part.labels or []]
        return "MSRP", pairs[:number], labels[:number]
    except InputError:
        if data is not None:
            raise
    short, labels = load_rewrites("train", size=3 * number + 3)
    joined = [tuple(" ".join(side) for side in zip(*short[3 * i : 3 * i + 3])) for i in range(number)]
    return "embedded corpus", joined, labels[:number]  # type: ignore[return-value]


def run(quick: bool = False, data: Any = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Measure; rows with ``what``, ``rate``, ``unit`` and what it is compared with, in one run."""
    from rekern.kernels import Rewriting, Subsequence
    from rekern.learning import PairClassifier
    from rekern.structures.pairs import Pairs
    from rekern.structures.tokens import Tokens

    started = time.perf_counter()
    corpus, pairs, labels = pairs_of_sentences(data, 1000 if quick else 5801)
    count = len(pairs)
    rows: list[dict[str, Any]] = []

    def row(what: str, rate: float, unit: str, compared: str = "", ratio: float | None = None) -> None:
        rows.append({"what": what, "rate": rate, "unit": unit, "compared_with": compared or None, "ratio": ratio})

    kernel = Rewriting(k=(1, 4))
    compiling = best_time(lambda: kernel.gram(pairs[:20], n_jobs=n_jobs), 1)
    row("first Gram, compiled or loaded from the cache", compiling, "s")
    texts = [side for pair in pairs for side in pair]
    row("tokens from raw text, one thread", len(texts) / best_time(lambda: Tokens.from_texts(texts)), "texts/s")
    kernel.features(pairs[:20], n_jobs)
    seconds = best_time(lambda: kernel.features(pairs, n_jobs))
    row("feature extraction, k = 1..4, from raw text", count / seconds, "pairs/s")
    tokens = Pairs.from_items(pairs)
    row(
        "feature extraction, k = 1..4, from tokens",
        count / best_time(lambda: kernel.features(tokens, n_jobs)),
        "pairs/s",
    )
    seconds = best_time(lambda: kernel.gram(pairs, n_jobs=n_jobs))
    some = pairs[:40]
    one_by_one = best_time(lambda: [kernel(a, b) for a in some[:10] for b in some[:10]], 1) / 100
    what = f"Gram of {count:,} pairs, k = 1..4, normalised, from raw text"
    row(what, seconds, "s", "one kernel call for each cell", one_by_one * count * count / 2 / seconds)
    words = Tokens.from_texts([(text * 3)[:25] for text in Tokens.from_texts(texts[:1000])])
    sequence = Subsequence(max_length=3, decay=0.75)
    sequence.gram(words[:10], n_jobs=1)
    seconds = best_time(lambda: sequence.gram(words, n_jobs=1))
    row("word subsequences, 25 words, length ≤ 3, one thread", len(words) * (len(words) + 1) / 2 / seconds, "values/s")
    model = PairClassifier(n_jobs=n_jobs, calibration=0)
    training = best_time(lambda: model.fit(pairs[:1000], labels[:1000]), 1)
    row("training on 1,000 pairs from raw text", training, "s")
    model.predict(pairs[:20])
    row("scoring from raw text", count / best_time(lambda: model.predict(pairs)), "pairs/s")
    one = best_time(lambda: [model.predict([pair]) for pair in some], 1) / len(some)
    row("scoring one pair at a time", 1 / one, "pairs/s")
    return {"name": "bench", "corpus": corpus, "pairs": count, "rows": rows, "seconds": time.perf_counter() - started}


def render(result: dict[str, Any]) -> str:
    """The result to read."""
    lines = [f"{result['pairs']:,} pairs of {result['corpus']}; {result['seconds']:.0f} s", ""]
    for row in result["rows"]:
        rate = f"{row['rate']:,.0f}" if row["rate"] >= 100 else f"{row['rate']:.3g}"
        compared = f"   {row['ratio']:,.0f} times as fast as {row['compared_with']}" if row["ratio"] else ""
        lines.append(f"{row['what']:<62} {rate:>12} {row['unit']}{compared}")
    return "\n".join(lines)
