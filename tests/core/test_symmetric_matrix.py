"""The lower half of a symmetric matrix is its upper half, for any size and number of threads."""

import numpy as np
import pytest

from rekern.core import symmetric_matrix
from rekern.core.symmetric_matrix import mirror_matrix


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 64, 65, 130, 300])
@pytest.mark.parametrize("jobs", [1, 3])
def test_lower_half_is_the_upper_half(size, jobs, monkeypatch):
    monkeypatch.setattr(symmetric_matrix, "ROWS", 32)
    matrix = np.random.default_rng(size).normal(size=(size, size))
    expected = np.triu(matrix) + np.triu(matrix, 1).T
    mirror_matrix(matrix, jobs)
    assert np.array_equal(matrix, expected)
