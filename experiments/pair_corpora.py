"""The corpora of pairs on which all scores are measured: how each is read, what is learned, and how it is measured."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import comb
from typing import NamedTuple, cast

import numpy as np

from experiments.corpora import (
    DataPath,
    join_tables,
    load_paws,
    load_qqp,
    load_rte,
    load_sick,
    load_snli,
    load_stsb,
    load_wikiqa,
)
from experiments.tree_corpora import load_part
from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.learning import correlations
from rekern.learning.candidate_groups import number_groups
from rekern.learning.cross_validation import Fold, make_group_folds, make_text_folds
from rekern.learning.measures import average_precisions, class_measures
from rekern.learning.reports.intervals import resample_intervals
from rekern.learning.search_tasks import ClassTask, NumberTask, OrderTask, SearchTask
from rekern.structures import Representations
from rekern.structures.parsers import parse_trees, parser
from rekern.structures.parsers.interface import Parser

N_FOLDS = 5
DEPENDENCIES = "dependencies"  # the representation of an item that `add_dependencies` adds
EPSILON = 0.1  # of the regression, as in PairRegressor


class CorpusPart(NamedTuple):
    """A part of a corpus: its labels, and what kernels read, which may be more than the texts."""

    table: Table
    items: Sequence[object]


class PairCorpus(NamedTuple):
    """How a corpus is read, its parts, and what is measured."""

    load: Callable[[str, DataPath], CorpusPart]
    train: str
    test: str
    measure: str  # accuracy, pearson or map
    dev: str | None = None  # where settings are compared; without it, in folds of the training part
    trains_on_dev: bool = False  # once a setting is chosen, the development part joins the training part
    has_trees: bool = False
    has_roles: bool = False  # dependencies join the trees, from the installed parser
    is_large: bool = False  # too large for a Gram, or ranked, which is faster by features
    is_symmetric: bool = False  # the relation has no direction
    has_telling_targets: bool = False  # the words of the target alone tell something of the class
    is_balanced: bool = False  # classes count the same in training, as in the test part and unlike in the training part
    shuffles: int = 1  # of the folds: one alone may mislead a close choice
    widths: tuple[float, ...] = (0.3,)  # of the Gaussian kernel, times the number of scores
    windows: tuple[int, ...] = (2, 4)  # of the rules of a large corpus, the largest ones
    judge: tuple[str, tuple[str, ...]] | None = None  # another corpus, and its parts, whose model gives a score
    costs: tuple[float, ...] = (0.3, 3.0)  # of the best settings, besides C = 1; with a larger one training is slower


def _read(load: Callable[..., Table], **options: object) -> Callable[[str, DataPath], CorpusPart]:
    def read(part: str, data: DataPath) -> CorpusPart:
        table = load(part, data=data, **options)
        return CorpusPart(table, table.pairs)

    return read


def _read_trees(corpus: str) -> Callable[[str, DataPath], CorpusPart]:
    def read(part: str, data: DataPath) -> CorpusPart:
        found = load_part(corpus, part, data)
        return CorpusPart(found.table, cast(Sequence[object], found.items))  # a row for each pair

    return read


CORPORA: dict[str, PairCorpus] = {
    "msrp": PairCorpus(_read_trees("msrp"), "train", "test", "accuracy", has_trees=True, is_symmetric=True, shuffles=3),
    "rte3": PairCorpus(_read(load_rte), "train", "test", "accuracy", widths=(0.3, 0.1)),
    "rte3-dev": PairCorpus(
        _read_trees("rte3"),
        "train",
        "test",
        "accuracy",
        has_trees=True,
        has_roles=True,
        shuffles=10,
        widths=(0.3, 0.1),
        costs=(0.1, 0.3, 3.0),
        judge=("RTE-1", ("rte1_dev", "rte1_test")),
    ),
    "sick-entailment": PairCorpus(_read(load_sick, response="entailment"), "train", "test", "accuracy"),
    "sick-relatedness": PairCorpus(_read(load_sick, response="relatedness"), "train", "test", "pearson"),
    "stsb": PairCorpus(_read(load_stsb), "train", "test", "pearson", dev="dev", trains_on_dev=True, is_symmetric=True),
    "paws": PairCorpus(_read(load_paws), "dev", "test", "accuracy", is_symmetric=True),
    "qqp": PairCorpus(
        _read(load_qqp),
        "train",
        "test",
        "accuracy",
        dev="dev",
        is_large=True,
        is_symmetric=True,
        is_balanced=True,
        costs=(),
    ),
    "wikiqa": PairCorpus(_read(load_wikiqa), "train", "test", "map", dev="dev", is_large=True),
    "snli": PairCorpus(_read(load_snli), "dev", "test", "accuracy", has_telling_targets=True),
}


def load_items(corpus: PairCorpus, part: str, data: DataPath) -> CorpusPart:
    """Load a part of a corpus with all that its settings read.

    Dependencies come from the default parser (`rekern[parse]`). It parses every text once; the cache folder keeps the
    parses.
    """
    found = corpus.load(part, data)
    return add_dependencies(found, parser("spacy")) if corpus.has_roles else found


def add_dependencies(part: CorpusPart, used: Parser, cache: str | None = None) -> CorpusPart:
    """Add the dependencies of both sides, in CoNLL-U, to the items of a part."""
    items = Representations.from_items(part.items)
    columns = {name: items[name] for name in items.columns}
    for side in ("source", "target"):
        parsed = parse_trees(items[side], used, ("conllu",), cache)
        columns[f"{side}.{DEPENDENCIES}"] = list(parsed.trees["conllu"])
    return CorpusPart(part.table, cast(Sequence[object], Representations(columns)))


def join_parts(*parts: CorpusPart) -> CorpusPart:
    """Join parts of a corpus without groups."""
    return CorpusPart(join_tables([part.table for part in parts]), [item for part in parts for item in part.items])


def choose_corpora(only: str | None) -> dict[str, PairCorpus]:
    """Return all corpora, or the one that ``only`` names."""
    if only is not None and only not in CORPORA:
        raise InputError(f"there is no corpus {only!r}: choose {', '.join(CORPORA)}")
    return CORPORA if only is None else {only: CORPORA[only]}


def make_task(measure: str, labels: Sequence[object], groups: Sequence[object], weights: Floats) -> SearchTask:
    """Make what is learned: classes, numbers, or an order of the candidates in each group."""
    values = np.array(labels)
    if measure == "accuracy":
        return ClassTask(values, weights)
    if measure == "pearson":
        return NumberTask(values.astype(float), weights, EPSILON)
    return OrderTask(values.astype(float), number_groups(list(groups)), weights)


def balance_classes(train: Sequence[object], labels: Sequence[object]) -> Floats:
    """Return a weight for each label with which the classes of the training part have the same weight together."""
    classes, counts = np.unique(np.array(train), return_counts=True)
    weights: Floats = len(train) / (len(classes) * counts)
    return weights[np.searchsorted(classes, np.array(labels))]


def make_folds(name: str, table: Table, data: DataPath = None, shuffles: int = 1) -> list[Fold]:
    """Make folds in which pairs that share a text, or candidates of one question, are never on both sides.

    Folds of several shuffles come one after the other. On RTE, only pairs of RTE-2 and RTE-3 are held out, because
    RTE-1 was collected differently.
    """
    if table.groups is not None:
        return make_group_folds(table.groups, N_FOLDS)
    labels = np.array(table.labels)
    classes = np.round(labels) if labels.dtype.kind == "f" else labels
    found = [fold for seed in range(shuffles) for fold in make_text_folds(table.pairs, classes, N_FOLDS, seed)]
    if name != "rte3":
        return found
    first = len(load_rte("rte1_dev", data)) + len(load_rte("rte1_test", data))
    return [Fold(train, test[test >= first]) for train, test in found]


def measure_predictions(
    measure: str, predicted: AnyArray, true: Sequence[object], groups: Sequence[Hashable] = ()
) -> JsonObject:
    """Measure predictions: ``value`` with its interval of 95 % from 400 resamples (``low``, ``high``).

    ``measure`` is ``accuracy`` (in per cent; two classes have ``f1`` of the larger class as well), ``pearson``, or
    ``map`` over the ``groups``, which are resampled as a whole.
    """
    truth = np.array(true)
    precisions = np.zeros(0)
    if measure == "map":
        found = average_precisions(predicted.astype(float), truth > 0, number_groups(list(groups)))
        precisions = np.array(list(found.values()))

    def compute(rows: Ints) -> dict[str, float | None]:
        if measure == "accuracy":
            return {"value": 100 * float(np.mean(predicted[rows] == truth[rows]))}
        if measure == "pearson":
            return {"value": correlations(predicted[rows], truth[rows])["pearson"]}
        return {"value": float(precisions[rows].mean())}

    n = len(precisions) if measure == "map" else len(truth)
    low, high = resample_intervals(compute, n)["value"]
    value = compute(np.arange(n))["value"] or 0.0
    digits = 2 if measure == "accuracy" else 4
    result: JsonObject = {"value": round(value, digits), "low": round(low, digits), "high": round(high, digits)}
    if measure == "accuracy" and len(np.unique(truth)) == 2:
        classes = sorted(set(truth.tolist()))
        measures = class_measures(predicted.tolist(), truth.tolist(), classes)
        result["f1"] = round(100 * measures["classes"][str(classes[-1])]["f1"], 2)
    return result


def mcnemar(true: Sequence[object], one: Sequence[object], other: Sequence[object]) -> float:
    """Return the p-value of McNemar's exact test that two classifiers have the same accuracy.

    ``true`` are the true classes, ``one`` and ``other`` the predictions of the two classifiers.

    >>> mcnemar([1] * 6, [1] * 6, [2] * 6)
    0.03125
    """
    right, also = np.asarray(one) == np.asarray(true), np.asarray(other) == np.asarray(true)
    first, second = int(np.sum(right & ~also)), int(np.sum(also & ~right))
    total, least = first + second, min(first, second)
    return min(1.0, 2 * sum(comb(total, count) for count in range(least + 1)) / 2**total) if total else 1.0
