"""The compiled twin of `rekern.questions.pattern_matching`: all patterns against all questions."""

import numpy as np

from rekern.core.compiling import compiled

GAP = -1


@compiled
def match_all(units, starts, codes, code_starts, filed, filed_starts, seen):
    """The columns and row offsets of the matches; ``seen`` is scratch, a number for each unit."""
    columns = np.empty(16 * len(starts), np.int64)
    offsets = np.zeros(len(starts), np.int64)
    count = 0
    for row in range(len(starts) - 1):
        begin, end = starts[row], starts[row + 1]
        first = count
        for here in range(begin, end):
            unit = units[here]
            if unit < 0 or seen[unit] == row + 1:
                continue
            seen[unit] = row + 1
            for entry in range(filed_starts[unit], filed_starts[unit + 1]):
                number = filed[entry]
                start, stop = code_starts[number], code_starts[number + 1]
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
