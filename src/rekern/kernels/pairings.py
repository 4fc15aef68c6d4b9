"""Kernels on pairs of texts from a kernel on texts: which side is compared with which, and how values are combined.

Of two pairs (a1, a2) and (b1, b2) the *straight* values are K(a1, b1) and K(a2, b2), the *crossed* ones K(a1, b2) and
K(a2, b1). All values come from a Gram of the distinct texts, each text compared with each other one once; pair
kernels gather them. If that Gram would exceed ``GRAM_BYTES``, rows of it are computed when a block needs them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rekern.core.parameters import check_most, check_positive
from rekern.core.registry import register
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel, Plan, sided, title
from rekern.structures.representations import Representations

__all__ = ["AllProduct", "AllSum", "BestPairing", "PairProduct", "PairSum", "PairingExplanation", "SoftPairing"]

GRAM_BYTES = 1 << 31  # of the Gram of distinct texts that is kept in memory: 16,384 texts with themselves
SMALLEST_C = 1e-100


class PairingExplanation(NamedTuple):
    """The value of a pair kernel on two pairs, and what it comes from.

    >>> from rekern.kernels import Spectrum
    >>> BestPairing(Spectrum(1)).explain(("a", "b"), ("b", "a"))
    PairingExplanation(value=1.0, straight=(0.0, 0.0), crossed=(1.0, 1.0), chosen='crossed', fragments=[])
    """

    value: float
    straight: tuple[float, float]  # the kernel of the two sources, and of the two targets
    crossed: tuple[float, float]  # of the first source and the second target, and the other way round
    chosen: str  # "straight" or "crossed", whichever is more alike
    fragments: list[tuple[str, Any]]  # what the two texts share, for each side of the first pair in the chosen pairing


class PairKernel(Kernel):
    """The base of the pair kernels: a subclass says how the values are combined.

    The texts' kernel is used as it is, normalised or not; the result is not normalised again.
    """

    kernel: Kernel

    def _combination(self) -> Callable[..., np.ndarray]:
        """From the two straight values to the kernel's; and from the two crossed ones, if it takes them."""
        raise NotImplementedError

    def _takes_crossed(self) -> bool:
        return True

    def _inner(self) -> Kernel:
        if not isinstance(self.kernel, Kernel):
            raise InputError(
                f"{type(self).__name__} needs a kernel on texts, such as PartialTree(), got {title(self.kernel)}"
            )
        return self.kernel

    def reads(self) -> set[str]:
        """The columns of both sides that the texts' kernel looks at."""
        names = self._inner().reads()
        if "source" in names or "target" in names:
            raise InputError(
                f"{type(self).__name__} needs a kernel on texts, and {title(self.kernel)} compares pairs; use it alone"
            )
        return sided(names)

    def _texts(self, X: Any) -> Any:
        self.reads()  # a kernel on pairs is refused
        return Representations.from_items(X).texts(sorted(self._inner().reads()))

    def fit(self, X: Any, y: Any = None) -> Kernel:
        """Let the texts' kernel learn from all distinct texts of the training pairs."""
        self._inner().fit(self._texts(X).table)
        return self

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        combine = self._combination()
        left = self._texts(X)
        right = left if Y is None else self._texts(Y)
        rows, columns = (left.sources, left.targets), (right.sources, right.targets)
        symmetric = Y is None
        if self._takes_crossed():
            values = self._values(left.table, None if symmetric else right.table, n_jobs)
            lookups = [_Lookup(values, rows[a], columns[b]) for a, b in ((0, 0), (1, 1), (0, 1), (1, 0))]
        else:
            lookups = []
            for side in (0, 1):  # sources never meet targets, so that each side has a Gram of its own
                mine, row_numbers = np.unique(rows[side], return_inverse=True)
                theirs, column_numbers = np.unique(columns[side], return_inverse=True)
                other = None if symmetric else right.table.take(theirs)
                values = self._values(left.table.take(mine), other, n_jobs)
                lookups.append(_Lookup(values, row_numbers, column_numbers))
        return Plan(len(rows[0]), len(columns[0]), symmetric, _Block(lookups, combine, symmetric))

    def _values(self, left: Representations, right: Representations | None, n_jobs: int | None) -> Any:
        """The kernel of all distinct texts with all others, now or when rows of it are needed."""
        kernel = self._inner()
        if 8 * len(left) * len(left if right is None else right) <= GRAM_BYTES:
            return _Kept(kernel.gram(left, right, n_jobs))
        return _Computed(kernel._plan(left, left if right is None else right, n_jobs).block)

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every pair."""
        combine = self._combination()
        table, sources, targets = self._texts(X)
        squares = self._inner().diag(table)
        straight = squares[sources], squares[targets]
        if not self._takes_crossed():
            return combine(*straight)
        across = self._inner().paired(table.take(sources), table.take(targets))
        return combine(*straight, across, across)

    def _listed(self, X: Any, n_jobs: int | None) -> tuple[sp.csr_array, sp.csr_array]:
        """The texts' features: a row for the source, and one for the target, of every pair."""
        table, sources, targets = self._texts(X)
        features = self._inner().features(table, n_jobs)
        return features[sources], features[targets]

    def scorer(self, X: Any, coefficients: np.ndarray) -> Any:
        """The sum over training pairs, each of which is a part of an explanation."""
        from rekern.kernels.decision_functions import PairScorer

        return PairScorer(self, X, coefficients)

    def explain(self, a: Any, b: Any, n: int | None = 10) -> PairingExplanation:
        """The four values of two pairs, which pairing is more alike, and the ``n`` heaviest fragments it shares.

        >>> from rekern.kernels import SubsetTree
        >>> K = BestPairing(SubsetTree(decay=1.0, normalize=False))
        >>> found = K.explain(("(A x)", "(B y)"), ("(B y)", "(A x)"))
        >>> found.value, found.straight, found.crossed, found.chosen
        (1.0, (0.0, 0.0), (1.0, 1.0), 'crossed')
        >>> found.fragments
        [('source', Shared(text='(A x)', value=1.0)), ('target', Shared(text='(B y)', value=1.0))]
        """
        n = check_most("n", n)
        kernel = self._inner()
        one, other = self._texts([a]), self._texts([b])
        values = kernel.gram(one.table, other.table, n_jobs=1)
        rows, columns = [one.sources[0], one.targets[0]], [other.sources[0], other.targets[0]]
        straight = float(values[rows[0], columns[0]]), float(values[rows[1], columns[1]])
        crossed = float(values[rows[0], columns[1]]), float(values[rows[1], columns[0]])
        swap = self._takes_crossed() and np.prod(crossed) > np.prod(straight)
        fragments = []
        if hasattr(kernel, "explain"):
            for side, place in (("source", 0), ("target", 1)):
                against = other.table[int(columns[1 - place if swap else place])]
                fragments += [(side, shared) for shared in kernel.explain(one.table[int(rows[place])], against, n)]
            fragments.sort(key=lambda item: -item[1][-1])
        return PairingExplanation(
            self(a, b), straight, crossed, "crossed" if swap else "straight", fragments if n is None else fragments[:n]
        )


