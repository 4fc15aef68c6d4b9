"""What a support vector machine has learned: a coefficient for each training item, and an intercept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class DualSolution(NamedTuple):
    """A decision function x ↦ Σ coefficients[i] · K(xᵢ, x) + intercept.

    >>> DualSolution(np.array([0.5, -0.5]), 0.25).decide(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [0.75, -0.25]
    """

    coefficients: npt.NDArray[np.float64]
    intercept: float

    def decide(self, gram: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The decision values of items, from their kernel values with the training items."""
        values: npt.NDArray[np.float64] = gram @ self.coefficients + self.intercept
        return values
