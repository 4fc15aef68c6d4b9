"""A second opinion on a reading: does the question as a whole ask for the parts of the reading?

The parser looks at the parts of a reading one by one, so it may prefer a reading that ignores a word. Here the words of
the whole question, alone and in pairs, predict the parts of its meaning by ridge regression; a reading loses for every
part that is not expected and for every expected part that it lacks. It also loses for every telling word that it
overlooks. A telling word is one that came with certain predicates, or certain non-terminals, in nearly all training
questions; a reading overlooks it if it has none of these. So "how many authors are there?" does not count the books,
although most questions with "how many" do, because "authors" came with authors or writers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import count, pairwise
from operator import or_
from typing import NamedTuple, Self

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.krisp.productions import Derivation, Production

RIDGE = 0.03
DECAY = 0.75  # of the weight of a pair of words, for each word between them
MARGIN = 0.5  # by which a part should be expected or not
LIFT = 3.0  # how many times as often as elsewhere a predicate must come with a telling word
WEAK_LIFT = 1.5  # the same for predicates that are added until nearly all questions with the word have one
NEARLY_ALL = 0.95  # the share of the questions with a telling word that must have one of its predicates
TWICE = 2  # how often they must have come together at least

# English words that ask for nothing by themselves: a question may have them although no training question has them.
# Negations, comparisons, quantities, restrictions (only, exactly) and directions are not among them.
_NEUTRAL = """
a an the this that these those there here it its he she they them their his her i me my we us our you your one
ones 's 'd 'm 'll 're 've be am is are was were been being do does did done doing have has had having can could
will would shall should may might must ought get gets got please kindly thanks hello hi so now then just really
actually also too well ok oh as of in on at to for by with from into about tell say name list show give
want wants need needs like likes know knows wonder let see look looking find found think mean call called go
going ask asking what which any some every each all such
"""
NEUTRAL = frozenset(_NEUTRAL.split())
NEGATIONS = frozenset(["not", "n't", "no", "never", "neither", "nor", "without", "except", "excluding"])


class PartBits(dict[str, int]):
    """A bit for every part of a meaning, so that the parts of a reading are one number.

    A part gets its bit when it is asked for: that of its number, or the next one if it has none. The bits of all parts
    of a large model together would fill the memory.

    >>> bits = PartBits({"small": 0, "big": 1})
    >>> bits["big"], bits["red"], bits["old"], bits["red"], len(bits)
    (2, 4, 8, 4, 3)
    """

    def __init__(self, numbers: Mapping[str, int]):
        super().__init__()
        self._numbers, self._others = numbers, count(len(numbers))

    def __missing__(self, part: str) -> int:
        number = self._numbers.get(part)
        bit = self[part] = 1 << (next(self._others) if number is None else number)
        return bit


class TellingWords(NamedTuple):
    """The telling words of a question: a bit for each that tells of predicates, then one for each of non-terminals.

    ``predicates`` and ``symbols`` have the bits of the words that tell of a predicate or a non-terminal.
    """

    words: list[str]
    asked: int
    predicates: dict[str, int]
    symbols: dict[str, int]

    def find_answered(self, production: Production) -> int:
        """The bits of the words that tell of a production."""
        found = self.symbols.get(production.left, 0)
        if production.kind == "rule" and self.predicates:
            found |= self.predicates.get(production.predicate, 0)
        return found

    def find_missed(self, answered: int) -> int:
        """The words that a reading overlooks, a bit for each; ``answered`` are the bits of all its productions."""
        missed = self.asked & ~answered
        return (missed | missed >> len(self.words)) & ((1 << len(self.words)) - 1)


class SecondOpinion:
    """Predicts which parts a meaning has from the words of its question.

    With ``distant``, all pairs of words of a question count, not only those that stand close together.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> red({S})"])
    >>> meanings = [grammar.parse(text) for text in ("all", "big(all)", "red(all)", "big(red(all))")]
    >>> opinion = SecondOpinion([["things"], ["big", "things"], ["red", "things"], ["big", "red", "things"]], meanings)
    >>> values = opinion.expect_parts(["big", "things"])
    >>> opinion.measure_agreement(values, meanings[1]) > opinion.measure_agreement(values, meanings[2])
    True
    """

    def __init__(self, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation], distant: bool = False):
        self._sentences, self._distant = sentences, distant
        self._telling = [
            (labels, _find_telling_words(sentences, [labels(derivation) for derivation in derivations]))
            for labels in LABELS
        ]
        self._denied = {
            (word, find_predicates(derivation))
            for words, derivation in zip(sentences, derivations)
            for word in NEGATIONS.intersection(words)
        }
        self._parts: dict[str, int] = {}
        found = [find_parts(derivation) for derivation in derivations]
        for labels in found:
            for label in sorted(labels):
                self._parts.setdefault(label, len(self._parts))
        signs = -np.ones((len(found), len(self._parts)))
        for row, labels in enumerate(found):
            signs[row, [self._parts[label] for label in labels]] = 1
        self._mean = signs.mean(axis=0) if len(found) else np.zeros(len(self._parts))
        self._holders = self._list_holders(sentences)
        dual = np.linalg.solve(self._compare_sentences(len(found)), signs - self._mean)
        self._dual: Floats = dual.astype(np.float64)

    def to_state(self) -> tuple[JsonObject, dict[str, Floats]]:
        """Return what was learned, as plain values for JSON and as arrays."""
        words = {
            "sentences": [list(words) for words in self._sentences],
            "telling": [{word: sorted(told) for word, told in telling.items()} for _, telling in self._telling],
            "denied": sorted([word, sorted(predicates)] for word, predicates in self._denied),
            "parts": list(self._parts),
            "distant": self._distant,
        }
        return words, {"mean": self._mean, "dual": self._dual}

    @classmethod
    def from_state(cls, words: JsonObject, arrays: Mapping[str, Floats]) -> Self:
        """Return the second opinion that `to_state` wrote down.

        >>> from rekern.krisp import read_grammar
        >>> opinion = SecondOpinion([["how", "long"]], [read_grammar(["Q -> length"]).parse("length")])
        >>> SecondOpinion.from_state(*opinion.to_state()).expect_parts(["how"]) == opinion.expect_parts(["how"])
        array([ True,  True])
        """
        found = cls([], [], words["distant"])
        found._sentences = words["sentences"]
        found._telling = [
            (labels, {word: frozenset(told) for word, told in telling.items()})
            for labels, telling in zip(LABELS, words["telling"])
        ]
        found._denied = {(word, frozenset(predicates)) for word, predicates in words["denied"]}
        found._parts = {label: number for number, label in enumerate(words["parts"])}
        found._mean, found._dual = arrays["mean"], arrays["dual"]
        found._holders = found._list_holders(found._sentences)
        return found

    def expect_parts(self, words: Sequence[str]) -> Floats:
        """For every part that a meaning may have, a number: above 0 if these words ask for it."""
        present = self._weigh(words)
        length = _measure_length(present)
        shared = sorted(present.keys() & self._holders.keys())
        holders = [self._holders[feature] for feature in shared]
        weights = np.repeat([present[feature] for feature in shared], [len(rows) for rows, _ in holders])
        rows = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in holders)])
        values = np.concatenate([np.zeros(0), *(values for _, values in holders)]) * weights / length
        products = np.bincount(rows, values, len(self._dual))
        expected: Floats = products @ self._dual + self._mean
        return expected

    def measure_agreement(self, expected: Floats, derivation: Derivation) -> float:
        """How well a reading agrees with the expected parts: 0, or below."""
        bits = self.list_part_bits()
        found = reduce(or_, [bits[label] for label in find_parts(derivation)], 0)
        return float(self.measure_agreements(expected, [found])[0])

    def list_part_bits(self) -> PartBits:
        """A bit for every part of a meaning; parts that no training meaning has get one when they are asked for."""
        return PartBits(self._parts)

    def measure_agreements(self, expected: Floats, found: Sequence[int]) -> Floats:
        """How well each of several readings agrees with the expected parts; ``found`` has the bits of their parts."""
        n = len(self._parts)
        size = max(map(int.bit_length, [1 << n, *found])) // 8 + 1
        packed = np.frombuffer(b"".join([bits.to_bytes(size, "little") for bits in found]), np.uint8)
        has = np.unpackbits(packed.reshape(-1, size), axis=1, count=n, bitorder="little")
        losses = np.maximum(0.0, MARGIN - (2.0 * has - 1.0) * expected).sum(axis=1)
        agreements: Floats = -losses - 2.0 * np.array([(bits >> n).bit_count() for bits in found])
        return agreements

    def list_overlooked(self, words: Sequence[str], derivation: Derivation) -> list[str]:
        """The telling words that a reading overlooks, in the order of the question.

        >>> from rekern.krisp import read_grammar
        >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})"])
        >>> meanings = [grammar.parse(text) for text in ["big(all)"] * 2 + ["all"] * 6]
        >>> opinion = SecondOpinion([["big", "things"]] * 2 + [["things"]] * 6, meanings)
        >>> [opinion.list_overlooked(["big", "old", "things"], meaning) for meaning in (meanings[0], meanings[-1])]
        [[], ['big']]
        """
        asked = self.find_telling(words)
        answered = reduce(or_, map(asked.find_answered, derivation.productions()), 0)
        missed = asked.find_missed(answered)
        return [word for place, word in enumerate(asked.words) if missed >> place & 1]

    def find_telling(self, words: Sequence[str]) -> TellingWords:
        """The telling words of a question, with what they tell of."""
        distinct = list(dict.fromkeys(words))
        tables: list[dict[str, int]] = []
        asked = 0
        for turn, (_, telling) in enumerate(self._telling):
            answers: dict[str, int] = {}
            for place, word in enumerate(distinct, turn * len(distinct)):
                for label in telling.get(word, ()):
                    answers[label] = answers.get(label, 0) | 1 << place
                asked |= (word in telling) << place
            tables.append(answers)
        return TellingWords(distinct, asked, *tables)

    def count_denials(self, words: Sequence[str], derivation: Derivation) -> int:
        """How many negations no training question had with a meaning of the same predicates.

        >>> from rekern.krisp import read_grammar
        >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> small({S})"])
        >>> meanings = [grammar.parse(text) for text in ("big(all)", "small(all)")]
        >>> opinion = SecondOpinion([["big", "things"], ["not", "big", "things"]], meanings)
        >>> [opinion.count_denials(["not", "big"], meaning) for meaning in meanings]
        [1, 0]
        """
        has = find_predicates(derivation)
        return sum((word, has) not in self._denied for word in NEGATIONS.intersection(words))

    def list_unknown(self, words: Sequence[str], seen: Sequence[str]) -> list[str]:
        """The words that no training question has; ``seen`` are the same words as the kernels see them.

        >>> from rekern.krisp import read_grammar
        >>> opinion = SecondOpinion([["how", "long"]], [read_grammar(["Q -> length"]).parse("length")])
        >>> opinion.list_unknown(["please", "how", "far"], ["pleas", "how", "far"])
        ['far']
        """
        return [
            word for word, known in zip(words, seen) if (known,) not in self._holders and word.lower() not in NEUTRAL
        ]

    def _weigh(self, words: Sequence[str]) -> dict[tuple[str, ...], float]:
        return weigh_pairs(words) if self._distant else dict.fromkeys(list_features(words), 1.0)

    def _list_holders(self, sentences: Sequence[Sequence[str]]) -> dict[tuple[str, ...], tuple[Ints, Floats]]:
        """For each feature the sentences that have it, with values; the squares of those of a sentence sum to 1."""
        found: dict[tuple[str, ...], tuple[list[int], list[float]]] = {}
        for row, words in enumerate(sentences):
            present = self._weigh(words)
            length = _measure_length(present)
            for feature, weight in present.items():
                rows, values = found.setdefault(feature, ([], []))
                rows.append(row)
                values.append(weight / length)
        return {feature: (np.array(rows), np.array(values)) for feature, (rows, values) in found.items()}

    def _compare_sentences(self, n: int) -> Floats:
        """The products of all sentences, plus the ridge; features of one sentence only count in its square, 1."""
        shared = [holders for feature, holders in sorted(self._holders.items()) if len(holders[0]) > 1]
        matrix = np.zeros((n, len(shared)))
        for column, (rows, values) in enumerate(shared):
            matrix[rows, column] = values
        products: Floats = matrix @ matrix.T
        np.fill_diagonal(products, 1.0 + RIDGE)
        return products


def _find_telling_words(
    sentences: Sequence[Sequence[str]], found: Sequence[frozenset[str]]
) -> dict[str, frozenset[str]]:
    """The telling words, with the labels of meanings that they tell of.

    >>> labels = [frozenset(text.split()) for text in ["all"] * 6 + ["big all", "big all", "old all"]]
    >>> words = [["all", "things"]] * 6 + [["big", "things"], ["big", "ones"], ["old", "things"]]
    >>> _find_telling_words(words, labels)
    {'big': frozenset({'big'})}
    """
    usual = Counter(predicate for has in found for predicate in has)
    with_word: dict[str, list[frozenset[str]]] = {}
    for words, has in zip(sentences, found):
        for word in set(words):
            with_word.setdefault(word, []).append(has)
    telling = {}
    for word in sorted(with_word):
        beside = with_word[word]
        counts = Counter(predicate for has in beside for predicate in has)
        lifts = {
            predicate: count / len(beside) * len(found) / usual[predicate]
            for predicate, count in counts.items()
            if count >= TWICE
        }
        told = {predicate for predicate, lift in lifts.items() if lift >= LIFT}
        if word not in NEUTRAL:
            weaker = [predicate for predicate, lift in lifts.items() if WEAK_LIFT <= lift < LIFT]
            for predicate in sorted(weaker, key=lambda predicate: (-lifts[predicate], predicate)):
                if _is_in_nearly_all(told, beside):
                    break
                told.add(predicate)
        if _is_in_nearly_all(told, beside):
            telling[word] = frozenset(told)
    return telling


def _is_in_nearly_all(told: set[str], found: Sequence[frozenset[str]]) -> bool:
    """Whether nearly all of these meanings have one of the labels."""
    return bool(told) and sum(bool(told & has) for has in found) >= NEARLY_ALL * len(found)


def list_features(words: Sequence[str]) -> set[tuple[str, ...]]:
    """The words, the pairs of neighbours, and the pairs with one word between them; the ends of the question are words.

    >>> sorted(list_features(["how", "long"]))  # doctest: +NORMALIZE_WHITESPACE
    [('<',), ('<', '*', 'long'), ('<', 'how'), ('>',), ('how',), ('how', '*', '>'), ('how', 'long'), ('long',),
     ('long', '>')]
    """
    whole = ["<", *words, ">"]
    found: set[tuple[str, ...]] = {(word,) for word in whole}
    found.update(pairwise(whole))
    found.update((first, "*", second) for first, second in zip(whole, whole[2:]))
    return found


def weigh_pairs(words: Sequence[str]) -> dict[tuple[str, ...], float]:
    """The words, and all pairs of words in their order; each word between the two makes a pair weigh less.

    >>> weighed = weigh_pairs(["how", "long"])
    >>> weighed["how",], weighed["<", "how"], weighed["<", "long"]
    (1.0, 1.0, 0.75)
    """
    whole = ["<", *words, ">"]
    found: dict[tuple[str, ...], float] = {}
    for place, first in enumerate(whole):
        found[first,] = 1.0
        for between, second in enumerate(whole[place + 1 :]):
            pair = (first, second)
            found[pair] = max(found.get(pair, 0.0), DECAY**between)
    return found


def _measure_length(weights: Mapping[tuple[str, ...], float]) -> float:
    """The length of a vector."""
    return float(np.sqrt(sum(weight * weight for weight in weights.values())))


def find_predicates(derivation: Derivation) -> frozenset[str]:
    """The predicates of a meaning.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})"])
    >>> sorted(find_predicates(grammar.parse("big(big(all))")))
    ['all', 'big']
    """
    return frozenset(p.predicate for p in derivation.productions() if p.kind == "rule" and p.predicate)


def find_symbols(derivation: Derivation) -> frozenset[str]:
    """The non-terminals of a meaning.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})"])
    >>> sorted(find_symbols(grammar.parse("big(all)")))
    ['Q', 'S']
    """
    return frozenset(production.left for production in derivation.productions())


def find_parts(derivation: Derivation) -> set[str]:
    """The predicates of a meaning, the pairs of a predicate and one below it, and the top one.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})"])
    >>> sorted(find_parts(grammar.parse("big(all)")))
    ['all', 'big', 'big / all', 'top / big']
    """
    found: set[str] = set()

    def visit(node: Derivation, above: str) -> None:
        production = node.production
        label = above
        if production.kind == "rule" and production.predicate:
            label = production.predicate
            found.update((label, f"{above} / {label}"))
        for child in node.children:
            visit(child, label)

    visit(derivation, "top")
    return found


LABELS = (find_predicates, find_symbols)  # of which telling words tell
