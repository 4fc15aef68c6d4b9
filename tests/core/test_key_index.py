"""Numbers and hash tables of 64-bit keys."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core.hashing import constants, extend_hash, mix, mix_array, size_table
from rekern.core.key_index import index_keys, look_up, number_keys
from rekern.core.key_rows import KeyRows, fold_keys, keep_known, merge_equal, stack_rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(2**64 - 3, 2**64 - 1), max_size=60))
def test_numbers_of_keys(keys):
    array = np.array(keys, dtype=np.uint64)
    numbers, distinct = number_keys(array)
    assert distinct[numbers].tolist() == keys
    assert len(distinct) == len(set(keys))
    index = index_keys(distinct)
    assert look_up(array, index).tolist() == numbers.tolist()
    others = np.array([key for key in range(10) if key not in keys], dtype=np.uint64)
    assert (look_up(others, index) == -1).all()


def test_numbers_of_many_keys():
    rng = np.random.default_rng(0)
    keys = mix_array(rng.integers(0, 400_000, 1_500_000).astype(np.uint64))
    for n_jobs in (1, 2):
        numbers, distinct = number_keys(keys, n_jobs)
        assert np.array_equal(distinct[numbers], keys)
        assert len(np.unique(distinct)) == len(distinct)
        assert np.array_equal(look_up(keys, index_keys(distinct), n_jobs), numbers)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 8), max_size=50))
def test_equal_keys_are_added_up(small):
    keys = mix_array(np.array(small, dtype=np.uint64))
    values = np.arange(1.0, len(small) + 1)
    expected = {}
    for key, value in zip(keys.tolist(), values.tolist()):
        expected[key] = expected.get(key, 0) + value
    kept, _ = merge_equal(keys, values, len(keys), np.empty(16, np.int32))
    assert dict(zip(keys[:kept].tolist(), values[:kept].tolist())) == expected


def test_constants_and_mixing_do_not_change():
    # A saved model keeps no keys, but two machines of a cluster must agree on them.
    assert constants(1, 2).tolist() == constants(1, 4).tolist()[:2]
    assert len(set(constants(4, 4096).tolist())) == 4096
    assert int(mix(np.uint64(1))) == int(mix_array(np.array([1], np.uint64))[0])


def test_tables_are_at_least_half_empty():
    for n in (0, 1, 8, 9, 1000, 1 << 20, (1 << 20) + 1):
        assert (1 << size_table(n)) >= max(16, 2 * n)
        assert n <= 8 or (1 << (size_table(n) - 1)) < 2 * n


def test_a_hash_depends_on_the_order():
    none = np.uint64(0)
    assert int(extend_hash(extend_hash(none, 1), 2)) != int(extend_hash(extend_hash(none, 2), 1))


def test_rows_are_taken_sliced_and_stacked():
    rows = KeyRows(np.array([0, 2, 2, 3]), np.array([7, 9, 8], np.uint64), np.array([1.0, 2.0, 3.0]))
    assert rows.take(np.array([2, 0])).keys.tolist() == [8, 7, 9]
    assert rows.slice_rows(1, 3).indptr.tolist() == [0, 0, 1]
    assert rows.sum_squares().tolist() == [5.0, 0.0, 9.0]
    assert rows.multiply_row(rows.slice_rows(0, 1)).tolist() == [5.0, 0.0, 0.0]
    both = stack_rows([rows.slice_rows(0, 1), rows.slice_rows(1, 3)])
    assert [array.tolist() for array in both] == [array.tolist() for array in rows]


def test_known_and_folded_columns():
    indptr, values = np.array([0, 3]), np.array([1.0, 2.0, 4.0])
    columns, kept, pointers = keep_known(np.array([0, -1, 1], np.int32), values, indptr)
    assert (columns.tolist(), kept.tolist(), pointers.tolist()) == ([0, 1], [1.0, 4.0], [0, 2])
    columns, folded, pointers = fold_keys(indptr, np.array([1, 5, 2], np.uint64), values, 4)
    assert (columns.tolist(), folded.tolist(), pointers.tolist()) == ([1, 2], [3.0, 4.0], [0, 2])
