"""The scores of `Similarities` against their definitions, and what it learns."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from helpers import close
from reference.similarities import Statistics
from reference.similarities import scores as reference_scores
from rekern.errors import InputError
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenizer

WORDS = ["the", "not", "car", "Car", "cart", "carts", "carton", "7", "12b", "½", ",", "é", "日本語日", "straße"]
WORDS += ["n't", "refus", "𝒳𝒳𝒳𝒳y", "\ud800", "", " ", "a b"]  # a lone surrogate, nothing, and blanks are legal tokens
TEXT = "Ann sold 3 cars; Ann's carts weren't sold. NOT Bob's, ÉTÉ (says “Ann”) 3,000 the cars of carters ... never"
word = st.sampled_from(WORDS)
token_lists = st.lists(word, max_size=12) | st.lists(st.sampled_from("ab"), max_size=30) | st.lists(st.text("aB1 "))
plain_texts = st.lists(st.sampled_from(TEXT.split()), max_size=14).map(" ".join) | st.text(max_size=12)
either = plain_texts | token_lists


def corpora(sides, **sizes):
    return st.lists(st.tuples(sides, sides), **sizes)


def expected(training, items, tokenizer=None, as_written=None):
    """The reference's scores; tokenizers are for sides that are str."""

    def read(side, cut):
        return cut(side) if isinstance(side, str) else side

    statistics = Statistics([[read(side, tokenizer) for side in pair] for pair in training])
    rows = []
    for pair in items:
        tokens, written = [[read(side, cut) for side in pair] for cut in (tokenizer, as_written)]
        rows.append(reference_scores(*tokens, *written, statistics))
    return np.array([[row[name] for name in Similarities().names()] for row in rows]), statistics


@settings(max_examples=60, deadline=None)
@given(corpora(token_lists, min_size=1, max_size=4), corpora(token_lists, min_size=1, max_size=3))
def test_token_lists(training, items):
    kernel = Similarities(standardize=False).fit(training)
    values, statistics = expected(training, items)
    close(kernel.scores(items), values)
    assert kernel.frequent_ == tuple(statistics.frequent)
    assert kernel.idf_ == {token: statistics.idf(token) for token in statistics.df}
    assert kernel.unseen_idf_ == statistics.idf("never seen")


@settings(max_examples=80, deadline=None)
@given(
    corpora(either, min_size=1, max_size=4),
    corpora(either, min_size=1, max_size=3),
)
def test_texts(training, items):
    """Texts are stemmed, but capitals are those of the text; token lists beside them stay as they are."""
    values, _ = expected(training, items, Tokenizer(), Tokenizer(language=None, lowercase=False))
    close(Similarities(standardize=False).fit(training).scores(items), values)
    no_points = Tokenizer("german", punctuation=False)
    values, _ = expected(training, items, no_points, Tokenizer(language=None, lowercase=False, punctuation=False))
    close(Similarities(standardize=False, tokenizer=no_points).fit(training).scores(items), values)
    values, _ = expected(training, items, list, list)
    close(Similarities(standardize=False, tokenizer=list).fit(training).scores(items), values)


@pytest.mark.parametrize("lengths", [(63, 64), (64, 65), (200, 130), (3, 300), (300, 3)])
@pytest.mark.parametrize("words", [2, 150])
def test_long_texts(lengths, words):
    """The bit vectors of the subsequence cross words, the window slides, and more than 100 tokens are known."""
    rng = np.random.default_rng(sum(lengths) + words)
    items = [[[f"w{x}" for x in rng.integers(0, words, length)] for length in lengths] for _ in range(4)]
    values, statistics = expected(items, items)
    kernel = Similarities(standardize=False).fit(items)
    close(kernel.scores(items), values)
    assert kernel.frequent_ == tuple(statistics.frequent)


