"""What machines are trained on, for many kernels of the same pairs: the parts that kernels share are computed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import joblib
import numpy as np

from rekern.core.arrays import Floats
from rekern.kernels.curves import Curves
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.kernel_terms import split_into_terms
from rekern.learning.dual_descent import condense
from rekern.learning.pair_input import read_items

if TYPE_CHECKING:
    import scipy.sparse as sp

CACHE_BYTES = 3 << 30  # of Grams and features that are kept for other kernels


class TrainingMatrix(NamedTuple):
    """What machines are trained on: the Gram of all training pairs, or their features.

    ``norms`` are the squared norms of the rows, if features that only one pair has were left out.
    """

    gram: Floats | None
    features: sp.csr_array | None = None
    norms: Floats | None = None


class SharedMatrices:
    """Makes Grams or features of sums of kernels; the terms of the sums are kept as long as there is room.

    Without ``use_grams`` there are features only. With ``all_features`` every kernel that has features gives them,
    those that only one pair has included.

    >>> from rekern.kernels import Rewriting
    >>> matrices = SharedMatrices([("a b", "b a"), ("a", "c")], use_grams=True)
    >>> matrices.build(Rewriting(k=(1, 2))).gram.round(3).tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, items: Sequence[object], use_grams: bool, n_jobs: int | None = None, all_features: bool = False):
        self.items, self.use_grams, self.n_jobs = items, use_grams, n_jobs
        self.all_features = all_features
        self.read: dict[str, object] = {}  # the pairs as tokens, by tokenizer
        self.kept: dict[str, Floats | sp.csr_array] = {}
        self.sum: Floats | None = None  # one for all Grams: new memory costs more than the additions
        self.last: tuple[str, TrainingMatrix] | None = None

    def build(self, kernel: Kernel) -> TrainingMatrix | None:
        """Return what to train on; the next call may overwrite it. None if it would be a Gram of too many pairs.

        Products of scores are as good as a Gram: they are far too many features of as many pairs.
        """
        if not self.use_grams and (not kernel.has_features() or has_products(kernel)):
            return None
        key = joblib.hash(kernel)
        if self.last is None or self.last[0] != key:
            self.last = None  # what was made for the last kernel is large
            self.last = key, self._add_grams(kernel) if self.needs_gram(kernel) else self._join_features(kernel)
        return self.last[1]

    def needs_gram(self, kernel: Kernel) -> bool:
        """Return whether machines are trained on the Gram of a kernel, and not on its features."""
        return self.use_grams and not (self.all_features and kernel.has_features() and not has_products(kernel))

    def _add_grams(self, kernel: Kernel) -> TrainingMatrix:
        for number, (weight, term) in enumerate(split_into_terms(kernel)):
            gram = self._compute(term, as_features=False)
            if self.sum is None:
                self.sum = np.empty(gram.shape)
            if number == 0:
                np.multiply(gram, weight, out=self.sum)
            else:
                self.sum += gram if weight == 1 else weight * gram
        return TrainingMatrix(self.sum)

    def _join_features(self, kernel: Kernel) -> TrainingMatrix:
        import scipy.sparse as sp

        parts = [self._compute(term, as_features=True) * weight**0.5 for weight, term in split_into_terms(kernel)]
        joined = sp.csr_array(sp.hstack(parts, format="csr"))
        return TrainingMatrix(None, joined) if self.all_features else TrainingMatrix(None, *condense(joined))

    def _compute(self, term: Kernel, as_features: bool) -> Floats | sp.csr_array:
        """The Gram or the features of a term, kept for the next kernel that has it."""
        key = joblib.hash((term, as_features))
        if key not in self.kept:
            items = self._read(term)
            term.adapt(items)
            found = term.features(items, self.n_jobs) if as_features else term.gram(items, n_jobs=self.n_jobs)
            while self.kept and _count_bytes([*self.kept.values(), found]) > CACHE_BYTES:
                del self.kept[next(iter(self.kept))]  # the one that was used the longest ago
            self.kept[key] = found
        else:
            self.kept[key] = self.kept.pop(key)
        return self.kept[key]

    def _read(self, term: Kernel) -> object:
        if not term.reads_tokens:
            return read_items(term, self.items)
        key = joblib.hash(getattr(term, "tokenizer", None))
        if key not in self.read:
            self.read[key] = read_items(term, self.items)
        return self.read[key]


def has_products(kernel: Kernel) -> bool:
    """Return whether a kernel has products of scores, which are quick on a Gram and slow as features.

    >>> from rekern.kernels import Curves
    >>> from rekern.similarity import Similarities
    >>> has_products(Curves(Similarities())), has_products(2 * Curves(Similarities(), products=1.0))
    (False, True)
    """
    return any(isinstance(part, Curves) and part.products > 0 for part in walk_kernels(kernel))


def _count_bytes(matrices: Sequence[Floats | sp.csr_array]) -> int:
    return sum(
        matrix.nbytes if isinstance(matrix, np.ndarray) else matrix.data.nbytes + matrix.indices.nbytes
        for matrix in matrices
    )
