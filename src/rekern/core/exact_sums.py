"""Sums of floating-point numbers that are rounded once, so that they do not depend on the order of the numbers."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import math

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.compiling import compiled
from rekern.core.parallel_jobs import run_in_threads, split_range

MOST_PARTIALS = 64  # numbers that do not overlap: 2,098 bits are less than 40 times 53
ROWS = 16  # of a call


def sum_rows_exactly(rows: Floats) -> Floats:
    """Return the sum of each row, as ``math.fsum`` does.

    >>> sum_rows_exactly(np.array([[1e16, 1.0, -1e16], [0.1, 0.2, 0.3]])).tolist()
    [1.0, 0.6]
    """
    found = np.empty(len(rows))
    rows = np.ascontiguousarray(rows)
    run_in_threads(_sum_rows, [(*span, rows, found) for span in split_range(len(rows), ROWS)])
    for row in np.flatnonzero(np.isnan(found)).tolist():
        found[row] = math.fsum(rows[row].tolist())
    return found


@compiled
def _sum_rows(first, last, rows, found):
    """Keep the sum as numbers that do not overlap, from small to large (Shewchuk, 1997), and round it at the end.

    The sum of numbers that are not finite, or too large, is NaN.
    """
    partials = np.empty(MOST_PARTIALS)
    for row in range(first, last):
        found[row] = np.nan
        count, is_finite = 0, True
        for value in rows[row]:
            is_finite = is_finite and np.isfinite(value)
            kept = 0
            for index in range(count):
                other = partials[index]
                if abs(value) < abs(other):
                    value, other = other, value
                total = value + other
                if not np.isfinite(total):
                    is_finite = False
                    break
                rest = other - (total - value)
                if rest != 0.0:
                    partials[kept] = rest
                    kept += 1
                value = total
            if not is_finite:
                break
            count = kept
            if value != 0.0:
                partials[count] = value
                count += 1
        if not is_finite:
            continue
        total, rest = 0.0, 0.0
        while count > 0 and rest == 0.0:
            count -= 1
            before = total
            total = before + partials[count]
            rest = partials[count] - (total - before)
        if count > 0 and ((rest < 0.0 and partials[count - 1] < 0.0) or (rest > 0.0 and partials[count - 1] > 0.0)):
            twice = 2.0 * rest  # half-way between two numbers, and what is left decides
            if total + twice - total == twice:
                total += twice
        found[row] = total


def multiply_columns(values: Floats) -> Floats:
    """Return ``values.T @ values``, which does not depend on the order of the rows.

    Every column is cut into three slices of so few bits that the sums of their products are exact (Ozaki et al.,
    2012). For a million rows the three have 48 bits together, for fewer rows more.

    >>> multiply_columns(np.array([[1.0, 0.5], [2.0, 0.25]])).tolist()
    [[5.0, 1.0], [1.0, 0.3125]]
    """
    n, columns = values.shape
    bits = (52 - n.bit_length()) // 2
    rest, largest = values.copy(), np.abs(values).max(axis=0, initial=0.0)
    step = np.exp2(np.where(largest > 0, np.frexp(largest)[1], 0) - float(bits))
    slices = []
    for _ in range(3):
        part = np.round(rest / step) * step
        rest -= part
        slices.append(part)
        step = step / 2.0**bits
    first, second, third = slices
    mixed = first.T @ third
    small = (second.T @ second + (mixed + mixed.T)) if columns else np.zeros((0, 0))
    middle = first.T @ second
    products: Floats = first.T @ first + ((middle + middle.T) + small)
    return products
