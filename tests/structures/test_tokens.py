"""The tokenizer's settings, and a corpus as flat arrays."""

import hashlib
import subprocess
import sys
import threading

import numpy as np
import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rekern.errors import InputError
from rekern.kernels import Spectrum
from rekern.structures import Pairs, Tokenizer, Tokens, stemmer, token_table, tokenizer, tokens
from rekern.structures.treebank_tokenizer import tokenize

any_text = st.text() | st.text(alphabet="abN n'tsS.,-\"`3É\n")
token_lists = st.lists(st.text(max_size=5), max_size=6)


def plainly(text: str, language: str | None, lowercase: bool, punctuation: bool) -> list[str]:
    """What Tokenizer says it does, without any cache."""
    found = tokenize(text)
    if not punctuation:
        found = [token for token in found if any(c.isalnum() for c in token)]
    if lowercase:
        found = [token.casefold() for token in found]
    if language is None:
        return found
    stems = snowballstemmer.stemmer(language)
    # PyStemmer refuses half a surrogate pair: another character that is no letter stands for it.
    halves = ["\ud800" in token for token in found]
    plain = [token.replace("\ud800", "\uf8ff") for token in found]
    found = [stems.stemWord(token) or token for token in plain]
    return [token.replace("\uf8ff", "\ud800") if half else token for token, half in zip(found, halves)]


@settings(deadline=None)
@given(any_text, st.sampled_from([None, "english", "french"]), st.booleans(), st.booleans())
def test_tokenizer_is_treebank_then_folding_then_stems(text, language, lowercase, punctuation):
    settings = (language, lowercase, punctuation)
    assert Tokenizer(*settings)(text) == plainly(text, *settings)


@settings(deadline=None)
@given(st.lists(any_text | token_lists, max_size=6), st.booleans())
def test_corpus_holds_the_tokens_of_each_text(texts, punctuation):
    tokenizer = Tokenizer(punctuation=punctuation)
    corpus = Tokens.from_texts(texts, tokenizer)
    wanted = [tokenizer(text) if isinstance(text, str) else text for text in texts]
    assert list(corpus) == wanted
    assert corpus.ids.dtype == np.int32 and corpus.offsets.dtype == np.int64
    assert len(corpus) == len(texts) == len(corpus.offsets) - 1
    assert corpus.vocabulary == list(dict.fromkeys(token for text in wanted for token in text))
    assert len(corpus.token_keys()) == len(corpus.vocabulary)


@settings(deadline=None)
@given(st.lists(token_lists, max_size=8), st.data())
def test_parts_of_a_corpus(texts, data):
    corpus = Tokens.from_texts(texts)
    part = data.draw(st.slices(len(texts)))
    assert list(corpus[part]) == texts[part]
    assert corpus[part].vocabulary is corpus.vocabulary
    assert corpus[part].offsets[0] == 0 and corpus[part].offsets[-1] == len(corpus[part].ids)
    if texts:
        chosen = data.draw(st.lists(st.integers(-len(texts), len(texts) - 1)))
        assert list(corpus.take(chosen)) == [texts[i] for i in chosen]
        assert corpus[-1] == texts[-1]
    mask = np.array([len(text) > 2 for text in texts], dtype=bool)
    assert list(corpus.take(mask)) == [text for text in texts if len(text) > 2]
    with pytest.raises(IndexError):
        corpus[len(texts)]


def test_token_keys_are_blake2b_computed_once_and_shared():
    corpus = Tokens.from_texts([["é", "\ud800", "", "a\0"], ["é"]])
    values = corpus[1:].token_keys()
    assert values.dtype == np.uint64
    for token, value in zip(corpus.vocabulary, values):
        digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        assert int(value) == int.from_bytes(digest, "big")
    assert corpus.token_keys() is values


def test_token_keys_do_not_depend_on_the_process():
    program = (
        "from rekern.structures import Tokens; print(Tokens.from_texts(['Some words, here']).token_keys().tolist())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONHASHSEED": "1"}, capture_output=True, check=True, text=True
    )
    assert other.stdout == f"{Tokens.from_texts(['Some words, here']).token_keys().tolist()}\n"


def test_own_tokens_are_verbatim():
    corpus = Tokens.from_texts(
        [["Running", "don't", ""], ("Running",), np.array(["CATS", "x"]), np.array([], dtype=object)]
    )
    assert list(corpus) == [["Running", "don't", ""], ["Running"], ["CATS", "x"], []]
    assert all(type(token) is str for token in corpus.vocabulary)


