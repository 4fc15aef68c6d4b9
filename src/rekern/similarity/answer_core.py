"""Signs of an answer in the target of a pair: the core of the group "answers"."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import math

import numpy as np

from rekern.core.compiling import compiled

KINDS = 6


@compiled
def find_evidence(ids, offsets, wanted, content, numbers, times, roles, capital):
    """Return a column for each name of the group "answers".

    ``wanted`` is the number of the kind that each source asks for. ``content``, ``numbers`` and ``times`` are by word;
    ``roles`` (copula, article, preposition, reason) and ``capital`` are by place.
    """
    rows = (len(offsets) - 1) // 2
    found = np.zeros((rows, KINDS + 2))
    asked = np.zeros(len(content), np.bool_)
    for row in range(rows):
        begin, middle, end = offsets[2 * row], offsets[2 * row + 1], offsets[2 * row + 2]
        for place in range(begin, middle):
            asked[ids[place]] = True
        has = np.zeros(KINDS, np.bool_)
        new_names = new_numbers = 0
        for place in range(middle, end):
            word = ids[place]
            is_new = not asked[word]
            is_name = capital[place] and content[word] and place > middle
            if is_name and is_new:
                new_names += 1
                has[0] = has[0] or capital[place - 1] or (place + 1 < end and capital[place + 1])
                before = place - 1
                if roles[1, before] and before > middle:
                    before -= 1
                has[2] = has[2] or roles[2, before]
            if numbers[word] and is_new:
                new_numbers += 1
                has[3] = True
            has[1] = has[1] or (times[word] and is_new)
            has[4] = has[4] or roles[3, place]
            has[5] = has[5] or (roles[0, place] and place + 1 < end and roles[1, place + 1])
        if wanted[row] < KINDS:
            found[row, wanted[row]] = 1.0 if has[wanted[row]] else -1.0
        found[row, KINDS] = math.log(1.0 + new_names)
        found[row, KINDS + 1] = math.log(1.0 + new_numbers)
        for place in range(begin, middle):
            asked[ids[place]] = False
    return found
