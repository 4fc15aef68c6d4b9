"""Kernels on pairs of texts from a kernel on texts: which side is compared with which, and how values are combined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.parameters import check_positive
from rekern.core.registry import register
from rekern.core.state_schema import KERNEL, Number, Schema, parameters
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.pair_kernel import Combine, PairKernel

if TYPE_CHECKING:
    import scipy.sparse as sp

SMALLEST_C = 1e-100


@register
class PairSum(PairKernel):
    """K(a1, b1) + K(a2, b2): sources with sources, targets with targets.

    >>> from rekern.kernels import Spectrum
    >>> PairSum(Spectrum(1, normalize=False))(("a b", "c"), ("a b", "d"))  # 2 + 0
    2.0
    """

    schema = Schema(parameters(kernel=KERNEL))

    def get_combination(self) -> Combine:
        """Return the sum."""
        return np.add

    def has_crossed_values(self) -> bool:
        """Return False: sources are compared with sources, targets with targets."""
        return False

    def has_features(self) -> bool:
        """Return whether the kernel on texts has features."""
        return isinstance(self.kernel, Kernel) and self.kernel.has_features()

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the features of the sources and those of the targets, side by side."""
        import scipy.sparse as sp

        return sp.hstack(self.extract_side_features(X, n_jobs), format="csr")

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the same over the columns learned from all texts."""
        import scipy.sparse as sp

        return sp.hstack(self.list_side_features(X), format="csr")

    def name_columns(self) -> list[str]:
        """Return the names of the features, first on the source, then on the target."""
        names = self.kernel.name_columns()
        return [f"{side}: {name}" for side in ("source", "target") for name in names]


@register
class PairProduct(PairKernel):
    """K(a1, b1) · K(a2, b2): both sides must be alike.

    >>> from rekern.kernels import Spectrum
    >>> PairProduct(Spectrum(1, normalize=False))(("a b", "c"), ("a b", "c d"))  # 2 · 1
    2.0
    """

    schema = Schema(parameters(kernel=KERNEL))

    def get_combination(self) -> Combine:
        """Return the product."""
        return np.multiply

    def has_crossed_values(self) -> bool:
        """Return False: sources are compared with sources, targets with targets."""
        return False


@register
class AllSum(PairKernel):
    """K(a1, b1) + K(a2, b2) + K(a1, b2) + K(a2, b1): the order of the two sides plays no part.

    >>> from rekern.kernels import Spectrum
    >>> AllSum(Spectrum(1, normalize=False))(("a", "a b"), ("a", "b"))  # 1 + 1 + 0 + 1
    3.0
    """

    schema = Schema(parameters(kernel=KERNEL))

    def get_combination(self) -> Combine:
        """Return the sum of all four values."""
        return add_all

    def has_features(self) -> bool:
        """Return whether the kernel on texts has features."""
        return isinstance(self.kernel, Kernel) and self.kernel.has_features()

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the features of both sides, added up."""
        import scipy.sparse as sp

        sources, targets = self.extract_side_features(X, n_jobs)
        return sp.csr_array(sources + targets)

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the same over the columns learned from all texts."""
        import scipy.sparse as sp

        sources, targets = self.list_side_features(X)
        return sp.csr_array(sources + targets)

    def name_columns(self) -> list[str]:
        """Return the names of the features of a text."""
        return self.kernel.name_columns()


@register
class AllProduct(PairKernel):
    """K(a1, b1) · K(a2, b2) + K(a1, b2) · K(a2, b1): both sides alike, in either order.

    >>> from rekern.kernels import Spectrum
    >>> AllProduct(Spectrum(1, normalize=False))(("a", "a b"), ("a", "b"))  # 1 · 1 + 0 · 1
    1.0
    """

    schema = Schema(parameters(kernel=KERNEL))

    def get_combination(self) -> Combine:
        """Return the sum of the two products."""
        return add_products


@register
class BestPairing(PairKernel):
    """max(K(a1, b1) · K(a2, b2), K(a1, b2) · K(a2, b1)): both sides alike, in the better order.

    It is symmetric but not positive semidefinite: support vector machines cope, but K is no inner product.

    >>> from rekern.kernels import Spectrum
    >>> BestPairing(Spectrum(1, normalize=False))(("a b", "c"), ("c", "a b"))  # max(0 · 0, 2 · 1)
    2.0
    """

    schema = Schema(parameters(kernel=KERNEL))

    def get_combination(self) -> Combine:
        """Return the larger of the two products."""
        return take_larger_product


@register
class SoftPairing(PairKernel):
    """The soft maximum log(exp(c·x) + exp(c·y)) / c of x = K(a1, b1) · K(a2, b2) and y = K(a1, b2) · K(a2, b1).

    It exceeds the maximum by at most log(2) / ``c``, which is also its value for pairs that have nothing in common. It
    is symmetric but not positive semidefinite: support vector machines cope, but K is no inner product.

    >>> from rekern.kernels import Spectrum
    >>> round(SoftPairing(Spectrum(1))(("a b", "c"), ("c", "a b")), 9)
    1.0
    """

    checks_itself = frozenset({"kernel", "c"})
    schema = Schema(parameters(kernel=KERNEL, c=Number(SMALLEST_C)))

    def __init__(self, kernel: Kernel, c: float = 100.0):
        super().__init__(kernel)
        self.c = c

    def get_combination(self) -> Combine:
        """Return the soft maximum of the two products."""
        c = check_positive("c", self.c)
        if c < SMALLEST_C:
            raise InputError(f"c={self.c!r}: give a number of at least {SMALLEST_C}; values are about log(2) / c")
        return SoftMaximum(c)


def add_all(straight1: Floats, straight2: Floats, crossed1: Floats, crossed2: Floats) -> Floats:
    """Add all four values, in an order that gives the same bits for the transposed Gram."""
    return (straight1 + straight2) + (crossed1 + crossed2)


def add_products(straight1: Floats, straight2: Floats, crossed1: Floats, crossed2: Floats) -> Floats:
    """Add the two products."""
    return straight1 * straight2 + crossed1 * crossed2


def take_larger_product(straight1: Floats, straight2: Floats, crossed1: Floats, crossed2: Floats) -> Floats:
    """Return the larger of the two products."""
    return np.maximum(straight1 * straight2, crossed1 * crossed2)


@dataclass(frozen=True)
class SoftMaximum:
    """The soft maximum of the two products; no power of e is above 1, so that nothing overflows."""

    c: float

    def __call__(self, straight1: Floats, straight2: Floats, crossed1: Floats, crossed2: Floats) -> Floats:
        straight, crossed = straight1 * straight2, crossed1 * crossed2
        return np.maximum(straight, crossed) + np.log1p(np.exp(-self.c * np.abs(straight - crossed))) / self.c
