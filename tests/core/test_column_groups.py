"""Groups of equal columns have the products of all columns."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.core.column_groups import ColumnGroups, SparseRows


def make_rows(matrix, keys):
    where = matrix != 0
    indptr = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(np.int64)
    return SparseRows(indptr, np.broadcast_to(keys, matrix.shape)[where], matrix[where].astype(np.float32))


def condense(blocks, n_jobs=1, room=None):
    groups = ColumnGroups(sum(len(rows.keys) for rows in blocks), 10**7, n_jobs)
    if room is not None:
        groups._count_room = lambda: room
    for rows in blocks:
        groups.note(rows.keys)
    first, placed = 0, []
    for rows in blocks:
        placed.append(groups.sign(first, groups.sift(rows)))
        first += len(rows.indptr) - 1
    columns = groups.number()
    found = [groups.condense(rows) for rows in placed]
    return groups, columns, found


def multiply(found, columns):
    width = 1 + max((int(part.columns.max()) for part in found if len(part.columns)), default=0)
    assert width <= max(columns, 1)
    dense = []
    for part in found:
        for row in range(len(part.own)):
            own = np.zeros(width)
            entries = slice(part.indptr[row], part.indptr[row + 1])
            assert len(set(part.columns[entries].tolist())) == len(part.columns[entries])
            own[part.columns[entries]] = part.values[entries]
            dense.append(own)
    dense = np.array(dense)
    return dense @ dense.T + np.diag(np.concatenate([part.own for part in found]))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 9), st.integers(1, 5))
def test_products_stay_the_same(seed, height, width, size):
    chance = np.random.default_rng(seed)
    part = chance.integers(-1, 3, (height, width)) * chance.choice([0.5, 1.0], (height, 1))
    matrix = np.concatenate([part, part[:, ::2], part[:, :1]], axis=1)  # with equal columns
    keys = chance.integers(0, 1 << 63, matrix.shape[1]).astype(np.uint64) * np.uint64(2) + np.uint64(1)
    blocks = [make_rows(matrix[first : first + size], keys) for first in range(0, height, size)]
    groups, columns, found = condense(blocks)
    assert np.allclose(multiply(found, columns), matrix @ matrix.T, atol=1e-5)
    assert groups.used <= columns == len(np.unique(part[:, (part != 0).sum(axis=0) > 1], axis=1).T) or columns == 0
    _, _, again = condense(blocks, n_jobs=2)
    for one, other in zip(found, again, strict=True):
        assert all(np.array_equal(mine, yours) for mine, yours in zip(one, other, strict=True))


def test_columns_without_room_are_hashed():
    chance = np.random.default_rng(0)
    matrix = (chance.random((20, 30)) < 0.4).astype(float)
    keys = chance.integers(0, 1 << 63, 30).astype(np.uint64) * np.uint64(2) + chance.integers(0, 2, 30).astype(
        np.uint64
    )
    groups, columns, found = condense([make_rows(matrix, keys)], room=7)
    assert groups.filled == 7 and columns > 30
    numbers = found[0].columns  # numbered as they come, so that only those that are used take memory
    assert numbers.max() < groups.used <= 30
    assert np.allclose(multiply(found, columns), matrix @ matrix.T, atol=1e-5)


def test_a_key_that_is_zero_counts():
    matrix, keys = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 5 << 60], dtype=np.uint64)
    _, columns, found = condense([make_rows(matrix, keys)])
    assert np.allclose(multiply(found, columns), matrix @ matrix.T)
