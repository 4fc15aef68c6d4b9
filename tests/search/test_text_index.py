"""The index of texts: candidates as by definition, whatever is added, saved or done in threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.matching import find_candidates
from rekern.errors import InputError
from rekern.search import text_index_core
from rekern.search.text_index import TextIndex

WORDS = st.sampled_from(["ada", "bo", "cy", "di", "ed", "flo", "gus"])
TEXTS = st.lists(st.lists(WORDS, max_size=7).map(" ".join), min_size=1, max_size=12)


def candidates_of(index, texts, n, own=None, n_jobs=1):
    return index.find_candidates(index.count_texts(texts), n, own, n_jobs)


def check(index, corpus, queries, n, own=None):
    """Compare candidates with those by definition; ties up to rounding may stand in another order."""
    found = candidates_of(index, queries, n, own)
    for number, query in enumerate(queries):
        row = None if own is None else own + number
        texts = [text.split() for text in corpus]
        expected = find_candidates(query.split(), texts, n, row)
        rows = [row for row in found.rows[number].tolist() if row >= 0]
        scores = found.scores[number][: len(rows)]
        np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-12)
        everything = dict(find_candidates(query.split(), texts, len(texts), row))
        np.testing.assert_allclose(scores, [everything[row] for row in rows], rtol=1e-12)
        assert len(set(rows)) == len(rows)
        assert (found.rows[number][len(rows) :] == -1).all()


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=4), st.integers(1, 4))
def test_candidates_are_the_best_by_definition(corpus, queries, n):
    index = TextIndex.from_texts(corpus)
    check(index, corpus, queries, n)
    check(index, corpus, corpus, n, own=0)


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS)
def test_texts_that_are_added_are_like_the_others(first, second):
    whole, grown = TextIndex.from_texts(first + second), TextIndex.from_texts(first).extend(second)
    for one, two in zip((*whole.lists, whole.lengths, *whole.texts), (*grown.lists, grown.lengths, *grown.texts)):
        assert one.dtype == two.dtype and one.tolist() == two.tolist()


def make_corpus(size, seed=0):
    """Texts with a few frequent words and many rare ones, so that lists are skipped."""
    rng = np.random.default_rng(seed)
    ranks = np.minimum((rng.pareto(0.7, (size, 9)) * 2).astype(int), 3000)
    return [" ".join(f"w{rank}" for rank in row[: 3 + size % 7]) for size, row in enumerate(ranks.tolist())]


def test_skipped_lists_change_nothing():
    corpus = make_corpus(1500)
    index = TextIndex.from_texts(corpus)
    queries = corpus[:24]
    texts = [text.split() for text in corpus]
    found = candidates_of(index, queries, 5, own=0)
    for number in (0, 16):
        expected = find_candidates(queries[number].split(), texts, 5, number)
        np.testing.assert_allclose(found.scores[number], [score for _, score in expected], rtol=1e-12)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr("rekern.search.text_index.QUERIES", 64)
    corpus = make_corpus(1000)
    index = TextIndex.from_texts(corpus)
    one, two, four = (candidates_of(index, corpus, 7, 0, n_jobs) for n_jobs in (1, 2, 4))
    for other in (two, four):
        assert one.rows.tobytes() == other.rows.tobytes() and one.scores.tobytes() == other.scores.tobytes()


def test_odd_texts():
    corpus = ["", "?!", "word " * 5000, "word", "\ud800 half", "a\0b", "x" * 100_000, "Wörter für später. Word."]
    index = TextIndex.from_texts(corpus)
    assert index.read_texts(0, len(corpus)) == corpus
    found = candidates_of(index, corpus, 3, own=0)
    assert found.rows[0].tolist() == found.rows[1].tolist() == [-1, -1, -1]
    assert set(found.rows[3].tolist()) == {2, 7, -1}
    assert np.isfinite(found.scores).all()
    assert candidates_of(TextIndex(), ["word"], 3).rows.tolist() == [[-1, -1, -1]]
    assert candidates_of(index, [], 3).rows.shape == (0, 3)


def test_words_without_punctuation_and_case():
    index = TextIndex()
    assert index.list_words("What's U.S. law? (Cats. dogs) --") == index.list_words("what 's U.S law Cat dog")


def test_the_score_is_the_sum_of_its_words():
    corpus = make_corpus(200)
    index = TextIndex.from_texts(corpus)
    found = candidates_of(index, corpus[:20], 3, own=0)
    for number in range(20):
        for row, score in zip(found.rows[number], found.scores[number]):
            why = index.explain(corpus[number], int(row))
            assert why.decision == pytest.approx(score, rel=1e-12) and why.parts[0].kind == "word"


def test_what_is_no_text():
    with pytest.raises(InputError, match="row 3: the text is a NoneType"):
        TextIndex.from_texts(["a", "b"]).extend(["c", None])
    with pytest.raises(InputError, match=r"write \[text\]"):
        TextIndex.from_texts("one text")


def test_a_search_in_a_list():
    rows = np.array([2, 5, 9], np.int32)
    assert [text_index_core._search(rows, 0, 3, row) for row in (1, 2, 6, 9, 10)] == [0, 0, 2, 2, 3]
