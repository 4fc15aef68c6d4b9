"""The group "inclusion", slow and plain: trees of content words, and the best of all places of one tree in another."""

import math
from itertools import product

from experiments.rte3.content import DENIALS, HEDGES, cut_word
from rekern.structures.stemmer import stem

ORDER = ["VP:VP", "S:SBAR", "VP:S", "VP:SQ", "NP:VP", "ADJP:VP", "S:VP", "NP:PP", "S:PP", "PP:PP", "PP:VP", "SBAR:PP"]


def content_tree(stems, forms, tags, heads, relations, light_stems):
    """The words, parents and marks of the tree of content words: every word is looked up from the top again."""
    heads = [-1 if relation.endswith(":ROOT") else head for head, relation in zip(heads, relations)]
    places = range(len(forms))

    def is_light(part, of):
        if part.isupper() and len(part) > 1:
            return False
        return stem(part.casefold()) in light_stems or (len(of) > 1 and len(part) == 1 and not part.isdigit())

    heavy = [[part for part in cut_word(form) if not is_light(part, cut_word(form))] for form in forms]
    if not any(heavy):
        heavy = [list(cut_word(form)) for form in forms]

    def stand_in(place):
        if heavy[place]:
            return place
        below = [other for other in places if heads[other] == place and cut_word(forms[other])]
        below = [other for other in below if heavy[other] or tags[other] not in ("DT", "PRP$", "CC")]
        below.sort(key=lambda one: (ORDER.index(relations[one]) if relations[one] in ORDER else 99, not heavy[one]))
        found = [stand_in(other) for other in below]
        return next((other for other in found if other is not None), None)

    nodes = [(place, part) for place in places for part in range(len(heavy[place]))]

    def number(place):
        return nodes.index((place, len(heavy[place]) - 1))

    parents = []
    for place, part in nodes:
        if part < len(heavy[place]) - 1:
            parents.append(number(place))
            continue
        head = heads[place]
        while head >= 0 and stand_in(head) in (None, place):
            head = heads[head]
        parents.append(number(stand_in(head)) if head >= 0 else -1)
    marks = {number(place): [0, 0] for place in places if heavy[place]}
    for place in places:
        about = stand_in(place)
        if not heavy[place] and (tags[place] not in ("MD", "IN") or about is None):
            about = stand_in(heads[place] if heads[place] >= 0 else place)
        if about is not None:
            marks[number(about)][0] += stems[place] in DENIALS
            marks[number(about)][1] += stems[place] in HEDGES
    words = [heavy[place][part] for place, part in nodes]
    return words, parents, [tuple(marks.get(node, (0, 0))) for node in range(len(nodes))]


def distances(parents, is_part):
    """Steps between every two words, along the only path: both climb to the text, and what they share is not walked."""

    def climb(place):
        steps = {}
        while place >= 0:
            steps[place] = 1.5 if parents[place] < 0 else 0.5 if is_part[place] else 1.0
            place = parents[place]
        return steps

    chains = [climb(place) for place in range(len(parents))]
    return [
        [
            min(6.0, sum(one[p] for p in one if p not in other) + sum(other[p] for p in other if p not in one))
            for other in chains
        ]
        for one in chains
    ]


def value(places, support, parents, weights, apart):
    """What places are worth: the support of the words, less what stretched links cost; None where there is none."""
    total = 0.0
    for row, place in enumerate(places):
        if place is None:
            continue
        if not support[row][place]:
            return -math.inf
        total += weights[row] * support[row][place]
        if parents[row] >= 0:
            above = places[parents[row]]
            if above is None:
                total -= 0.1 * weights[row]
            else:
                total -= 0.1 * min(weights[row], weights[parents[row]]) * max(apart[above][place] - 1, 0)
    return total


def best_value(support, parents, weights, apart):
    """The highest value of all places of all words."""
    columns = len(support[0]) if support else 0
    every = product([*range(columns), None], repeat=len(parents))
    return max(value(places, support, parents, weights, apart) for places in every)


def scores(source, target, support, weights, places):
    """All scores of given places (None where a word has none), straight from their descriptions."""
    rows, whole = range(len(target)), sum(weights)
    there = distances(source.parents, source.is_part)
    here = distances(target.parents, target.is_part)

    def average(pairs, empty):
        total = sum(weight for weight, _ in pairs)
        return sum(weight * share for weight, share in pairs) / total if total else empty

    def cover(columns):
        return [max((support[row][column] for column in columns), default=0.0) for row in rows]

    best = cover(range(len(source)))
    sentences = [[c for c, s in enumerate(source.sentences) if s == one] for one in set(source.sentences)]
    in_one = max((average(list(zip(weights, cover(columns))), 1.0) for columns in sentences), default=0.0)
    missed = [weight * (1 - found) for weight, found in zip(weights, best)]
    found = [average(list(zip(weights, best)), 1.0), in_one if whole else 1.0]
    found += [math.log(1 + sum(m for m, kind in zip(missed, target.kinds) if kind == k)) for k in range(5)]
    found.append(max(missed, default=0.0))
    found.append(value(places, support, target.parents, weights, there) / whole if whole else 1.0)
    links = []
    for row in rows:
        above = target.parents[row]
        if above >= 0:
            both = places[row] is not None and places[above] is not None
            links.append((min(weights[row], weights[above]), there[places[above]][places[row]] if both else math.inf))
    for most in (6, 1, 2):
        found.append(average([(weight, steps <= most) for weight, steps in links], 1.0))
    pairs = [(a, b) for a in rows for b in range(a) if places[a] is not None and places[b] is not None]
    farther = [(min(weights[a], weights[b]), there[places[a]][places[b]] - here[a][b]) for a, b in pairs]
    found.append(average([(weight, max(more, 0)) for weight, more in farther], 0.0))
    found.append(average([(weight, more <= 0) for weight, more in farther], 0.0))
    named = [(a, b) for a, b in pairs if target.kinds[a] < 2 and target.kinds[b] < 2]
    found.append(max((there[places[a]][places[b]] for a, b in named), default=0.0))

    def climb(place):
        return [place, *climb(source.parents[place])] if place >= 0 else []

    used = [place for place in places if place is not None]
    root = target.parents.index(-1) if len(target) else None
    top = None if not used else places[root]
    if used and top is None:
        top = min(used, key=lambda place: len(climb(place)))
    chain = [] if top is None else climb(top)
    found.append(math.log(1 + len({up for place in used for up in climb(place)} - set(used))))
    found.append(float(any(source.denials[up] for up in chain) != any(target.denials)))
    found.append(any(source.hedges[up] for up in chain) - any(target.hedges))
    found.append(support[root][top] if used and places[root] is not None else 0.0)
    found.append(math.log(1 + len(chain)))
    return [*found, math.log(1 + len(source)), math.log(1 + len(target))]
