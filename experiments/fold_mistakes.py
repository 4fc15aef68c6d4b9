"""The mistakes of the default kernel on held-out pairs of the training part, counted by what is special about the pair.

The test part is not read. What is found here may therefore steer what is tried next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.corpora import DataPath
from experiments.pair_corpora import CORPORA, choose_corpora, make_folds
from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.core.progress import show_bars, track
from rekern.datasets.tables import Table, write_table
from rekern.learning import PairClassifier, PairRanker, PairRegressor
from rekern.structures.tokenizer import Tokenizer

MOST = 8000  # training pairs of a corpus: enough for a few hundred mistakes
FAR = 1.0  # a number is a mistake if it is as far from the label
SHOWN_PARTS = 8  # of an explanation
NEGATIONS = frozenset(["not", "n't", "no", "never", "nobody", "nothing", "without", "none", "neither", "nor"])
NUMBER = re.compile(r"\d")

Words = list[str]
Model = PairClassifier | PairRegressor | PairRanker


def share_words(source: Words, target: Words) -> float:
    """Return the share of the shorter text's words that the other one has as well.

    >>> share_words(["a", "b"], ["a", "c", "d"])
    0.5
    """
    first, second = set(source), set(target)
    return len(first & second) / max(min(len(first), len(second)), 1)


def differ_in(source: Words, target: Words, is_special: Callable[[str], object]) -> bool:
    """Whether the special words of two texts are not the same.

    >>> differ_in(["in", "1999"], ["in", "2001"], NUMBER.search)
    True
    """
    return {word for word in source if is_special(word)} != {word for word in target if is_special(word)}


# What may be special about a pair; a pair may be of several kinds.
KINDS: dict[str, Callable[[Words, Words], bool]] = {
    "all": lambda source, target: True,
    "same words": lambda source, target: set(source) == set(target),
    "most words shared (80 % of the shorter text)": lambda source, target: share_words(source, target) >= 0.8,
    "few words shared (30 % of the shorter text)": lambda source, target: share_words(source, target) <= 0.3,
    "one text twice as long": lambda source, target: max(len(source), len(target)) >= 2 * min(len(source), len(target)),
    "other numbers": lambda source, target: differ_in(source, target, NUMBER.search),
    "other negations": lambda source, target: differ_in(source, target, NEGATIONS.__contains__),
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
    corpus = CORPORA[name]
    table = corpus.load(corpus.train, data).table
    fold = make_folds(name, table, data)[0]
    train, test = fold.train[:MOST], fold.test[: MOST // 4]
    labels = np.array(table.labels)
    with show_bars(False):
        model = _train(corpus.measure, table, train, n_jobs)
        predicted = np.asarray(model.predict([table.pairs[row] for row in test]))
    is_wrong = find_mistakes(
        corpus.measure, predicted, labels[test], [str((table.groups or labels)[row]) for row in test]
    )
    tokenize = Tokenizer()
    words = [(tokenize(source), tokenize(target)) for source, target in (table.pairs[row] for row in test)]
    rows: list[JsonObject] = []
    for kind, is_kind in KINDS.items():
        among = np.array([is_kind(*pair) for pair in words], dtype=bool)
        wrong = int(np.sum(is_wrong & among))
        share = round(100 * wrong / max(int(among.sum()), 1), 1)
        rows.append({"corpus": name, "kind": kind, "pairs": int(among.sum()), "mistakes": wrong, "per cent": share})
    for (label, guess), count in _count_confusions(corpus.measure, predicted, labels[test], is_wrong).items():
        rows.append({"corpus": name, "kind": f"{label} taken for {guess}", "mistakes": count})
    if out is not None:
        _write_mistakes(out / f"mistakes-{name}.jsonl", model, table, test[is_wrong], predicted[is_wrong])
    return rows


def _train(measure: str, table: Table, rows: Ints, n_jobs: int | None) -> Model:
    pairs, labels = [table.pairs[row] for row in rows], [(table.labels or [])[row] for row in rows]
    if measure == "accuracy":
        return PairClassifier(calibration=0, n_jobs=n_jobs).fit(pairs, labels)
    if measure == "pearson":
        return PairRegressor(n_jobs=n_jobs).fit(pairs, labels)
    return PairRanker(n_jobs=n_jobs).fit(pairs, labels, [(table.groups or [])[row] for row in rows])


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


def _count_confusions(
    measure: str, predicted: AnyArray, labels: AnyArray, is_wrong: Booleans
) -> dict[tuple[str, str], int]:
    if measure == "map":
        return {}
    if measure == "pearson":
        high = predicted.astype(float) > labels.astype(float)
        return {
            ("a low number", "a higher one"): int(np.sum(is_wrong & high)),
            ("a high number", "a lower one"): int(np.sum(is_wrong & ~high)),
        }
    found: dict[tuple[str, str], int] = {}
    for label, guess in zip(labels[is_wrong].tolist(), predicted[is_wrong].tolist()):
        found[str(label), str(guess)] = found.get((str(label), str(guess)), 0) + 1
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _write_mistakes(path: Path, model: Model, table: Table, rows: Ints, predicted: AnyArray) -> None:
    columns: dict[str, list[object]] = {name: [] for name in ("source", "target", "label", "prediction", "why")}
    for row, guess in zip(rows.tolist(), predicted.tolist()):
        source, target = table.pairs[row]
        why = model.explain((source, target), neighbors=0)
        parts = "; ".join(f"{part.contribution:+.3f} {part.name}" for part in why.parts[:SHOWN_PARTS])
        for name, value in zip(columns, (source, target, (table.labels or [])[row], guess, parts)):
            columns[name].append(value)
    write_table(path, columns)
