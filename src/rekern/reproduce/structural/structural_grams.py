"""Grams of structural kernels that share what is dear: the Gram of all trees is computed once for all pairings.

A kernel's Gram of a corpus has three blocks: training pairs with themselves, test pairs with training pairs, and test
pairs with themselves. The first is all that is needed before the test part is read.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from rekern.core.jobs import run, split_range
from rekern.core.progress import show_bars, track
from rekern.kernels import Gaussian, Kernel
from rekern.kernels.pair_kernel import PairKernel
from rekern.kernels.score_kernel import ScoreKernel
from rekern.learning.cross_validation import Fold, make_text_folds
from rekern.reproduce.rewriting_settings import Setting, terms
from rekern.reproduce.shared_grams import FOLDS, _fit
from rekern.similarity import Similarities
from rekern.structures import Representations

ROWS = 256  # of a Gram of pairs that are gathered at a time


class Given(ScoreKernel):
    """A linear kernel over rows of numbers.

    >>> Given().gram(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """

    def scores(self, X: Any) -> np.ndarray:
        """The rows as they are."""
        return np.asarray(X)


class Grams:
    """The Grams of sums of kernels on one corpus; the test part may come later, by `add`.

    Grams of trees go to ``folder``, where a later run finds them. ``scores`` has all scores that any kernel takes; they
    are computed once for each part.
    """

    def __init__(self, train: Representations, folder: Path, scores: Similarities, n_jobs: int | None = None):
        self.parts = [train]
        self.folder, self.n_jobs = folder, n_jobs
        self.scores = scores
        self.scored: list[np.ndarray] = []
        self.kept: dict[str, np.ndarray] = {}
        self.uses: Counter[str] = Counter()
        self.sum = np.empty((0, 0))

    def add(self, test: Representations) -> None:
        """The test part, too; from here on Grams are those of both parts."""
        self.parts.append(test)
        self.kept.clear()

    def expect(self, settings: Sequence[Setting]) -> None:
        """Say which settings come next: a Gram that several of them need is kept until the last of them."""
        self.uses = Counter(joblib.hash(kernel) for setting in settings for _, kernel in terms(setting.kernel))
        self.kept = {key: gram for key, gram in self.kept.items() if self.uses[key]}

    def total(self, kernel: Kernel) -> np.ndarray:
        """The Gram of a sum of kernels; it holds until the next one is asked for."""
        size = sum(map(len, self.parts))
        if len(self.sum) != size:
            self.sum = np.empty((size, size))  # one for all: fresh memory costs more than the additions
        self.sum.fill(0.0)
        for weight, part in terms(kernel):
            key = joblib.hash(part)
            gram = self.kept.pop(key, None)
            if gram is None:
                gram = self._whole(part)
            self.sum += gram if weight == 1 else weight * gram
            self.uses[key] -= 1
            if self.uses[key] > 0:
                self.kept[key] = gram
        return self.sum

    def _whole(self, kernel: Kernel) -> np.ndarray:
        """The Gram of all pairs that are known so far, block by block."""
        bounds = np.cumsum([0, *map(len, self.parts)])
        whole = np.empty((bounds[-1], bounds[-1]))
        for row in range(len(self.parts)):
            for column in range(row + 1):
                rows, columns = slice(*bounds[row : row + 2]), slice(*bounds[column : column + 2])
                block = self._block(kernel, row, column)
                whole[rows, columns] = block
                if row != column:
                    whole[columns, rows] = block.T
        return whole

    def _block(self, kernel: Kernel, row: int, column: int) -> np.ndarray:
        if isinstance(kernel, PairKernel):
            return self._paired(kernel, row, column)
        inside = kernel.kernel if isinstance(kernel, Gaussian) else kernel
        if isinstance(inside, Similarities):
            left, right = self._scores(inside, row), self._scores(inside, column)
            over = Gaussian(Given(), kernel.gamma) if isinstance(kernel, Gaussian) else Given()
            return over.gram(left, None if row == column else right, self.n_jobs)
        kernel.adapt(self.parts[0])
        return kernel.gram(self.parts[row], None if row == column else self.parts[column], self.n_jobs)

    def _scores(self, kernel: Similarities, part: int) -> np.ndarray:
        """The scores of a part that a kernel takes."""
        if not self.scored:
            self.scores.fit(self.parts[0])
        while len(self.scored) <= part:
            self.scored.append(self.scores.scores(self.parts[len(self.scored)]))
        names = self.scores.names()
        return self.scored[part][:, [names.index(name) for name in kernel.names()]]

    def _paired(self, kernel: PairKernel, row: int, column: int) -> np.ndarray:
        """A kernel on pairs from the Gram of the trees of both sides."""
        names = sorted(kernel.kernel.reads())
        left, right = self.parts[row].texts(names), self.parts[column].texts(names)
        values = self._texts(kernel.kernel, names, row, column)
        combine, crossed = kernel._combination(), kernel._takes_crossed()
        found = np.empty((len(left.sources), len(right.sources)))
        for first, last in split_range(len(found), ROWS):
            one, other = values[left.sources[first:last]], values[left.targets[first:last]]
            four = [one[:, right.sources], other[:, right.targets]]
            if crossed:
                four += [one[:, right.targets], other[:, right.sources]]
            found[first:last] = combine(*four)
        return found

    def _texts(self, kernel: Kernel, names: list[str], row: int, column: int) -> np.ndarray:
        """The Gram of the distinct trees of two parts, from its file if an earlier run has written it."""
        left = self.parts[row].texts(names).table
        right = None if row == column else self.parts[column].texts(names).table
        tables = [left] if right is None else [left, right]
        trees = [table.trees(name) for table in tables for name in names]
        content = [(item.labels, item.count, item.offsets, item.vocabulary) for item in trees]
        path = self.folder / f"{joblib.hash((kernel, content), 'sha1')}.npy"
        if path.is_file():
            return np.load(path, mmap_mode="r")
        return kernel.gram(left, right, self.n_jobs, out=path)


def judged(
    grams: Grams,
    settings: Sequence[Setting],
    signs: np.ndarray,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    label: str,
) -> list[list[np.ndarray]]:
    """For every setting and split, which of the held-out pairs the machine that was trained on the rest gets right."""
    grams.expect(settings)
    found = []
    for setting in track(settings, len(settings), label):
        with show_bars(False):  # one bar is enough
            gram = grams.total(setting.kernel)
            calls = [(gram, signs, setting.price, part, held) for part, held in splits]
            found.append([right for _, _, right in run(_fit, calls, grams.n_jobs)])
    return found


def measures(right: np.ndarray, signs: np.ndarray) -> dict[str, float]:
    """Accuracy, precision, recall and F1 of the positive class, in per cent.

    >>> measures(np.array([True, True, False, False]), np.array([1, 1, 1, -1]))
    {'accuracy': 50.0, 'precision': 66.67, 'recall': 66.67, 'f1': 66.67}
    """
    positive = signs > 0
    hits, said, wanted = (int(np.sum(chosen)) for chosen in (right & positive, right == positive, positive))
    precision, recall = hits / max(said, 1), hits / max(wanted, 1)
    f1 = 2 * hits / max(said + wanted, 1)
    named = {"accuracy": np.mean(right), "precision": precision, "recall": recall, "f1": f1}
    return {name: round(100 * float(value), 2) for name, value in named.items()}


def repeated_folds(pairs: Sequence[tuple[str, str]], labels: np.ndarray, times: int) -> list[Fold]:
    """Folds as `grouped_folds` makes them, followed by those of other shuffles: one alone may mislead a close choice.

    >>> pairs = [(f"a{i}", f"b{i}") for i in range(10)]
    >>> len(repeated_folds(pairs, np.arange(10) % 2, 3))
    15
    """
    return [fold for seed in range(times) for fold in make_text_folds(pairs, labels, FOLDS, seed)]


def in_folds(right: Sequence[np.ndarray]) -> tuple[float, float]:
    """The accuracy in the folds (%), and its standard deviation from fold to fold.

    >>> in_folds([np.array([True, True]), np.array([True, False])])
    (75.0, 25.0)
    """
    each = [100 * float(np.mean(held)) for held in right]
    return round(100 * float(np.mean(np.concatenate(right))), 2), round(float(np.std(each)), 2)
