"""What a support vector machine has learned: a coefficient for each training item, and an intercept."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Floats


class DualSolution(NamedTuple):
    """A decision function x ↦ Σ coefficients[i] · K(xᵢ, x) + intercept.

    >>> import numpy as np
    >>> DualSolution(np.array([0.5, -0.5]), 0.25).decide(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [0.75, -0.25]
    """

    coefficients: Floats
    intercept: float

    def decide(self, gram: Floats) -> Floats:
        """The decision values of items, from their kernel values with the training items."""
        values: Floats = gram @ self.coefficients + self.intercept
        return values
