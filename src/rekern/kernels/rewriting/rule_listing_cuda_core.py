"""The n-grams of pairs of texts and their rules with aligned wildcards, listed on a GPU.

The keys are those of `strings.ngram_core` and `short_aligned_rules_core`, each spread once more together with a
constant for its window and part. They are listed for every place in the texts; equal ones are merged later.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.cuda_compiling import cuda, cuda_function, cuda_kernel

ELEMENT_BITS, IN_ELEMENT = 3, 7  # of the number of one of up to six elements of a window
LINK_BITS = 6  # of a link: an element of the source and one of the target
TARGET = 256  # the bit of the first element of the target among the elements that links take


@cuda_function
def spread(key):
    """Spread a sum of constants over all 64 bits, as `core.hashing.mix` does."""
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(32))


@cuda_kernel
def list_grams(ids, offsets, finger, side, size, factors, salt, starts, keys):
    """List the n-grams of one side of every pair from ``starts[pair]`` on; ``salt`` has the constant of the part."""
    row = cuda.blockIdx.x
    while row < (offsets.shape[0] - 1) // 2:
        first = offsets[2 * row + side]
        windows = offsets[2 * row + side + 1] - first - size + 1
        for window in range(cuda.threadIdx.x, windows, cuda.blockDim.x):
            key = salt[0]
            for element in range(size):
                key += finger[ids[first + window + element]] * factors[element]
            keys[starts[row] + window] = spread(key)
        row += cuda.gridDim.x


@cuda_kernel
def list_rules(ids, offsets, finger, size, size2, factors, factors2, pair_keys, salt, counts, starts, keys):
    """List the rules with wildcards of every pair from ``starts[pair]`` on; if there are no ``keys``, count them.

    A rule is a set of links between equal tokens of two windows in which no element has two links. The sets are listed
    link by link, depth first; the links of a set are kept in one number.
    """
    filled = cuda.shared.array(1, np.int64)
    row = cuda.blockIdx.x
    is_listed = keys.shape[0] > 0
    while row < (offsets.shape[0] - 1) // 2:
        first, middle, last = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        windows, windows2 = middle - first - size + 1, last - middle - size2 + 1
        if cuda.threadIdx.x == 0:
            filled[0] = 0
        cuda.syncthreads()
        if windows > 0 and windows2 > 0:
            for both in range(cuda.threadIdx.x, windows * windows2, cuda.blockDim.x):
                begin, begin2 = first + both // windows2, middle + both % windows2
                key = salt[0]
                if is_listed:
                    for element in range(size):
                        key += finger[ids[begin + element]] * factors[element]
                    for element in range(size2):
                        key += finger[ids[begin2 + element]] * factors2[element]
                stack, depth, used, one, two, found = 0, 0, 0, 0, 0, 0
                while one < size or depth > 0:
                    is_back = one >= size
                    if is_back:
                        one, two = (stack >> ELEMENT_BITS) & IN_ELEMENT, stack & IN_ELEMENT
                        stack >>= LINK_BITS
                        depth -= 1
                    taken = (1 << one) | (TARGET << two)
                    token = ids[begin + one]
                    if is_back:
                        used ^= taken
                        if is_listed:
                            key += finger[token] * (factors[one] + factors2[two]) - pair_keys[one, two]
                        two += 1
                    elif used & taken == 0 and token == ids[begin2 + two]:
                        used ^= taken
                        stack = (stack << LINK_BITS) | (one << ELEMENT_BITS) | two
                        depth += 1
                        if is_listed:
                            key += pair_keys[one, two] - finger[token] * (factors[one] + factors2[two])
                            keys[starts[row] + cuda.atomic.add(filled, 0, 1)] = spread(key)
                        found += 1
                        one, two = one + 1, 0
                    else:
                        two += 1
                    if two == size2:
                        one, two = one + 1, 0
                if found > 0 and not is_listed:
                    cuda.atomic.add(filled, 0, found)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            counts[row] = filled[0]
        cuda.syncthreads()
        row += cuda.gridDim.x
