"""Counts of pairs that rules match, against all rules of each pair, whether they are remembered or not."""

import numpy as np
import pytest

from rekern.kernels.rewriting import rule_extraction
from rekern.kernels.rewriting.rule_extraction import RuleExtractor, forget_rules, remember_rules
from rekern.kernels.rewriting.rule_support import SoughtRules, count_matches
from rekern.structures.pairs import Pairs


@pytest.mark.parametrize("is_remembered", [False, True])
def test_counts_are_those_of_the_rules_of_each_pair(is_remembered, monkeypatch):
    monkeypatch.setattr(rule_extraction, "PAIRS_IN_BLOCK", 3)
    words = np.random.default_rng(5).choice(["a", "b", "c"], (11, 2, 3))
    pairs = Pairs.from_items([(" ".join(one), " ".join(two)) for one, two in words])
    extractor = RuleExtractor([(1, 1), (2, 2)], "aligned", 1.0, 1, True)
    if is_remembered:
        remember_rules(pairs)
        extractor.measure_blocks(pairs)
    every = extractor.measure(pairs, 1).rows
    sought, expected = [], []
    for rows in every:
        wild = np.unique(rows.rules.keys)
        ones, twos = np.meshgrid(np.unique(rows.source.keys), np.unique(rows.target.keys))
        nothing = np.zeros(len(wild), np.uint64)
        sources, targets = np.append(nothing, ones.ravel()), np.append(nothing, twos.ravel())
        sought.append(SoughtRules(np.append(wild, np.zeros(ones.size, np.uint64)), sources, targets))
        has = []
        for number in range(len(pairs)):
            one = rows.slice_rows(number, number + 1)
            in_wild = np.isin(wild, one.rules.keys)
            in_plain = np.isin(ones.ravel(), one.source.keys) & np.isin(twos.ravel(), one.target.keys)
            has.append(np.append(in_wild, in_plain))
        expected.append(np.array(has))
    for matches, has in zip(count_matches(extractor, pairs, sought), expected, strict=True):
        assert np.array_equal(matches.support, has.sum(axis=0))
        assert np.array_equal(matches.first, np.where(has.any(axis=0), has.argmax(axis=0), -1))
    forget_rules(pairs)
