"""How well a meaning explains the words of its sentence: a translation model from parts of meanings to words.

Every word of a sentence is the translation of one part of its meaning, or of none (IBM model 1: Brown et al., 1993).
The probabilities of words given parts are learned from the training sentences by expectation maximisation. A reading
that has no part for *smallest* explains this word badly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

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
    >>> [round(translation.explain(["large", "things"], meaning), 1) for meaning in meanings]
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

    def explain(self, words: Sequence[str], derivation: Derivation) -> float:
        """The log probability of the words of a sentence given its meaning."""
        return self.explain_all(words, [derivation])[0]

    def explain_all(self, words: Sequence[str], derivations: Iterable[Derivation]) -> list[float]:
        """The log probabilities of the words of a sentence given each of several meanings."""
        known: dict[str, list[float]] = {}  # of every part: the probabilities of the words
        found = []
        for derivation in derivations:
            parts = [NOTHING, *list_parts(derivation)]
            for part in parts:
                if part not in known:
                    row = self.table.get(part, {})
                    known[part] = [row.get(word, 0.0) for word in words]
            shares = zip(*(known[part] for part in parts))
            found.append(sum(math.log((sum(share) + LEAST) / len(parts)) for share in shares))
        return found


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
    production = derivation.production
    own: list[str] = []
    if production.kind != "rule":
        own = [] if derivation.children else [f"<{production.left}>"]  # a pronoun has the parts of what it repeats
    elif production.predicate:
        own = [production.predicate if production.slots else str(production)]
    return own + [part for child in derivation.children for part in list_parts(child)]
