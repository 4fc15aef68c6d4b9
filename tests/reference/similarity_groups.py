"""The scores of the further groups of `Similarities`, straight from their definitions, in plain Python."""

import math
from collections import Counter

from reference.similarities import grams, longest_common_run, longest_common_subsequence, ratio


def cosine(one, two):
    product = sum(number * two[key] for key, number in one.items())
    lengths = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in two.values()))
    return product / lengths if lengths else 0.0


def ngram_cosines(s, t):
    return [cosine(grams(s, n), grams(t, n)) for n in (1, 2, 3, 4)]


def tiles(s, t, least):
    """Wise's greedy string tiling: the matches of the greatest length, in the order in which they are found."""
    marked_s, marked_t, found = set(), set(), []
    while True:
        longest, matches = least, []
        for i in range(len(s)):
            for j in range(len(t)):
                size = 0
                while (
                    i + size < len(s)
                    and j + size < len(t)
                    and s[i + size] == t[j + size]
                    and i + size not in marked_s
                    and j + size not in marked_t
                ):
                    size += 1
                if size > longest:
                    longest, matches = size, [(i, j)]
                elif size == longest:
                    matches.append((i, j))
        for i, j in matches:
            if not marked_s & set(range(i, i + longest)) and not marked_t & set(range(j, j + longest)):
                marked_s |= set(range(i, i + longest))
                marked_t |= set(range(j, j + longest))
                found.append((i, j, longest))
        if not matches:
            return found


def edits(s, t):
    row = list(range(len(t) + 1))
    for i, x in enumerate(s):
        new = [i + 1]
        for j, y in enumerate(t):
            new.append(min(row[j] + (x != y), row[j + 1] + 1, new[j] + 1))
        row = new
    return row[-1]


def sequence_scores(s, t, raw_s, raw_t, least):
    one, two = " ".join(raw_s).casefold(), " ".join(raw_t).casefold()
    longer = max(len(one), len(two))
    found = tiles(s, t, least)
    covered = sum(size for _, _, size in found)
    return [
        ratio(longest_common_run(one, two), longer),
        ratio(longest_common_subsequence(one, two), longer),
        ratio(2 * covered, len(s) + len(t)),
        ratio(len(found), covered),
        1 - ratio(edits(s, t), max(len(s), len(t)), 0.0),
    ]


def difference_scores(s, t, raw_s, raw_t, statistics):
    alone = [set(s) - set(t), set(t) - set(s)]
    counts = [Counter(s), Counter(t)]
    idf = statistics.idf

    def content(token):
        return token not in statistics.frequent and any(c.isalnum() for c in token)

    names = {
        x for side, raw in ((s, raw_s), (t, raw_t)) for x, form in zip(side, raw) if form[:1].isupper() and content(x)
    }
    numbers = {x for x in (*s, *t) if any(c.isdigit() for c in x)}
    result = [max(map(idf, tokens), default=0.0) for tokens in alone]
    result += [math.log(1 + sum(idf(x) * counts[side][x] for x in tokens)) for side, tokens in enumerate(alone)]
    result += [math.log(1 + sum(map(content, tokens))) for tokens in alone]
    for kind in numbers, names:
        one, two = alone[0] & kind, alone[1] & kind
        result += [float(not one and not two), float(not one or not two)]
    return [*result, abs(math.log((1 + len(s)) / (1 + len(t))))]


def best_matches(s, t, similarity, idf):
    """The idf-weighted averages of the best matches of the places of both sides: similarity(i, j)."""
    precision = sum(idf(x) * max((similarity(i, j) for j in range(len(t))), default=0.0) for i, x in enumerate(s))
    recall = sum(idf(y) * max((similarity(i, j) for i in range(len(s))), default=0.0) for j, y in enumerate(t))
    return [ratio(precision, sum(map(idf, s))), ratio(recall, sum(map(idf, t)))]


class Hierarchy:
    """A WordNet of dicts: synsets (name, pos, members, above, definition) and words in their base form only."""

    def __init__(self, synsets):
        self.synsets = {name: (pos, members, above, text) for name, pos, members, above, text in synsets}
        self.information = self._information()

    def of(self, word):
        return [name for name, (_, members, _, _) in self.synsets.items() if word in members]

    def upward(self, name):
        found = {name}
        for above in self.synsets[name][2]:
            found |= self.upward(above)
        return found

    def _information(self):
        count = dict.fromkeys(self.synsets, 1.0)
        for _, _, _, text in self.synsets.values():
            for word in text.split():
                for name in self.of(word):
                    count[name] += 1 / len(self.of(word))
        below = dict.fromkeys(self.synsets, 0.0)
        for name, number in count.items():
            for above in self.upward(name):
                below[above] += number
        total = Counter()
        for name, number in count.items():
            total[self.synsets[name][0]] += number
        return {name: -math.log(min(below[name] / total[self.synsets[name][0]], 1.0)) for name in self.synsets}

    def resnik(self, one, two):
        return max(
            (
                self.information[common]
                for a in self.of(one)
                for b in self.of(two)
                if self.synsets[a][0] in "nv" and self.synsets[b][0] in "nv"
                for common in self.upward(a) & self.upward(b)
            ),
            default=0.0,
        )

    def similarity(self, one, two):
        if one == two:
            return 1.0
        length = math.sqrt(self.resnik(one, one) * self.resnik(two, two))
        return self.resnik(one, two) / length if length else 0.0


def esa(documents, s, t):
    """The cosine of two token lists over the documents (token lists), for so few of them that no token is left out."""
    if s == t:
        return 1.0
    df = Counter(token for document in documents for token in set(document))
    rows = []
    for document in documents:
        row = {x: (1 + math.log(n)) * math.log(len(documents) / df[x]) for x, n in Counter(document).items()}
        length = math.sqrt(sum(value * value for value in row.values()))
        rows.append({x: value / length for x, value in row.items()} if length else {})

    def vector(text):
        weights = {x: (1 + math.log(n)) * math.log(len(documents) / df[x]) for x, n in Counter(text).items() if x in df}
        return {i: sum(weight * row.get(x, 0.0) for x, weight in weights.items()) for i, row in enumerate(rows)}

    return cosine(vector(s), vector(t))
