"""Rows that are forgotten and computed again are the same."""

import numpy as np

from rekern.krisp import WordSubsequences, substring_gram
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus
from rekern.krisp.substring_gram import SubstringGram


def test_forgotten_rows_are_computed_again(monkeypatch):
    corpus = SentenceCorpus([AnnotatedSentence(tuple("abcab")), AnnotatedSentence(tuple("bcd"))])
    whole = SubstringGram(WordSubsequences(), corpus, 1)
    everything = np.arange(len(whole))
    expected = whole.square(everything)
    monkeypatch.setattr(substring_gram, "KEPT_BYTES", 0)
    monkeypatch.setattr(substring_gram, "BLOCK", 3)
    small = SubstringGram(WordSubsequences(), corpus, 1)
    for part in (everything[:7], everything[5:], everything[::2], everything[:7]):
        np.testing.assert_array_equal(small.combine_rows(np.eye(len(part), dtype=np.float32), part), expected[part])
        np.testing.assert_array_equal(small.square(part), expected[np.ix_(part, part)])
        coefficients = np.ones((2, len(part)), np.float32)
        np.testing.assert_allclose(small.combine_rows(coefficients, part), coefficients @ expected[part], rtol=1e-5)
        assert sum(len(block) for block in small._blocks) == len(part)
