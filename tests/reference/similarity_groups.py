"""The scores of the further groups of `Similarities`, straight from their definitions, in plain Python."""

import itertools
import math
from collections import Counter

import numpy as np

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


def vector_scores(s, t, vectors, idf, content):
    """The group "vectors"; ``vectors`` has a tuple for each word that has one."""
    unit = {word: np.array(v) / np.linalg.norm(v) for word, v in vectors.items() if any(v)}
    width = len(next(iter(vectors.values())))

    def cosine_of(x, y):
        if x == y or (x in unit and y in unit and list(unit[x]) == list(unit[y])):
            return 1.0
        return float(unit[x] @ unit[y]) if x in unit and y in unit else 0.0

    def similarity(x, y):
        return max(cosine_of(x, y), 0.0)

    def link():
        places = sorted(itertools.product(range(len(s)), range(len(t))), key=lambda ij: -similarity(s[ij[0]], t[ij[1]]))
        linked, linked2 = {}, {}
        for i, j in places:
            if i not in linked and j not in linked2:
                linked[i] = linked2[j] = similarity(s[i], t[j])
        return [
            sum(idf(x) * found.get(place, 0.0) for place, x in enumerate(side)) / sum(map(idf, side))
            if sum(map(idf, side)) > 0
            else 1.0
            for side, found in ((s, linked), (t, linked2))
        ]

    def way(one, two):
        starts, ends = [x for x in one if content(x)], [y for y in two if content(y)]
        ways = [min([math.sqrt(2), *(math.sqrt(max(2 - 2 * cosine_of(x, y), 0.0)) for y in ends)]) for x in starts]
        return sum(ways) / len(ways) if ways else 0.0

    def missed(x, two):
        return idf(x) * (1 - max([0.0, *(similarity(x, y) for y in two)]))

    def follow(one, two):
        best = [
            max([0.0, *(math.sqrt(similarity(a, c) * similarity(b, d)) for c, d in itertools.pairwise(two))])
            for a, b in itertools.pairwise(one)
        ]
        return sum(best) / len(best) if best else 0.0

    def angle(one, two):
        length = np.linalg.norm(one) * np.linalg.norm(two)
        return float(one @ two / length) if length else 0.0

    means, extremes, alone, sums = [], [], [], []
    for one, two in ((s, t), (t, s)):
        weights = [0.01 / (0.01 + math.exp(-idf(x))) for x in one]
        rows = [np.array(vectors.get(x, [0.0] * width)) for x in one]
        sums.append(sum((w * v for w, v in zip(weights, rows)), np.zeros(width)))
        means.append(sums[-1] / sum(weights) if one else np.zeros(width))
        chosen = np.array([np.zeros(width), *(v for x, v in zip(one, rows) if content(x))])
        extremes.append(np.concatenate([chosen.max(axis=0), chosen.min(axis=0)]))
        alone.append([x for x in one if x not in two])
    unshared = [sum((idf(x) * unit[x] for x in words if x in unit), np.zeros(width)) for words in alone]
    return [
        *link(),
        way(s, t),
        way(t, s),
        *(max([0.0, *(missed(x, two) for x in one if content(x))]) for one, two in ((s, t), (t, s))),
        *(math.log(1 + sum(missed(x, two) for x in one)) for one, two in ((s, t), (t, s))),
        follow(s, t),
        follow(t, s),
        angle(*sums),
        angle(*unshared) if any(alone) else 1.0,
        angle(*extremes),
        float(np.linalg.norm(means[0] - means[1])),
    ]


def order_scores(s, t, raw_s, raw_t, content):
    """The group "order"."""
    places, used = [], Counter()
    for i, x in enumerate(s):
        found = [j for j, y in enumerate(t) if y == x]
        if used[x] < len(found):
            places.append((i, found[used[x]]))
            used[x] += 1

    def reversals(chosen):
        pairs = list(itertools.combinations([j for _, j in chosen], 2))
        return sum(k < j for j, k in pairs) / len(pairs) if pairs else 0.0

    def is_name(i, j):
        return content(s[i]) and (raw_s[i][:1].isupper() or raw_t[j][:1].isupper())

    chunks = sum(1 for i, j in places if (i - 1, j - 1) not in places)
    shifts = [abs((i + 0.5) / len(s) - (j + 0.5) / len(t)) for i, j in places]

    def skips(words):
        return Counter((words[i], words[k]) for i in range(len(words)) for k in range(i + 1, min(i + 5, len(words))))

    def shares(one, two):
        common = (one & two).total()
        return [common / counts.total() if counts else 0.0 for counts in (one, two)]

    left, right = ([x for x in side if content(x)] for side in (s, t))

    def bleu(one, two):
        if not one or not two:
            return float(not one and not two)
        logs = []
        for n in (1, 2, 3, 4):
            mine, common = grams(one, n).total(), (grams(one, n) & grams(two, n)).total()
            if n == 1 and not common:
                return 0.0
            logs.append(math.log((common + (n > 1)) / (mine + (n > 1))))
        return math.exp(sum(logs) / 4 + min(0, 1 - len(two) / len(one)))

    return [
        reversals(places),
        reversals([(i, j) for i, j in places if content(s[i])]),
        reversals([(i, j) for i, j in places if is_name(i, j)]),
        chunks / len(places) if places else 0.0,
        sum(shifts) / len(shifts) if shifts else 0.0,
        max(shifts, default=0.0),
        *shares(skips(s), skips(t)),
        *shares(grams(left, 2), grams(right, 2)),
        bleu(s, t),
        bleu(t, s),
        float(s[:1] == t[:1] and bool(s)),
        float(left[-1:] == right[-1:] and bool(left)),
    ]


