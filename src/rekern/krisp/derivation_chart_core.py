"""The search of `rekern.krisp.derivation_chart`, compiled.

First the best entry of every cell is found, from short spans to long ones. Then the next best entries of the root are
found one by one, and of other cells only those that they need (Huang and Chiang, 2005, "Better k-best parsing").
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled, inlined

SWAPPED = np.log(0.99)  # the charge for two slots whose words are in the other order: it only decides ties
LEAF, NAME, RULE, PART = range(4)  # kinds of entries
KIND, NUMBER, REST, CHILD, LAST, START, END = range(7)  # columns of `Chart.parts`
# Further columns: the cell, the place of the candidate in its list, the place of the entry in the cell (a candidate has
# here the next candidate of its cell), and the next best entry.
CELL, ORDER, RANK, FOLLOW = range(7, 11)
NONE, UNKNOWN = -1, -2
FIRST_END, LAST_END, FIRST_START, LAST_START = range(4)  # columns of the limits of a cell
MODULI, FACTORS = (2147483647, 2147483629), (1000003, 998244353)  # of the two halves of the key of a meaning
SLACK = 1e-9  # sums of the same numbers in another order are rounded in another way


@inlined
def list_candidates(
    cell, i, j, leaf_first, leaf_class, rule_first, child_first, children, rule_class, partial_first, slot_first,
    scores, name_first, name_value, table, entries, limits, least, lowest, weight, charge, made,
):  # fmt: skip
    """List the ways to make an entry of a cell from the best entries of others: ``weight``, ``charge`` and ``made``.

    ``table`` has the values of the best entries and ``entries`` their numbers. ``limits`` has for each cell and start
    the first and the last end of an entry, and for each cell and end the first and the last start. The value of an
    entry is its charge and the values of its parts. Returns how many there are, and how many were looked at.
    """
    symbols = len(leaf_first) - 1
    whole = cell < symbols
    given, n, steps = 0, 0, 0
    if whole:
        kind, first_rule, last_rule = RULE, rule_first[cell], rule_first[cell + 1]
        for leaf in range(leaf_first[cell], leaf_first[cell + 1]):
            score = scores[leaf_class[leaf], i, j]
            if score > -np.inf and score >= lowest:
                weight[n], charge[n] = score, score
                made[n, KIND], made[n, NUMBER], made[n, REST], made[n, CHILD], made[n, LAST] = LEAF, leaf, -1, -1, 0
                n += 1
        for name in range(name_first[cell, i, j], name_first[cell, i, j + 1]):
            if name_value[name] >= lowest:
                weight[n], charge[n] = name_value[name], name_value[name]
                made[n, KIND], made[n, NUMBER], made[n, REST], made[n, CHILD], made[n, LAST] = NAME, name, -1, -1, 0
                n += 1
    else:
        first_rule = np.searchsorted(partial_first, cell - symbols, "right") - 1
        kind, last_rule, given = PART, first_rule + 1, cell - symbols - partial_first[first_rule]
    for rule in range(first_rule, last_rule):
        base = child_first[rule]
        arity = child_first[rule + 1] - base
        own = 0.0
        if whole:
            if arity > j - i:
                continue
            if rule_class[rule] >= 0:
                own = scores[rule_class[rule], i, j]
                if own == -np.inf or own < least:
                    continue
        if arity == 1:
            steps += 1
            score = own + table[children[base], i, j]
            if score > -np.inf and score >= lowest:
                weight[n], charge[n] = score, own
                made[n, KIND], made[n, NUMBER], made[n, REST] = kind, rule, -1
                made[n, CHILD], made[n, LAST] = entries[children[base], i, j], 0
                n += 1
            continue
        mask = (1 << arity) - 1 if whole else given
        for which in range(arity):  # the child with the last words
            if not mask >> which & 1:
                continue
            remaining = mask & ~(1 << which)
            extra = own
            for other in range(which + 1, arity):
                if which >= slot_first[rule] and remaining >> other & 1:
                    extra += SWAPPED
            below = children[base + which]
            before = symbols + partial_first[rule] + remaining
            if remaining & (remaining - 1) == 0:
                single = 0
                while not remaining >> single & 1:
                    single += 1
                before = children[base + single]
            first = max(limits[before, i, FIRST_END], limits[below, j, FIRST_START])
            last = min(limits[before, i, LAST_END], limits[below, j, LAST_START])
            steps += 1 + max(0, last + 1 - first)
            for k in range(first, last + 1):
                score = extra + table[before, i, k]
                if score == -np.inf or score < lowest:  # the other part cannot make it more probable
                    continue
                score += table[below, k, j]
                if score > -np.inf and score >= lowest:
                    weight[n], charge[n] = score, extra
                    made[n, KIND], made[n, NUMBER], made[n, REST] = kind, rule, entries[before, i, k]
                    made[n, CHILD], made[n, LAST] = entries[below, k, j], which
                    n += 1
    return n, steps


@inlined
def bound_part(leaf_first, rule_class, partial_first, ahead, outside, cell, i, j, least):
    """The least value of an entry that is of use; infinity if none is: the words of a rule's children may be too few.

    ``ahead`` is the best score of a class on more words with the same start. ``outside`` has the highest value that the
    words before i, or after j, and the root may add: see `rekern.krisp.derivation_chart.bound_outside`.
    """
    symbols = len(leaf_first) - 1
    lowest = least
    if i > 0 or j < len(outside[0]) - 1:
        rest = outside[0, i] + outside[1, j]
        lowest = np.inf if rest == -np.inf else least - rest - SLACK
    if cell >= symbols and lowest < np.inf:
        label = rule_class[np.searchsorted(partial_first, cell - symbols, "right") - 1]
        if label >= 0:
            later = ahead[label, i, j]
            lowest = np.inf if later == -np.inf or later < lowest else lowest - later - SLACK
    return lowest


@inlined
def count_candidates(words, rules, name_value):
    """The largest number of candidates that a cell may have."""
    most = 0
    for symbol in range(len(rules.leaf_first) - 1):
        first, last = rules.child_first[rules.rule_first[symbol]], rules.child_first[rules.rule_first[symbol + 1]]
        most = max(most, rules.leaf_first[symbol + 1] - rules.leaf_first[symbol] + (last - first) * words)
    return most + len(name_value)


@compiled
def search_chart(
    words, beam, limit, rules, scores, ahead, outside, name_first, name_value, name_key, root, least, distinct
):
    """Find the best entries of the root; returns values and parts of entries, the range of the root's, and if cut.

    After ``limit`` steps the search is cut; what it has found of the root until then are the best entries.

    ``rules`` is a `rekern.krisp.derivation_chart.Rules`, ``scores`` are the log probabilities (class, start, end), and
    ``ahead`` the best of them on more words with the same start; ``outside`` see `bound_part`. The names of a symbol
    on the words from i to j are those from ``name_first[symbol, i, j]`` to ``name_first[symbol, i, j + 1]``; names with
    the same ``name_key`` mean the same. With ``distinct``, a cell has one entry, the best, for all derivations that
    have the same parts in the same order.
    """
    # taken from the tuple once: each time costs as much as a few steps of the search
    order, leaf_first, leaf_class, rule_first = rules.order, rules.leaf_first, rules.leaf_class, rules.rule_first
    child_first, children, rule_class = rules.child_first, rules.children, rules.rule_class
    partial_first, slot_first = rules.partial_first, rules.slot_first
    symbols, n_rules = len(leaf_first) - 1, len(rule_class)
    cells = symbols + partial_first[n_rules]
    table = np.full((cells, words, words + 1), -np.inf)  # the best value of every cell
    entries = np.full((cells, words, words + 1), NONE, np.int32)  # … and the entry that has it
    limits = np.empty((cells, words + 1, 4), np.int32)
    limits[:, :, FIRST_END], limits[:, :, FIRST_START] = words + 1, words + 1
    limits[:, :, LAST_END], limits[:, :, LAST_START] = -1, -1
    size = count_candidates(words, rules, name_value)
    weight, charge, made = np.empty(size), np.empty(size), np.empty((size, 5), np.int32)
    value, cost, parts = np.empty(1024), np.empty(1024), np.empty((1024, 11), np.int32)
    keys, repeats = np.empty((1024, 2), np.int64), np.zeros(1024, np.bool_)  # what entries mean; if an earlier one does
    used, steps = 0, 0
    for length in range(1, words + 1):
        for i in range(words - length + 1):
            j = i + length
            # First every symbol, then the partial children of every rule, which need only smaller spans.
            for turn in range(symbols + n_rules):
                rule = turn - symbols
                first, last = (order[turn], order[turn] + 1) if rule < 0 else (
                    symbols + partial_first[rule], symbols + partial_first[rule + 1] - 1
                )  # fmt: skip
                if first >= last:
                    continue
                lowest = bound_part(leaf_first, rule_class, partial_first, ahead, outside, first, i, j, least)
                if lowest == np.inf:
                    continue
                for cell in range(first, last):
                    if rule >= 0 and (cell - first) & (cell - first - 1) == 0:
                        continue  # no child, or one child, which has its own cell
                    n, looked = list_candidates(
                        cell, i, j, leaf_first, leaf_class, rule_first, child_first, children, rule_class,
                        partial_first, slot_first, scores, name_first, name_value, table, entries, limits, least,
                        lowest, weight, charge, made,
                    )  # fmt: skip
                    steps += looked
                    if n == 0:
                        continue
                    best = 0
                    for place in range(1, n):
                        if weight[place] > weight[best]:
                            best = place
                    if used == len(value):
                        value, cost, parts = enlarge(value), enlarge(cost), enlarge(parts)
                        keys, repeats = enlarge(keys), enlarge(repeats)
                    value[used], cost[used], repeats[used] = weight[best], charge[best], False
                    parts[used, :5] = made[best]
                    if distinct:
                        set_key(keys, parts, name_key, used)
                    parts[used, START], parts[used, END] = i, j
                    parts[used, CELL], parts[used, ORDER], parts[used, RANK], parts[used, FOLLOW] = (
                        cell,
                        best,
                        0,
                        UNKNOWN,
                    )
                    table[cell, i, j], entries[cell, i, j] = weight[best], used
                    limits[cell, i, FIRST_END] = min(limits[cell, i, FIRST_END], j)
                    limits[cell, i, LAST_END] = max(limits[cell, i, LAST_END], j)
                    limits[cell, j, FIRST_START] = min(limits[cell, j, FIRST_START], i)
                    limits[cell, j, LAST_START] = max(limits[cell, j, LAST_START], i)
                    used += 1
                if steps > limit:
                    return value[:0], parts[:0, :7].copy(), 0, 0, True
    # What follows needs the candidates of a cell that were not taken yet: a list for each cell, which ends with NONE.
    waiting = np.full((cells, words, words + 1), UNKNOWN, np.int32)
    worth, price, ways = np.empty(1024), np.empty(1024), np.empty((1024, 11), np.int32)
    listed = 0
    stack = np.empty(words * (symbols + 1) + 2, np.int32)
    roots = np.empty(beam, np.int32)
    found, entry = 0, entries[root, 0, words]
    while entry >= 0:
        if not repeats[entry]:
            roots[found] = entry
            found += 1
        if found == beam:
            break
        height = 1
        stack[0] = entry
        while height:
            top = stack[height - 1]
            # as wide as in the loops above, so that the functions are compiled once
            cell, i, j = np.int64(parts[top, CELL]), np.int64(parts[top, START]), np.int64(parts[top, END])
            rest, child = parts[top, REST], parts[top, CHILD]
            next_child, next_rest = NONE, NONE
            if child >= 0:
                last = find_last(parts, repeats, child)
                next_child = parts[last, FOLLOW]
                if next_child == UNKNOWN:
                    stack[height] = last
                    height += 1
                    continue
            if rest >= 0 and parts[child, RANK] == 0:
                last = find_last(parts, repeats, rest)
                next_rest = parts[last, FOLLOW]
                if next_rest == UNKNOWN:
                    stack[height] = last
                    height += 1
                    continue
            n, lowest = 0, bound_part(leaf_first, rule_class, partial_first, ahead, outside, cell, i, j, least)
            if waiting[cell, i, j] == UNKNOWN:
                waiting[cell, i, j] = NONE
                n, looked = list_candidates(
                    cell, i, j, leaf_first, leaf_class, rule_first, child_first, children, rule_class,
                    partial_first, slot_first, scores, name_first, name_value, table, entries, limits, least,
                    lowest, weight, charge, made,
                )  # fmt: skip
                steps += looked
            while listed + n + 2 > len(worth):
                worth, price, ways = enlarge(worth), enlarge(price), enlarge(ways)
            for place in range(n):
                if place != parts[top, ORDER]:
                    worth[listed], price[listed] = weight[place], charge[place]
                    ways[listed, :5] = made[place]
                    ways[listed, ORDER], ways[listed, RANK] = place, waiting[cell, i, j]
                    waiting[cell, i, j] = listed
                    listed += 1
            # The successors of the last entry: the next child, or with the first child the next rest.
            for side in range(2):
                later = next_child if side == 0 else next_rest
                if later < 0:
                    continue
                score = cost[top] + value[later]
                if side == 1:
                    score += value[child]
                elif rest >= 0:
                    score = cost[top] + value[rest] + value[later]
                if score < lowest:
                    continue
                worth[listed], price[listed] = score, cost[top]
                ways[listed, :5] = parts[top, :5]
                ways[listed, CHILD if side == 0 else REST] = later
                ways[listed, ORDER], ways[listed, RANK] = parts[top, ORDER], waiting[cell, i, j]
                waiting[cell, i, j] = listed
                listed += 1
            best, before_best, before, place = NONE, NONE, NONE, waiting[cell, i, j]
            while place >= 0:
                steps += 1
                if best < 0 or comes_first(worth, ways, parts, place, best):
                    best, before_best = place, before
                before, place = place, ways[place, RANK]
            parts[top, FOLLOW] = NONE
            height -= 1
            if best >= 0:
                if before_best < 0:
                    waiting[cell, i, j] = ways[best, RANK]
                else:
                    ways[before_best, RANK] = ways[best, RANK]
                if used == len(value):
                    value, cost, parts = enlarge(value), enlarge(cost), enlarge(parts)
                    keys, repeats = enlarge(keys), enlarge(repeats)
                value[used], cost[used], repeats[used] = worth[best], price[best], False
                parts[used, :5] = ways[best, :5]
                if distinct:
                    set_key(keys, parts, name_key, used)
                    earlier = entries[cell, i, j]
                    while earlier >= 0 and not repeats[used]:
                        repeats[used] = keys[earlier, 0] == keys[used, 0] and keys[earlier, 1] == keys[used, 1]
                        earlier = parts[earlier, FOLLOW]
                parts[used, START], parts[used, END], parts[used, CELL] = i, j, cell
                parts[used, ORDER], parts[used, RANK], parts[used, FOLLOW] = (
                    ways[best, ORDER],
                    parts[top, RANK] + 1,
                    UNKNOWN,
                )
                parts[top, FOLLOW] = used
                used += 1
            if steps > limit:
                break
        if height:
            break  # what was found is still the best
        entry = parts[entry, FOLLOW]
    # The entries of the root once more, one after the other.
    while used + found > len(value):
        value, parts = enlarge(value), enlarge(parts)
    for place in range(found):
        value[used + place], parts[used + place] = value[roots[place]], parts[roots[place]]
    return value[: used + found], parts[: used + found, :7].copy(), used, used + found, steps > limit


@inlined
def find_last(parts, repeats, entry):
    """The last entry of a cell before the next one that does not repeat an earlier one, as far as they are known."""
    while parts[entry, FOLLOW] >= 0 and repeats[parts[entry, FOLLOW]]:
        entry = parts[entry, FOLLOW]
    return entry


@inlined
def set_key(keys, parts, name_key, entry):
    """Set the key of what an entry means: its rule, and the keys of its parts in the order of their words."""
    kind, number, rest, child = parts[entry, KIND], parts[entry, NUMBER], parts[entry, REST], parts[entry, CHILD]
    own = np.int64(number)
    if kind == NAME:
        own = np.int64(name_key[number])
    for half in range(2):
        key = mix_key(np.int64(kind + 1), own, half)
        key = mix_key(key, np.int64(parts[entry, LAST]), half)
        key = mix_key(key, keys[rest, half] + 1 if rest >= 0 else np.int64(0), half)
        keys[entry, half] = mix_key(key, keys[child, half] + 1 if child >= 0 else np.int64(0), half)


@inlined
def mix_key(key, piece, half):
    """Join a key and a piece; the shift keeps sums of the same pieces in other places apart."""
    key = (key * FACTORS[half] + piece) % MODULI[half]
    return key ^ (key >> 13)


@inlined
def comes_first(worth, ways, parts, one, other):
    """Whether a candidate comes before another: by value, and then as the candidates are listed."""
    if worth[one] != worth[other]:
        return worth[one] > worth[other]
    if ways[one, ORDER] != ways[other, ORDER]:
        return ways[one, ORDER] < ways[other, ORDER]
    for column in (REST, CHILD):
        if ways[one, column] != ways[other, column]:
            return parts[ways[one, column], RANK] < parts[ways[other, column], RANK]
    return False


@compiled
def enlarge(array):
    """A copy of an array with twice the room."""
    larger = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
