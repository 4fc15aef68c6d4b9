"""The search for the most probable derivations: a chart over spans, with the best entries in every cell.

A rule has a left symbol, children and a class. The probability of a derivation is the product of the scores of its
nodes: the score of the class of a rule, or of a leaf, on the words that the node spans. The children of a node divide
its span among themselves in any order, and none of them is empty; slots in the order of the grammar win ties. As scores
multiply, the best ``beam`` derivations of a sentence consist of the best ``beam`` entries of the cells, so the search
is exact, unless it is cut after ``limit`` steps. Of most cells only the best entry is needed; others are found when a
better one has been used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, SmallInts
from rekern.krisp.derivation_chart_core import KIND, NAME, NUMBER, PART, RULE, search_chart


class Rules(NamedTuple):
    """A grammar as arrays, for `search_derivations`.

    ``order`` lists the symbols so that the children of rules with one child come before their left sides. The leaves
    of symbol s are the classes ``leaf_class[leaf_first[s]:leaf_first[s + 1]]``, its rules those from ``rule_first[s]``
    to ``rule_first[s + 1]``. The children of rule r are ``children[child_first[r]:child_first[r + 1]]``, of which those
    from ``slot_first[r]`` on fill its slots. The cells for the ways to cover some of the children of rule r, one bit
    for each child, begin with ``partial_first[r]``.
    """

    order: SmallInts
    leaf_first: SmallInts
    leaf_class: SmallInts
    rule_first: SmallInts
    child_first: SmallInts
    children: SmallInts
    rule_class: SmallInts
    partial_first: SmallInts
    slot_first: SmallInts


class NameSpan(NamedTuple):
    """A name in a sentence: the symbol that it is a leaf of, its words, and its log probability.

    Names of the same ``key`` mean the same; what has the key -1 means something of its own.
    """

    symbol: int
    start: int
    end: int
    log_probability: float
    key: int = -1


class Chart(NamedTuple):
    """The entries of a finished search, with their log probabilities.

    ``roots`` is the range of the entries of the whole sentence. The columns of ``parts`` are: the kind of entry (a
    leaf, a name, a rule, part of the children of a rule), the number of the leaf, name or rule, the two entries that it
    consists of, the child of the rule that the second of them is, and the words that it spans.
    """

    value: Floats
    parts: SmallInts
    roots: tuple[int, int]
    cut: bool

    @property
    def n_roots(self) -> int:
        """How many derivations of the whole sentence were found."""
        return self.roots[1] - self.roots[0]


class ChartNode(NamedTuple):
    """A node of a derivation that was found, with its children in the order of the rule; see `Chart`."""

    kind: int
    number: int
    start: int
    end: int
    value: float
    children: tuple[ChartNode, ...]


def search_derivations(
    rules: Rules,
    scores: Floats,
    names: Sequence[NameSpan],
    root: int,
    beam: int,
    limit: int = 200_000_000,
    least: float = -np.inf,
    distinct: bool = False,
) -> Chart:
    """Find the best derivations of ``root`` over all words.

    ``scores[c, i, j]`` is the log probability that the words from i to j express class c. A rule of class -1 costs
    nothing. Derivations below the log probability ``least`` are left out; as probabilities only fall from part to
    whole, this saves most of the work. With ``distinct``, of the
    derivations that have the same parts in the same order only the best is found.
    """
    words = scores.shape[1]
    symbols = len(rules.leaf_first) - 1
    order = sorted(range(len(names)), key=lambda name: names[name][:3])
    counts = np.zeros((symbols, words, words + 2), np.int32)
    for symbol, start, end, _, _ in names:
        counts[symbol, start, end + 1] += 1
    first = np.cumsum(counts.ravel()).astype(np.int32).reshape(counts.shape)
    values = np.array([names[place].log_probability for place in order], dtype=float)
    ahead = np.full_like(scores, -np.inf)  # the best score of the class on more words with the same start
    ahead[:, :, :-1] = np.maximum.accumulate(scores[:, :, :0:-1], axis=2)[:, :, ::-1]
    outside = bound_outside(rules, scores, names, root)
    others = 1 + max((name.key for name in names), default=0)
    keys = np.array([names[place].key if names[place].key >= 0 else others + place for place in order], np.int64)
    value, parts, low, high, cut = search_chart(
        words, beam, limit, rules, scores, ahead, outside, first, values, keys, root, least, distinct
    )
    is_name = parts[:, KIND] == NAME
    parts[is_name, NUMBER] = np.array(order, np.int32)[parts[is_name, NUMBER]]
    return Chart(value, parts, (int(low), int(high)), bool(cut))


def bound_outside(rules: Rules, scores: Floats, names: Sequence[NameSpan], root: int) -> Floats:
    """The highest log probabilities that the rest of a derivation may have: of the words before and after a part.

    Every word is in one leaf or name. So the words before a part, and those after it, are divided into leaves and
    names; row 0 has the best division of the words before each place, row 1 that of the words after it. A part of the
    sentence is also below a rule of the root: the best score of these is in row 0.
    """
    words = scores.shape[1]
    leaves = np.unique(rules.leaf_class)
    best = scores[leaves].max(axis=0) if len(leaves) else np.full((words, words + 1), -np.inf)
    for _, start, end, value, _ in names:
        best[start, end] = max(best[start, end], value)
    labels = rules.rule_class[rules.rule_first[root] : rules.rule_first[root + 1]]
    top = max((float(scores[label, 0, words]) if label >= 0 else 0.0 for label in labels), default=-np.inf)
    outside = np.full((2, words + 1), -np.inf)
    outside[0, 0], outside[1, words] = top, 0.0
    for end in range(1, words + 1):
        outside[0, end] = np.max(outside[0, :end] + best[:end, end])
    for start in range(words - 1, -1, -1):
        outside[1, start] = np.max(best[start, start + 1 :] + outside[1, start + 1 :])
    return outside


def unfold_entry(chart: Chart, entry: int, known: dict[int, ChartNode]) -> ChartNode:
    """The derivation that an entry of the chart stands for; ``known`` are those of other entries, which share parts."""
    found = known.get(entry)
    if found is not None:
        return found
    kind, number, rest, child, last, start, end = chart.parts[entry].tolist()
    below = list_children(chart, rest, child, last) if kind == RULE else []
    children = tuple([unfold_entry(chart, part, known) for part in below])
    found = known[entry] = ChartNode(kind, number, start, end, float(chart.value[entry]), children)
    return found


def list_children(chart: Chart, rest: int, child: int, last: int) -> list[int]:
    """The entries of the children of a rule, in its order, from the columns of the entry of the rule; see `Chart`."""
    if rest < 0:
        return [child]
    below = {last: child}
    while True:  # from the child with the last words to the one with the first words
        kind, _, further, child, last, _, _ = chart.parts[rest].tolist()
        if kind != PART:  # the entry of the first child itself
            below[next(c for c in range(len(below) + 1) if c not in below)] = rest
            return [below[c] for c in sorted(below)]
        below[last] = child
        rest = further


def list_derivations(chart: Chart) -> list[ChartNode]:
    """The derivations of the whole sentence, the most probable first."""
    known: dict[int, ChartNode] = {}
    return [unfold_entry(chart, entry, known) for entry in range(*chart.roots)]


def drop_improbable(scores: Floats, threshold: float) -> Floats:
    """The log probabilities, with those of probabilities below the threshold replaced by -inf.

    >>> drop_improbable(np.log([0.5, 0.01]), 0.05).round(2).tolist()
    [-0.69, -inf]
    """
    least = np.log(threshold) if threshold > 0 else -np.inf
    return np.where(scores < least, -np.inf, scores)
