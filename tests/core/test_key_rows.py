"""Blocks of rows that are stacked."""

import numpy as np

from rekern.core.key_rows import KeyRows, stack_rows


def test_blocks_are_stacked() -> None:
    blocks = [KeyRows(np.array([0, 1, 3]), np.arange(3, dtype=np.uint64) + np.uint64(at), np.ones(3)) for at in (0, 7)]
    joined = stack_rows(blocks)
    assert joined.keys.tolist() == [0, 1, 2, 7, 8, 9] and joined.indptr.tolist() == [0, 1, 3, 4, 6]