def test_a_corpus_is_returned_as_it_is():
    corpus = Tokens.from_texts(["a"])
    assert Tokens.from_texts(corpus) is corpus


def test_own_tokenizer_is_asked_once_for_equal_texts():
    asked = []

    def letters(text: str) -> list[str]:
        asked.append(text)
        return list(text)

    assert list(Tokens.from_texts(["ab", "ab", "c"], letters)) == [["a", "b"], ["a", "b"], ["c"]]
    assert asked == ["ab", "c"]


def test_a_tokenizer_derived_from_ours_is_respected():
    class Reversed(Tokenizer):
        def __call__(self, text: str) -> list[str]:
            return super().__call__(text)[::-1]

    assert Tokens.from_texts(["one two"], Reversed())[0] == ["two", "one"]


@pytest.mark.parametrize("result", ["text", None, [1], 3])
def test_bad_tokenizer(result):
    with pytest.raises(InputError, match=r"row 0: the tokenizer returned .*; it must return a list of str"):
        Tokens.from_texts(["x"], lambda text: result)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (None, "row 1: the text is None; drop the row"),
        (float("nan"), "row 1: the text is NaN; drop the row"),
        (np.float32("nan"), "row 1: the text is NaN; drop the row"),
        (3, "row 1: the text is the number 3; give a str or a list of tokens"),
        (np.int64(3), "row 1: the text is the number 3; give"),
        (True, "row 1: the text is the truth value True; give"),
        (b"x", "row 1: the text is bytes; decode it"),
        ({}, "row 1: the text is a dict; give"),
        (object, "row 1: the text is a type; give"),
        (["a", None], "row 1: token 1 is None; a list of tokens holds str only"),
        (["a", ["b"]], "row 1: token 1 is a list"),
        (("a", 2.5), "row 1: token 1 is the number 2.5"),
        (np.array([["a"]]), "row 1: the text is an array with 2 dimensions; give"),
        (np.array("a"), "row 1: the text is an array with 0 dimensions; give"),
        (np.array([1, 2]), "row 1: token 0 is the number 1"),
    ],
)
def test_bad_text(bad, message):
    with pytest.raises(InputError) as caught:
        Tokens.from_texts(["fine", bad])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_missing_values_of_pandas():
    pandas = pytest.importorskip("pandas")
    for missing in (pandas.NA, pandas.NaT):
        with pytest.raises(InputError, match="row 0: the text is missing; drop the row"):
            Tokens.from_texts([missing])


def test_errors_carry_the_row():
    with pytest.raises(InputError, match="row 1: the text is None") as caught:
        Tokens.from_texts(["fine", None])
    assert caught.value.row == 1


@pytest.mark.parametrize("bare", ["text", b"text"])
def test_one_bare_text(bare):
    with pytest.raises(InputError, match="a list of texts is needed, got"):
        Tokens.from_texts(bare)


def test_unknown_language():
    with pytest.raises(InputError, match=r"no stemmer for language 'klingon': use None or one of .*english"):
        Tokenizer("klingon")("nuqneH")


@pytest.mark.parametrize("language", sorted(snowballstemmer.algorithms()))
def test_every_snowball_language(language):
    assert Tokenizer(language)("Words, words and 3 words…") != []


def test_is_a_scikit_learn_object():
    tokenizer = Tokenizer(language="german").set_params(punctuation=False)
    assert clone(tokenizer).get_params() == {
        "language": "german",
        "lowercase": True,
        "punctuation": False,
        "expressions": None,
    }
    assert tokenizer("Mäuse!") == ["maus"]
    assert tokenizer.set_params(language=None)("Mäuse!") == ["mäuse"]


def test_strange_characters():
    text = "a\0b \ud800 😀👍🏽 e\u0301 שלום مرحبا İ ß \u200d"
    corpus = Tokens.from_texts([text])
    assert corpus[0] == ["a\0b", "\ud800", "😀👍🏽", "e\u0301", "שלום", "مرحبا", "i\u0307", "ss", "\u200d"]
    assert len(set(corpus.token_keys().tolist())) == 9


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "." * 100_000, "'" * 100_000, "n't" * 30_000, "runs, " * 10_000, "é" * 100_000]
)
def test_long_texts(text):
    corpus = Tokens.from_texts([text, text])
    assert corpus[0] == corpus[1] == Tokenizer()(text)
    assert len(corpus[0]) == len(tokenize(text))


