"""Precision and recall inside a pair, against the definition."""

import numpy as np
import pytest
from hypothesis import given, settings

from helpers import close, corpora
from reference.rewriting import precision_recall
from rekern.errors import InputError
from rekern.similarity import PrecisionRecall


@settings(max_examples=60, deadline=None)
@given(corpora("abc", 8), corpora("abc", 8))
def test_scores_and_kernel(left, right):
    kernel = PrecisionRecall()
    expected, expected2 = (np.array([precision_recall(*pair) for pair in side]) for side in (left, right))
    close(kernel.scores(left), expected)
    close(kernel.gram(left), expected @ expected.T)
    close(kernel.gram(left, right), expected @ expected2.T)
    close(kernel.diag(left), (expected**2).sum(axis=1))
    close(kernel.features(left).toarray(), expected)
    close(kernel(left[0], right[0]), expected[0] @ expected2[0])


def test_texts_are_tokenised():
    assert PrecisionRecall().scores([("The cats sat.", "the cat sits!")]).tolist() == [[0.5, 0.5]]
    assert PrecisionRecall(tokenizer=list).scores([("ab", "b")]).tolist() == [[0.5, 1.0]]
    assert PrecisionRecall().names() == ["precision", "recall"]


def test_no_pairs():
    assert PrecisionRecall().scores([]).shape == (0, 2)
    assert PrecisionRecall().gram([]).shape == (0, 0)


def test_a_missing_text_is_named():
    with pytest.raises(InputError, match="row 1, source"):
        PrecisionRecall().gram([("a", "b"), (None, "b")])


def test_same_bits_for_any_block():
    rng = np.random.default_rng(0)
    pairs = [[list(map(str, rng.integers(0, 9, 7))) for _ in "st"] for _ in range(300)]
    whole = PrecisionRecall().gram(pairs)
    assert np.array_equal(whole, whole.T)
    assert np.array_equal(PrecisionRecall().gram(pairs[17:30], pairs), whole[17:30])
