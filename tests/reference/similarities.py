"""Every score of `Similarities`, straight from its definition, one pair at a time, in plain Python."""

import math
from collections import Counter

NEGATIONS = {"not", "n't", "no", "never", "neither", "nor", "without", "none", "fail", "refus", "reject"}


def ratio(part, whole, empty=1.0):
    return part / whole if whole else empty


def size(counter):
    return sum(counter.values())


def grams(sequence, n):
    return Counter(tuple(sequence[i : i + n]) for i in range(len(sequence) - n + 1))


def longest_common_subsequence(s, t):
    table = [[0] * (len(t) + 1) for _ in range(len(s) + 1)]
    for i, x in enumerate(s):
        for j, y in enumerate(t):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def longest_common_run(s, t):
    runs = {tuple(s[i:j]) for i in range(len(s)) for j in range(i + 1, len(s) + 1)}
    return max((j - i for i in range(len(t)) for j in range(i + 1, len(t) + 1) if tuple(t[i:j]) in runs), default=0)


class Statistics:
    """What the training pairs (of token lists) say of tokens."""

    def __init__(self, training):
        sides = [side for pair in training for side in pair]
        self.n = len(sides)
        self.df = Counter(token for side in sides for token in set(side))
        frequency = Counter(token for side in sides for token in side)
        self.frequent = sorted(frequency, key=lambda token: (-frequency[token], token))[:100]

    def idf(self, token):
        return math.log((self.n + 1) / (self.df[token] + 1))


def scores(s, t, raw_s, raw_t, statistics):
    """Name -> score of a pair of token lists; ``raw_s`` and ``raw_t`` are the tokens as they were written."""
    idf, frequent = statistics.idf, set(statistics.frequent)
    result = {}

    def weigh(counter):
        return math.fsum(number * idf(token) for token, number in counter.items())

    def both(name, a, b, measure=size, empty=1.0):
        shared = measure(a & b)
        result[f"{name} precision".strip()] = ratio(shared, measure(a), empty)
        result[f"{name} recall".strip()] = ratio(shared, measure(b), empty)

    def chosen(side, condition):
        return Counter(token for token in side if condition(token))

    def content(token):
        return token not in frequent and any(c.isalnum() for c in token)

    def number(token):
        return any(c.isdigit() for c in token)

    both("", Counter(s), Counter(t))
    both("idf", Counter(s), Counter(t), weigh)
    both("bigram", grams(s, 2), grams(t, 2), empty=0.0)
    both("trigram", grams(s, 3), grams(t, 3), empty=0.0)
    both("content", chosen(s, content), chosen(t, content))
    both("number", chosen(s, number), chosen(t, number))
    both("character", grams(" ".join(s), 4), grams(" ".join(t), 4))
    for name, length in ("subsequence", longest_common_subsequence(s, t)), ("substring", longest_common_run(s, t)):
        result[f"{name} precision"] = ratio(length, len(s))
        result[f"{name} recall"] = ratio(length, len(t))
    for name, side, raw, other in ("precision", s, raw_s, t), ("recall", t, raw_t, s):
        capitals = [token for token, form in zip(side, raw) if form[:1].isupper() and token not in frequent]
        result[f"capital {name}"] = ratio(sum(token in other for token in capitals), len(capitals))
        begins = {token[:4] for token in other if len(token) >= 4}
        met = [token for token in side if token in other or token[:4] in begins]
        result[f"prefix {name}"] = ratio(weigh(Counter(met)), weigh(Counter(side)))
    width = max(2 * len(t), 8)
    windows = [Counter(s[i : i + width]) for i in range(max(1, len(s) - width + 1))]
    result["window recall"] = ratio(max(weigh(window & Counter(t)) for window in windows), weigh(Counter(t)))
    for name, side in ("source", s), ("target", t):
        result[f"{name} length"] = math.log(1 + len(side)) / 5
        result[f"{name} negation"] = float(any(token in NEGATIONS for token in side))
    result["negation differs"] = float(result["source negation"] != result["target negation"])
    return result