@settings(max_examples=60, deadline=None)
@given(corpora(either, min_size=1, max_size=6), corpora(plain_texts, max_size=3), st.randoms())
def test_standardised(training, items, random):
    kernel = Similarities().fit(training)
    values = Similarities(standardize=False).fit(training).scores(training)
    found = kernel.scores(training)
    close(kernel.mean_, values.mean(axis=0))
    varied = kernel.scale_ > 0
    np.testing.assert_allclose(kernel.scale_, values.std(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(found.std(axis=0)[varied], 1, atol=1e-6)
    assert not found[:, ~varied].any()
    new = kernel.scores(items)
    assert new.shape == (len(items), 28)
    assert np.isfinite(new).all() and not new[:, ~varied].any()
    # In another order the same is learned.
    other = Similarities().fit(random.sample(training, len(training)))
    assert (other.idf_, other.unseen_idf_, other.frequent_) == (kernel.idf_, kernel.unseen_idf_, kernel.frequent_)
    np.testing.assert_allclose(other.mean_, kernel.mean_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(other.scale_, kernel.scale_, rtol=1e-9, atol=1e-9)
    # Alone or among others, a pair has the same scores, to the bit.
    assert np.array_equal(np.vstack([kernel.scores([pair]) for pair in training]), found)
    assert all(kernel.diag([pair])[0] == value for pair, value in zip(training, kernel.diag(training)))


def test_as_a_kernel():
    rng = np.random.default_rng(1)
    items = [[list(map(str, rng.integers(0, 9, 7))) for _ in "st"] for _ in range(90)]
    kernel = Similarities().fit(items)
    values = kernel.scores(items)
    whole = kernel.gram(items)
    close(whole, values @ values.T)
    close(kernel.diag(items), (values**2).sum(axis=1))
    close(kernel.features(items).toarray(), values)
    assert np.array_equal(whole, whole.T)
    assert np.array_equal(kernel.gram(items, n_jobs=2), whole)
    close(kernel.gram(items[17:30], items, n_jobs=1), whole[17:30])
    assert kernel(items[3], items[5]) == pytest.approx(whole[3, 5], rel=1e-9)
    close((kernel + PrecisionRecall()).fit(items).diag(items), kernel.diag(items) + PrecisionRecall().diag(items))


def test_chosen_scores():
    pairs = [("Ann sold 3 cars", "Bob bought a car"), ("No news", "It is 3")]
    every = Similarities().fit(pairs)
    names = ["window recall", "precision", "negation differs"]
    some = Similarities(only=tuple(names)).fit(pairs)
    assert some.names() == names and len(set(every.names())) == 28
    places = [every.names().index(name) for name in names]
    assert np.array_equal(some.scores(pairs), every.scores(pairs)[:, places])
    assert np.array_equal(some.diag(pairs[:1]), some.diag(pairs)[:1])


def test_ready_pairs_and_parts_of_them():
    pairs = [("Ann sold 3 cars", "Bob bought a car"), ("No news", "It is 3"), ("", "")]
    ready = Pairs.from_items(pairs)
    lists = list(ready)
    part, plain = Similarities(standardize=False).fit(ready[1:]), Similarities(standardize=False).fit(lists[1:])
    assert part.idf_ == plain.idf_ and part.frequent_ == plain.frequent_
    assert np.array_equal(part.scores(ready), plain.scores(lists))
    assert np.array_equal(part.scores(ready[:1]), plain.scores(lists[:1]))


def test_values_by_hand():
    pairs = [("The Beatles sang", "Beatles, the"), ("Mr Smith refused", "He smithed")]
    filler = [([f"f{i}"] * 9, []) for i in range(100)]  # so that no word of the pairs is among the frequent ones
    kernel = Similarities(standardize=False).fit(pairs + filler)
    assert len(kernel.frequent_) == 100 and kernel.unseen_idf_ == math.log(2 * 102 + 1)
    first, second = (dict(zip(kernel.names(), row)) for row in kernel.scores(pairs))
    assert first["precision"] == first["recall"] == 2 / 3
    assert first["capital precision"] == 1 and first["bigram recall"] == 0 and first["number recall"] == 1
    assert first["subsequence precision"] == first["substring precision"] == 1 / 3
    assert first["content recall"] == 1  # a comma is no content
    assert second["capital recall"] == 0 and second["capital precision"] == 0.5  # Smith, but not Mr, and not He
    assert second["recall"] == 0.5  # both sides have the stem smith
    assert second["window recall"] == second["idf recall"]  # the window is the whole source
    assert (second["source negation"], second["target negation"], second["negation differs"]) == (1, 0, 1)


def test_equal_sides_score_one():
    pairs = [("Not 3 cars, but the 4 carts of Ann", "the 4 carts of Ann, but Not 3 cars"), ("same old", "same old")]
    values = dict(zip(Similarities().names(), Similarities(standardize=False).fit(pairs).scores(pairs).T))
    for name in ("", "idf ", "content ", "capital ", "number ", "prefix "):
        assert values[f"{name}precision"].tolist() == values[f"{name}recall"].tolist() == [1, 1]
    assert values["window recall"].tolist() == [1, 1]


def test_very_long_texts():
    rng = np.random.default_rng(0)
    long = [f"w{x}" for x in rng.integers(0, 3000, 10_000)]
    items = [(long, long[::-1]), (["a"] * 10_000, ["a"] * 9_000), (long, []), ([], [])]
    values = Similarities(standardize=False).fit(items).scores(items)
    assert np.isfinite(values).all()
    named = dict(zip(Similarities().names(), values.T))
    assert named["recall"].tolist() == [1, 1, 1, 1] and named["precision"].tolist() == [1, 0.9, 0, 1]
    assert named["subsequence precision"][1] == named["substring precision"][1] == 0.9


def test_unfitted():
    kernel = Similarities()
    for call in (kernel.scores, kernel.gram, kernel.diag, kernel.features):
        with pytest.raises(NotFittedError, match=r"^this Similarities is not fitted yet; call fit"):
            call([("a", "b")])
    fitted = kernel.fit([("a", "b")])
    assert fitted is kernel and kernel.scores([]).shape == (0, 28)
    with pytest.raises(NotFittedError):
        clone(kernel).scores([("a", "b")])


def test_bad_input():
    with pytest.raises(InputError, match="no pairs"):
        Similarities().fit([])
    with pytest.raises(InputError, match="row 1, target"):
        Similarities().fit([("a", "b"), ("a", None)])
    with pytest.raises(InputError, match="no score 'p'; choose among precision, recall"):
        Similarities(only=("p",)).fit([("a", "b")])
    for only in ("recall", ()):
        with pytest.raises(InputError, match="give a tuple of names"):
            Similarities(only=only).names()


def test_a_generator_and_empty_texts():
    kernel = Similarities().fit(pair for pair in [("", ""), ("", "")])
    assert not kernel.scores([("", ""), ("a", "")]).any()


def test_scores_follow_what_was_learned_last():
    one = Pairs.from_items([("the cat sat", "a cat sat down"), ("the dog", "a dog")], with_forms=True)
    two = Pairs.from_items([("cat cat", "the"), ("sat", "the dog sat")], with_forms=True)
    kernel = Similarities().fit(one).fit(two)
    expected = Similarities().fit(two)
    assert np.array_equal(kernel.raw_scores(one), expected.raw_scores(one))
    single = one[:1]
    before = kernel.raw_scores(single)
    assert np.array_equal(kernel.raw_scores(single), before) and np.array_equal(before, expected.raw_scores(single))
    assert not np.array_equal(kernel.fit(one).raw_scores(single), before)


def test_blocks_of_pairs_have_the_scores_of_the_whole(monkeypatch):
    words = TEXT.split()
    texts = [" ".join(words[start : start + 2 + start % 9]) for start in range(22)]
    pairs = list(zip(texts, texts[5:] + texts[:5]))
    kernel = Similarities(groups=("basic", "ngrams", "sequences", "differences")).fit(pairs[:15])
    whole = kernel.raw_scores(pairs)
    monkeypatch.setattr("rekern.similarity.similarities.FEW_PAIRS", 4)
    assert np.array_equal(kernel.raw_scores(pairs), whole)


SHARES = ("as a share", "has too", "that stay", "in common runs", "in the longest common", "a word of the")
FREE = ("basic", "ngrams", "sequences", "differences", "order", "contexts")


@given(corpora(plain_texts, min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
def test_descriptions_say_what_the_numbers_are(pairs):
    """What is described as a share or as yes or no is from 0 to 1, and the formulas of lengths are named."""
    kernel = Similarities(groups=FREE).fit(pairs)
    tokens = Tokenizer()
    for (source, target), row in zip(pairs, kernel.raw_scores(pairs).tolist()):
        known = dict(zip(kernel.describe_scores(), row, strict=True))
        shares = [value for words, value in known.items() if any(mark in words for mark in SHARES)]
        assert len(shares) > 30 and all(0 <= value <= 1 for value in shares)
        lengths = [1 + len(tokens(side)) for side in (source, target)]
        for side, length in zip(("source", "target"), lengths):
            close(known[f"length of the {side} (logarithm, divided by 5)"], math.log(length) / 5)
        close(known["difference in length (logarithm of the ratio)"], abs(math.log(lengths[0] / lengths[1])))
