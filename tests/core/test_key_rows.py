"""Blocks of rows that are stacked."""

import weakref

import numpy as np
import pytest
from rekern.core.parallel_steps import run_together

from rekern.core.key_rows import KeyRows, join_rows


@pytest.mark.parametrize("release", [False, True])
def test_joined_blocks_are_released_only_if_asked(release: bool) -> None:
    blocks = [KeyRows(np.array([0, 1, 3]), np.arange(3, dtype=np.uint64) + np.uint64(at), np.ones(3)) for at in (0, 7)]
    kept = weakref.ref(blocks[0].keys)
    joined = run_together([join_rows(blocks, 2, release)], 2)[0]
    assert joined.keys.tolist() == [0, 1, 2, 7, 8, 9] and joined.indptr.tolist() == [0, 1, 3, 4, 6]
    assert (kept() is None) == release
