"""Compiled loops over rules in a fixed number of columns."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled

BATCH = 64


@compiled
def add_columns(indptr, keys, values, coefficients, weights):
    """Add rows, times their coefficients, to the weights of columns × outputs, each rule with its sign.

    The column of a rule is given by the top bits of its key, the sign by the last one.
    """
    bits = 0
    while (1 << bits) < len(weights):
        bits += 1
    shift = np.uint64(64 - bits)
    read = np.empty(BATCH)
    for row in range(len(coefficients)):
        for start in range(indptr[row], indptr[row + 1], BATCH):
            stop = min(start + BATCH, indptr[row + 1])
            for entry in range(start, stop):  # first all places are read at the same time: they are far apart
                read[entry - start] = weights[np.int64(keys[entry] >> shift), 0]
            for entry in range(start, stop):
                column = np.int64(keys[entry] >> shift)
                value = -values[entry] if keys[entry] & np.uint64(1) else values[entry]
                for output in range(weights.shape[1]):
                    weights[column, output] += coefficients[row, output] * value


@compiled
def sum_columns(indptr, keys, values, weights):
    """Return the sums of the weights of the rules of every row, times their values and signs, for each output."""
    bits = 0
    while (1 << bits) < len(weights):
        bits += 1
    shift = np.uint64(64 - bits)
    sums = np.zeros((len(indptr) - 1, weights.shape[1]))
    for row in range(len(sums)):
        for entry in range(indptr[row], indptr[row + 1]):
            column = np.int64(keys[entry] >> shift)
            value = -values[entry] if keys[entry] & np.uint64(1) else values[entry]
            for output in range(weights.shape[1]):
                sums[row, output] += weights[column, output] * value
    return sums