def test_caches_are_bounded(monkeypatch):
    for module in (tokenizer, stemmer):
        monkeypatch.setattr(module, "MAX_WORDS", 10)
    monkeypatch.setattr(token_table, "MAX_SIZE", 10 * token_table.WORD_SIZE)
    monkeypatch.setattr(token_table, "_tables", {})
    tokenizer._word_tokens.cache_clear()
    stemmer.find_stemmer.cache_clear()
    texts = [f"word{i}s, other{i % 7}" for i in range(100)]
    wanted = [plainly(text, "english", True, True) for text in texts]
    assert list(Tokens.from_texts(texts, Tokenizer())) == wanted == [Tokenizer()(text) for text in texts]
    assert len(Tokenizer().word_tokens()) <= 10 and len(stemmer.find_stemmer()._stems) <= 10
    for text, found in zip(texts, wanted):
        assert list(Tokens.from_texts([text], Tokenizer())) == [found]
        assert len(token_table.find_token_table(Tokenizer())) <= 12


blanks = st.sampled_from([chr(code) for code in range(0x3001) if chr(code).isspace()])
words = st.text(max_size=4) | st.sampled_from(["Dogs", "runs,", "U.S.", "don't", "``", "-LRB-", "\ud800s", "İ", "."])
spaced_texts = st.lists(words | blanks, max_size=8).map("".join)


@pytest.mark.parametrize("many", [1, 10**9])
@given(st.lists(st.lists(spaced_texts, max_size=5), min_size=1, max_size=3), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=60)
def test_many_texts_and_few_have_the_same_tokens(many, batches, lowercase, punctuation):
    cut = Tokenizer("english", lowercase, punctuation)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_table, "MANY", many)
        patch.setattr(token_table, "CHARACTERS_IN_BLOCK", 7)
        patch.setattr(token_table, "_tables", {})
        for texts in batches:
            corpus = Tokens.from_texts(texts, cut, with_forms=True)
            wanted = [plainly(text, "english", lowercase, punctuation) for text in texts]
            assert list(corpus) == wanted
            assert list(corpus.forms) == [cut.as_written()(text) for text in texts]
            assert corpus.vocabulary == list(dict.fromkeys(token for tokens in wanted for token in tokens))
            assert corpus.token_keys().tolist() == tokens.hash_tokens(corpus.vocabulary).tolist()
            assert corpus.ids.dtype == np.int32 and corpus.offsets.dtype == np.int64


def test_forms_follow_their_tokens():
    texts = ["The Cats", ["Two", "DOGS"], "New York's Trains"]
    for cut in (Tokenizer(), Tokenizer(expressions=["new york"]), str.split):
        corpus = Tokens.from_texts(texts, cut, with_forms=True)
        as_written = cut.as_written() if isinstance(cut, Tokenizer) else cut
        forms = [text if isinstance(text, list) else as_written(text) for text in texts]
        assert list(corpus.forms) == forms and list(corpus[1:].forms) == forms[1:]
        assert list(corpus.take([2, 0]).forms) == [forms[2], forms[0]]
    pairs = Pairs.from_items([("A Cat", "The Dog"), ("One", "Two")], with_forms=True)
    assert list(pairs.clear_texts(np.array([0])).tokens.forms) == [[], [], ["One"], ["Two"]]
    assert Tokens.from_texts(texts).forms is None


def test_threads_share_the_caches(monkeypatch):
    monkeypatch.setattr(token_table, "_tables", {})
    tokenizer._word_tokens.cache_clear()
    stemmer.find_stemmer.cache_clear()
    texts = [f"cats{i} chasing{i} mice{i} relational{i}ly running generously" for i in range(300)]
    wanted = [plainly(text, "english", True, True) for text in texts]
    results = []
    threads = [threading.Thread(target=lambda: results.append(list(Tokens.from_texts(texts)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [wanted] * 8


def test_repr():
    assert repr(Tokens.from_texts(["a b", "a"])) == "Tokens(2 texts, 3 tokens, 2 distinct)"


@pytest.mark.parametrize("wrong", [Spectrum(1), 3, "words"], ids=["kernel", "number", "name"])
def test_what_is_no_tokenizer_is_refused(wrong):
    with pytest.raises(InputError, match=r"tokenizer=.*: give a function from a str to a list of str"):
        Tokens.from_texts(["a b"], tokenizer=wrong)
