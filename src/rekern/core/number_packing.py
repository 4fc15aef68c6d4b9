"""Whole numbers in few bytes, without loss: sorted keys, and small numbers in planes of bytes."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Keys
from rekern.core.compiling import compiled
from rekern.errors import ModelFileError

Bytes = npt.NDArray[np.uint8]
MOST_BITS = 32  # of a key that are stored as its place


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
    tops = np.zeros((((1 << bits) + len(keys)) + 7) // 8, np.uint8)
    _write_tops(keys, bits, tops)
    return {"tops": tops, "rests": _split_bytes(keys, 8 - bits // 8)}


def unpack_keys(tops: Bytes, rests: Bytes) -> Keys:
    """Return the keys that `pack_keys` wrote; they ascend, or ModelFileError is raised."""
    if tops.ndim != 1 or rests.ndim != 2 or not 8 - MOST_BITS // 8 <= len(rests) <= 8:
        raise ModelFileError("its keys are damaged")
    bits = 64 - 8 * len(rests)
    count = rests.shape[1]
    if len(tops) != ((1 << bits) + count + 7) // 8:
        raise ModelFileError("its keys are damaged")
    keys = np.zeros(count, np.uint64)
    if _read_tops(tops, bits, keys) != count:
        raise ModelFileError("its keys are damaged")
    _add_planes(rests, keys)
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
    numbers = np.zeros(planes.shape[1], np.uint64)
    _add_planes(planes, numbers)
    if len(numbers) and int(numbers.max()) >= below:
        raise ModelFileError("its numbers are damaged")
    return numbers


def _split_bytes(numbers: Keys, count: int) -> Bytes:
    """Return the lowest ``count`` bytes of every number, in planes."""
    planes = [(numbers >> np.uint64(8 * place)).astype(np.uint8) for place in range(count)]
    return np.stack(planes) if planes else np.empty((0, len(numbers)), np.uint8)


@compiled
def _add_planes(planes, numbers):
    """Set the lowest bytes of every number."""
    for place in range(len(planes)):
        for index in range(len(numbers)):
            numbers[index] |= np.uint64(planes[place, index]) << np.uint64(8 * place)


@compiled
def _write_tops(keys, bits, tops):
    """Set bit (top bits of a key + number of the key) for every key."""
    for index in range(len(keys)):
        bit = index + (np.int64(keys[index] >> np.uint64(64 - bits)) if bits > 0 else 0)
        tops[bit >> 3] |= np.uint8(1 << (bit & 7))


@compiled
def _read_tops(tops, bits, keys):
    """Write the top bits of the keys; return how many keys there are, or -1 if they do not fit."""
    count = 0
    for place in range(len(tops)):
        byte = np.int64(tops[place])
        bit = place << 3
        while byte:
            if byte & 1:
                top = bit - count
                if count == len(keys) or top >= 1 << bits:
                    return -1
                if bits > 0:
                    keys[count] = np.uint64(top) << np.uint64(64 - bits)
                count += 1
            byte >>= 1
            bit += 1
    return count
