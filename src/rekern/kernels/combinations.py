"""Kernels made of kernels: sums, products, weighted and normalised ones."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.object_descriptions import State
from rekern.core.registry import register
from rekern.core.state_schema import KERNEL, Number, Schema, parameters
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction, SumDecision
from rekern.kernels.gram_plan import Combine, CombinedBlock, GramPlan, RescaledBlock, check_finite, invert_roots
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items, materialize_items

if TYPE_CHECKING:
    import scipy.sparse as sp


def _combine_plans(left: GramPlan, right: GramPlan, combine: Combine) -> GramPlan:
    if (left.rows, left.columns) != (right.rows, right.columns):
        raise InputError("the two kernels do not see the same number of items: give a list, not an iterator")
    block = CombinedBlock(left.block, right.block, combine)
    heights = [plan.height for plan in (left, right) if plan.height is not None]
    prepare = left.prepare + right.prepare
    return GramPlan(left.rows, left.columns, left.symmetric, block, prepare, max(heights, default=None))


class TwoKernels(Kernel):
    """The base of sums and products: ``combine`` makes one value of those of both kernels."""

    combine: ClassVar[np.ufunc]

    def __init__(self, left: Kernel, right: Kernel):
        self.left = left
        self.right = right

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Combine the blocks of both kernels."""
        return _combine_plans(self.left.plan_gram(X, Y, n_jobs), self.right.plan_gram(X, Y, n_jobs), self.combine)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        X = materialize_items(X)
        with np.errstate(over="ignore"):
            return check_finite(self.combine(self.left.diag(X), self.right.diag(X)))


@register
class Sum(TwoKernels):
    """The sum of two kernels; ``a + b`` makes one.

    >>> from rekern.kernels import Spectrum
    >>> K = Spectrum(1, normalize=False) + 2 * Spectrum(2, normalize=False)
    >>> K("a b c".split(), "a b d".split())
    4.0
    """

    schema = Schema(parameters(left=KERNEL, right=KERNEL))
    combine = np.add

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the sum of the decision functions of both kernels."""
        X = materialize_items(X)
        both = [self.left.decision_function(X, coefficients), self.right.decision_function(X, coefficients)]
        return SumDecision(both)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the sum of the decision functions of both kernels."""
        left, right = state.states("summands", 2)
        return SumDecision([self.left.restore_decision(left, outputs), self.right.restore_decision(right, outputs)])

    def has_features(self) -> bool:
        """Return whether both kernels have features."""
        return self.left.has_features() and self.right.has_features()

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the features of both kernels, side by side."""
        import scipy.sparse as sp

        X = materialize_items(X)
        return sp.hstack([self.left.features(X, n_jobs), self.right.features(X, n_jobs)], format="csr")

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the features of both kernels over their learned columns, side by side."""
        import scipy.sparse as sp

        return sp.hstack([self.left.list_features(X), self.right.list_features(X)], format="csr")

    def name_columns(self) -> list[str]:
        """Return the names of the columns of both kernels."""
        return [*self.left.name_columns(), *self.right.name_columns()]


@register
class Product(TwoKernels):
    """The product of two kernels; ``a * b`` makes one.

    >>> from rekern.kernels import Spectrum
    >>> (Spectrum(1, normalize=False) * Spectrum(2, normalize=False))("a b c".split(), "a b d".split())
    2.0
    """

    schema = Schema(parameters(left=KERNEL, right=KERNEL))
    combine = np.multiply


@register
class Scaled(Kernel):
    """A kernel times a number that is not negative; ``0.5 * a`` makes one.

    >>> from rekern.kernels import Spectrum
    >>> (0.5 * Spectrum(1, normalize=False))("a b c".split(), "a b d".split())
    1.0
    """

    schema = Schema(parameters(kernel=KERNEL, weight=Number(0.0)))

    def __init__(self, kernel: Kernel, weight: float = 1.0):
        self.kernel = kernel
        self.weight = weight

    def _check_weight(self) -> float:
        if not (isinstance(self.weight, Real) and 0 <= float(self.weight) < np.inf):
            raise InputError(f"weight={self.weight!r}: give a finite number of at least 0")
        return float(self.weight)

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Multiply the blocks of the kernel by the weight."""
        weight = self._check_weight()
        plan = self.kernel.plan_gram(X, Y, n_jobs)
        block = RescaledBlock(plan.block, np.full(plan.rows, weight), np.ones(plan.columns), plan.symmetric)
        return replace(plan, block=block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        with np.errstate(over="ignore"):
            return check_finite(self._check_weight() * self.kernel.diag(X))

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the kernel's own decision function, with the weight in the coefficients."""
        return self.kernel.decision_function(X, self._check_weight() * np.asarray(coefficients))

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the kernel's own decision function."""
        self._check_weight()
        return self.kernel.restore_decision(state, outputs)

    def has_features(self) -> bool:
        """Return whether the kernel has features."""
        return self.kernel.has_features()

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the kernel's features times the root of the weight."""
        return self.kernel.features(X, n_jobs) * self._check_weight() ** 0.5

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the kernel's features over its learned columns, times the root of the weight."""
        return self.kernel.list_features(X) * self._check_weight() ** 0.5

    def name_columns(self) -> list[str]:
        """Return the names of the kernel's columns."""
        return self.kernel.name_columns()


@register
class Normalized(Kernel):
    """A kernel divided by √(K(x, x) K(y, y)), so that K(x, x) = 1, or 0 for an item that is like nothing.

    >>> from rekern.kernels import Spectrum
    >>> K = Normalized(Spectrum(1, normalize=False) + Spectrum(2, normalize=False))
    >>> round(K("a b".split(), "a b".split()), 12)
    1.0
    """

    schema = Schema(parameters(kernel=KERNEL))

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Divide the blocks of the kernel by the roots of its diagonals."""
        plan = self.kernel.plan_gram(X, Y, n_jobs)
        rows = invert_roots(self.kernel.diag(X))
        columns = rows if Y is None else invert_roots(self.kernel.diag(Y))
        block = RescaledBlock(plan.block, rows, columns, plan.symmetric)
        return replace(plan, block=block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x): 1, or 0 for an item that is like nothing."""
        return (self.kernel.diag(X) > 0).astype(float)
