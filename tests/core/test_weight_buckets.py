"""Weights that are looked up in buckets are those of the table, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core import weight_buckets
from rekern.core.weight_buckets import CHUNK, add_from_buckets, make_buckets
from rekern.core.weight_table import find_weights, make_table

WHOLE = np.uint64(2**64 - 1)
# Keys that are spread evenly, keys in one bucket, and keys of which all bits after those of the bucket are 0.
KEYS = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 60), st.integers(0, 63).map(lambda top: top << 58))


def add(table, buckets, wanted, values, mask=WHOLE):
    sums = np.zeros((1, table.weights.shape[1]))
    scratch = np.empty(CHUNK, np.int64), np.empty(CHUNK, np.uint64)
    add_from_buckets(wanted, values, len(wanted), mask, table.weights, table.present, tuple(buckets), *scratch, sums, 0)
    return sums[0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(KEYS, unique=True, max_size=120),
    st.lists(KEYS, max_size=20),
    st.integers(1, 9),
    st.integers(1, 2),
    st.sampled_from([5, 1000]),
)
def test_sums_are_those_of_the_table(keys, others, rows, outputs, most):
    chance = np.random.default_rng(len(keys))
    numbers = chance.integers(0, rows, len(keys)).astype(np.uint32)
    table = make_table(np.array(sorted(keys), np.uint64), numbers, chance.normal(size=(rows, outputs)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weight_buckets, "MOST_KEYS", most)  # 1000: nearly all keys find their bucket full
        buckets = make_buckets(table)
    wanted = np.array([*keys, *others, *others], np.uint64)
    chance.shuffle(wanted)
    values = chance.normal(size=len(wanted))
    expected = np.zeros(outputs)
    for value, weights in zip(values, find_weights(wanted, table)):
        expected += value * weights
    assert add(table, buckets, wanted, values).tobytes() == expected.tobytes()


def test_many_keys_of_several_chunks():
    chance = np.random.default_rng(0)
    keys = np.unique(chance.integers(0, 2**64, 20_000, dtype=np.uint64))
    table = make_table(keys, chance.integers(0, 3000, len(keys)).astype(np.uint32), chance.normal(size=(3000, 1)))
    buckets = make_buckets(table)
    assert 0 < len(buckets.more_keys) < len(keys) // 20
    assert buckets.cells.ctypes.data % 64 == 0
    wanted = np.concatenate([keys[::3], chance.integers(0, 2**64, 5000, dtype=np.uint64)])
    values = chance.normal(size=len(wanted))
    expected = 0.0
    for value, weight in zip(values, find_weights(wanted, table)[:, 0]):
        expected += value * weight
    assert add(table, buckets, wanted, values)[0] == expected


def test_only_bits_of_the_mask_are_looked_up():
    table = make_table(np.array([0, 2**63], np.uint64), np.array([0, 1], np.uint32), np.array([[1.0], [2.0]]))
    wanted = np.array([7, 2**63 + 5, 2**62], np.uint64)
    assert add(table, make_buckets(table), wanted, np.ones(3), np.uint64(2**64 - 2**32)).tolist() == [3.0]


def test_a_large_table_of_different_weights_has_no_buckets():
    keys = np.arange(1 << 13, dtype=np.uint64) << np.uint64(51)
    numbers = np.arange(len(keys), dtype=np.uint32)
    assert not len(make_buckets(make_table(keys, numbers, np.ones((len(keys), 1)))).cells)
    assert len(make_buckets(make_table(keys, numbers % 100, np.ones((100, 1)))).cells)
