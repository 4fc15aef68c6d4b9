"""The rules of a pair as parts of an explanation; they are written as text when they are looked at."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.explanation_parts import Part, PartBlock, PartList, make_parts
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_text import (
    PairWords,
    RuleTexts,
    find_matches,
    write_aligned_rules,
    write_combined_rules,
)


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
        texts = {match.key: match for match in matches}
        found = [texts[key] for key in keys.tolist()]
        columns = rules.values[numbers].tolist(), rules.weights[numbers].tolist()
        words = [match.source for match in found], [match.target for match in found]
        return make_parts("rule", [match.rule for match in found], *columns, *words)

    return PartList.from_blocks([PartBlock(rules.values * rules.weights, write)])


class CombinedRules(NamedTuple):
    """Rules of a pair that combine a pattern of each side: the patterns, which are combined, values, weights."""

    patterns: tuple[Keys, Keys]
    chosen: tuple[Ints, Ints]
    values: Floats
    weights: Floats


def list_combined_parts(
    extractor: RuleExtractor, window: tuple[int, int], pair: PairWords, rules: CombinedRules
) -> PartBlock:
    """Return combinations of patterns of one window size as parts."""

    def write(numbers: Ints) -> list[Part]:
        chosen = rules.chosen[0][numbers], rules.chosen[1][numbers]
        texts = write_combined_rules(pair, window, extractor.wildcards, extractor.span, rules.patterns, chosen)
        return _make_parts(texts, rules.values[numbers], rules.weights[numbers])

    return PartBlock(rules.values * rules.weights, write)


def list_aligned_parts(
    extractor: RuleExtractor, window: tuple[int, int], pair: PairWords, rules: RuleValues
) -> PartBlock:
    """Return rules with aligned wildcards of one window size as parts."""

    def write(numbers: Ints) -> list[Part]:
        texts = write_aligned_rules(pair, window, extractor.span, rules.keys[numbers])
        return _make_parts(texts, rules.values[numbers], rules.weights[numbers])

    return PartBlock(rules.values * rules.weights, write)


def _make_parts(texts: RuleTexts, values: Floats, weights: Floats) -> list[Part]:
    return make_parts("rule", texts.rules, values.tolist(), weights.tolist(), texts.sources, texts.targets)
