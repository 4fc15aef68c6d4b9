"""Sums that are rounded once are those of math.fsum; sums of products do not depend on the order."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core.exact_sums import multiply_columns, sum_rows_exactly

NUMBERS = st.one_of(
    st.floats(-1e3, 1e3),
    st.floats(-1e100, 1e100),
    st.sampled_from([1.0, -1.0, 2.0**53, 2.0**-53, 2.0**-54, -(2.0**-54), 1e-300, 0.1, 0.0, -0.0]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(NUMBERS, min_size=6, max_size=6), min_size=1, max_size=40))
def test_sums_are_those_of_fsum(rows):
    assert sum_rows_exactly(np.array(rows)).tolist() == [math.fsum(row) for row in rows]


def test_many_numbers_in_any_order():
    columns = np.random.default_rng(0).normal(size=(40, 500)) ** 3
    found = sum_rows_exactly(columns)
    assert found.tolist() == [math.fsum(column) for column in columns] == sum_rows_exactly(columns[:, ::-1]).tolist()
    assert sum_rows_exactly(np.zeros((2, 0))).tolist() == [0.0, 0.0]


def test_numbers_that_are_not_finite():
    rows = np.array([[1.0, np.inf, 2.0], [np.inf, 1.0, np.inf], [np.nan, 1.0, 2.0], [1.0, 2.0, 3.0]])
    assert np.array_equal(sum_rows_exactly(rows), [np.inf, np.inf, np.nan, 6.0], equal_nan=True)
    with pytest.raises(OverflowError):
        sum_rows_exactly(np.full((1, 200), 1e308))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=30), st.randoms())
def test_products_of_columns_are_those_of_fractions_in_any_order(rows, random):
    values = np.array(rows, float)
    found = multiply_columns(values)
    exact = [
        [sum(Fraction(row[one]) * Fraction(row[other]) for row in values.tolist()) for other in range(2)]
        for one in range(2)
    ]
    largest = np.abs(values).max(axis=0, initial=1e-300)
    assert np.abs(found - np.array(exact, float)).max() <= 1e-13 * len(rows) * largest.max() ** 2
    random.shuffle(rows)
    assert np.array_equal(multiply_columns(np.array(rows, float)), found)
