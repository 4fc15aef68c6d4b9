"""The steps of the search of `rekern.krisp.derivation_chart`, in plain Python.

First the best entry of every cell is found, from short spans to long ones. Then the next best entries of the root are
found one by one, and of other cells only those that they need (Huang and Chiang, 2005, "Better k-best parsing").

`rekern.krisp.derivation_chart_core` compiles these functions. A single question is faster without compiled code, which
takes longer to load than the search takes.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

SWAPPED = np.log(0.99)  # the charge for two slots whose words are in the other order: it only decides ties
LEAF, NAME, RULE, PART = range(4)  # kinds of entries
KIND, NUMBER, REST, CHILD, LAST, START, END = range(7)  # columns of `Chart.parts`
# Further columns: the cell, the place of the candidate in its list, the place of the entry in the cell (a candidate has
# here the next candidate of its cell), and the next best entry.
CELL, ORDER, RANK, FOLLOW = range(7, 11)
NONE, UNKNOWN = -1, -2


def list_candidates(
    cell, i, j, rules, scores, name_first, name_value, table, entries, least, lowest, weight, charge, made
):
    """List the ways to make an entry of a cell from the best entries of others: ``weight``, ``charge`` and ``made``.

    ``table`` has the values of the best entries and ``entries`` their numbers. The value of an entry is its charge and
    the values of its parts. Returns how many there are, and how many were looked at.
    """
    leaf_first, rule_first, child_first, children = (
        rules.leaf_first,
        rules.rule_first,
        rules.child_first,
        rules.children,
    )
    symbols = len(leaf_first) - 1
    whole = cell < symbols
    given, n, steps = 0, 0, 0
    if whole:
        kind, first_rule, last_rule = RULE, rule_first[cell], rule_first[cell + 1]
        for leaf in range(leaf_first[cell], leaf_first[cell + 1]):
            score = scores[rules.leaf_class[leaf], i, j]
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
        first_rule = np.searchsorted(rules.partial_first, cell - symbols, "right") - 1
        kind, last_rule, given = PART, first_rule + 1, cell - symbols - rules.partial_first[first_rule]
    for rule in range(first_rule, last_rule):
        base = child_first[rule]
        arity = child_first[rule + 1] - base
        own = 0.0
        if whole:
            if arity > j - i:
                continue
            if rules.rule_class[rule] >= 0:
                own = scores[rules.rule_class[rule], i, j]
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
                if which >= rules.slot_first[rule] and remaining >> other & 1:
                    extra += SWAPPED
            below = children[base + which]
            before = symbols + rules.partial_first[rule] + remaining
            if remaining & (remaining - 1) == 0:
                single = 0
                while not remaining >> single & 1:
                    single += 1
                before = children[base + single]
            steps += j - i
            for k in range(i + 1, j):
                score = extra + table[before, i, k] + table[below, k, j]
                if score > -np.inf and score >= lowest:
                    weight[n], charge[n] = score, extra
                    made[n, KIND], made[n, NUMBER], made[n, REST] = kind, rule, entries[before, i, k]
                    made[n, CHILD], made[n, LAST] = entries[below, k, j], which
                    n += 1
    return n, steps


def bound_part(rules, ahead, cell, i, j, least):
    """The least value of an entry that is of use; infinity if none is: the words of a rule's children may be too few.

    ``ahead`` is the best score of a class on more words with the same start.
    """
    symbols = len(rules.leaf_first) - 1
    if cell < symbols:
        return least
    label = rules.rule_class[np.searchsorted(rules.partial_first, cell - symbols, "right") - 1]
    if label < 0:
        return least
    later = ahead[label, i, j]
    return np.inf if later == -np.inf or later < least else least - later - 1e-9  # other orders, other roundings


def count_candidates(words, rules, name_value):
    """The largest number of candidates that a cell may have."""
    most = 0
    for symbol in range(len(rules.leaf_first) - 1):
        first, last = rules.child_first[rules.rule_first[symbol]], rules.child_first[rules.rule_first[symbol + 1]]
        most = max(most, rules.leaf_first[symbol + 1] - rules.leaf_first[symbol] + (last - first) * words)
    return most + len(name_value)


def search_chart(words, beam, limit, rules, scores, ahead, name_first, name_value, root, least):
    """Find the best entries of the root; returns values and parts of entries, the range of the root's, and if cut.

    After ``limit`` steps the search is cut; what it has found of the root until then are the best entries.

    ``rules`` is a `rekern.krisp.derivation_chart.Rules`, ``scores`` are the log probabilities (class, start, end), and
    ``ahead`` the best of them on more words with the same start. The names of a symbol on the words from i to j are
    those from ``name_first[symbol, i, j]`` to ``name_first[symbol, i, j + 1]``.
    """
    symbols, n_rules = len(rules.leaf_first) - 1, len(rules.rule_class)
    cells = symbols + rules.partial_first[n_rules]
    table = np.full((cells, words, words + 1), -np.inf)  # the best value of every cell
    entries = np.full((cells, words, words + 1), NONE, np.int32)  # … and the entry that has it
    size = count_candidates(words, rules, name_value)
    weight, charge, made = np.empty(size), np.empty(size), np.empty((size, 5), np.int32)
    value, cost, parts = np.empty(1024), np.empty(1024), np.empty((1024, 11), np.int32)
    used, steps = 0, 0
    for length in range(1, words + 1):
        for i in range(words - length + 1):
            j = i + length
            # First every symbol, then the partial children of every rule, which need only smaller spans.
            for turn in range(symbols + n_rules):
                rule = turn - symbols
                first, last = (rules.order[turn], rules.order[turn] + 1) if rule < 0 else (
                    symbols + rules.partial_first[rule], symbols + rules.partial_first[rule + 1] - 1
                )  # fmt: skip
                if first >= last:
                    continue
                lowest = bound_part(rules, ahead, first, i, j, least)
                if lowest == np.inf:
                    continue
                for cell in range(first, last):
                    if rule >= 0 and (cell - first) & (cell - first - 1) == 0:
                        continue  # no child, or one child, which has its own cell
                    n, looked = list_candidates(
                        cell, i, j, rules, scores, name_first, name_value, table, entries, least, lowest,
                        weight, charge, made,
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
                    value[used], cost[used] = weight[best], charge[best]
                    parts[used, :5] = made[best]
                    parts[used, START], parts[used, END] = i, j
                    parts[used, CELL], parts[used, ORDER], parts[used, RANK], parts[used, FOLLOW] = (
                        cell,
                        best,
                        0,
                        UNKNOWN,
                    )
                    table[cell, i, j], entries[cell, i, j] = weight[best], used
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
        roots[found] = entry
        found += 1
        if found == beam:
            break
        height = 1
        stack[0] = entry
        while height:
            top = stack[height - 1]
            cell, i, j = parts[top, CELL], parts[top, START], parts[top, END]
            rest, child = parts[top, REST], parts[top, CHILD]
            if child >= 0 and parts[child, FOLLOW] == UNKNOWN:
                stack[height] = child
                height += 1
                continue
            if rest >= 0 and parts[child, RANK] == 0 and parts[rest, FOLLOW] == UNKNOWN:
                stack[height] = rest
                height += 1
                continue
            n = 0
            if waiting[cell, i, j] == UNKNOWN:
                waiting[cell, i, j] = NONE
                lowest = bound_part(rules, ahead, cell, i, j, least)
                n, looked = list_candidates(
                    cell, i, j, rules, scores, name_first, name_value, table, entries, least, lowest,
                    weight, charge, made,
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
            for side in range(
                2
            ):  # the successors of the last entry: the next child, or with the first child the next rest
                later = child if side == 0 else rest
                if later < 0 or (side == 1 and parts[child, RANK] > 0) or parts[later, FOLLOW] < 0:
                    continue
                later = parts[later, FOLLOW]
                score = cost[top] + value[later]
                if side == 1:
                    score += value[child]
                elif rest >= 0:
                    score = cost[top] + value[rest] + value[later]
                if score < least:
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
                value[used], cost[used] = worth[best], price[best]
                parts[used, :5] = ways[best, :5]
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


def enlarge(array):
    """A copy of an array with twice the room."""
    larger = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
