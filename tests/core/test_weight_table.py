"""Tables of weights and their packed form: no bit is lost, and damage is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern import ModelFileError
from rekern.core.key_rows import KeyRows
from rekern.core.number_packing import pack_keys, pack_numbers, unpack_keys, unpack_numbers
from rekern.core.weight_table import find_weights, pack_weights, sum_weights, unpack_weights

KEYS = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 20), st.integers(2**64 - 20, 2**64 - 1))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(KEYS, max_size=8, unique=True), max_size=8), st.integers(1, 3))
def test_weights_are_the_plain_sums(rows, outputs):
    chance = np.random.default_rng(0)
    values = [chance.integers(1, 4, len(row)).astype(float) for row in rows]
    factors = chance.normal(size=(len(rows), outputs))
    indptr = np.cumsum([0, *map(len, rows)])
    keys = np.array([key for row in rows for key in row], np.uint64)
    table = sum_weights(KeyRows(indptr, keys, np.concatenate([np.zeros(0), *values])), factors)
    expected = {}
    for row, value, factor in zip(rows, values, factors):
        for key, number in zip(row, value):
            expected[key] = expected.get(key, 0.0) + factor * number
    wanted = np.array([*expected, 12345], np.uint64)
    again = unpack_weights(pack_weights(table), outputs)
    assert again.keys.tolist() == table.keys.tolist() == sorted(expected)
    found = find_weights(wanted, table)
    assert np.array_equal(found, find_weights(wanted, again))
    assert np.array_equal(found[: len(expected)], np.array(list(expected.values())).reshape(-1, outputs))
    assert not found[len(expected) :].any() or 12345 in expected


@given(st.lists(KEYS, unique=True, max_size=30))
def test_keys_keep_every_bit(keys):
    ordered = np.array(sorted(keys), np.uint64)
    assert np.array_equal(unpack_keys(**pack_keys(ordered)), ordered)


@given(st.lists(st.integers(0, 2**40), max_size=20))
def test_numbers_keep_every_bit(numbers):
    array = np.array(numbers, np.int64)
    assert unpack_numbers(pack_numbers(array), 2**41).tolist() == numbers


def packed():
    keys = np.sort(np.random.default_rng(0).integers(0, 2**63, 400, dtype=np.uint64))
    return pack_weights(sum_weights(KeyRows(np.array([0, 400]), keys, np.arange(400.0)), np.ones((1, 1))))


def change(name, damage):
    state = packed()
    state[name] = damage(state[name].copy())
    return state


def set_value(place, value):
    def damage(array):
        array.reshape(-1)[place] = value
        return array

    return damage


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("tops", set_value(0, 255)),
        ("tops", lambda array: array[:-1]),
        ("tops", lambda array: np.zeros_like(array)),
        ("tops", lambda array: array.astype(np.int64)),
        ("rests", lambda array: array[:, ::-1].copy()),
        ("rests", lambda array: np.zeros_like(array)),
        ("rests", lambda array: array[:2]),
        ("rests", lambda array: array[:, :-1]),
        ("numbers", lambda array: np.full_like(array, 255)),
        ("numbers", lambda array: array[:, :-1]),
        ("numbers", lambda array: array[0]),
        ("weights", lambda array: array[:10]),
        ("weights", lambda array: array.ravel()),
        ("weights", lambda array: np.repeat(array, 2, axis=1)),
    ],
)
def test_damaged_tables_are_refused(name, damage):
    with pytest.raises(ModelFileError):
        unpack_weights(change(name, damage), 1)
