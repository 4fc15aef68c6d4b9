"""Grams by inverted lists: frequent keys and equal keys are taken together, and the values stay the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rekern.core.window_products import WindowLists, fill_pair_rows, join_lists

from rekern.core import inverted_lists, parallel_jobs
from rekern.core.inverted_lists import NO_KEYS, invert_all_blocks, invert_rows
from rekern.core.key_rows import KeyRows


def make_rows(table):
    """Rows of keys from a dense table; a key for each column."""
    table = np.asarray(table, dtype=float)
    keys = (np.arange(table.shape[1], dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    where = table != 0
    indptr = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(np.int64)
    return KeyRows(indptr, np.tile(keys, (len(table), 1))[where], table[where])


def fill(matrix, lists, frequent):
    """Fill a symmetric Gram whose sources, targets and rules are the same."""
    ones = np.ones(len(matrix))
    joined = join_lists([WindowLists(ones, ones, lists, lists, lists, (frequent,) * 3)])
    assert fill_pair_rows(matrix, 0, 0, (0, len(matrix)), True, joined) == -1


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
    fill(expected, plain, NO_KEYS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inverted_lists, "FEW_ROWS", few)
        ((lists, frequent),) = invert_all_blocks([[rows]], 1)
        patch.setattr(parallel_jobs, "FEWEST", 1)
        (shared,) = invert_all_blocks([[rows]], 3)
    for one, other in zip((*lists, *frequent), (*shared[0], *shared[1]), strict=True):
        assert np.array_equal(one, other)  # for any number of threads
    fill(found, lists, frequent)
    above = np.triu_indices(n, 1)
    product = table @ table.T
    assert np.allclose(found[above], (product**2 + product)[above])
    if factor == 1.0:  # whole numbers
        assert np.array_equal(found[above], expected[above])
    assert few == 64 or factor == 1.0 or not len(frequent.by_key)
