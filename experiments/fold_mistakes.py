"""The mistakes of the default kernel on held-out pairs of the training part, counted by what is special about the pair.

The test part is not read. What is found here may therefore steer what is tried next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.corpora import DataPath
from experiments.pair_corpora import CORPORA, choose_corpora, make_folds
from rekern.core.arrays import AnyArray, Booleans, Floats
from rekern.core.json_values import JsonObject
from rekern.core.progress import show_bars, track
from rekern.datasets.tables import write_table
from rekern.learning import PairClassifier, PairRanker, PairRegressor
from rekern.structures.tokenizer import Tokenizer

MOST = 8000  # training pairs of a corpus: enough for a few hundred mistakes
FAR = 1.0  # a number is a mistake if it is as far from the label
SHOWN_PARTS = 8  # of an explanation
NEGATIONS = frozenset(["not", "n't", "no", "never", "nobody", "nothing", "without", "none", "neither", "nor"])
NUMBER = re.compile(r"\d")

Words = list[str]


def _share(source: Words, target: Words) -> float:
    """Return the share of the shorter text's words that the other one has as well."""
    first, second = set(source), set(target)
    return len(first & second) / max(min(len(first), len(second)), 1)


# What may be special about a pair; a pair may be of several kinds.
KINDS: dict[str, Callable[[Words, Words], bool]] = {
    "all": lambda source, target: True,
    "same words": lambda source, target: set(source) == set(target),
    "most words shared (80 % of the shorter text)": lambda source, target: _share(source, target) >= 0.8,
    "few words shared (30 % of the shorter text)": lambda source, target: _share(source, target) <= 0.3,
    "one text twice as long": lambda source, target: max(len(source), len(target)) >= 2 * min(len(source), len(target)),
    "other numbers": lambda *pair: len({frozenset(filter(NUMBER.search, words)) for words in pair}) == 2,
    "other negations": lambda *pair: len({NEGATIONS.intersection(words) for words in pair}) == 2,
}


def run_mistakes(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, only: str | None = None
) -> JsonObject:
    """Hold out one fold of five of each training part, and list the mistakes of the default kernel in it.

    With ``out``, the mistakes are written there as a table, with the parts of their explanations.
    """
    names = choose_corpora(only)
    return {
        "rows": [row for name in track(names, len(names), "corpora") for row in _run_corpus(name, data, out, n_jobs)]
    }


def _run_corpus(name: str, data: DataPath, out: Path | None, n_jobs: int | None) -> list[JsonObject]:
    measure, table = CORPORA[name].measure, CORPORA[name].load(CORPORA[name].train, data).table
    fold = make_folds(name, table, data)[0]
    train, test = (table.select(rows.tolist()) for rows in (fold.train[:MOST], fold.test[: MOST // 4]))
    with show_bars(False):
        model: PairClassifier | PairRegressor | PairRanker
        if measure == "accuracy":
            model = PairClassifier(calibration=0, n_jobs=n_jobs).fit(train.pairs, train.labels or [])
        elif measure == "pearson":
            model = PairRegressor(n_jobs=n_jobs).fit(train.pairs, train.labels or [])
        else:
            model = PairRanker(n_jobs=n_jobs).fit(train.pairs, train.labels or [], train.groups or [])
        predicted = np.asarray(model.predict(test.pairs))
    labels = np.array(test.labels)
    is_wrong = find_mistakes(measure, predicted, labels, list(map(str, test.groups or labels)))
    tokenize = Tokenizer()
    words = [(tokenize(source), tokenize(target)) for source, target in test.pairs]
    rows: list[JsonObject] = []
    for kind, is_kind in KINDS.items():
        among = np.array([is_kind(*pair) for pair in words], dtype=bool)
        wrong = int(np.sum(is_wrong & among))
        share = round(100 * wrong / max(int(among.sum()), 1), 1)
        rows.append({"corpus": name, "kind": kind, "pairs": int(among.sum()), "mistakes": wrong, "per cent": share})
    confusions: Counter[str] = Counter()
    if measure == "pearson":
        high = predicted.astype(float) > labels.astype(float)
        confusions["a low number taken for a higher one"] = int(np.sum(is_wrong & high))
        confusions["a high number taken for a lower one"] = int(np.sum(is_wrong & ~high))
    elif measure == "accuracy":
        confusions.update(f"{label} taken for {guess}" for label, guess in zip(labels[is_wrong], predicted[is_wrong]))
    listed = confusions.items() if measure == "pearson" else confusions.most_common()
    rows += [{"corpus": name, "kind": kind, "mistakes": count} for kind, count in listed]
    if out is not None:
        columns: dict[str, list[object]] = {field: [] for field in ("source", "target", "label", "prediction", "why")}
        for row in np.flatnonzero(is_wrong).tolist():
            parts = model.explain(test.pairs[row], neighbors=0).parts[:SHOWN_PARTS]
            why = "; ".join(f"{part.contribution:+.3f} {part.name}" for part in parts)
            for field, value in zip(columns, (*test.pairs[row], labels[row].item(), predicted[row].item(), why)):
                columns[field].append(value)
        write_table(out / f"mistakes-{name}.jsonl", columns)
    return rows


def find_mistakes(measure: str, predicted: AnyArray, labels: AnyArray, groups: list[str]) -> Booleans:
    """Return which predictions are mistakes: another class, a number far away, or a wrong text that is ranked first.

    >>> find_mistakes("pearson", np.array([1.0, 4.0]), np.array([1.5, 2.0]), [])
    array([False,  True])
    >>> find_mistakes("map", np.array([0.1, 0.7, 0.3]), np.array([1, 0, 1]), ["q", "q", "r"])
    array([False,  True, False])
    """
    if measure == "accuracy":
        return np.asarray(predicted != labels)
    if measure == "pearson":
        return np.asarray(np.abs(predicted.astype(float) - labels) >= FAR)
    best: dict[str, int] = {}
    values: Floats = predicted.astype(float)
    for row, group in enumerate(groups):
        if group not in best or values[row] > values[best[group]]:
            best[group] = row
    found = np.zeros(len(labels), dtype=bool)
    found[list(best.values())] = True
    return np.asarray(found & (labels.astype(float) <= 0))
