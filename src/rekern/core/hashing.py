"""Hashing of features: 64-bit keys, the constants that they are made of, and the size of hash tables.

A feature (a rewriting rule, an n-gram) is identified by a key that depends on its text alone. Blocks of a corpus can
therefore be extracted by different threads, processes or machines and still agree. A key is a sum, modulo 2**64, of
token keys times odd constants, passed through a mixing function. Among n different features the probability that any
two share a key is about n**2 / 2**65: 3 in a million for ten million rules.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

from functools import lru_cache

import numpy as np

from rekern.core.arrays import Keys
from rekern.core.compiling import compiled


@lru_cache(maxsize=256)
def constants(seed: int, *shape: int) -> Keys:
    """Return odd pseudo-random 64-bit constants, the same in every process.

    >>> constants(1, 2).tolist() == constants(1, 3).tolist()[:2]
    True
    """
    numbers = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64) + (np.uint64(seed) << np.uint64(32))
    keys: Keys = (mix_array(numbers * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)).reshape(shape)
    return keys


def mix_array(keys: Keys) -> Keys:
    """Apply `mix` to every element of an array."""
    keys = (keys ^ (keys >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    keys = (keys ^ (keys >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return keys ^ (keys >> np.uint64(32))


@compiled
def mix(key):
    """Spread a sum of constants over all 64 bits. This is a bijection, so it adds no collisions."""
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(32))


@compiled
def extend_hash(code, value):
    """Return the hash of a sequence that is longer by one value, from the hash of the sequence.

    >>> one, two = (np.uint64(extend_hash(np.uint64(0), value)) for value in (1, 2))
    >>> extend_hash(one, 2) == extend_hash(two, 1)
    False
    """
    code = (code ^ np.uint64(value)) * np.uint64(0x9E3779B97F4A7C15)
    return code ^ (code >> np.uint64(29))


@compiled
def hash_bytes(text, start, stop):
    """Return a 64-bit hash of the bytes ``text[start:stop]`` (FNV-1a).

    >>> data = np.frombuffer(b"NP NP VP", np.uint8)
    >>> bool(hash_bytes(data, 0, 2) == hash_bytes(data, 3, 5)), bool(hash_bytes(data, 0, 2) == hash_bytes(data, 6, 8))
    (True, False)
    """
    code = np.uint64(14695981039346656037)
    for place in range(start, stop):
        code = (code ^ np.uint64(text[place])) * np.uint64(1099511628211)
    return code ^ (code >> np.uint64(29))


@compiled
def size_table(n):
    """Return how many bits number the slots of a hash table for ``n`` keys; the table is at least half empty.

    >>> size_table(0), size_table(8), size_table(9)
    (4, 4, 5)
    """
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    return bits
