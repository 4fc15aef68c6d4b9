"""Predictions for pairs that a model was not trained on: of a test set, in cross-validation, and with fewer pairs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, cast

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.learning.candidate_groups import group_shared_texts, number_groups
from rekern.learning.cross_validation import Fold, make_class_folds, make_group_folds, make_text_folds
from rekern.learning.pair_classifier import Decisions, PairClassifier
from rekern.learning.pair_input import join_side, list_texts, take_items
from rekern.learning.pair_model import KEEP_PAIRS, PairModel
from rekern.learning.pair_ranker import PairRanker, find_groups
from rekern.learning.text_classifier import TextClassifier
from rekern.learning.text_input import list_shown_texts, read_texts
from rekern.structures.representations import Representations

SIZES = 6  # of a learning curve


class LearnedPairs(NamedTuple):
    """The pairs that a model was trained on, their labels, their texts, and their groups for a ranker."""

    items: Sequence[object]
    labels: AnyArray
    texts: list[tuple[str, str]]
    groups: list[Hashable] | None


def list_both_texts(model: PairModel, X: object) -> list[tuple[str, str]]:
    """Return the texts of pairs, to show; a single text is the first of the two."""
    if isinstance(model, TextClassifier):
        return [(text, "") for text in list_shown_texts(read_texts(model.kernel_, X))]
    pairs = list_texts(Representations.from_items(X))
    return [(join_side(source), join_side(target)) for source, target in pairs]


def predict_pairs(model: PairModel, X: object, threshold: float | str | None = None) -> Decisions:
    """Return the predictions of a model; ``threshold`` is that of `PairClassifier.decide`."""
    if isinstance(model, PairClassifier):
        return model.decide(X, threshold)
    values: Floats = model.predict(X)
    return Decisions(values, values[:, None], None)


def get_learned_pairs(
    model: PairModel, use: str = "to cross-validate on", otherwise: str = "give a test file"
) -> LearnedPairs:
    """Return the pairs that a model was trained on, if it has them; ``use`` and ``otherwise`` are for the error."""
    if not model.has_pairs():
        raise InputError(f"the model has no training pairs {use}: {KEEP_PAIRS}, or {otherwise}")
    items = cast(Sequence[object], model.pairs_ if model.items_ is None else model.items_)
    texts = [(join_side(source), join_side(target)) for source, target in model.pairs_]
    groups = find_groups(items) if isinstance(model, PairRanker) else None
    return LearnedPairs(items, model.labels_, texts, groups)


def make_report_folds(model: PairModel, learned: LearnedPairs, folds: int) -> list[Fold]:
    """Return folds in which pairs of one text, and the candidates of one group, stay together where possible."""
    if learned.groups is not None:
        if len(set(learned.groups)) < folds:
            raise InputError(f"the model has too few groups for {folds} folds: ask for fewer folds")
        return make_group_folds(learned.groups, folds)
    if len(learned.labels) < folds:
        raise InputError(f"the model has only {len(learned.labels)} training pairs, too few for {folds} folds")
    if isinstance(model, TextClassifier):
        return make_class_folds(learned.labels, folds)
    if isinstance(model, PairClassifier):
        try:
            return make_text_folds(learned.texts, learned.labels, folds)
        except InputError:  # too few pairs of a class, or too many of one text
            return make_class_folds(learned.labels, folds)
    shared = group_shared_texts(learned.texts)
    separate = len(np.unique(shared)) >= folds
    return make_group_folds(shared.tolist() if separate else range(len(shared)), folds)


def predict_held_out(
    model: PairModel, learned: LearnedPairs, folds: Sequence[Fold]
) -> tuple[Decisions, list[PairModel]]:
    """Return the prediction for each training pair by a model that was trained without its fold, and these models."""
    n = len(learned.labels)
    labels: AnyArray | None = None
    values: Floats | None = None
    probabilities: Floats | None = None
    copies = []
    for fold in track(folds, len(folds), "cross-validation"):
        copy = fit_copy(model, learned, fold.train)
        copies.append(copy)
        found = predict_pairs(copy, take_items(learned.items, fold.test))
        if labels is None or values is None:
            labels = np.zeros(n, found.labels.dtype)
            values = np.zeros((n, found.values.shape[1]))
            probabilities = None if found.probabilities is None else np.zeros((n, found.probabilities.shape[1]))
        if found.values.shape[1] != values.shape[1]:
            raise InputError(f"a class is missing in one of the {len(folds)} folds: ask for fewer folds")
        labels = labels.astype(np.promote_types(labels.dtype, found.labels.dtype))
        labels[fold.test], values[fold.test] = found.labels, found.values
        if probabilities is not None and found.probabilities is not None:
            probabilities[fold.test] = found.probabilities
    assert labels is not None and values is not None
    return Decisions(labels, values, probabilities), copies


def fit_copy(model: PairModel, learned: LearnedPairs, rows: Ints) -> PairModel:
    """Return a model with the same parameters, trained on some of the training pairs."""
    from sklearn.base import clone

    copy: PairModel = clone(model)
    items, labels = take_items(learned.items, rows), learned.labels[rows]
    if isinstance(copy, PairRanker):
        assert learned.groups is not None
        return copy.fit(items, labels, number_groups([learned.groups[row] for row in rows.tolist()]).tolist())
    fitted: PairModel = copy.fit(items, labels)
    return fitted


def choose_sizes(n: int) -> list[int]:
    """Return the numbers of training pairs of a learning curve, each about twice the one before it.

    >>> choose_sizes(1000)
    [31, 62, 125, 250, 500, 1000]
    """
    return sorted({max(n >> step, 10) for step in range(SIZES)} & set(range(n + 1)))


def choose_rows(model: PairModel, learned: LearnedPairs, rows: Ints, size: int) -> Ints:
    """Return some rows for a smaller training set: whole groups for a ranker, and both classes for a classifier."""
    random = np.random.default_rng(0)
    if learned.groups is not None:
        numbers = number_groups([learned.groups[row] for row in rows.tolist()])
        order = random.permutation(numbers.max() + 1)
        ranks = np.argsort(order)[numbers]
        return rows[np.argsort(ranks, kind="stable")][:size]
    order = random.permutation(len(rows))
    if isinstance(model, PairClassifier):  # the classes in turn, as often as they are
        labels = learned.labels[rows[order]]
        places = np.empty(len(rows))
        for label in np.unique(labels):
            own = np.flatnonzero(labels == label)
            places[own] = (np.arange(len(own)) + 0.5) / len(own)
        order = order[np.argsort(places, kind="stable")]
    return rows[order[:size]]
