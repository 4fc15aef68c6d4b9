"""What machines are trained on, for many kernels of the same pairs: the parts that kernels share are computed once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.kernels.curves import Curves
from rekern.kernels.gram_plan import fill_gram
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.kernel_terms import split_into_terms
from rekern.learning.dual_descent import condense
from rekern.learning.gram_limits import LARGE_GRAM
from rekern.learning.pair_input import has_one_tokenizer, read_items, reads_words_only
from rekern.structures.word_space import WordSpace

if TYPE_CHECKING:
    import scipy.sparse as sp

CACHE_BYTES = 2 << 30  # of Grams and features that are kept for other kernels


class TrainingMatrix(NamedTuple):
    """What machines are trained on: the Gram of all training pairs, or their features.

    The Gram of many pairs is of 32 bits, as in `PairClassifier`. ``norms`` are the squared norms of the rows, if
    features that only one pair has were left out.
    """

    gram: npt.NDArray[np.floating] | None
    features: sp.csr_array | None = None
    norms: Floats | None = None

    def count_bytes(self) -> int:
        """Return about how much memory it takes."""
        if self.gram is not None:
            return self.gram.nbytes
        return 0 if self.features is None else int(self.features.data.nbytes + self.features.indices.nbytes)


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
        self.kept: dict[Hashable, TrainingMatrix] = {}
        self.sum: npt.NDArray[np.floating] | None = None  # one for all Grams: new memory costs more than the additions
        self.last: tuple[Hashable, TrainingMatrix] | None = None

    def build(self, kernel: Kernel) -> TrainingMatrix | None:
        """Return what to train on; the next call may overwrite it. None if it would be a Gram of too many pairs.

        Products of scores are as good as a Gram: they are far too many features of as many pairs.
        """
        if not self.use_grams and (not kernel.has_features() or has_products(kernel)):
            return None
        key = identify(kernel)
        if self.last is None or self.last[0] != key:
            self.last = None  # what was made for the last kernel is large
            self.last = key, self._add_grams(kernel) if self.needs_gram(kernel) else self._join_features(kernel)
        return self.last[1]

    def needs_gram(self, kernel: Kernel) -> bool:
        """Return whether machines are trained on the Gram of a kernel, and not on its features."""
        return self.use_grams and not (self.all_features and kernel.has_features() and not has_products(kernel))

    def _add_grams(self, kernel: Kernel) -> TrainingMatrix:
        for number, (weight, term) in enumerate(split_into_terms(kernel)):
            gram = self._take(term, as_features=False).gram
            assert gram is not None
            if self.sum is None:
                self.sum = np.empty_like(gram)
            if number == 0:
                np.multiply(gram, weight, out=self.sum)
            else:
                self.sum += gram if weight == 1 else weight * gram
        return TrainingMatrix(self.sum)

    def _join_features(self, kernel: Kernel) -> TrainingMatrix:
        import scipy.sparse as sp

        terms = [(weight, self._take(term, as_features=True)) for weight, term in split_into_terms(kernel)]
        joined = sp.csr_array(sp.hstack([term.features * weight**0.5 for weight, term in terms], format="csr"))
        norms = [weight * term.norms for weight, term in terms if term.norms is not None]
        return TrainingMatrix(None, joined, np.sum(norms, axis=0) if norms else None)

    def _take(self, term: Kernel, as_features: bool) -> TrainingMatrix:
        """Return the Gram or the features of a term, and keep them for the next kernel that has it."""
        key = identify(term), as_features
        found = self.kept.pop(key) if key in self.kept else self._compute(term, as_features)
        while self.kept and sum(kept.count_bytes() for kept in [*self.kept.values(), found]) > CACHE_BYTES:
            del self.kept[next(iter(self.kept))]  # the one that was used the longest ago
        self.kept[key] = found
        return found

    def _compute(self, term: Kernel, as_features: bool) -> TrainingMatrix:
        items = self._read(term)
        term.adapt(items)
        if as_features:
            features = term.features(items, self.n_jobs)
            return TrainingMatrix(None, features) if self.all_features else TrainingMatrix(None, *condense(features))
        plan = term.plan_gram(items, None, self.n_jobs)
        gram = np.empty((plan.rows, plan.columns), np.float32 if plan.rows > LARGE_GRAM else np.float64)
        fill_gram(plan, gram, self.n_jobs)
        return TrainingMatrix(gram)

    def _read(self, term: Kernel) -> object:
        if not reads_words_only(term) or not has_one_tokenizer(term):
            return read_items(term, self.items)
        (key,) = {joblib.hash(getattr(leaf, "tokenizer", None)) for leaf in walk_kernels(term) if leaf.reads_tokens}
        if key not in self.read:
            self.read[key] = read_items(term, self.items, with_forms=True)
        return self.read[key]


def identify(value: object) -> Hashable:
    """Return a key of a kernel: the same for two kernels with the same parameters.

    Word vectors are not copied with a kernel and are too many to be read for it: they are the same if they are one
    object.

    >>> from rekern.kernels import Rewriting
    >>> identify(2 * Rewriting(k=2)) == identify(2 * Rewriting(k=2)), identify(Rewriting(k=2)) == identify(Rewriting())
    (True, False)
    """
    if isinstance(value, Kernel):
        parameters = value.get_params(deep=False)
        return type(value), tuple((name, identify(parameters[name])) for name in sorted(parameters))
    return _SameObject(value) if isinstance(value, WordSpace) else str(joblib.hash(value))


class _SameObject:
    """A key that is equal for one object only, and keeps it: the number of an object that is gone may be used again."""

    def __init__(self, value: object):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameObject) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def has_products(kernel: Kernel) -> bool:
    """Return whether a kernel has products of scores, which are quick on a Gram and slow as features.

    >>> from rekern.kernels import Curves
    >>> from rekern.similarity import Similarities
    >>> has_products(Curves(Similarities())), has_products(2 * Curves(Similarities(), products=1.0))
    (False, True)
    """
    return any(isinstance(part, Curves) and part.products > 0 for part in walk_kernels(kernel))
