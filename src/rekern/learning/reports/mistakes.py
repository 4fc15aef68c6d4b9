"""The worst mistakes of a model on labelled pairs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from rekern.core.arrays import Floats
from rekern.learning.candidate_groups import number_groups, rows_of_groups


class Mistake(NamedTuple):
    """A pair that is predicted wrongly, and by how much."""

    row: int
    size: float
    prediction: object


def rank_wrong_classes(predictions: Sequence[object], labels: Sequence[object], values: Floats) -> list[Mistake]:
    """Return the pairs of a wrong class, those with the highest confidence first.

    ``values`` has a column of decision values or probabilities for each class, or one for the second of two classes.

    >>> import numpy as np
    >>> rank_wrong_classes([1, 1, 0], [1, 0, 1], np.array([[2.0], [1.0], [-3.0]]))
    [Mistake(row=2, size=3.0, prediction=0), Mistake(row=1, size=1.0, prediction=1)]
    """
    sizes = abs(values[:, 0]) if values.shape[1] == 1 else values.max(axis=1)
    return _rank(predictions, labels, sizes.tolist())


def rank_wrong_numbers(predictions: Sequence[float], labels: Sequence[float]) -> list[Mistake]:
    """Return the pairs in the order of the error of their number, the largest first.

    >>> [mistake.row for mistake in rank_wrong_numbers([1.0, 2.0, 3.0], [1.5, 2.0, 5.0])]
    [2, 0]
    """
    return _rank(predictions, labels, [abs(guess - label) for guess, label in zip(predictions, labels)])


def _rank(predictions: Sequence[object], labels: Sequence[object], sizes: Sequence[float]) -> list[Mistake]:
    rows = enumerate(zip(predictions, labels, sizes))
    wrong = [Mistake(row, size, guess) for row, (guess, label, size) in rows if guess != label]
    return sorted(wrong, key=lambda mistake: (-mistake.size, mistake.row))


def rank_wrong_orders(scores: Sequence[float], labels: Sequence[float], groups: Sequence[Hashable]) -> list[Mistake]:
    """Return the candidates that score higher than a better one of their group, those with the largest lead first.

    >>> [mistake.row for mistake in rank_wrong_orders([3.0, 1.0, 2.0], [0, 1, 0], ["a", "a", "a"])]
    [0, 2]
    """
    wrong = []
    for group in rows_of_groups(number_groups(groups)):
        rows = group.tolist()
        for row in rows:
            better = [scores[other] for other in rows if labels[other] > labels[row]]
            if better and scores[row] > min(better):
                wrong.append(Mistake(row, scores[row] - min(better), scores[row]))
    return sorted(wrong, key=lambda mistake: (-mistake.size, mistake.row))
