"""How well a meaning explains the words of its sentence: a translation model from parts of meanings to words.

Every word of a sentence is the translation of one part of its meaning, or of none (IBM model 1: Brown et al., 1993).
The probabilities of words given parts are learned from the training sentences by expectation maximisation. A reading
that has no part for *smallest* explains this word badly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import numpy as np

from rekern.krisp.productions import Derivation

NOTHING = ""  # the part that translates words that no part of a meaning asks for
ROUNDS = 6
LEAST = 1e-4  # the probability of a word that no part of the meaning came with

Table = dict[str, dict[str, float]]  # part -> word -> probability


class WordTranslation:
    """The probabilities of words given the parts of a meaning.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> red({S})"])
    >>> meanings = [grammar.parse(text) for text in ("all", "big(all)", "red(all)")]
    >>> translation = WordTranslation.learn([["things"], ["large", "things"], ["red", "things"]], meanings)
    >>> [round(value, 1) for value in translation.explain_all(["large", "things"], map(list_parts, meanings))]
    [-3.8, -1.5, -4.6]
    """

    def __init__(self, table: Mapping[str, Mapping[str, float]]):
        self.table = table

    @classmethod
    def learn(cls, sentences: Sequence[Sequence[str]], derivations: Iterable[Derivation]) -> WordTranslation:
        """Learn from sentences, as the kernels see them, and their meanings."""
        pairs = [(words, [NOTHING, *list_parts(derivation)]) for words, derivation in zip(sentences, derivations)]
        table: Table = {}
        for turn in range(ROUNDS):
            counts: Table = {}
            for words, parts in pairs:
                for word in words:
                    shares = [table[part].get(word, 0.0) for part in parts] if turn else [1.0] * len(parts)
                    total = sum(shares)
                    for part, share in zip(parts, shares):
                        row = counts.setdefault(part, {})
                        row[word] = row.get(word, 0.0) + share / total
            table = {part: _to_probabilities(row) for part, row in counts.items()}
        return cls(table)

    def explain_all(self, words: Sequence[str], meanings: Iterable[Sequence[str]]) -> list[float]:
        """The log probabilities of the words of a sentence given the parts of each of several meanings."""
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(part, len(numbers)) for part in (NOTHING, *parts)] for parts in meanings]
        known = [self.table.get(part, {}) for part in numbers]
        shares = np.array([[row.get(word, 0.0) for word in words] for row in known] + [[0.0] * len(words)])
        places = np.array(list(zip_longest(*rows, fillvalue=len(numbers))), dtype=np.int64)
        total = np.zeros((len(rows), len(words)))
        for column in places:  # one after the other: numbers that are added in another order are rounded in another way
            total += shares[column]
        lengths = np.array([len(row) for row in rows])
        return [sum(map(math.log, row)) for row in ((total + LEAST) / lengths[:, None]).tolist()]


def _to_probabilities(counts: Mapping[str, float]) -> dict[str, float]:
    """Numbers that are 1 together; those that will never count are left out."""
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items() if count > 1e-9 * total}


def list_parts(derivation: Derivation) -> list[str]:
    """The parts of a meaning that words may express: its predicates, and the types of its names and numbers.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> size({S})", "S -> big({S})", "S -> '{name}'", "names S = utah"])
    >>> list_parts(grammar.parse("size(big('utah'))"))
    ['size', 'big', '<S>']
    """
    return [*list_own_parts(derivation), *(part for child in derivation.children for part in list_parts(child))]


def list_own_parts(derivation: Derivation) -> tuple[str, ...]:
    """The part of a meaning that its first production is, if it is one."""
    production = derivation.production
    if production.kind != "rule":
        return () if derivation.children else (f"<{production.left}>",)  # a pronoun has the parts of what it repeats
    if not production.predicate:
        return ()
    return (production.predicate if production.slots else str(production),)
