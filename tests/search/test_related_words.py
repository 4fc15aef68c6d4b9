"""Candidates with related words, by word vectors: as by definition, and in a finder."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.matching import find_related_candidates
from rekern import PairFinder
from rekern.errors import InputError
from rekern.search import related_words
from rekern.search.finder_task import FinderTask
from rekern.search.related_words import LEAST, SHARE, RelatedWords
from rekern.search.text_index import TextIndex
from rekern.similarity import WordVectors

WORDS = ["ada", "bo", "cy", "di", "ed", "flo", "gus", "hal"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS[:7]), max_size=6).map(" ".join), min_size=1, max_size=8)
QUERIES = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=4)
SPACE = WordVectors(["film", "movie", "weather", "rain"], [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.8]])
CORPUS = ["a film about Ben", "weather in Rome", "the book"]


@settings(max_examples=80, deadline=None)
@given(TEXTS, QUERIES, st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_candidates_are_the_best_by_definition(corpus, queries, n, seed):
    array = np.random.default_rng(seed).normal((seed % 3, 0), size=(6, 2))  # "gus" and "hal" have no vector
    space = WordVectors(WORDS[:6], array)
    index = TextIndex.from_texts(corpus, None)
    found = index.find_candidates(index.count_texts(queries), n, related=RelatedWords(space, index))
    vectors = dict(zip(WORDS, space.array.tolist()))
    texts = [text.split() for text in corpus]
    for number, query in enumerate(queries):
        expected = find_related_candidates(query.split(), texts, len(texts), vectors, LEAST, SHARE)
        rows = [row for row in found.rows[number].tolist() if row >= 0]
        scores = found.scores[number][: len(rows)]
        np.testing.assert_allclose(scores, [score for _, score in expected[:n]], rtol=1e-5)  # vectors have 32 bits
        np.testing.assert_allclose(scores, [dict(expected)[row] for row in rows], rtol=1e-5)


def test_texts_without_a_common_word_are_found():
    assert not len(PairFinder().fit(CORPUS).find(["movies", "rain"]))
    finder = PairFinder(vectors=SPACE).fit(CORPUS)
    assert [match.target_row for match in finder.find(["movies", "rain"])] == [0, 1]
    assert [part.name for part in finder.explain("movies about Rome", 0).parts] == ["about", "film (related)"]
    for row, query in enumerate(["movies about Rome", "rainy weather in a film"]):
        match = finder.find([query], top=1)[0]
        assert finder.explain(query, match.target_row).decision == pytest.approx(match.score), row
    finder.add(["one movie"])
    assert [match.target_row for match in finder.find(["movie"])] == [3, 0]
    assert [(match.source_row, match.target_row) for match in finder.find_duplicates()] == [(0, 3)]


def test_how_many_words_are_looked_up_at_a_time_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    words = [f"w{number}x" for number in range(300)]
    space = WordVectors(words, rng.normal(size=(300, 4)))
    texts = [" ".join(rng.choice(words, 6)) for _ in range(200)]
    index = TextIndex.from_texts(texts)
    counts = index.count_texts(texts)
    expected = RelatedWords(space, index).weigh(counts)
    monkeypatch.setattr("rekern.search.related_words.CELLS", 7 * 300)
    for one, two in zip(expected, RelatedWords(space, index).weigh(counts)):
        assert one.tobytes() == two.tobytes()
    related = RelatedWords(space, index)
    halves = [related.weigh(index.count_texts(half)) for half in (texts[:90], texts[90:])]
    assert expected[2].tobytes() == b"".join(half[2].tobytes() for half in halves)
    assert len(expected[1]) > len(counts.keys)


def test_threads_do_not_meet_unfinished_words():
    rng = np.random.default_rng(1)
    words = [f"w{number}x" for number in range(2000)]
    space = WordVectors(words, rng.normal(size=(2000, 3)))
    texts = [" ".join(rng.choice(words, 5)) for _ in range(400)]
    index = TextIndex.from_texts(texts)
    counts = index.count_texts(texts)
    expected = RelatedWords(space, index).weigh(counts)[2].tobytes()
    for _ in range(3):
        related = RelatedWords(space, index)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: related.weigh(counts)[2].tobytes(), range(8)))  # noqa: B023
        assert set(found) == {expected}


def test_texts_that_another_thread_adds(monkeypatch):
    finder = PairFinder(vectors=SPACE).fit(["a film"])
    find_related = PairFinder.find_related

    def add_first(self):  # the words of the index get other numbers
        self.index_ = TextIndex.from_texts([*CORPUS, "one movie"])
        return find_related(self)

    monkeypatch.setattr(PairFinder, "find_related", add_first)
    assert finder.list_candidates(0, 1).targets.tolist() == [3]
    finder.fit(["film"])
    assert [part.name for part in finder.explain("movies", 0).parts] == ["film (related)"]


def test_what_is_remembered_does_not_grow_with_the_queries(monkeypatch):
    made, normalize = [], related_words._normalize
    monkeypatch.setattr(related_words, "_normalize", lambda *given: made.append(given) or normalize(*given))
    finder = PairFinder(vectors=SPACE).fit(CORPUS)
    assert len(finder.find([*(f"unknown{number}" for number in range(100)), "movie"])) == 1
    assert len(finder._related._known) == 1
    finder.add(["one movie"])  # the vectors are not read again
    assert len(finder.find(["movie"])) == 2 and len(made) == 1
    finder.set_params(language=None).fit(CORPUS)
    assert not len(finder.find(["movies"])) and len(made) == 2
    finder.set_params(vectors=WordVectors(["movies", "book"], [[1.0], [2.0]]))
    assert [match.target for match in finder.find(["movies"])] == ["the book"]


def test_workers_of_a_cluster_read_the_vectors(tmp_path):
    PairFinder().fit(CORPUS).save(tmp_path / "texts.index")
    (tmp_path / "vectors.txt").write_text("film 1 0\nmovie 0.9 0.1\n")
    task = FinderTask(str(tmp_path / "texts.index"), vectors=str(tmp_path / "vectors.txt"))
    assert task.call("score_queries", ["movies"], 1, None).targets.tolist() == [0]
    (tmp_path / "vectors.txt").write_text("book 1 0\nmovie 0.9 0.1\n")  # later, under the same name
    assert task.call("score_queries", ["movies"], 1, None).targets.tolist() == [2]


def test_odd_spaces():
    index = TextIndex.from_texts(CORPUS)
    nothing = WordVectors([], np.zeros((0, 0)))
    for space in (nothing, WordVectors(["film", "weather Rome", "", "book"], [[0.0], [1.0], [1.0], [1.0]])):
        plain, related = (
            index.find_candidates(index.count_texts(CORPUS), 2, related=found).scores.tolist()
            for found in (None, RelatedWords(space, index))
        )
        assert plain == related
    empty = TextIndex.from_texts([])
    assert empty.find_candidates(empty.count_texts(["film"]), 2, related=RelatedWords(SPACE, empty)).rows.tolist() == [
        [-1, -1]
    ]
    with pytest.raises(InputError, match="give WordVectors or LatentSemantics, not a dict"):
        PairFinder(vectors={"film": [1.0]}).fit(CORPUS)  # type: ignore[arg-type]
