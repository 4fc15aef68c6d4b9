"""Fuzzy Markov logic and question patterns, slowly, straight from "Function-based question classification" (2010)."""

import math
import re
from itertools import product


def worlds_of(types, worlds="all"):
    """Every assignment of truth values to the types, or those with exactly one true."""
    found = list(product([False, True], repeat=types))
    return [world for world in found if worlds == "all" or sum(world) == 1]


def count(confidence, kind, world):
    """Match ∧ Type(kind) ∧ ⋀ ¬Type(other): the minimum of the parts, where a query atom is 1 or 0."""
    parts = [confidence, float(world[kind])]
    parts += [1.0 - float(world[other]) for other in range(len(world)) if other != kind]
    return min(parts)


def score(confidences, formulas, weights, prior, world):
    """Σ weight · count over the formulas (pattern, type) and the unit formulas."""
    total = sum(w * count(confidences[p], t, world) for (p, t), w in zip(formulas, weights))
    return total + sum(b for b, true in zip(prior, world) if true)


def log_likelihood(rows, observed, formulas, weights, prior, types, worlds="all"):
    """log P(y | x), summed over the questions: the observed world has exactly the observed type."""
    total = 0.0
    for confidences, kind in zip(rows, observed):
        scores = [score(confidences, formulas, weights, prior, world) for world in worlds_of(types, worlds)]
        world = tuple(t == kind for t in range(types))
        total += score(confidences, formulas, weights, prior, world) - math.log(sum(map(math.exp, scores)))
    return total


def exactly_one(confidences, formulas, weights, prior, types):
    """The probability of each type given that exactly one is true."""
    terms = [math.exp(score(confidences, formulas, weights, prior, world)) for world in worlds_of(types, "one")]
    found = dict(zip(worlds_of(types, "one"), terms))
    return [found[tuple(t == kind for t in range(types))] / sum(terms) for kind in range(types)]


def fuzzy(formula, values):
    """The truth of a parsed formula: ¬ is 1 − c, ∧ the minimum, ∨ the maximum."""
    kind, *parts = formula
    if kind == "atom":
        return values.get(parts[0], 0.0)
    if kind == "not":
        return 1.0 - fuzzy(parts[0], values)
    return (min if kind == "and" else max)(fuzzy(part, values) for part in parts)


def patterns(template, longest, shortest=2):
    """Algorithm 1, line 4, on a template such as ``A..BC....D``: characters, with dots for content words.

    The n-grams count characters, dots having no length. A side inside the template gets ``.*``; an n-gram that touches
    the template's start or end is kept as it stands there, and once more with ``.*`` on both sides.
    """
    found = set()
    for first in range(len(template)):
        for last in range(first, len(template)):
            part = template[first : last + 1]
            if part[0] == "." or part[-1] == "." or not shortest <= len(part.replace(".", "")) <= longest:
                continue
            middle = re.sub(r"\.+", ".*", part)
            found.add(f".*{middle}.*")
            left = "" if first == 0 else ".*"
            right = "" if last == len(template) - 1 else ".*"
            found.add(f"{left}{middle}{right}")
    return found


def information_gain(matched, kinds):
    """IG(p) as printed, with natural logarithms."""

    def plogp(rows):
        total = 0.0
        for kind in set(kinds):
            share = sum(1 for row in rows if kinds[row] == kind) / len(rows) if rows else 0.0
            total += share * math.log(share) if share else 0.0
        return total

    rows = range(len(kinds))
    having = [row for row in rows if matched[row]]
    lacking = [row for row in rows if not matched[row]]
    inside = len(having) / len(kinds) * plogp(having) + len(lacking) / len(kinds) * plogp(lacking)
    return inside - plogp(list(rows))


def cosine(one, other):
    """The cosine of two vectors given as dicts; 0 where one is empty."""
    norms = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return sum(value * other.get(key, 0.0) for key, value in one.items()) / norms if norms else 0.0


def single_pass(vectors, threshold):
    """Clusters by one pass: the nearest centroid above the threshold, else a new cluster."""
    sums, chosen = [], []
    for vector in vectors:
        if not vector:
            chosen.append(-1)
            continue
        near = [cosine(vector, total) for total in sums]
        best = max(range(len(near)), key=near.__getitem__, default=None)
        if best is None or near[best] <= threshold:
            sums.append({})
            best = len(sums) - 1
        for key, value in vector.items():
            sums[best][key] = sums[best].get(key, 0.0) + value
        chosen.append(best)
    return chosen, sums
