"""KRISP straight from its definitions: kernels on one pair of substrings, all derivations of a sentence listed."""

from itertools import combinations, permutations

import numpy as np


def word_subsequences(a, b, decay, longest):
    """Every pair of equal subsequences listed; a gap of g words in all weighs decay ** g."""
    total = 0
    for length in range(1, longest + 1):
        for rows in combinations(range(len(a)), length):
            for columns in combinations(range(len(b)), length):
                if [a[i] for i in rows] == [b[j] for j in columns]:
                    gaps = rows[-1] - rows[0] + 1 - length + columns[-1] - columns[0] + 1 - length
                    total += decay**gaps
    return total


def way_up(heads, place):
    way = [place]
    while heads[way[-1]] >= 0:
        way.append(heads[way[-1]])
    return way


def path(heads, a, b):
    """The places that the path from a climbs through up to its highest one, and those it goes down through to b."""
    up, down = way_up(heads, a), way_up(heads, b)
    top = next(place for place in up if place in down)
    return up[: up.index(top) + 1], down[: down.index(top)][::-1]


def dependency_paths(a, b, decay):
    """Every pair of paths between words of the two substrings; a and b are (words, heads, start, end)."""
    total = 0
    for i in range(a[2], a[3]):
        for j in range(i, a[3]):
            for k in range(b[2], b[3]):
                for m in range(b[2], b[3]):
                    if (i == j) != (k == m):
                        continue
                    up, down = path(a[1], i, j)
                    up2, down2 = path(b[1], k, m)
                    if [[a[0][x] for x in part] for part in (up, down)] == [
                        [b[0][x] for x in part] for part in (up2, down2)
                    ]:
                        total += decay ** (len(up) - 1 + len(down))
    return total


def covering(tree, start, end, pruned=False):
    """The smallest constituent over words start … end - 1 of a tree (label, child, …) whose leaves are words.

    ``pruned``: without the words outside and the branches that then have none.
    """
    found = []

    def visit(node, place):
        if isinstance(node, str):
            inside = start <= place < end
            return place + 1, node if inside or not pruned else None
        here, kept = place, []
        for child in node[1:]:
            place, part = visit(child, place)
            kept += [] if part is None else [part]
        if here <= start and end <= place:
            found.append((place - here, len(found), (node[0], *kept)))
        return place, (node[0], *kept) if kept else None

    visit(tree, 0)
    return min(found, key=lambda entry: entry[:2])[2]  # of equal spans the lower one, which is found first


def best_derivations(symbol, rules, leaves, words, swapped=0.99):
    """All derivations of the whole sentence with their probabilities, best first, by listing everything.

    ``rules`` are (name, left, children, score, first), ``score(start, end)`` a probability; the children from ``first``
    on are slots, of which every two in another order than the rule's cost the factor ``swapped``.
    ``leaves(symbol, start, end)`` lists (name, probability) of what a symbol can be on its own.
    """

    def partitions(start, end, number):
        if number == 1:
            yield [(start, end)]
            return
        for cut in range(start + 1, end - number + 2):
            for rest in partitions(cut, end, number - 1):
                yield [(start, cut), *rest]

    def derive(left, start, end):
        for name, probability in leaves(left, start, end):
            if probability > 0:
                yield probability, (name, start, end)
        for name, symbol, children, score, first in rules:
            number = len(children)
            if symbol != left or score(start, end) <= 0 or end - start < number:
                continue
            for spans in partitions(start, end, number):
                for order in permutations(range(number)):
                    placed = [(children[c], *spans[order.index(c)]) for c in range(number)]
                    wrong = sum(order[x] > order[y] >= first for x, y in combinations(range(number), 2))
                    yield from combine(name, start, end, score(start, end) * swapped**wrong, placed)

    def combine(name, start, end, probability, parts):
        found = [(probability, ())]
        for part in parts:
            found = [(p * q, (*done, child)) for p, done in found for q, child in derive(*part)]
        for p, children in found:
            yield p, (name, start, end, children)

    return sorted(derive(symbol, 0, words), key=lambda entry: -entry[0])


def expect_parts(sentences, signs, words, features, ridge):
    """Ridge regression with explicit features: what is expected of each column of ``signs``, given ``words``.

    ``features`` gives the weights of the features of a sentence; their vector has the length 1.
    """
    names = sorted({name for sentence in [*sentences, words] for name in features(sentence)})
    rows = [[features(sentence).get(name, 0.0) for name in names] for sentence in [*sentences, words]]
    matrix = np.array([np.array(row) / np.linalg.norm(row) for row in rows])
    known, asked = matrix[:-1], matrix[-1]
    mean = np.mean(signs, axis=0)
    weights = np.linalg.solve(known.T @ known + ridge * np.eye(len(names)), known.T @ (signs - mean))
    return asked @ weights + mean


def ordered_pairs(words, decay):
    """The words and all pairs of words, the ends of the sentence included; k words between two weigh decay ** k."""
    whole = ["<", *words, ">"]
    found = {(word,): 1.0 for word in whole}
    for i, j in combinations(range(len(whole)), 2):
        pair = (whole[i], whole[j])
        found[pair] = max(found.get(pair, 0.0), decay ** (j - i - 1))
    return found


def list_productions(derivation):
    """The productions of a derivation, from the top down."""
    return [derivation.production, *(p for child in derivation.children for p in list_productions(child))]


def list_unused(mentions, longest, derivation):
    """The longest spans of names and numbers over which nothing is said that a reading uses."""

    def list_entities(node):
        if node.production.kind != "rule":
            return [node]
        return [leaf for child in node.children for leaf in list_entities(child)]

    used = list_entities(derivation)
    names = [(node.production.left, node.production.value) for node in used if node.production.kind == "name"]
    values = [(n.production.left, n.value) for n in used if n.production.kind in ("number", "identifier")]
    telling = [mention for mention in mentions if mention.production.kind != "word"]
    found = []
    for start, end in longest:
        over = [m for m in telling if m.start < end and start < m.end]
        if not any((m.left, m.production.value) in names or (m.left, m.text) in values for m in over):
            found.append((start, end))
    return found


def list_overlooked(telling, words, derivation):
    """The words that tell of labels of which a meaning has none; ``telling`` are pairs of a function and a table."""
    return [
        word
        for word in dict.fromkeys(words)
        if any(word in table and not table[word] & labels(derivation) for labels, table in telling)
    ]


def measure_agreement(expected, labels, margin):
    """The losses of labels that a meaning lacks, or has although they are not expected; 2 for an unknown one."""
    losses = [max(0.0, margin - (value if label in labels else -value)) for label, value in expected.items()]
    return -sum(losses) - 2.0 * len(labels - expected.keys())


def count_repeats(derivation):
    """How many nodes have the predicate of the node above."""
    own = derivation.production.predicate
    return sum((child.production.predicate == own != "") + count_repeats(child) for child in derivation.children)


def explain_words(table, parts, words, least):
    """The log probability of words, each from one of the parts or from nothing (the part "")."""
    rows = [table.get(part, {}) for part in ("", *parts)]
    return sum(float(np.log((sum(row.get(word, 0.0) for row in rows) + least) / len(rows))) for word in words)
