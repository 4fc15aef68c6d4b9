"""Grams by inverted lists: frequent keys and equal keys are taken together, and the values stay the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core import inverted_lists, shared_keys
from rekern.core.inverted_lists import NO_KEYS, add_window_block, invert_rows, invert_whole_rows
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
@given(tables, st.sampled_from([1.0, 0.3]), st.sampled_from([0, 2, 64]))
def test_frequent_and_equal_keys_change_nothing(table, factor, few):
    table = np.array(table) * factor
    table = np.hstack([table, table[:, :2]])  # equal keys
    rows, n = make_rows(table), len(table)
    plain = invert_rows(rows)
    expected, found = np.zeros((n, n)), np.zeros((n, n))
    add_window_block(expected, 0, 0, True, np.ones(n), np.ones(n), plain, plain, plain, (NO_KEYS,) * 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inverted_lists, "FEW_ROWS", few)
        lists, frequent = invert_whole_rows(rows, 1)
        patch.setattr(shared_keys, "THREAD_BITS", 1)
        shared = invert_whole_rows(rows, 3)
    for one, other in zip((*lists, *frequent), (*shared[0], *shared[1]), strict=True):
        assert np.array_equal(one, other)  # for any number of threads
    add_window_block(found, 0, 0, True, np.ones(n), np.ones(n), lists, lists, lists, (frequent,) * 3)
    above = np.triu_indices(n, 1)
    product = table @ table.T
    assert np.allclose(found[above], (product**2 + product)[above])
    if factor == 1.0:  # whole numbers
        assert np.array_equal(found[above], expected[above])
    assert few == 64 or factor == 1.0 or not len(frequent.by_key)
