"""Training of many settings on one corpus: settings share the Grams of their terms, and one of them is chosen.

The Gram of a corpus has three blocks: training pairs with training pairs, test pairs with training pairs, and test
pairs with test pairs. Only the first block is needed before the test part is read. The Gram of all trees, which is
slow, serves all kernels on pairs of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import joblib
import numpy as np

from experiments.rewriting_settings import Setting
from rekern.core.arrays import AnyArray, Booleans, Floats, Ints, offsets_of
from rekern.core.parallel_jobs import run, split_range
from rekern.core.progress import show_bars, track
from rekern.kernels import Gaussian, Kernel
from rekern.kernels.kernel_terms import split_into_terms
from rekern.kernels.pair_kernel import PairKernel
from rekern.kernels.score_kernel import ScoreKernel
from rekern.learning.cross_validation import Fold, make_text_folds
from rekern.learning.gram_svm import classify_rows
from rekern.learning.submatrix_core import take_submatrix
from rekern.similarity import Similarities
from rekern.structures import Representations

N_FOLDS = 5
ROWS = 256  # rows of a Gram of pairs of trees that are computed at a time

TextPairs = Sequence[tuple[str, str]]
Items = TextPairs | Representations
SomeSetting = TypeVar("SomeSetting", bound=Setting)
Value = TypeVar("Value")


class FoldResult(NamedTuple):
    """A machine trained on a part of a Gram (score = Σ coefficients · K + intercept), and what it gets right."""

    coefficients: Floats
    intercept: float
    right: Booleans  # of the held-out rows


class LinearKernel(ScoreKernel):
    """A linear kernel over rows of numbers."""

    def scores(self, X: object) -> Floats:
        """Return the rows unchanged."""
        return np.asarray(X, dtype=np.float64)


class SharedGrams:
    """The Grams of sums of kernels on one corpus; the test part is added later by `add_test`.

    Grams of trees are written to ``folder``, where a later run finds them. ``scores`` has all scores of similarity that
    any kernel uses; they are computed once for each part.
    """

    def __init__(
        self, train: Items, n_jobs: int | None = None, folder: Path | None = None, scores: Similarities | None = None
    ):
        self.parts: list[Items] = [train]
        self.n_jobs, self.folder, self.scores = n_jobs, folder, scores
        self.part_scores: list[Floats] = []
        self.grams: dict[str, Floats] = {}
        self.uses: Counter[str] = Counter()

    def add_test(self, test: Items) -> None:
        """Add the test part; from now on Grams have the pairs of both parts."""
        self.parts.append(test)
        self.grams.clear()

    def expect(self, settings: Sequence[Setting]) -> None:
        """Announce the next settings: a Gram that several of them need is kept until the last one."""
        terms = [kernel for setting in settings for _, kernel in split_into_terms(setting.kernel)]
        self.uses = Counter(map(joblib.hash, terms))
        self.grams = {key: gram for key, gram in self.grams.items() if self.uses[key]}

    def add_terms(self, kernel: Kernel) -> Floats:
        """Return the Gram of a sum of kernels."""
        size = sum(map(len, self.parts))
        total = np.zeros((size, size))
        for weight, part in split_into_terms(kernel):
            key = joblib.hash(part)
            gram = self.grams.pop(key, None)
            if gram is None:
                gram = self._compute_gram(part)
            total += gram if weight == 1 else weight * gram
            self.uses[key] -= 1
            if self.uses[key] > 0:
                self.grams[key] = gram
        return total

    def _compute_gram(self, kernel: Kernel) -> Floats:
        """Compute the Gram of all pairs, block by block."""
        offsets = offsets_of(list(map(len, self.parts)))
        whole = np.empty((offsets[-1], offsets[-1]))
        for row in range(len(self.parts)):
            for column in range(row + 1):
                rows, columns = slice(*offsets[row : row + 2]), slice(*offsets[column : column + 2])
                whole[rows, columns] = self.compute_block(kernel, row, column)
                if row != column:
                    whole[columns, rows] = whole[rows, columns].T
        return whole

    def compute_block(self, kernel: Kernel, row: int, column: int) -> Floats:
        """Compute a kernel between two parts."""
        if isinstance(kernel, PairKernel):
            return self._compute_pair_block(kernel, row, column)
        inside = kernel.kernel if isinstance(kernel, Gaussian) else kernel
        if self.scores is not None and isinstance(inside, Similarities) and inside.standardize:
            left, right = self._get_scores(inside, row), self._get_scores(inside, column)
            on_scores = Gaussian(LinearKernel(), kernel.gamma) if isinstance(kernel, Gaussian) else LinearKernel()
            return on_scores.gram(left, None if row == column else right, self.n_jobs)
        other = None if row == column else self.parts[column]
        return kernel.adapt(self.parts[0]).gram(self.parts[row], other, n_jobs=self.n_jobs)

    def _get_scores(self, kernel: Similarities, part: int) -> Floats:
        """Return the scores of a part that a kernel uses."""
        assert self.scores is not None
        if not self.part_scores:
            self.scores.fit(self.parts[0])
        while len(self.part_scores) <= part:
            self.part_scores.append(self.scores.scores(self.parts[len(self.part_scores)]))
        names = self.scores.names()
        return self.part_scores[part][:, [names.index(name) for name in kernel.names()]]

    def _compute_pair_block(self, kernel: PairKernel, row: int, column: int) -> Floats:
        """Compute a kernel on pairs from the Gram of the distinct trees of both sides."""
        names = sorted(kernel.kernel.reads())
        left, right = (Representations.from_items(self.parts[part]).texts(names) for part in (row, column))
        tables = [left.table] if row == column else [left.table, right.table]
        content = [
            (trees.labels, trees.count, trees.offsets, trees.vocabulary)
            for trees in (table.trees(name) for table in tables for name in names)
        ]
        assert self.folder is not None
        path = self.folder / f"{joblib.hash((kernel.kernel, content), 'sha1')}.npy"
        if path.is_file():
            values: Floats = np.load(path, mmap_mode="r")
        else:
            values = kernel.kernel.gram(left.table, None if row == column else right.table, self.n_jobs, out=path)
        combine, crossed = kernel.get_combination(), kernel.has_crossed_values()
        found = np.empty((len(left.sources), len(right.sources)))
        for first, last in split_range(len(found), ROWS):
            one, other = values[left.sources[first:last]], values[left.targets[first:last]]
            four = [one[:, right.sources], other[:, right.targets]]
            four += [one[:, right.targets], other[:, right.sources]] if crossed else []
            found[first:last] = combine(*four)
        return found


def train_settings(
    grams: SharedGrams, settings: Sequence[Setting], signs: Ints, folds: Sequence[Fold], label: str = "settings"
) -> Iterator[list[FoldResult]]:
    """Yield for each setting what is learned in every fold; ``signs`` are ±1."""
    grams.expect(settings)
    for setting in track(settings, len(settings), label):
        with show_bars(False):  # one bar is enough
            gram = grams.add_terms(setting.kernel)
            found = list(run(fit_fold, [(gram, signs, setting.C, fold) for fold in folds], grams.n_jobs))
        yield found


def fit_fold(gram: Floats, signs: Ints, C: float, fold: Fold) -> FoldResult:
    """Train a support vector machine on the training rows of a Gram and test it on the others."""
    solution = classify_rows(gram, signs, C, fold.train)
    values = solution.decide(take_submatrix(gram, fold.test, fold.train))
    return FoldResult(solution.coefficients, solution.intercept, (values > 0) == (signs[fold.test] > 0))


def compute_decisions(grams: SharedGrams, trained: Sequence[tuple[Setting, FoldResult]], test: Items) -> Floats:
    """Compute the decision values of test pairs, one column per setting; a shared Gram is computed once."""
    parts: dict[str, tuple[Kernel, Floats]] = {}
    for column, (setting, _) in enumerate(trained):
        for weight, kernel in split_into_terms(setting.kernel):
            _, weights = parts.setdefault(joblib.hash(kernel), (kernel, np.zeros(len(trained))))
            weights[column] += weight
    coefficients = np.array([machine.coefficients for _, machine in trained]).T
    values: Floats = np.tile([machine.intercept for _, machine in trained], (len(test), 1))
    grams.add_test(test)
    for kernel, weights in track(parts.values(), len(parts), "test"):
        with show_bars(False):
            values += grams.compute_block(kernel, 1, 0) @ (coefficients * weights)
    return values


def choose_setting(
    settings: Sequence[SomeSetting],
    measure: Callable[[Sequence[SomeSetting]], Iterable[Value]],
    rank: Callable[[Value], float],
    costs: Sequence[float],
    finalists: int = 1,
) -> list[tuple[SomeSetting, Value]]:
    """Measure settings, then the best of them with other costs C; return all, the best one last. Of equals, the first.

    >>> settings = [Setting(name, LinearKernel()) for name in ("a", "bb", "cc")]
    >>> found = choose_setting(settings, lambda some: [len(one.method) - one.C for one in some], float, (1.0, 0.5))
    >>> [(setting.method, setting.C, value) for setting, value in found]
    [('a', 1.0, 0.0), ('bb', 1.0, 1.0), ('cc', 1.0, 1.0), ('bb', 0.5, 1.5), ('bb', 0.5, 1.5)]
    """
    found = list(zip(settings, measure(settings)))
    best = sorted(found, key=lambda pair: -rank(pair[1]))[:finalists]
    variants = [setting.with_cost(C) for setting, _ in best for C in costs if C != setting.C]
    found += zip(variants, measure(variants))
    return [*found, max(found, key=lambda pair: rank(pair[1]))]


def make_evaluation_folds(
    pairs: TextPairs, labels: AnyArray, evaluated: Ints | None = None, folds: int = N_FOLDS, shuffles: int = 1
) -> list[Fold]:
    """Make folds with the classes in proportion, in which pairs that share a text are never on both sides.

    ``evaluated`` are the rows that are tested when a fold is held out, all by default. Folds of several shuffles come
    one after the other: one shuffle alone may mislead a close choice.

    >>> pairs = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "b")]  # the first and the last share a text
    >>> for part, held in make_evaluation_folds(pairs, np.array([1, 0, 1, 0]), folds=2):
    ...     print(part, held)
    [1] [0 2 3]
    [0 2 3] [1]
    """
    splits = [fold for seed in range(shuffles) for fold in make_text_folds(pairs, labels, folds, seed)]
    if evaluated is None:
        return splits
    return [Fold(train, np.intersect1d(test, evaluated)) for train, test in splits]
