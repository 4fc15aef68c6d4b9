"""Many settings trained on one corpus: the Grams of the parts that they share are computed once.

Nothing here sees the test set before `decisions` is called with it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np

from rekern.core.jobs import run
from rekern.core.progress import show_bars, track
from rekern.kernels import Kernel, Rewriting
from rekern.learning.cross_validation import Fold, make_text_folds
from rekern.learning.gram_svm import classify_rows
from rekern.learning.submatrix_core import take_submatrix
from rekern.reproduce.rewriting_settings import Setting, terms
from rekern.similarity import PrecisionRecall
from rekern.structures.pairs import Pairs

FOLDS = 5


@dataclass(frozen=True)
class Trained:
    """A setting with its machine (score = Σ coefficients · K + intercept) and its accuracy in the folds (%)."""

    setting: Setting
    coefficients: np.ndarray
    intercept: float
    cv_accuracy: float | None


def train(
    settings: Sequence[Setting],
    pairs: Sequence[tuple[Any, Any]],
    signs: np.ndarray,
    folds: Sequence[tuple[np.ndarray, np.ndarray]] = (),
    n_jobs: int | None = None,
) -> list[Trained]:
    """Train every setting on all pairs; with folds, also measure it on their held-out parts.

    ``signs`` are ±1. A fold is a pair of index arrays: what is trained on and what is judged.

    >>> from rekern.reproduce.rewriting_settings import srk
    >>> pairs = [("a beat b", "b was beaten by a"), ("c saw d", "d was seen by c"),
    ...          ("a beat b", "a was beaten by b"), ("c saw d", "c was seen by d")] * 2
    >>> signs = np.array([1, 1, -1, -1] * 2)
    >>> halves = [(np.arange(4), np.arange(4, 8)), (np.arange(4, 8), np.arange(4))]
    >>> train([srk("kb-srk", 3)], pairs, signs, halves)[0].cv_accuracy
    100.0
    """
    grams = _Grams(settings, pairs, n_jobs)
    everything = np.arange(len(pairs))
    found = []
    for setting in track(settings, len(settings), "settings"):
        with show_bars(False):  # one bar is enough
            gram = grams.total(setting.kernel)
            calls = [(gram, signs, setting.price, part, held) for part, held in folds]
            calls.append((gram, signs, setting.price, everything, everything[:0]))
            *right, whole = run(_fit, calls, n_jobs)
        accuracy = None
        if folds:
            accuracy = 100 * float(np.mean(np.concatenate([held_out for _, _, held_out in right])))
        found.append(Trained(setting, whole[0], whole[1], accuracy))
    return found


def decisions(trained: Sequence[Trained], pairs: Any, test: Any, n_jobs: int | None = None) -> np.ndarray:
    """The decision values of test pairs, a column for each machine; the block of a shared part is computed once.

    >>> from rekern.reproduce.rewriting_settings import srk
    >>> pairs = [("a b", "b a"), ("a b", "a b")]
    >>> decisions(train([srk("kb-srk", 2)], pairs, np.array([1, -1])), pairs, [("c d", "d c")]).round(6)
    array([[0.25]])
    """
    parts: dict[str, tuple[Kernel, np.ndarray]] = {}
    for column, machine in enumerate(trained):
        for weight, kernel in terms(machine.setting.kernel):
            _, weights = parts.setdefault(joblib.hash(kernel), (kernel, np.zeros(len(trained))))
            weights[column] += weight
    coefficients = np.array([machine.coefficients for machine in trained]).T
    known, asked = _Texts(pairs), _Texts(test)
    values = np.tile([machine.intercept for machine in trained], (len(test), 1))
    for kernel, weights in track(parts.values(), len(parts), "test"):
        with show_bars(False):
            rows, columns = asked.of(kernel), known.of(kernel)
            values += kernel.adapt(columns).gram(rows, columns, n_jobs=n_jobs) @ (coefficients * weights)
    return values


def grouped_folds(
    pairs: Sequence[tuple[str, str]], labels: np.ndarray, judged: np.ndarray | None = None, folds: int = FOLDS
) -> list[Fold]:
    """Folds with the classes in proportion, in which pairs that share a text are never on both sides.

    ``judged`` are the rows that count when a fold is held out; all by default.

    >>> pairs = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "b")]  # the first and the last share a text
    >>> for part, held in grouped_folds(pairs, np.array([1, 0, 1, 0]), folds=2):
    ...     print(part, held)
    [1] [0 2 3]
    [0 2 3] [1]
    """
    splits = make_text_folds(pairs, labels, folds)
    if judged is None:
        return splits
    return [Fold(train, np.intersect1d(test, judged)) for train, test in splits]


class _Texts:
    """Pairs, tokenised once for each tokenizer."""

    def __init__(self, pairs: Any):
        self.pairs = pairs
        self.tokenized: dict[str, Pairs] = {}

    def of(self, kernel: Kernel) -> Any:
        """The pairs for a kernel: as its tokens if it needs no more than those."""
        if not isinstance(kernel, Rewriting | PrecisionRecall):
            return self.pairs
        key = joblib.hash(kernel.tokenizer)
        if key not in self.tokenized:
            self.tokenized[key] = Pairs.from_items(self.pairs, kernel.tokenizer)
        return self.tokenized[key]


class _Grams:
    """The Grams of the parts of settings that are asked for in order; each is dropped after its last use."""

    def __init__(self, settings: Sequence[Setting], pairs: Any, n_jobs: int | None):
        self.texts, self.n_jobs = _Texts(pairs), n_jobs
        self.uses = Counter(joblib.hash(kernel) for setting in settings for _, kernel in terms(setting.kernel))
        self.kept: dict[str, np.ndarray] = {}
        self.sum = np.empty((len(pairs), len(pairs)))  # one for all: fresh memory costs more than the additions

    def total(self, kernel: Kernel) -> np.ndarray:
        """The Gram of a kernel, which holds until the next one is asked for."""
        self.sum.fill(0.0)
        for weight, part in terms(kernel):
            key = joblib.hash(part)
            if key not in self.kept:
                pairs = self.texts.of(part)
                self.kept[key] = part.fit(pairs).gram(pairs, n_jobs=self.n_jobs)
            self.sum += self.kept[key] if weight == 1 else weight * self.kept[key]
            self.uses[key] -= 1
            if not self.uses[key]:
                del self.kept[key]
        return self.sum


def _fit(
    gram: np.ndarray, signs: np.ndarray, price: float, part: np.ndarray, held: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """LIBSVM on a part of a Gram: coefficients, intercept, and which of the held-out rows it gets right."""
    solution = classify_rows(gram, signs, price, part)
    values = solution.decide(take_submatrix(gram, held, part))
    return solution.coefficients, solution.intercept, (values > 0) == (signs[held] > 0)
