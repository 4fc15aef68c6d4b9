"""Rows reduced to shared keys have the products of the whole rows, for any number of threads."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rekern.core.parallel_steps import run_together
from rekern.core.shared_keys import share_blocks

from rekern.core.key_rows import KeyRows

tables = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.5]), min_size=6, max_size=6), min_size=n, max_size=n)
)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_products_of_different_rows_stay_the_same(table):
    table = np.array(table)
    table = np.hstack([table, table[:, :2]])  # equal keys
    keys = (np.arange(table.shape[1], dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    where = table != 0
    indptr = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(np.int64)
    rows = KeyRows(indptr, np.tile(keys, (len(table), 1))[where], table[where])
    (found,) = run_together([share_blocks([rows], 1)])
    dense = np.zeros((len(table), len(found.counts)))
    kept = found.numbers >= 0
    dense[found.rows[kept], found.numbers[kept]] = found.values[kept]
    above = np.triu_indices(len(table), 1)
    assert np.allclose(((dense * found.times) @ dense.T)[above], (table @ table.T)[above])
    assert np.array_equal((dense != 0).sum(axis=0), found.counts) and (found.counts > 1).all()
    assert len({column.tobytes() for column in dense.T}) == dense.shape[1]  # no equal ones are left
    for one, other in zip(found, run_together([share_blocks([rows], 2)], 2)[0], strict=True):
        assert np.array_equal(one, other)
    half = len(table) // 2
    blocks = [rows.slice_rows(0, half), rows.slice_rows(half, len(table))]
    for release in (False, True):
        for one, other in zip(found, run_together([share_blocks(blocks, 3, release)])[0], strict=True):
            assert np.array_equal(one, other)
        assert len(blocks) == (0 if release else 2)
