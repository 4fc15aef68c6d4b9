"""Folds are the same in every run, cover all rows once, and keep together what belongs together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from rekern.errors import InputError
from rekern.learning.candidate_groups import group_shared_texts
from rekern.learning.cross_validation import (
    deal_folds,
    make_class_folds,
    make_folds,
    make_group_folds,
    make_stratified_folds,
    make_text_folds,
)

LABELS = np.array([0, 1, 1, 0, 2, 2, 1, 0, 2, 0, 1, 2])


def same(ours, theirs):
    pairs = list(zip(ours, theirs, strict=True))
    return all(np.array_equal(a, b) for one, other in pairs for a, b in zip(one, other, strict=True))


def covers(folds, n):
    assert sorted(row for fold in folds for row in fold.test.tolist()) == list(range(n))
    for fold in folds:
        assert sorted([*fold.train.tolist(), *fold.test.tolist()]) == list(range(n))


def test_folds_are_those_of_scikit_learn():
    rows = np.arange(len(LABELS))
    assert same(make_folds(12, 3), KFold(3, shuffle=True, random_state=0).split(rows))
    stratified = StratifiedKFold(3, shuffle=True, random_state=0)
    assert same(make_stratified_folds(LABELS, 3), stratified.split(rows, LABELS))
    assert same(make_class_folds(LABELS, 4), StratifiedKFold(4, shuffle=True, random_state=0).split(rows, LABELS))
    assert same(make_class_folds(LABELS, 5), KFold(5, shuffle=True, random_state=0).split(rows))
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6])
    assert same(make_group_folds(groups.tolist(), 3), GroupKFold(3).split(rows, groups=groups))
    assert same(make_group_folds([f"q{group}" for group in groups], 3), GroupKFold(3).split(rows, groups=groups))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("ijklmnop")), min_size=8, max_size=20))
def test_pairs_that_share_a_text_stay_together(pairs):
    labels = np.arange(len(pairs)) % 2
    if len(set(group_shared_texts(pairs).tolist())) < 2:
        with pytest.raises(InputError, match="too many pairs share a text"):
            make_text_folds(pairs, labels, 2)
        return
    folds = make_text_folds(pairs, labels, 2)
    covers(folds, len(pairs))
    for fold in folds:
        inside = {text for row in fold.train for text in pairs[row]}
        assert not inside & {text for row in fold.test for text in pairs[row]}


def test_texts_that_are_linked_through_others_are_one_group():
    assert group_shared_texts([("a", "b"), ("b", "c"), ("d", "e"), ("c", "f")]).tolist() == [0, 0, 1, 0]


def test_dealt_folds_cover_all_rows():
    covers(deal_folds(11, 3), 11)
    assert same(deal_folds(11, 3), deal_folds(11, 3))


def test_too_few_pairs_are_an_error():
    with pytest.raises(InputError, match="5 folds needs 5 pairs"):
        make_text_folds([("a", "b")] * 4, np.array([0, 1, 0, 1]), 5)
    with pytest.raises(InputError, match="two labels"):
        make_text_folds([("a", "b")] * 9, np.zeros(9), 2)
