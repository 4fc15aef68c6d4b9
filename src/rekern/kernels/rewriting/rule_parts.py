"""The rules of a pair as parts of an explanation; they are written as text when they are looked at."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.explanation_parts import Part, PartBlock, PartList
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_text import PairWords, find_matches


class RuleValues(NamedTuple):
    """Some rules of a pair: their keys, their values in the pair, and the weights that a model gives them."""

    keys: Keys
    values: Floats
    weights: Floats


def list_rule_parts(extractor: RuleExtractor, window: tuple[int, int], pair: PairWords, rules: RuleValues) -> PartList:
    """Return rules of one window size as parts.

    >>> import numpy as np
    >>> from rekern.kernels import Rewriting
    >>> from rekern.structures import Pairs
    >>> pairs, extractor = Pairs.from_items([("a b", "b")]), Rewriting(1).make_extractor()
    >>> keys = extractor.list_rules(pairs).keys
    >>> rules = RuleValues(keys, np.ones(3), np.array([0.25, 0.5, 1.0]))
    >>> parts = list_rule_parts(extractor, (1, 1), PairWords.from_pair(pairs, 0), rules)
    >>> [(part.name, part.contribution) for part in parts]
    [('a → b', 0.25), ('b → b', 0.5), ('⟨1⟩ → ⟨1⟩', 1.0)]
    """

    def write(numbers: Ints) -> list[Part]:
        keys = rules.keys[numbers]
        matches = find_matches(pair, window, extractor.wildcards, extractor.span, keys)
        texts = {match.key: (match.rule, match.source, match.target) for match in matches}
        found = []
        for key, value, weight in zip(keys.tolist(), rules.values[numbers].tolist(), rules.weights[numbers].tolist()):
            rule, source, target = texts[key]
            found.append(Part("rule", rule, value, weight, source, target))
        return found

    return PartList.from_blocks([PartBlock(rules.values * rules.weights, write)])
