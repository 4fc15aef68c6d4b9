"""The search for the most probable derivations: a chart over spans, the best few entries in every cell.

A rule has a left symbol, children and a class. The probability of a derivation is the product of the scores of its
nodes: of a rule's class, or of a leaf's, on the words that the node spans. The children of a node divide its span
among themselves in any order, none of them empty; two slots in the order of the grammar are preferred by a hair.
As scores multiply, the best ``beam`` derivations of a sentence are made of the best ``beam`` entries of the cells, so
the search is exact, unless it is cut after ``limit`` steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rekern.core.compiling import compiled

SWAPPED = np.log(0.99)  # two slots whose words stand in the other order: settles what the scores leave open
LEAF, NAME, RULE, PART = range(4)  # kinds of entries
KIND, NUMBER, REST, CHILD, LAST, START, END = range(7)  # columns of `Chart.parts`


class Rules(NamedTuple):
    """What `search` sees of a grammar.

    ``order`` lists the symbols so that the children of rules with one child come before their left sides. The leaves
    of symbol s are the classes ``leaf_class[leaf_first[s]] …``, its rules ``rule_first[s] …``; the children of rule r
    are ``children[child_first[r]] …``, of which those from ``slot_first[r]`` on fill its slots. Cells for the ways to
    cover some of the children of rule r, a bit for each, begin with ``partial_first[r]``.
    """

    order: np.ndarray
    leaf_first: np.ndarray
    leaf_class: np.ndarray
    rule_first: np.ndarray
    child_first: np.ndarray
    children: np.ndarray
    rule_class: np.ndarray
    partial_first: np.ndarray
    slot_first: np.ndarray


class Chart(NamedTuple):
    """The entries of a finished search, with their log probabilities; those of the whole sentence are ``roots``.

    The columns of ``parts``: the kind of entry (a leaf, a name, a rule, part of a rule's children), which leaf, name or
    rule it is, the two entries it is made of, which child of the rule the latter of them is, and the words it spans.
    """

    value: np.ndarray
    parts: np.ndarray
    roots: tuple[int, int]
    cut: bool


@compiled
def _insert(best, made, kept, score, kind, number, rest, child, last):
    """Put an entry among the best ones of a cell, where it belongs; returns how many there are then."""
    place = min(kept, len(best) - 1)
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        made[place] = made[place - 1]
        place -= 1
    best[place] = score
    made[place, KIND], made[place, NUMBER], made[place, REST] = kind, number, rest
    made[place, CHILD], made[place, LAST] = child, last
    return min(kept + 1, len(best))


@compiled
def _search(
    words, beam, limit, order, leaf_first, leaf_class, rule_first, child_first, children, rule_class, partial_first,
    slot_first, scores, ahead, name_first, name_value, root, least,
):  # fmt: skip
    symbols = len(leaf_first) - 1
    rules = len(rule_class)
    cells = symbols + partial_first[rules]
    begin = np.zeros((cells, words, words + 1), np.int32)
    count = np.zeros((cells, words, words + 1), np.int32)
    value, parts = np.empty(1024), np.empty((1024, 7), np.int32)
    used, steps = 0, 0
    best, made = np.empty(beam), np.empty((beam, 7), np.int32)  # the entries of the cell at hand, the best first
    for length in range(1, words + 1):
        for i in range(words - length + 1):
            j = i + length
            # First every symbol, then the partial children of every rule, which need smaller spans only.
            for turn in range(symbols + rules):
                whole = turn < symbols
                symbol = order[turn] if whole else -1
                first_rule = rule_first[symbol] if whole else turn - symbols
                last_rule = rule_first[symbol + 1] if whole else first_rule + 1
                if not whole and partial_first[first_rule] == partial_first[first_rule + 1]:
                    continue
                lowest = least
                if not whole and rule_class[first_rule] >= 0:  # these words are only the first ones of the rule's
                    later = ahead[rule_class[first_rule], i, j]
                    if later == -np.inf or later < least:
                        continue
                    lowest = least - later - 1e-9  # sums in another order are rounded otherwise
                masks = 1 if whole else (1 << (child_first[first_rule + 1] - child_first[first_rule])) - 1
                for given in range(masks):
                    kept = 0
                    if whole:
                        for leaf in range(leaf_first[symbol], leaf_first[symbol + 1]):
                            score = scores[leaf_class[leaf], i, j]
                            if score > -np.inf and score >= least and (kept < beam or score > best[kept - 1]):
                                kept = _insert(best, made, kept, score, LEAF, leaf, -1, -1, 0)
                        for name in range(name_first[symbol, i, j], name_first[symbol, i, j + 1]):
                            if name_value[name] >= least and (kept < beam or name_value[name] > best[kept - 1]):
                                kept = _insert(best, made, kept, name_value[name], NAME, name, -1, -1, 0)
                    elif given & (given - 1) == 0:
                        continue  # no child, or one, whose own cell serves
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
                                kept = _insert(best, made, kept, score, kind, rule, -1, entry, 0)
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
                                        kept = _insert(best, made, kept, score, kind, rule, a, b, which)
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


def search(
    rules: Rules,
    scores: np.ndarray,
    names: list[tuple[int, int, int, float]],
    root: int,
    beam: int,
    limit: int = 200_000_000,
    least: float = -np.inf,
) -> Chart:
    """The best derivations of ``root`` over all words.

    ``scores[c, i, j]`` is the log probability that the words i … j express class c; ``names`` lists (symbol, start,
    end, log probability). A rule of class -1 costs nothing. Derivations below the log probability ``least`` are left
    out; as probabilities only fall from part to whole, this saves most of the work.
    """
    words = scores.shape[1]
    symbols = len(rules.leaf_first) - 1
    order = sorted(range(len(names)), key=lambda name: names[name][:3])
    counts = np.zeros((symbols, words, words + 2), np.int32)
    for symbol, start, end, _ in names:
        counts[symbol, start, end + 1] += 1
    first = np.cumsum(counts.ravel()).astype(np.int32).reshape(counts.shape)
    values = np.array([names[place][3] for place in order], dtype=float)
    ahead = np.full_like(scores, -np.inf)  # the best score of the class on more words with the same beginning
    ahead[:, :, :-1] = np.maximum.accumulate(scores[:, :, :0:-1], axis=2)[:, :, ::-1]
    value, parts, low, high, cut = _search(words, beam, limit, *rules, scores, ahead, first, values, root, least)
    named = parts[:, KIND] == NAME
    parts[named, NUMBER] = np.array(order, np.int32)[parts[named, NUMBER]]
    return Chart(value, parts, (int(low), int(high)), bool(cut))


class Node(NamedTuple):
    """A node of a derivation that was found, with its children in the order of the rule; see `Chart`."""

    kind: int
    number: int
    start: int
    end: int
    value: float
    children: tuple[Any, ...]


def unfold(chart: Chart, entry: int) -> Node:
    """The derivation that an entry stands for."""
    kind, number, _, _, _, start, end = chart.parts[entry].tolist()
    below: dict[int, Node] = {}
    place = entry if kind == RULE else -1
    while place >= 0:  # from the child with the last words to the one with the first
        _, _, rest, child, last, _, _ = chart.parts[place].tolist()
        below[last] = unfold(chart, child)
        place = rest
        if rest >= 0 and chart.parts[rest, KIND] != PART:  # the entry of the first child itself
            only = next(c for c in range(len(below) + 1) if c not in below)
            below[only] = unfold(chart, rest)
            break
    return Node(kind, number, start, end, float(chart.value[entry]), tuple(below[c] for c in sorted(below)))
