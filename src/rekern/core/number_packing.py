"""Whole numbers in few bytes, without loss: sorted keys, and small numbers in planes of bytes."""

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Bytes, Ints, Keys
from rekern.errors import ModelFileError

MOST_BITS = 32  # of a key that are stored as its place
BLOCK = 1 << 14  # bytes whose bits are looked at together; they fit into the processor's cache


def pack_keys(keys: Keys) -> dict[str, Bytes]:
    """Return keys in ascending order as bytes (Elias-Fano coding, with whole bytes).

    The top bits of the keys are written in unary: a 1 for each key, and a 0 after the keys with the same top bits. The
    other bits are written as they are. Five million keys take 5.5 bytes each.

    >>> packed = pack_keys(np.array([3, 2**63], dtype=np.uint64))
    >>> {name: array.shape for name, array in packed.items()}
    {'tops': (1,), 'rests': (8, 2)}
    >>> unpack_keys(packed["tops"], packed["rests"])
    array([                  3, 9223372036854775808], dtype=uint64)
    """
    sizes = {bits: (1 << bits) + len(keys) * (65 - bits) for bits in range(0, MOST_BITS + 1, 8)}
    bits = min(sizes, key=lambda number: sizes[number])
    tops = np.zeros((1 << bits) + len(keys), np.bool_)
    tops[np.arange(len(keys)) + (keys >> np.uint64(64 - bits) if bits else 0 * keys).astype(np.int64)] = True
    return {"tops": np.packbits(tops, bitorder="little"), "rests": _split_bytes(keys, 8 - bits // 8)}


def unpack_keys(tops: Bytes, rests: Bytes) -> Keys:
    """Return the keys that `pack_keys` wrote; they ascend, or ModelFileError is raised."""
    if tops.ndim != 1 or rests.ndim != 2 or not 8 - MOST_BITS // 8 <= len(rests) <= 8:
        raise ModelFileError("its keys are damaged")
    bits = 64 - 8 * len(rests)
    count = rests.shape[1]
    if len(tops) != ((1 << bits) + count + 7) // 8:
        raise ModelFileError("its keys are damaged")
    places = _find_ones(tops, count)
    if count and int(places[-1]) > count - 1 + (1 << bits) - 1:
        raise ModelFileError("its keys are damaged")
    keys = _join_bytes(rests)
    if bits:  # in place, because new memory costs more than the sums
        places -= np.arange(count)
        high = places.view(np.uint64)
        high <<= np.uint64(64 - bits)
        keys |= high
    if (keys[1:] <= keys[:-1]).any():
        raise ModelFileError("its keys are not in order")
    return keys


def pack_numbers(numbers: npt.NDArray[np.integer]) -> Bytes:
    """Return numbers from 0 up in planes of bytes, lowest bytes first; planes of small numbers shrink well in a zip.

    >>> pack_numbers(np.array([1, 2, 257]))
    array([[1, 2, 1],
           [0, 0, 1]], dtype=uint8)
    """
    highest = int(numbers.max()) if len(numbers) else 0
    return _split_bytes(numbers.astype(np.uint64), max(1, (highest.bit_length() + 7) // 8))


def unpack_numbers(planes: Bytes, below: int) -> Keys:
    """Return the numbers that `pack_numbers` wrote, all of them below a bound; else ModelFileError is raised.

    >>> unpack_numbers(np.array([[1, 2, 1], [0, 0, 1]], dtype=np.uint8), 1000).tolist()
    [1, 2, 257]
    """
    if planes.ndim != 2 or not 1 <= len(planes) <= 8:
        raise ModelFileError("its numbers are damaged")
    numbers = _join_bytes(planes)
    if len(numbers) and int(numbers.max()) >= below:
        raise ModelFileError("its numbers are damaged")
    return numbers


def _split_bytes(numbers: Keys, count: int) -> Bytes:
    """Return the lowest ``count`` bytes of every number, in planes."""
    planes = [(numbers >> np.uint64(8 * place)).astype(np.uint8) for place in range(count)]
    return np.stack(planes) if planes else np.empty((0, len(numbers)), np.uint8)


def _join_bytes(planes: Bytes) -> Keys:
    """Return the numbers with these lowest bytes."""
    numbers = np.zeros(planes.shape[1], "<u8")
    cells = numbers.view(np.uint8).reshape(len(numbers), 8)
    for place, plane in enumerate(planes):
        cells[:, place] = plane
    return numbers.astype(np.uint64, copy=False)


def _find_ones(packed: Bytes, count: int) -> Ints:
    """Return the places of the bits that are 1, of which there must be so many."""
    places, end = np.empty(count, np.int64), 0
    for first in range(0, len(packed), BLOCK):
        found = np.flatnonzero(np.unpackbits(packed[first : first + BLOCK], bitorder="little").view(np.bool_))
        begin, end = end, end + len(found)
        if end > count:
            break
        np.add(found, 8 * first, out=places[begin:end])
    if end != count:
        raise ModelFileError("its keys are damaged")
    return places
