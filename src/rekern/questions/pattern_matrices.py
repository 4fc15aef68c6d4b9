"""Sparse matrices of questions × patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_array, hstack

from rekern.core.arrays import Ints, offsets_of
from rekern.core.csr import make_csr


def flatten_rows(rows: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Put rows of numbers into one array; return the array and the offsets of the rows.

    >>> [part.tolist() for part in flatten_rows([[1, 2], [], [3]])]
    [[1, 2, 3], [0, 2, 2, 3]]
    """
    listed = list(rows)
    return np.array([number for row in listed for number in row], dtype=np.int64), offsets_of(list(map(len, listed)))


def mark_matches(columns: Ints, offsets: Ints, n_patterns: int) -> csr_array:
    """Return a matrix with 1 in the given columns of each row and 0 elsewhere.

    >>> mark_matches(*flatten_rows([[0], [0, 2]]), 3).toarray().tolist()
    [[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """
    return make_csr(np.ones(len(columns)), columns, offsets, n_patterns)


def join_columns(matrices: Sequence[csr_array], n_rows: int) -> csr_array:
    """Put matrices with ``n_rows`` rows side by side, with 32-bit indices.

    >>> one = mark_matches(*flatten_rows([[0], []]), 1)
    >>> join_columns([one, one], 2).toarray().tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    if not matrices:
        return csr_array((n_rows, 0))
    whole = (matrices[0] if len(matrices) == 1 else hstack(matrices)).tocsr()
    return make_csr(whole.data, whole.indices, whole.indptr, whole.shape[1])
