"""The text of rules that are known by their keys."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Keys
from rekern.core.key_index import index_keys, look_up
from rekern.core.key_rows import note_first_rows
from rekern.core.parallel_jobs import split_range
from rekern.kernels.key_feature_kernel import group_by_row
from rekern.kernels.rewriting.rule_extraction import PAIRS_IN_BLOCK, RuleExtractor
from rekern.kernels.rewriting.rule_text import PairWords, find_matches
from rekern.structures.pairs import Pairs


def name_rules(extractor: RuleExtractor, pairs: Pairs, keys: Keys, n_jobs: int | None = None) -> list[str]:
    """Return the text of the rules of these keys, each of which some of the pairs has."""
    distinct = np.unique(keys)
    index, first = index_keys(distinct), np.full(len(distinct), -1, np.int64)
    for begin, end in split_range(len(pairs), PAIRS_IN_BLOCK):
        if (first >= 0).all():
            break
        listed = extractor.list_rules(pairs[begin:end], n_jobs)
        note_first_rows(first, look_up(listed.keys, index), listed.indptr, np.arange(begin, end))
    names: dict[int, str] = {}
    for columns in group_by_row(first):
        pair = PairWords.from_pair(pairs, int(first[columns[0]]))
        for window in extractor.windows:
            for match in find_matches(pair, window, extractor.wildcards, extractor.span, distinct[columns]):
                names[match.key] = match.rule
    return [names[key] for key in keys.tolist()]
