"""Patterns on one text: k-grams, and k-grams with free wildcards."""

import numpy as np

from rekern._compile import compiled
from rekern.kernels.keys import KeyRows, constants, merge_equal, mix
from rekern.kernels.parses import distinct_windows, grown, list_parses, sequence_fingerprints


@compiled
def _patterns(ids, offsets, first, step, finger, size, wildcards, span, decay, factors):
    number = max(0, (len(offsets) - 2 - first) // step + 1)
    indptr = np.zeros(number + 1, np.int64)
    keys = np.empty(1024, np.uint64)
    values = np.empty(1024, np.float64)
    scratch = np.empty(16, np.int64)
    total = 0
    for row in range(number):
        text = first + step * row
        tokens = ids[offsets[text] : offsets[text + 1]]
        if wildcards == 0:
            starts, counts = distinct_windows(tokens, finger, size, size, factors)
            keys = grown(keys, total + len(starts))
            values = grown(values, total + len(starts))
            for window in range(len(starts)):
                key = np.uint64(0)
                for offset in range(size):
                    key += finger[tokens[starts[window] + offset]] * factors[offset]
                keys[total] = key
                values[total] = counts[window]
                total += 1
        else:
            starts, counts = distinct_windows(tokens, finger, size, size * span, factors)
            prints = sequence_fingerprints(tokens, finger, span)
            anything = np.ones(prints.shape, np.bool_)
            caps = np.full(len(starts), wildcards, np.int64)
            parses = list_parses(tokens, finger, prints, anything, starts, caps, size, factors, 0)
            literal, shape = parses[0], parses[2]
            count = len(literal)
            row_keys = np.empty(count, np.uint64)
            row_values = np.empty(count, np.float64)
            for parse in range(count):
                row_keys[parse] = literal[parse]
                row_values[parse] = counts[shape[parse, 0]] * decay ** shape[parse, 2]
            if span > 1:
                # The same pattern on the same tokens in two ways matches once.
                order = np.empty(count, np.uint64)
                kept = 0
                for parse in range(count):
                    place = np.uint64((shape[parse, 0] << 32) + shape[parse, 1])
                    order[parse] = mix(mix(literal[parse] + np.uint64(1)) + place)
                by_place = np.argsort(order)
                for index in range(count):
                    parse = by_place[index]
                    if index == 0 or order[parse] != order[by_place[index - 1]]:
                        row_keys[kept] = literal[parse]
                        row_values[kept] = counts[shape[parse, 0]] * decay ** shape[parse, 2]
                        kept += 1
                count = kept
            for entry in range(count):
                row_keys[entry] = mix(row_keys[entry])
            count, scratch = merge_equal(row_keys, row_values, count, scratch)
            keys = grown(keys, total + count)
            values = grown(values, total + count)
            keys[total : total + count] = row_keys[:count]
            values[total : total + count] = row_values[:count]
            total += count
        indptr[row + 1] = total
    return indptr, keys[:total], values[:total]


def patterns(
    ids: np.ndarray,
    offsets: np.ndarray,
    finger: np.ndarray,
    size: int,
    *,
    side: int = 0,
    step: int = 1,
    wildcards: int = 0,
    span: int = 1,
    decay: float = 1.0,
) -> KeyRows:
    """The patterns of ``size`` elements on texts ``side``, ``side + step`` …, as rows of keys.

    Without wildcards a key is the plain sum of its tokens' fingerprints times the side's factors, so that the key of
    a rule without wildcards is ``mix(source key + target key + a constant for the window)``.
    """
    factors = constants(1 + side, max(size, size * span))
    return KeyRows(*_patterns(ids, offsets, side, step, finger, size, wildcards, span, decay, factors))
