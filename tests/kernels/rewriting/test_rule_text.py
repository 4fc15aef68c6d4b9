"""Rules that are written fast, a column for each field, are those that are found one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.kernels import Rewriting
from rekern.kernels.rewriting.rule_text import PairWords, find_matches, write_aligned_rules, write_combined_rules
from rekern.structures import Pairs

SIDES = st.lists(st.sampled_from("abc→"), max_size=7)


@settings(max_examples=40, deadline=None)
@given(SIDES, SIDES, st.sampled_from([(1, 1), (2, 2), (2, 3)]), st.sampled_from(["aligned", "free", "none"]), st.data())
def test_columns_of_rules_are_the_matches(source, target, window, wildcards, data):
    span = data.draw(st.integers(1, 2)) if wildcards != "none" else 1
    pairs = Pairs.from_items([(source, target)])
    pair = PairWords.from_pair(pairs, 0)
    known = {match.key: match[1:4] for match in find_matches(pair, window, wildcards, span)}
    extractor = Rewriting([window], wildcards, span=span).make_extractor()
    ((row,), _) = extractor.measure(pairs)
    keys = np.array(data.draw(st.permutations(row.get_wildcard_rules().keys.tolist())), np.uint64)
    texts = list(zip(*write_aligned_rules(pair, window, span, keys)))
    assert texts == [known.pop(key) for key in keys.tolist()]
    if len(source) >= window[0] and len(target) >= window[1]:
        sides = row.source.keys, row.target.keys
        chosen = np.indices((len(sides[0]), len(sides[1]))).reshape(2, -1)
        combined = write_combined_rules(pair, window, wildcards, span, sides, (chosen[0], chosen[1]))
        assert sorted(zip(*combined)) == sorted(known.values())
    else:
        assert not known
