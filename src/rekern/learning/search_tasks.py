"""What a search over kernels asks of classes, numbers and orders: decision values of held-out pairs, and their score.

A score comes with an influence for each pair: how much the score would change if the pair counted a little more. The
influences of two kernels on the same pairs tell how far chance alone may have set the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np

from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.learning.candidate_groups import rows_of_groups
from rekern.learning.classifier_trainers import FeatureTrainer, GramTrainer, LargeGramTrainer, Trainer
from rekern.learning.cross_validation import Fold
from rekern.learning.dual_descent import condense, order_features, order_gram, regress_features
from rekern.learning.gram_svm import regress_gram
from rekern.learning.measures import average_precisions, find_best_threshold
from rekern.learning.pair_ranker import subtract_candidates
from rekern.learning.submatrix_core import take_submatrix
from rekern.learning.training_matrices import TrainingMatrix


class Measurement(NamedTuple):
    """A score, and the influence of each pair on it; the influences add up to 0."""

    score: float
    influences: Floats


class SearchTask(Protocol):
    """What is learned, on which labels."""

    measure_name: str
    size: int  # rows of a Gram of all pairs, or of all differences of two candidates
    outputs: int  # how many machines are trained on a fold
    needs_all_features: bool  # features are better than a Gram, also those that only one pair has
    may_have_no_direction: bool  # whether both orders of a pair may mean the same

    def decide(self, matrix: TrainingMatrix, C: float, fold: Fold, output: int) -> Floats:
        """Return the decision values of the test rows of a fold."""

    def measure(self, values: Floats, rows: Ints) -> Measurement:
        """Return the score of the decision values of these rows, a column for each output."""

    def take(self, rows: Ints) -> Self:
        """Return the same task on some of the pairs."""


class ClassTask:
    """Two or more classes; the score is the accuracy, or the F1 of the second of two classes.

    >>> task = ClassTask(np.array(["no", "yes", "no"]), np.ones(3))
    >>> task.measure(np.array([[-1.0], [2.0], [3.0]]), np.arange(3)).score
    0.6666666666666666
    """

    needs_all_features = False
    may_have_no_direction = True

    def __init__(self, labels: AnyArray, weights: Floats, metric: str = "accuracy"):
        self.labels = labels
        classes, self.codes = np.unique(labels, return_inverse=True)
        positive = [1] if len(classes) == 2 else range(len(classes))
        self.signs = np.array([np.where(self.codes == code, 1, -1) for code in positive])
        self.weights = weights
        self.size, self.outputs = len(labels), len(self.signs)
        self.measure_name = metric

    def decide(self, matrix: TrainingMatrix, C: float, fold: Fold, output: int) -> Floats:
        """Return the decision values of the test rows of a fold."""
        costs = C * self.weights
        signs = self.signs[output, fold.train]
        if abs(signs.sum()) == len(signs):  # a class that the training rows of this fold lack, or have alone
            return np.full(len(fold.test), float(signs[0]))
        trainer: Trainer
        if matrix.gram is not None:
            if matrix.gram.dtype == np.float32:
                trainer = LargeGramTrainer(matrix.gram.astype(np.float32, copy=False), self.signs, costs)
            else:
                trainer = GramTrainer(matrix.gram.astype(np.float64, copy=False), self.signs, costs)
        else:
            assert matrix.features is not None and matrix.norms is not None
            trainer = FeatureTrainer(matrix.features, matrix.norms, self.signs, costs)
        return trainer.decide(output, fold.train, fold.test)

    def measure(self, values: Floats, rows: Ints) -> Measurement:
        """Return the accuracy or the F1 of the decision values of these rows."""
        codes = self.codes[rows]
        if self.measure_name == "f1":
            return _measure_f1(values[:, 0], codes == 1)
        guesses = values.argmax(axis=1) if self.outputs > 1 else (values[:, 0] > 0).astype(np.int64)
        right = (guesses == codes).astype(np.float64)
        score = float(right.mean())
        return Measurement(score, (right - score) / len(right))

    def take(self, rows: Ints) -> Self:
        """Return the same task on some of the pairs."""
        return type(self)(self.labels[rows], self.weights[rows], self.measure_name)


class NumberTask:
    """Numbers; the score is Pearson's correlation.

    >>> task = NumberTask(np.array([1.0, 2.0, 3.0]), np.ones(3), 0.1)
    >>> round(task.measure(np.array([[2.0], [4.0], [6.0]]), np.arange(3)).score, 9)
    1.0
    """

    measure_name = "pearson"
    outputs = 1
    needs_all_features = False
    may_have_no_direction = True

    def __init__(self, targets: Floats, weights: Floats, epsilon: float):
        self.targets, self.weights, self.epsilon = targets, weights, epsilon
        self.size = len(targets)

    def decide(self, matrix: TrainingMatrix, C: float, fold: Fold, output: int) -> Floats:
        """Return the predicted numbers of the test rows of a fold."""
        train, test = fold
        targets, costs = self.targets[train], C * self.weights[train]
        if matrix.gram is not None:
            solution = regress_gram(take_submatrix(matrix.gram, train, train), targets, costs, self.epsilon)
            return solution.decide(take_submatrix(matrix.gram, test, train))
        assert matrix.features is not None and matrix.norms is not None
        rows = matrix.features[train]
        solution = regress_features(rows, matrix.norms[train], targets, costs, self.epsilon)
        values: Floats = matrix.features[test] @ (rows.T @ solution.coefficients) + solution.intercept
        return values

    def measure(self, values: Floats, rows: Ints) -> Measurement:
        """Return the correlation of the predicted numbers of these rows with the true ones."""
        guesses, truth = values[:, 0], self.targets[rows]
        if np.ptp(guesses) == 0 or np.ptp(truth) == 0:
            return Measurement(0.0, np.zeros(len(rows)))
        x, y = ((side - side.mean()) / side.std() for side in (guesses, truth))
        score = float(np.mean(x * y))
        return Measurement(score, (x * y - score * (x * x + y * y) / 2) / len(rows))

    def take(self, rows: Ints) -> Self:
        """Return the same task on some of the pairs."""
        return type(self)(self.targets[rows], self.weights[rows], self.epsilon)


class OrderTask:
    """Orders of candidates within groups; the score is the mean average precision.

    >>> task = OrderTask(np.array([1.0, 0.0]), np.array([0, 0]), np.ones(2))
    >>> task.measure(np.array([[0.2], [0.1]]), np.arange(2)).score
    1.0
    """

    measure_name = "map"
    outputs = 1
    needs_all_features = True  # on WikiQA a tenth of the time; what one candidate has is in several differences
    may_have_no_direction = False

    def __init__(self, labels: Floats, groups: Ints, weights: Floats):
        self.labels, self.groups, self.weights = labels, groups, weights
        differences = sum(_count_differences(labels[rows]) for rows in rows_of_groups(groups))
        self.size = max(len(labels), differences)

    def decide(self, matrix: TrainingMatrix, C: float, fold: Fold, output: int) -> Floats:
        """Return the scores of the test rows of a fold."""
        import scipy.sparse as sp

        train, test = fold
        if not _has_orders(self.labels[train], self.groups[train]):
            return np.zeros(len(test))
        weights = self.weights[train]
        differences = subtract_candidates(self.labels[train], self.groups[train], weights)
        used = np.unique(differences.matrix.indices)
        rows = sp.csr_array(differences.matrix.tocsc()[:, used])
        assert differences.weights is not None
        costs, candidates = C * differences.weights, train[used]
        if matrix.gram is not None:
            gram = rows @ (rows @ take_submatrix(matrix.gram, candidates, candidates)).T
            coefficients = rows.T @ order_gram(np.ascontiguousarray(gram), costs)
            values: Floats = take_submatrix(matrix.gram, test, candidates) @ coefficients
            return values
        assert matrix.features is not None
        features, norms = condense(sp.csr_array(rows @ matrix.features[candidates]))
        coefficients = rows.T @ order_features(features, norms, costs)
        found: Floats = matrix.features[test] @ (matrix.features[candidates].T @ coefficients)
        return found

    def measure(self, values: Floats, rows: Ints) -> Measurement:
        """Return the mean average precision of these rows, over the groups that have a positive candidate."""
        found = average_precisions(values[:, 0], self.labels[rows] > 0, self.groups[rows])
        if not found:
            return Measurement(0.0, np.zeros(len(rows)))
        score = float(np.mean(list(found.values())))
        influences = np.zeros(len(rows))
        for row, precision in found.items():
            influences[row] = (precision - score) / len(found)
        return Measurement(score, influences)

    def take(self, rows: Ints) -> Self:
        """Return the same task on some of the candidates."""
        return type(self)(self.labels[rows], self.groups[rows], self.weights[rows])


def measure_error(influences: Floats, groups: Ints) -> float:
    """Return the standard error of a score, or of the difference of two, from its influences.

    Pairs of one group are not independent of each other, so their influences are added up before they are squared.

    >>> round(measure_error(np.array([0.1, -0.1, 0.3, -0.4]), np.array([0, 0, 1, 2])), 9)
    0.5
    """
    return float(np.sqrt(np.sum(np.bincount(groups, influences) ** 2)))


def _measure_f1(values: Floats, positive: Booleans) -> Measurement:
    """The F1 at the best threshold on these rows, and the influences of its linear approximation."""
    threshold, score = find_best_threshold(values, positive, "f1")
    called = values > threshold
    sizes = called.astype(np.float64) + positive
    total = float(sizes.sum())
    if not total:
        return Measurement(0.0, np.zeros(len(values)))
    return Measurement(score, (2.0 * (called & positive) - score * sizes) / total)


def _count_differences(labels: Floats) -> int:
    """How many two candidates of a group have different labels."""
    _, counts = np.unique(labels, return_counts=True)
    return int(counts.sum() ** 2 - (counts**2).sum()) // 2


def _has_orders(labels: Floats, groups: Ints) -> bool:
    return any(np.ptp(labels[rows]) > 0 for rows in rows_of_groups(groups))


def list_rows(folds: Sequence[Fold]) -> Ints:
    """Return the test rows of some folds, in their order.

    >>> list_rows([Fold(np.array([0]), np.array([2])), Fold(np.array([2]), np.array([0]))]).tolist()
    [2, 0]
    """
    return np.concatenate([fold.test for fold in folds])
