"""Grams by inverted lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core.inverted_lists import invert_rows, multiply_lists
from rekern.core.key_rows import KeyRows


def make_rows(table):
    """Rows of keys from a dense table; a key for each column."""
    table = np.asarray(table, dtype=float)
    keys = (np.arange(table.shape[1], dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    where = table != 0
    indptr = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(np.int64)
    return KeyRows(indptr, np.tile(keys, (len(table), 1))[where], table[where])


tables = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=6, max_size=6), min_size=n, max_size=n)
)


@settings(max_examples=40, deadline=None)
@given(tables, st.sampled_from([1.0, 0.3]))
def test_lists_give_the_products(table, factor):
    table = np.array(table) * factor
    rows, n = make_rows(table), len(table)
    above = np.triu_indices(n, 1)
    assert np.allclose(multiply_lists(invert_rows(rows), 0, n)[above], (table @ table.T)[above])
    half = invert_rows(rows.slice_rows(0, n // 2), rows)
    assert np.allclose(multiply_lists(half, 0, n // 2), table[: n // 2] @ table.T)


@pytest.mark.parametrize("other", [False, True])
def test_keys_of_most_rows_are_multiplied_as_dense_columns(other):
    table = np.random.default_rng(5).random((300, 12))
    table[np.arange(300) % 20 > 0, 8:] = 0
    table[::3, :4] = 0
    left = table[::2] if other else table
    lists = invert_rows(make_rows(left), make_rows(table) if other else None)
    assert lists.dense.shape[1] == 8
    above = (slice(None), slice(None)) if other else np.triu_indices(len(table), 1)
    np.testing.assert_allclose(multiply_lists(lists, 0, len(left))[above], (left @ table.T)[above], rtol=1e-12)
