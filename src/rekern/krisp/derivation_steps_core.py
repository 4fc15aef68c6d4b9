"""The steps of the search of `rekern.krisp.derivation_chart`, in plain Python.

`rekern.krisp.derivation_chart_core` compiles these functions. A single question is faster without compiled code, which
takes longer to load than the search takes.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

SWAPPED = np.log(0.99)  # the charge for two slots whose words are in the other order: it only decides ties
LEAF, NAME, RULE, PART = range(4)  # kinds of entries
KIND, NUMBER, REST, CHILD, LAST, START, END = range(7)  # columns of `Chart.parts`


def insert_entry(best, made, kept, score, kind, number, rest, child, last):
    """Insert an entry among the best ones of a cell, sorted by score; returns how many there are then."""
    place = min(kept, len(best) - 1)
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        made[place] = made[place - 1]
        place -= 1
    best[place] = score
    made[place, KIND], made[place, NUMBER], made[place, REST] = kind, number, rest
    made[place, CHILD], made[place, LAST] = child, last
    return min(kept + 1, len(best))


def search_chart(words, beam, limit, rules, scores, ahead, name_first, name_value, root, least):
    """Fill the chart; returns the values and parts of all entries, the range of those of the root, and if it was cut.

    ``rules`` is a `rekern.krisp.derivation_chart.Rules`, ``scores`` are the log probabilities (class, start, end), and
    ``ahead`` the best of them on more words with the same start. The names of a symbol on the words from i to j are
    those from ``name_first[symbol, i, j]`` to ``name_first[symbol, i, j + 1]``.
    """
    order, leaf_first, leaf_class, rule_first = rules.order, rules.leaf_first, rules.leaf_class, rules.rule_first
    child_first, children, rule_class = rules.child_first, rules.children, rules.rule_class
    partial_first, slot_first = rules.partial_first, rules.slot_first
    symbols = len(leaf_first) - 1
    n_rules = len(rule_class)
    cells = symbols + partial_first[n_rules]
    begin = np.zeros((cells, words, words + 1), np.int32)
    count = np.zeros((cells, words, words + 1), np.int32)
    value, parts = np.empty(1024), np.empty((1024, 7), np.int32)
    used, steps = 0, 0
    best, made = np.empty(beam), np.empty((beam, 7), np.int32)  # the entries of the current cell, the best first
    for length in range(1, words + 1):
        for i in range(words - length + 1):
            j = i + length
            # First every symbol, then the partial children of every rule, which need only smaller spans.
            for turn in range(symbols + n_rules):
                whole = turn < symbols
                symbol = order[turn] if whole else -1
                first_rule = rule_first[symbol] if whole else turn - symbols
                last_rule = rule_first[symbol + 1] if whole else first_rule + 1
                if not whole and partial_first[first_rule] == partial_first[first_rule + 1]:
                    continue
                lowest = least
                if not whole and rule_class[first_rule] >= 0:  # these words are only the first words of the rule
                    later = ahead[rule_class[first_rule], i, j]
                    if later == -np.inf or later < least:
                        continue
                    lowest = least - later - 1e-9  # sums in another order are rounded differently
                masks = 1 if whole else (1 << (child_first[first_rule + 1] - child_first[first_rule])) - 1
                for given in range(masks):
                    kept = 0
                    if whole:
                        for leaf in range(leaf_first[symbol], leaf_first[symbol + 1]):
                            score = scores[leaf_class[leaf], i, j]
                            if score > -np.inf and score >= least and (kept < beam or score > best[kept - 1]):
                                kept = insert_entry(best, made, kept, score, LEAF, leaf, -1, -1, 0)
                        for name in range(name_first[symbol, i, j], name_first[symbol, i, j + 1]):
                            if name_value[name] >= least and (kept < beam or name_value[name] > best[kept - 1]):
                                kept = insert_entry(best, made, kept, name_value[name], NAME, name, -1, -1, 0)
                    elif given & (given - 1) == 0:
                        continue  # no child, or one child, which has its own cell
                    for rule in range(first_rule, last_rule):
                        arity = child_first[rule + 1] - child_first[rule]
                        mask = (1 << arity) - 1 if whole else given
                        own = 0.0
                        if whole and (arity > length or rule_class[rule] >= 0):
                            own = scores[rule_class[rule], i, j] if arity <= length else -np.inf
                        if own == -np.inf or own < least:
                            continue
                        kind = RULE if whole else PART
                        if arity == 1:
                            below = children[child_first[rule]]
                            for entry in range(begin[below, i, j], begin[below, i, j] + count[below, i, j]):
                                steps += 1
                                score = own + value[entry]
                                if score < lowest or (kept == beam and score <= best[kept - 1]):
                                    break
                                kept = insert_entry(best, made, kept, score, kind, rule, -1, entry, 0)
                            continue
                        for which in range(arity):  # the child with the last words
                            if not mask >> which & 1:
                                continue
                            remaining = mask & ~(1 << which)
                            charge = own
                            for other in range(which + 1, arity):
                                if which >= slot_first[rule] and remaining >> other & 1:
                                    charge += SWAPPED
                            below = children[child_first[rule] + which]
                            before = symbols + partial_first[rule] + remaining
                            if remaining & (remaining - 1) == 0:
                                single = 0
                                while not remaining >> single & 1:
                                    single += 1
                                before = children[child_first[rule] + single]
                            for k in range(i + 1, j):
                                steps += 1
                                left, right = begin[before, i, k], begin[below, k, j]
                                lefts, rights = count[before, i, k], count[below, k, j]
                                for a in range(left, left + lefts if rights else left):
                                    highest = charge + value[a] + value[right]
                                    if highest < lowest or (kept == beam and highest <= best[kept - 1]):
                                        break
                                    for b in range(right, right + rights):
                                        score = charge + value[a] + value[b]
                                        steps += 1
                                        if score < lowest or (kept == beam and score <= best[kept - 1]):
                                            break
                                        kept = insert_entry(best, made, kept, score, kind, rule, a, b, which)
                    if used + kept > len(value):
                        larger, wider = np.empty(2 * len(value) + kept), np.empty((2 * len(value) + kept, 7), np.int32)
                        larger[:used], wider[:used] = value[:used], parts[:used]
                        value, parts = larger, wider
                    cell = symbol if whole else symbols + partial_first[first_rule] + given
                    begin[cell, i, j], count[cell, i, j] = used, kept
                    for place in range(kept):
                        value[used], parts[used] = best[place], made[place]
                        parts[used, START], parts[used, END] = i, j
                        used += 1
                if steps > limit:
                    return value[:used], parts[:used], 0, 0, True
    first = begin[root, 0, words]
    return value[:used], parts[:used], first, first + count[root, 0, words], False
