"""Keys and numbers in few bytes: nothing is lost, and damage is noticed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern import ModelFileError
from rekern.core.number_packing import pack_keys, pack_numbers, unpack_keys, unpack_numbers


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, 2**64 - 1), max_size=400), st.sampled_from([0, 40, 56]))
def test_keys_come_back(keys, shift):
    ascending = np.array(sorted({key >> shift for key in keys}), dtype=np.uint64)
    assert np.array_equal(unpack_keys(**pack_keys(ascending)), ascending)


def test_many_keys_take_fewer_bytes():
    keys = np.unique(np.random.default_rng(0).integers(0, 2**64, 100_000, dtype=np.uint64))
    packed = pack_keys(keys)
    assert sum(array.nbytes for array in packed.values()) < 6.3 * len(keys)
    assert np.array_equal(unpack_keys(**packed), keys)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 2**62), max_size=50))
def test_numbers_come_back(numbers):
    packed = pack_numbers(np.array(numbers, dtype=np.int64))
    assert unpack_numbers(packed, 2**63).tolist() == numbers
    if numbers:
        with pytest.raises(ModelFileError, match="numbers are damaged"):
            unpack_numbers(packed, max(numbers))


@pytest.mark.parametrize("name", ["tops", "rests"])
def test_every_damaged_bit_is_noticed_or_keeps_the_order(name):
    keys = np.unique(np.random.default_rng(0).integers(0, 2**64, 300, dtype=np.uint64))
    packed = pack_keys(keys)
    for place in range(0, packed[name].size, 7):
        damaged = packed[name].copy()
        damaged.ravel()[place] ^= 1 << place % 8
        try:
            found = unpack_keys(**{**packed, name: damaged})
        except ModelFileError:
            continue
        assert name == "rests" and len(found) == len(keys) and (found[1:] > found[:-1]).all()
