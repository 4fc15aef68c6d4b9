"""Pieces of a matrix in their places, and mirrored."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rekern.core.piece_placing_core import place_piece


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 9), st.integers(0, 320), st.integers(0, 40))
def test_a_piece_is_written_and_mirrored(height, width, padding, skipped, missing):
    values = np.random.default_rng(0).normal(size=(height, width + padding))
    begin = height + 2  # the mirror image does not meet the piece
    matrix = np.zeros((max(height + 1, begin + width - missing), begin + width + 3))
    place_piece(values.reshape(-1), width + padding, matrix, 1, 1 + height, begin, begin + width, begin + skipped)
    expected = np.zeros_like(matrix)
    expected[1 : 1 + height, begin : begin + width] = values[:, :width]
    image = values[:, skipped:width].T[: max(0, len(matrix) - begin - skipped)]
    expected[begin + skipped : begin + skipped + len(image), 1 : 1 + height] = image
    assert np.array_equal(matrix, expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_piece_goes_into_numbers_of_any_size(kind):
    matrix = np.zeros((2, 3), kind)
    place_piece(np.arange(8.0), 4, matrix, 0, 2, 0, 3, 3)
    assert matrix.tolist() == [[0, 1, 2], [4, 5, 6]]
