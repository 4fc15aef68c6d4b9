"""Where a rule matches: the pairs of a corpus, and the words in each."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_text import PairWords, find_matches
from rekern.kernels.rewriting.strong_rules import WeightedRule
from rekern.kernels.rewriting.whole_words import find_common_words, spell_row
from rekern.structures.pairs import Pairs


class RulePlace(NamedTuple):
    """A pair that a rule matches, and the words that it lies on the first time."""

    pair: int
    source: str
    target: str


def find_rule_places(
    extractor: RuleExtractor, pairs: Pairs, rule: WeightedRule, seconds: float
) -> tuple[list[RulePlace], int]:
    """Return where a rule of these training pairs matches, and how many pairs were looked at in the given time.

    >>> from rekern import PairClassifier
    >>> from rekern.kernels import Rewriting
    >>> kernel, texts = Rewriting(1), [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
    >>> model = PairClassifier(kernel, calibration=0).fit(texts, [1, 0])
    >>> rule = next(rule for rule in model.rules(50).opposing if rule.rule == "saw → seen")
    >>> find_rule_places(kernel.make_extractor(), model.list_tokens(), rule, seconds=10)
    ([RulePlace(pair=1, source='saw', target='seen')], 2)
    """
    words = find_common_words(pairs.tokens)
    until = time.monotonic() + seconds
    found: list[RulePlace] = []
    for window in extractor.windows:
        pair = PairWords.from_pair(pairs, rule.pair, spell_row(pairs, rule.pair, words))
        first = [
            match.key
            for match in find_matches(pair, window, extractor.wildcards, extractor.span)
            if (match.rule, match.source, match.target) == (rule.rule, rule.source, rule.target)
        ]
        if not first:
            continue
        for number in range(len(pairs)):
            if time.monotonic() > until:
                return found, number
            pair = PairWords.from_pair(pairs, number, spell_row(pairs, number, words))
            wanted = np.array(first[:1], np.uint64)
            matches = find_matches(pair, window, extractor.wildcards, extractor.span, wanted)
            found += [RulePlace(number, match.source, match.target) for match in matches]
        break
    return found, len(pairs)
