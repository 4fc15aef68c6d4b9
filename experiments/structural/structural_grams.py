"""Grams of kernels on trees, graphs and scores of pairs: the Gram of all trees, which is slow, serves all pairings.

The Gram of a corpus has three blocks: training pairs with training pairs, test pairs with training pairs, and test
pairs with test pairs. Only the first block is needed before the test part is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np

from experiments.rewriting_settings import Setting
from experiments.shared_grams import N_FOLDS, TextPairs, count_uses, fit_fold
from rekern.core.arrays import AnyArray, Booleans, Floats, Ints, offsets_of
from rekern.core.parallel_jobs import run, split_range
from rekern.core.progress import show_bars, track
from rekern.kernels import Gaussian, Kernel
from rekern.kernels.kernel_terms import split_into_terms
from rekern.kernels.pair_kernel import PairKernel
from rekern.kernels.score_kernel import ScoreKernel
from rekern.learning.cross_validation import Fold, make_text_folds
from rekern.similarity import Similarities
from rekern.structures import Representations

ROWS = 256  # rows of a Gram of pairs that are computed at a time


class LinearKernel(ScoreKernel):
    """A linear kernel over rows of numbers.

    >>> LinearKernel().gram(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """

    def scores(self, X: object) -> Floats:
        """Return the rows unchanged."""
        return np.asarray(X, dtype=np.float64)


class FoldAccuracy(NamedTuple):
    """The accuracy over all folds (%), and its standard deviation between folds."""

    accuracy: float
    deviation: float

    def to_dict(self, name: str) -> dict[str, float]:
        """Return both values by name, for JSON."""
        return {f"{name}_accuracy": self.accuracy, f"{name}_sd": self.deviation}


class StructuralGrams:
    """The Grams of sums of kernels on one corpus; the test part is added later by `add_test`.

    Grams of trees are written to ``folder``, where a later run finds them. ``scores`` has all scores that any kernel
    uses; they are computed once for each part.
    """

    def __init__(self, train: Representations, folder: Path, scores: Similarities, n_jobs: int | None = None):
        self.parts = [train]
        self.folder, self.n_jobs = folder, n_jobs
        self.scores = scores
        self.part_scores: list[Floats] = []
        self.grams: dict[str, Floats] = {}
        self.uses: Counter[str] = Counter()
        self.sum = np.empty((0, 0))

    def add_test(self, test: Representations) -> None:
        """Add the test part; from now on Grams have the pairs of both parts."""
        self.parts.append(test)
        self.grams.clear()

    def expect(self, settings: Sequence[Setting]) -> None:
        """Announce the next settings: a Gram that several of them need is kept until the last one."""
        self.uses = count_uses(settings)
        self.grams = {key: gram for key, gram in self.grams.items() if self.uses[key]}

    def add_terms(self, kernel: Kernel) -> Floats:
        """Return the Gram of a sum of kernels; the next call overwrites it."""
        size = sum(map(len, self.parts))
        if len(self.sum) != size:
            self.sum = np.empty((size, size))  # one for all: new memory costs more than the additions
        self.sum.fill(0.0)
        for weight, part in split_into_terms(kernel):
            key = joblib.hash(part)
            gram = self.grams.pop(key, None)
            if gram is None:
                gram = self._compute_gram(part)
            self.sum += gram if weight == 1 else weight * gram
            self.uses[key] -= 1
            if self.uses[key] > 0:
                self.grams[key] = gram
        return self.sum

    def _compute_gram(self, kernel: Kernel) -> Floats:
        """Compute the Gram of all pairs, block by block."""
        offsets = offsets_of(list(map(len, self.parts)))
        whole = np.empty((offsets[-1], offsets[-1]))
        for row in range(len(self.parts)):
            for column in range(row + 1):
                rows, columns = slice(*offsets[row : row + 2]), slice(*offsets[column : column + 2])
                block = self._compute_block(kernel, row, column)
                whole[rows, columns] = block
                if row != column:
                    whole[columns, rows] = block.T
        return whole

    def _compute_block(self, kernel: Kernel, row: int, column: int) -> Floats:
        if isinstance(kernel, PairKernel):
            return self._compute_pair_block(kernel, row, column)
        inside = kernel.kernel if isinstance(kernel, Gaussian) else kernel
        if isinstance(inside, Similarities) and inside.standardize:
            left, right = self._get_scores(inside, row), self._get_scores(inside, column)
            on_scores = Gaussian(LinearKernel(), kernel.gamma) if isinstance(kernel, Gaussian) else LinearKernel()
            return on_scores.gram(left, None if row == column else right, self.n_jobs)
        kernel.adapt(self.parts[0])
        return kernel.gram(self.parts[row], None if row == column else self.parts[column], self.n_jobs)

    def _get_scores(self, kernel: Similarities, part: int) -> Floats:
        """Return the scores of a part that a kernel uses."""
        if not self.part_scores:
            self.scores.fit(self.parts[0])
        while len(self.part_scores) <= part:
            self.part_scores.append(self.scores.scores(self.parts[len(self.part_scores)]))
        names = self.scores.names()
        return self.part_scores[part][:, [names.index(name) for name in kernel.names()]]

    def _compute_pair_block(self, kernel: PairKernel, row: int, column: int) -> Floats:
        """Compute a kernel on pairs from the Gram of the trees of both sides."""
        names = sorted(kernel.kernel.reads())
        left, right = self.parts[row].texts(names), self.parts[column].texts(names)
        values = self._compute_tree_gram(kernel.kernel, names, row, column)
        combine, crossed = kernel.get_combination(), kernel.has_crossed_values()
        found = np.empty((len(left.sources), len(right.sources)))
        for first, last in split_range(len(found), ROWS):
            one, other = values[left.sources[first:last]], values[left.targets[first:last]]
            four = [one[:, right.sources], other[:, right.targets]]
            if crossed:
                four += [one[:, right.targets], other[:, right.sources]]
            found[first:last] = combine(*four)
        return found

    def _compute_tree_gram(self, kernel: Kernel, names: list[str], row: int, column: int) -> Floats:
        """Compute the Gram of the distinct trees of two parts, or read it from the file of an earlier run."""
        left = self.parts[row].texts(names).table
        right = None if row == column else self.parts[column].texts(names).table
        tables = [left] if right is None else [left, right]
        trees = [table.trees(name) for table in tables for name in names]
        content = [(item.labels, item.count, item.offsets, item.vocabulary) for item in trees]
        path = self.folder / f"{joblib.hash((kernel, content), 'sha1')}.npy"
        if path.is_file():
            stored: Floats = np.load(path, mmap_mode="r")
            return stored
        return kernel.gram(left, right, self.n_jobs, out=path)


def evaluate_settings(
    grams: StructuralGrams, settings: Sequence[Setting], signs: Ints, folds: Sequence[Fold], label: str
) -> list[list[Booleans]]:
    """Train every setting on every fold; return which of the test pairs it gets right."""
    grams.expect(settings)
    found = []
    for setting in track(settings, len(settings), label):
        with show_bars(False):  # one bar is enough
            gram = grams.add_terms(setting.kernel)
            calls = [(gram, signs, setting.C, fold) for fold in folds]
            found.append([result.right for result in run(fit_fold, calls, grams.n_jobs)])
    return found


def measure_right(right: Booleans, signs: Ints) -> dict[str, float]:
    """Measure accuracy, and precision, recall and F1 of the positive class, in per cent.

    ``right`` says which pairs are classified correctly, ``signs`` are their true classes, ±1.

    >>> measure_right(np.array([True, True, False, False]), np.array([1, 1, 1, -1]))
    {'accuracy': 50.0, 'precision': 66.67, 'recall': 66.67, 'f1': 66.67}
    """
    positive = signs > 0
    hits, said, wanted = (int(np.sum(chosen)) for chosen in (right & positive, right == positive, positive))
    precision, recall = hits / max(said, 1), hits / max(wanted, 1)
    f1 = 2 * hits / max(said + wanted, 1)
    measures = {"accuracy": float(np.mean(right)), "precision": precision, "recall": recall, "f1": f1}
    return {name: round(100 * value, 2) for name, value in measures.items()}


def make_repeated_folds(pairs: TextPairs, labels: AnyArray, shuffles: int) -> list[Fold]:
    """Make the folds of several shuffles, one after the other: one shuffle alone may mislead a close choice.

    >>> pairs = [(f"a{i}", f"b{i}") for i in range(10)]
    >>> len(make_repeated_folds(pairs, np.arange(10) % 2, 3))
    15
    """
    return [fold for seed in range(shuffles) for fold in make_text_folds(pairs, labels, N_FOLDS, seed)]


def summarize_folds(right: Sequence[Booleans]) -> FoldAccuracy:
    """Compute the accuracy over all folds (%), and its standard deviation between folds.

    >>> summarize_folds([np.array([True, True]), np.array([True, False])])
    FoldAccuracy(accuracy=75.0, deviation=25.0)
    """
    each = [100 * float(np.mean(fold)) for fold in right]
    return FoldAccuracy(round(100 * float(np.mean(np.concatenate(right))), 2), round(float(np.std(each)), 2))
