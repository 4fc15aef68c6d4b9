"""Compressed sparse rows (CSR) in the form that solvers accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp


def make_csr(values: np.ndarray, columns: np.ndarray, indptr: np.ndarray, width: int) -> sp.csr_array:
    """Return a sparse matrix with ``width`` columns and 32-bit indices; many solvers accept no others.

    >>> make_csr(np.ones(1), np.zeros(1, np.int64), np.array([0, 1]), 3).indices.dtype
    dtype('int32')
    """
    import scipy.sparse as sp

    indices = columns.astype(np.int32, copy=False)
    return sp.csr_array((values, indices, indptr.astype(np.int32, copy=False)), shape=(len(indptr) - 1, width))