def context_scores(s, t, meanings, content):
    """The group "contexts"; ``meanings`` are functions from a word to its meaning in a class, or None."""
    counts = [[Counter(m(x) for x in side if m(x) is not None) for side in (s, t)] for m in meanings]
    negated, names = [], []
    for side in (s, t):
        states = {}
        for place, x in enumerate(side):
            before = side[max(place - 3, 0) : place]
            if content(x):
                states.setdefault(x, set()).add(any(meanings[0](y) is not None for y in before))
        negated.append(states)
        names.append({x for x in side if content(x) and x[:1].isupper()})
    shared = negated[0].keys() & negated[1].keys()
    turned = [
        x for x in shared if {True} in (negated[0][x], negated[1][x]) and {False} in (negated[0][x], negated[1][x])
    ]
    total = [[side.total() for side in of_class] for of_class in counts]
    only = [[(one - two).total(), (two - one).total()] for one, two in counts]
    other = [len({x for x in mine if x not in theirs}) for mine, theirs in ((names[0], set(t)), (names[1], set(s)))]
    return [
        *(math.log(1 + n) for n in total[0]),
        sum(total[0]) % 2,
        len(turned) / len(shared) if shared else 0.0,
        *(math.log(1 + n) for n in total[1]),
        any(only[1]),
        *(math.log(1 + n) for n in total[2]),
        any(only[3]),
        *(math.log(1 + n) for n in only[4]),
        all(only[4]),
        *(math.log(1 + n) for n in other),
        all(other),
        all(only[5]),
    ]


def relation_scores(s, t, synsets, idf):
    """The group "relations"; synsets are tuples of identifier, part of speech, members, hypernyms, definition."""
    above = {name: set(hypernyms) for name, _, _, hypernyms, _ in synsets}

    def senses(word):
        return {name for name, _, members, _, _ in synsets if word in members}

    def climb(names):
        return {parent for name in names for parent in above[name]}

    def is_general(x, y):
        """Whether y means the same as x or something at most three steps above."""
        level = seen = senses(x)
        for _ in range(3):
            level = climb(level)
            seen = seen | level
        return bool(seen & senses(y))

    def are_sisters(x, y):
        return not is_general(x, y) and not is_general(y, x) and bool(climb(senses(x)) & climb(senses(y)))

    found = []
    for holds in (is_general, lambda x, y: is_general(y, x), are_sisters):
        found += best_matches(s, t, lambda i, j, holds=holds: float(s[i] == t[j] or holds(s[i], t[j])), idf)
    return found


def aligner_scores(s, t, cosine_of, are_listed, weight, content):
    """The group "aligner": links of words that mean the same in the same surroundings; punctuation is left out."""
    s, t = ([x for x in side if any(map(str.isalnum, x))] for side in (s, t))

    def compare(x, y):
        if x == y:
            return 1.0
        value = 0.85 if are_listed(x, y) else 0.7 * cosine_of(x, y)
        return value if value >= 0.35 else 0.0

    alike = {(i, j): compare(x, y) for i, x in enumerate(s) for j, y in enumerate(t)}

    def look_around(i, j):
        steps = [(sign * d, sign * e) for sign in (-1, 1) for d in (1, 2, 3) for e in (1, 2, 3)]
        return min(1.0, sum(alike.get((i + d, j + e), 0.0) / (abs(d) + abs(e)) for d, e in steps) / 2)

    around = {place: look_around(*place) for place in alike}
    able = [
        (i, j)
        for (i, j), value in alike.items()
        if value and ((content(s[i]) and content(t[j])) or around[i, j] > 0.15)
    ]

    def order(place):
        i, j = place
        return -(0.9 * alike[place] + 0.1 * around[place] - 1e-6 * (i + j) - 1e-9 * abs(i - j))

    links, used, used2 = [], set(), set()
    for i, j in sorted(able, key=order):
        if i not in used and j not in used2:
            links.append((i, j))
            used.add(i)
            used2.add(j)
    equal, soft, missed, count = [], [], [], []
    for side, words in enumerate((s, t)):
        matches = {link[side]: alike[link] for link in links}
        each = [(weight(x), matches.get(place, 0.0)) for place, x in enumerate(words) if content(x)]
        whole = sum(w for w, _ in each)
        equal.append(sum(w for w, match in each if match >= 0.85) / whole if whole else 1.0)
        soft.append(sum(w * match for w, match in each) / whole if whole else 1.0)
        missed.append(math.log(1 + sum(w for w, match in each if not match)))
        count.append(math.log(1 + sum(not match for _, match in each)))
    evidence = sum(around[link] for link in links) / len(links) if links else 0.0
    return [*equal, *soft, evidence, *missed, *count]
