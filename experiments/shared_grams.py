"""Training of many settings on one corpus: the Grams of the terms that they share are computed once.

Nothing here sees the test part before `compute_decisions` is called with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import joblib
import numpy as np

from experiments.rewriting_settings import Setting
from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
from rekern.kernels import Kernel, Rewriting
from rekern.kernels.kernel_terms import split_into_terms
from rekern.learning.cross_validation import Fold, make_text_folds
from rekern.learning.gram_svm import classify_rows
from rekern.learning.submatrix_core import take_submatrix
from rekern.similarity import PrecisionRecall
from rekern.structures.pairs import Pairs

N_FOLDS = 5

TextPairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class TrainedSetting:
    """A setting with what was learned (score = Σ coefficients · K + intercept), and its accuracy in the folds (%)."""

    setting: Setting
    coefficients: Floats
    intercept: float
    cv_accuracy: float | None


class FoldResult(NamedTuple):
    """A machine trained on a part of a Gram, and which of the held-out rows it gets right."""

    coefficients: Floats
    intercept: float
    right: Booleans


def train_settings(
    settings: Sequence[Setting],
    pairs: TextPairs,
    signs: Ints,
    folds: Sequence[Fold] = (),
    n_jobs: int | None = None,
) -> list[TrainedSetting]:
    """Train every setting on all pairs; with ``folds``, also measure it on their held-out parts.

    ``signs`` are ±1.

    >>> from experiments.rewriting_settings import make_rewriting_setting
    >>> pairs = [("a beat b", "b was beaten by a"), ("c saw d", "d was seen by c"),
    ...          ("a beat b", "a was beaten by b"), ("c saw d", "c was seen by d")] * 2
    >>> signs = np.array([1, 1, -1, -1] * 2)
    >>> halves = [Fold(np.arange(4), np.arange(4, 8)), Fold(np.arange(4, 8), np.arange(4))]
    >>> train_settings([make_rewriting_setting("kb-srk", 3)], pairs, signs, halves)[0].cv_accuracy
    100.0
    """
    grams = _SharedGrams(settings, pairs, n_jobs)
    everything = np.arange(len(pairs))
    found = []
    for setting in track(settings, len(settings), "settings"):
        with show_bars(False):  # one bar is enough
            gram = grams.add_terms(setting.kernel)
            calls = [(gram, signs, setting.C, fold) for fold in folds]
            calls.append((gram, signs, setting.C, Fold(everything, everything[:0])))
            *in_folds, whole = run(fit_fold, calls, n_jobs)
        accuracy = None
        if folds:
            accuracy = 100 * float(np.mean(np.concatenate([result.right for result in in_folds])))
        found.append(TrainedSetting(setting, whole.coefficients, whole.intercept, accuracy))
    return found


def compute_decisions(
    trained: Sequence[TrainedSetting], pairs: TextPairs, test: TextPairs, n_jobs: int | None = None
) -> Floats:
    """Compute the decision values of test pairs, one column per setting; a shared Gram is computed once.

    >>> from experiments.rewriting_settings import make_rewriting_setting
    >>> pairs = [("a b", "b a"), ("a b", "a b")]
    >>> trained = train_settings([make_rewriting_setting("kb-srk", 2)], pairs, np.array([1, -1]))
    >>> compute_decisions(trained, pairs, [("c d", "d c")]).round(6)
    array([[0.25]])
    """
    parts: dict[str, tuple[Kernel, Floats]] = {}
    for column, machine in enumerate(trained):
        for weight, kernel in split_into_terms(machine.setting.kernel):
            _, weights = parts.setdefault(joblib.hash(kernel), (kernel, np.zeros(len(trained))))
            weights[column] += weight
    coefficients = np.array([machine.coefficients for machine in trained]).T
    known, asked = _TokenizedPairs(pairs), _TokenizedPairs(test)
    values: Floats = np.tile([machine.intercept for machine in trained], (len(test), 1))
    for kernel, weights in track(parts.values(), len(parts), "test"):
        with show_bars(False):
            rows, columns = asked.get_items(kernel), known.get_items(kernel)
            values += kernel.adapt(columns).gram(rows, columns, n_jobs=n_jobs) @ (coefficients * weights)
    return values


def make_evaluation_folds(
    pairs: TextPairs, labels: AnyArray, evaluated: Ints | None = None, folds: int = N_FOLDS
) -> list[Fold]:
    """Make folds with the classes in proportion, in which pairs that share a text are never on both sides.

    ``evaluated`` are the rows that are tested when a fold is held out; all by default.

    >>> pairs = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "b")]  # the first and the last share a text
    >>> for part, held in make_evaluation_folds(pairs, np.array([1, 0, 1, 0]), folds=2):
    ...     print(part, held)
    [1] [0 2 3]
    [0 2 3] [1]
    """
    splits = make_text_folds(pairs, labels, folds)
    if evaluated is None:
        return splits
    return [Fold(train, np.intersect1d(test, evaluated)) for train, test in splits]


class _TokenizedPairs:
    """Pairs that are tokenized once for each tokenizer."""

    def __init__(self, pairs: TextPairs):
        self.pairs = pairs
        self.tokenized: dict[str, Pairs] = {}

    def get_items(self, kernel: Kernel) -> TextPairs | Pairs:
        """Return the pairs for a kernel: as tokens if it needs no more than those."""
        if not isinstance(kernel, Rewriting | PrecisionRecall):
            return self.pairs
        key = joblib.hash(kernel.tokenizer)
        if key not in self.tokenized:
            self.tokenized[key] = Pairs.from_items(self.pairs, kernel.tokenizer)
        return self.tokenized[key]


class _SharedGrams:
    """The Grams of the terms of settings, which are trained in order; a Gram is dropped after its last use."""

    def __init__(self, settings: Sequence[Setting], pairs: TextPairs, n_jobs: int | None):
        self.texts, self.n_jobs = _TokenizedPairs(pairs), n_jobs
        self.uses = count_uses(settings)
        self.grams: dict[str, Floats] = {}
        self.sum = np.empty((len(pairs), len(pairs)))  # one for all: new memory costs more than the additions

    def add_terms(self, kernel: Kernel) -> Floats:
        """Return the Gram of a kernel; the next call overwrites it."""
        self.sum.fill(0.0)
        for weight, part in split_into_terms(kernel):
            key = joblib.hash(part)
            if key not in self.grams:
                pairs = self.texts.get_items(part)
                self.grams[key] = part.adapt(pairs).gram(pairs, n_jobs=self.n_jobs)
            self.sum += self.grams[key] if weight == 1 else weight * self.grams[key]
            self.uses[key] -= 1
            if not self.uses[key]:
                del self.grams[key]
        return self.sum


def count_uses(settings: Sequence[Setting]) -> Counter[str]:
    """Count how many settings use each term, by the hash of its kernel."""
    return Counter(joblib.hash(kernel) for setting in settings for _, kernel in split_into_terms(setting.kernel))


def fit_fold(gram: Floats, signs: Ints, C: float, fold: Fold) -> FoldResult:
    """Train a support vector machine on the training rows of a Gram and test it on the others.

    >>> fit_fold(np.eye(2), np.array([1, -1]), 1.0, Fold(np.arange(2), np.arange(2))).right.tolist()
    [True, True]
    """
    solution = classify_rows(gram, signs, C, fold.train)
    values = solution.decide(take_submatrix(gram, fold.test, fold.train))
    return FoldResult(solution.coefficients, solution.intercept, (values > 0) == (signs[fold.test] > 0))
