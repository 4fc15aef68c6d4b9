"""The loop of `rekern.questions.pattern_index` over all patterns and questions."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled

GAP = -1


@compiled
def match_all(units, unit_offsets, codes, code_offsets, entries, entry_offsets, seen):
    """Return the columns and the row offsets of all matches; ``seen`` is scratch space, one number per unit."""
    columns = np.empty(16 * len(unit_offsets), np.int64)
    offsets = np.zeros(len(unit_offsets), np.int64)
    count = 0
    for row in range(len(unit_offsets) - 1):
        begin, end = unit_offsets[row], unit_offsets[row + 1]
        first = count
        for here in range(begin, end):
            unit = units[here]
            if unit < 0 or seen[unit] == row + 1:
                continue
            seen[unit] = row + 1
            for entry in range(entry_offsets[unit], entry_offsets[unit + 1]):
                number = entries[entry]
                start, stop = code_offsets[number], code_offsets[number + 1]
                place, at = start, begin
                gap, mark = -1, -1
                fits = True
                while at < end:
                    if place < stop and codes[place] == GAP:
                        if place == stop - 1:
                            place, at = stop, end
                            break
                        gap, mark = place, at
                        place += 1
                    elif place < stop and codes[place] == units[at]:
                        place += 1
                        at += 1
                    elif gap >= 0:
                        mark += 1
                        place, at = gap + 1, mark
                    else:
                        fits = False
                        break
                while fits and place < stop:
                    fits = codes[place] == GAP
                    place += 1
                if fits:
                    if count == len(columns):
                        columns = np.concatenate((columns, columns))
                    columns[count] = number
                    count += 1
        columns[first:count].sort()
        offsets[row + 1] = count
    return columns[:count], offsets
