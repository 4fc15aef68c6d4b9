"""Kernels over row numbers, for tools that accept only arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item


class RowKernel:
    """A kernel between items that are given by their row numbers, as scikit-learn's ``Nystroem`` needs it.

    ``Nystroem`` refuses texts and calls its kernel with one pair of rows of numbers at a time. Give it the numbers of
    the items instead of the items. Values are computed a column at a time and kept.

    >>> from sklearn.kernel_approximation import Nystroem
    >>> from rekern.kernels import Spectrum
    >>> texts = ["a b", "b c", "c d"]
    >>> rows = np.arange(3).reshape(-1, 1)
    >>> model = Nystroem(kernel=RowKernel(Spectrum(1), texts), n_components=3, random_state=0)
    >>> approximation = model.fit_transform(rows)
    >>> np.allclose(approximation @ approximation.T, Spectrum(1).gram(texts))
    True
    """

    def __init__(self, kernel: Kernel, items: Sequence[Item]):
        self.kernel = kernel
        self.items = items
        self._columns: dict[int, Floats] = {}

    def __call__(self, X: npt.ArrayLike, Y: npt.ArrayLike) -> Floats | float:
        """Return the value for two row numbers, or the matrix for two columns of row numbers."""
        left, right = np.asarray(X), np.asarray(Y)
        if left.ndim < 2:
            return float(self._find_column(_read_number(right))[_read_number(left)])
        columns = [self._find_column(number) for number in right[:, 0].astype(int).tolist()]
        values: Floats = np.array(columns).reshape(len(right), len(self.items)).T[left[:, 0].astype(int)]
        return values

    def _find_column(self, number: int) -> Floats:
        """Return the values of one item with all items."""
        if number not in self._columns:
            self._columns[number] = self.kernel.gram(self.items, [self.items[number]])[:, 0]
        return self._columns[number]

    def __sklearn_clone__(self) -> Self:
        return self


def _read_number(row: npt.NDArray[np.generic]) -> int:
    return int(row.ravel()[0])
