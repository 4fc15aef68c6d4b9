"""A hint to the processor changes nothing."""

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.prefetching import prefetch


def test_prefetching_changes_nothing():
    @compiled
    def add_up(values, order):
        total = 0.0
        for index in range(len(order)):
            prefetch(values, order[len(order) - 1 - index])
            prefetch(order, index)
            total += values[order[index], 0]
        return total

    values = np.arange(6.0).reshape(3, 2)
    assert add_up(values, np.array([2, 0], np.int32)) == 4.0