@register
class PairSum(PairKernel):
    """K(a1, b1) + K(a2, b2): sources with sources, targets with targets.

    >>> from rekern.kernels import Spectrum
    >>> PairSum(Spectrum(1, normalize=False))(("a b", "c"), ("a b", "d"))  # 2 + 0
    2.0
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _combination(self) -> Callable[..., np.ndarray]:
        return np.add

    def _takes_crossed(self) -> bool:
        return False

    def has_features(self) -> bool:
        """Whether the texts' kernel has features."""
        return self._inner().has_features()

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The features of the sources and those of the targets, side by side."""
        return sp.hstack(self._listed(X, n_jobs), format="csr")


@register
class PairProduct(PairKernel):
    """K(a1, b1) · K(a2, b2): both sides must be alike.

    >>> from rekern.kernels import Spectrum
    >>> PairProduct(Spectrum(1, normalize=False))(("a b", "c"), ("a b", "c d"))  # 2 · 1
    2.0
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _combination(self) -> Callable[..., np.ndarray]:
        return np.multiply

    def _takes_crossed(self) -> bool:
        return False


@register
class AllSum(PairKernel):
    """K(a1, b1) + K(a2, b2) + K(a1, b2) + K(a2, b1): the order of the two sides plays no part.

    >>> from rekern.kernels import Spectrum
    >>> AllSum(Spectrum(1, normalize=False))(("a", "a b"), ("a", "b"))  # 1 + 1 + 0 + 1
    3.0
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _combination(self) -> Callable[..., np.ndarray]:
        return all_sum

    def has_features(self) -> bool:
        """Whether the texts' kernel has features."""
        return self._inner().has_features()

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """The features of both sides, added up."""
        sources, targets = self._listed(X, n_jobs)
        return sp.csr_array(sources + targets)


