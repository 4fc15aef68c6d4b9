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


@pytest.mark.parametrize("size", [1, 8, 65, 130, 300])
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_matrix_is_normalised_on_the_way(size, jobs, monkeypatch):
    monkeypatch.setattr(symmetric_matrix, "ROWS", 32)
    rng = np.random.default_rng(size)
    matrix, scales = rng.normal(size=(size, size)), rng.uniform(0.1, 2, size)
    scales[size // 2] = 0.0
    expected = np.triu(matrix) * (scales[:, None] * scales)
    expected += np.triu(expected, 1).T
    np.fill_diagonal(expected, scales > 0)
    matrix[np.tril_indices(size, -1)] = np.nan  # what lies below the diagonal does not count
    mirror_matrix(matrix, jobs, scales)
    assert np.array_equal(matrix, expected)
