"""Folds of cross-validation: the same in every run, with groups that stay together where that is asked for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import AnyArray, Ints, SmallInts
from rekern.errors import InputError
from rekern.learning.candidate_groups import group_shared_texts, number_groups


class Fold(NamedTuple):
    """The rows that a model is trained on, and those that it is tested on."""

    train: Ints
    test: Ints


def make_folds(n: int, folds: int, seed: int = 0) -> list[Fold]:
    """Shuffled folds of ``n`` rows.

    >>> [fold.test.tolist() for fold in make_folds(4, 2)]
    [[2, 3], [0, 1]]
    """
    from sklearn.model_selection import KFold

    return _list_folds(KFold(folds, shuffle=True, random_state=seed).split(np.zeros(n)))


def make_stratified_folds(labels: AnyArray, folds: int, seed: int = 0) -> list[Fold]:
    """Shuffled folds in which classes keep their shares.

    >>> [fold.test.tolist() for fold in make_stratified_folds(np.array([0, 0, 1, 1]), 2)]
    [[1, 2], [0, 3]]
    """
    from sklearn.model_selection import StratifiedKFold

    return _list_folds(StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels))


def make_class_folds(labels: AnyArray, folds: int, seed: int = 0) -> list[Fold]:
    """Stratified folds if every class has at least as many rows as there are folds, else plain shuffled folds.

    >>> [fold.test.tolist() for fold in make_class_folds(np.array([0, 0, 0, 1]), 2)]
    [[2, 3], [0, 1]]
    """
    if min(Counter(labels.tolist()).values()) >= folds:
        return make_stratified_folds(labels, folds, seed)
    return make_folds(len(labels), folds, seed)


def make_group_folds(groups: Iterable[Hashable], folds: int) -> list[Fold]:
    """Folds of about the same size that never split a group, such as the candidates of one question.

    >>> [fold.test.tolist() for fold in make_group_folds(["a", "a", "b", "c"], 2)]
    [[0, 1], [2, 3]]
    """
    numbers = number_groups(groups)
    from sklearn.model_selection import GroupKFold

    return _list_folds(GroupKFold(folds).split(numbers, groups=numbers))


def make_text_folds(pairs: Sequence[tuple[str, str]], labels: AnyArray, folds: int, seed: int = 0) -> list[Fold]:
    """Folds that keep pairs of one text together, with the classes in proportion.

    >>> pairs = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "b")]  # the first and the last share a text
    >>> for fold in make_text_folds(pairs, np.array([1, 0, 1, 0]), 2):
    ...     print(fold.train, fold.test)
    [1] [0 2 3]
    [0 2 3] [1]
    """
    counts = Counter(labels.tolist())
    if len(counts) < 2 or min(counts.values()) < folds:
        raise InputError(f"cross-validation in {folds} folds needs {folds} pairs of each of two labels at least")
    groups = group_shared_texts(pairs)
    if len(np.unique(groups)) < folds:
        raise InputError(f"too many pairs share a text for {folds} folds that keep them together: ask for fewer folds")
    return make_stratified_group_folds(groups, labels, folds, seed)


def make_stratified_group_folds(groups: Ints | SmallInts, labels: AnyArray, folds: int, seed: int = 0) -> list[Fold]:
    """Folds that keep the rows of a group together, with the classes in proportion.

    >>> folds = make_stratified_group_folds(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), 2)
    >>> [fold.test.tolist() for fold in folds]
    [[0, 1, 3], [2]]
    """
    from sklearn.model_selection import StratifiedGroupKFold

    return _list_folds(StratifiedGroupKFold(folds, shuffle=True, random_state=seed).split(labels, labels, groups))


def deal_folds(n: int, folds: int, seed: int = 0) -> list[Fold]:
    """Folds of rows that are shuffled and then dealt out in turn; both sides of a fold are in the shuffled order.

    >>> [fold.test.tolist() for fold in deal_folds(4, 2)]
    [[2, 1], [0, 3]]
    """
    order = list(range(n))
    random.Random(seed).shuffle(order)
    shuffled = np.array(order, dtype=np.int64)
    turns = np.arange(n) % folds
    return [Fold(shuffled[turns != fold], shuffled[turns == fold]) for fold in range(folds)]


def _list_folds(splits: Iterable[tuple[Ints, Ints]]) -> list[Fold]:
    return [Fold(train, test) for train, test in splits]