@register
class AllProduct(PairKernel):
    """K(a1, b1) · K(a2, b2) + K(a1, b2) · K(a2, b1): both sides alike, in either order.

    >>> from rekern.kernels import Spectrum
    >>> AllProduct(Spectrum(1, normalize=False))(("a", "a b"), ("a", "b"))  # 1 · 1 + 0 · 1
    1.0
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _combination(self) -> Callable[..., np.ndarray]:
        return all_product


@register
class BestPairing(PairKernel):
    """max(K(a1, b1) · K(a2, b2), K(a1, b2) · K(a2, b1)): both sides alike, in the better order.

    It is symmetric but not positive semidefinite: support vector machines cope, but K is no inner product.

    >>> from rekern.kernels import Spectrum
    >>> BestPairing(Spectrum(1, normalize=False))(("a b", "c"), ("c", "a b"))  # max(0 · 0, 2 · 1)
    2.0
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def _combination(self) -> Callable[..., np.ndarray]:
        return best_pairing


@register
class SoftPairing(PairKernel):
    """The soft maximum log(exp(c·x) + exp(c·y)) / c of x = K(a1, b1) · K(a2, b2) and y = K(a1, b2) · K(a2, b1).

    It exceeds the maximum by at most log(2) / ``c``, which is also its value for pairs that have nothing in common. It
    is symmetric but not positive semidefinite: support vector machines cope, but K is no inner product.

    >>> from rekern.kernels import Spectrum
    >>> round(SoftPairing(Spectrum(1))(("a b", "c"), ("c", "a b")), 9)
    1.0
    """

    def __init__(self, kernel: Kernel, c: float = 100.0):
        self.kernel = kernel
        self.c = c

    def _combination(self) -> Callable[..., np.ndarray]:
        c = check_positive("c", self.c)
        if c < SMALLEST_C:
            raise ValueError(f"c={self.c!r}: give a number of at least {SMALLEST_C}; values are about log(2) / c")
        return _Soft(c)


def all_sum(straight1: Any, straight2: Any, crossed1: Any, crossed2: Any) -> Any:
    """The sum of all four values; the order of adding is the same for the transposed Gram."""
    return (straight1 + straight2) + (crossed1 + crossed2)


def all_product(straight1: Any, straight2: Any, crossed1: Any, crossed2: Any) -> Any:
    """The sum of the two products."""
    return straight1 * straight2 + crossed1 * crossed2


def best_pairing(straight1: Any, straight2: Any, crossed1: Any, crossed2: Any) -> Any:
    """The larger of the two products."""
    return np.maximum(straight1 * straight2, crossed1 * crossed2)


@dataclass(frozen=True)
class _Soft:
    """The soft maximum of the two products; no power of e is above 1, so that nothing overflows."""

    c: float

    def __call__(self, straight1: Any, straight2: Any, crossed1: Any, crossed2: Any) -> Any:
        straight, crossed = straight1 * straight2, crossed1 * crossed2
        return np.maximum(straight, crossed) + np.log1p(np.exp(-self.c * np.abs(straight - crossed))) / self.c


@dataclass(frozen=True)
class _Kept:
    """A Gram of texts in memory."""

    gram: np.ndarray

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        return self.gram[numbers]


@dataclass(frozen=True)
class _Computed:
    """A Gram of texts whose rows are computed when they are needed."""

    block: Callable[[int, int], np.ndarray]

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        wanted, places = np.unique(numbers, return_inverse=True)
        runs = np.split(wanted, np.flatnonzero(np.diff(wanted) > 1) + 1)
        return np.concatenate([self.block(int(run[0]), int(run[-1]) + 1) for run in runs])[places]


@dataclass(frozen=True)
class _Lookup:
    """One of the values of a pair kernel: the Gram of the texts, and which text is compared with which."""

    values: Any
    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True)
class _Block:
    """Computes rows ``first`` … ``last`` of a Gram."""

    lookups: list[_Lookup]
    combine: Callable[..., np.ndarray]
    symmetric: bool

    def __call__(self, first: int, last: int) -> np.ndarray:
        offset = first if self.symmetric else 0
        known: dict[tuple[int, int], np.ndarray] = {}  # rows that two of the four values share
        found = []
        for lookup in self.lookups:
            key = id(lookup.values), id(lookup.rows)
            if key not in known:
                known[key] = lookup.values.rows(lookup.rows[first:last])
            found.append(known[key][:, lookup.columns[offset:]])
        return self.combine(*found)
