"""Names for the types of NumPy arrays, and ragged arrays: rows of different lengths in one flat array.

Row ``i`` of a ragged array is ``values[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
SmallFloats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]
Booleans = npt.NDArray[np.bool_]
Objects = npt.NDArray[np.object_]
AnyArray = npt.NDArray[np.generic]
RowIndices = Sequence[int] | npt.NDArray[np.integer] | npt.NDArray[np.bool_]  # numbers of rows, or a mask


class RaggedRows(NamedTuple):
    """Chosen rows of a ragged array: the places of their values in the flat array, and their own offsets.

    >>> rows = take_ragged(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> rows.places.tolist(), rows.offsets.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 5])
    """

    places: Ints
    offsets: Ints


def offsets_of(lengths: npt.ArrayLike) -> Ints:
    """The offsets of rows of these lengths.

    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def take_ragged(offsets: npt.NDArray[np.integer], rows: npt.NDArray[np.integer]) -> RaggedRows:
    """Where the values of these rows lie, in this order, and the offsets of the rows among them.

    >>> values, offsets = np.array(list("abcde")), np.array([0, 2, 2, 5])
    >>> "".join(values[take_ragged(offsets, np.array([2, 0])).places])
    'cdeab'
    """
    lengths = np.diff(offsets)[rows]
    chosen = offsets_of(lengths)
    places = np.arange(chosen[-1]) + np.repeat(offsets[:-1][rows] - chosen[:-1], lengths)
    return RaggedRows(places, chosen)


def slice_ragged(offsets: npt.NDArray[np.integer], first: int, last: int) -> tuple[slice, Ints]:
    """The slice of the flat array that holds rows ``first`` to ``last - 1``, and their offsets within it.

    >>> slice_ragged(np.array([0, 2, 2, 5]), 1, 3)
    (slice(2, 5, None), array([0, 0, 3]))
    """
    part = offsets[first : max(first, last) + 1]
    return slice(int(part[0]), int(part[-1])), part - part[0]


def resolve_rows(rows: RowIndices, n: int) -> Ints:
    """Turn indices as NumPy takes them (negative ones, or a mask) into numbers from 0 to n - 1.

    >>> resolve_rows([-1, 0], 3).tolist(), resolve_rows([True, False, True], 3).tolist(), resolve_rows([], 3).tolist()
    ([2, 0], [0, 2], [])
    """
    chosen = np.asarray(rows)
    numbers: Ints = np.arange(n)[chosen if len(chosen) else chosen.astype(np.intp)]
    return numbers
