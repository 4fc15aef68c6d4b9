"""Word spaces: files in all formats and in all states of damage, training, latent semantics, use in tree kernels."""

import gzip
import json
import os
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rekern.errors import InputError
from rekern.kernels import SmoothedPartialTree
from rekern.similarity import LatentSemantics, WordVectors
from rekern.structures.tokenizer import Tokenizer

WORDS = ["cat", "dog", "Ärger", "日本", "new york"]
BINARY_WORDS = [word.replace(" ", "_") for word in WORDS]  # in a binary file a blank ends a word
ARRAY = np.arange(15, dtype=np.float32).reshape(5, 3) / 7


def as_text(words=WORDS, array=ARRAY, header=True):
    lines = [f"{len(words)} {array.shape[1]}"] if header else []
    lines += [f"{word} {' '.join(map(repr, map(float, row)))}" for word, row in zip(words, array)]
    return "\n".join(lines).encode() + b"\n"


def as_binary(words=BINARY_WORDS, array=ARRAY, end=b"\n"):
    rows = [word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end for word, row in zip(words, array)]
    return f"{len(words)} {array.shape[1]}\n".encode() + b"".join(rows)


def as_wink(words=WORDS, array=ARRAY, **others):
    rows = {
        word: [*map(float, row), float(np.linalg.norm(row)), place]
        for place, (word, row) in enumerate(zip(words, array))
    }
    head = {"precision": 8, "l2NormIndex": 3, "wordIndex": 4, "size": len(words), "dimensions": array.shape[1]}
    return json.dumps({**head, "words": words, "vectors": rows, "unkVector": [0] * 4 + [-1], **others}).encode()


CONTENTS = {
    "wink": as_wink(),
    "wink, indented": json.dumps(json.loads(as_wink()), indent=1, ensure_ascii=False).encode(),
    "JSON": json.dumps({word: row.tolist() for word, row in zip(WORDS, ARRAY)}).encode(),
    "word2vec text": as_text(),
    "GloVe": as_text(header=False),
    "Windows": as_text().replace(b"\n", b" \r\n"),
    "binary": as_binary(),
    "binary without line ends": as_binary(end=b""),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", CONTENTS)
def test_formats(tmp_path, kind, packed):
    path = tmp_path / "vectors"
    path.write_bytes(gzip.compress(CONTENTS[kind]) if packed else CONTENTS[kind])
    words = BINARY_WORDS if "binary" in kind else WORDS
    space = WordVectors.from_file(path)
    assert space.words == words
    np.testing.assert_allclose(space.array, ARRAY, rtol=1e-6)
    assert WordVectors.from_file(path, most=2).words == words[:2]


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_binary_and_text_are_told_apart(tmp_path_factory, data):
    words = data.draw(st.lists(st.text("abcé.0", min_size=1, max_size=4), min_size=1, max_size=4, unique=True))
    width = data.draw(st.integers(1, 5))
    numbers = st.floats(-1e9, 1e9, width=32)
    rows = data.draw(
        st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=len(words), max_size=len(words))
    )
    array = np.array(rows, np.float32)
    path = tmp_path_factory.mktemp("spaces") / "x"
    for content, binary in ((as_text(words, array), False), (as_binary(words, array), True)):
        path.write_bytes(content)
        space = WordVectors.from_file(path, binary)
        assert space.words == words and np.array_equal(space.array, array)
    path.write_bytes(as_text(words, array))
    assert WordVectors.from_file(path).words == words


def test_stems_are_looked_up_by_a_word():
    space = WordVectors(["families", "family", "house", "the"], np.eye(4)).with_stems()
    assert space.words == ["families", "family", "house", "the", "famili", "hous"]
    np.testing.assert_array_equal(space.vectors(["famili", "hous", "the"]), np.eye(4)[[0, 2, 3]])
    kernel = SmoothedPartialTree(similarity=WordVectors(["car", "vehicle"], [[1, 0.1], [1, 0]]).with_stems())
    assert kernel("(NN vehicl::n)", "(NN car::n)") > 0.5 > kernel("(NN vehicl::n)", "(NN bar::n)")


HOSTILE = {
    b'{"a": [1, 2], "b": [1]}': "word 2: the vector of 'b' has 1 numbers, others have 2",
    b'{"a": [1, 2], "b": [1, ': "not JSON at character 24: the file is damaged or truncated",
    b'{"a": [1, 2], "b": [1, NaN]}': "word 2: the vector of 'b' holds a number that is not finite",
    b'{"a": [1e99]}': "word 1: the vector of 'a' holds a number that is not finite",
    b'{"a": [1' + b"0" * 400 + b"]}": "word 1: a number is too large",
    b'{"a": [1' + b"0" * 5000 + b"]}": "not JSON",
    b'{"a": [1, true]}': "word 1: a list of numbers is needed",
    b'{"a": []}': "word 1: a list of numbers is needed",
    b'{"a": "b"}': "word 1: a list of numbers is needed",
    b'{"a": ' + b"[" * 100_000: "not JSON",
    b'{"\xff": [1]}': "byte 0xff is not UTF-8",
    b'{"dimensions": 3, "vectors": {"a": [1]}}': "word 1: 3 numbers are needed, there are 1",
    b'{"dimensions": 0, "vectors": {"a": [1]}}': "word 1: 0 numbers are needed",
    b'{"vectors": {"a": [1]': "not JSON at character 22",
    b"": "the file is empty",
    b"\n\n": "the file is empty",
    b"2 3\ncat 1 2 3\ndog 1 2\n": r"line 3: a word and 3 numbers are needed",
    b"cat 1 2 3\ndog 1 2 3 x\n": "line 2: a word and 3 numbers",
    b"3 3\ncat 1 2 3\ndog 4 5 6\n": "the first line announces 3 words, but there are 2; it is truncated",
    b"cat 1 2\n\xff\xfe 1 2\n": "line 2: byte 0xff is not UTF-8",
    b"cat 1 2\ndog nan 2\n": "word 2: the vector of 'dog' holds a number that is not finite",
    b"cat 1 2\ndog 1e99 2\n": "word 2: the vector of 'dog' holds a number that is not finite",
    b"word\n": "line 1: a word and its numbers",
    b"1 99999999\nx 1\n": "99999999 dimensions",
    b"0 3\n": "the file has no vectors",
    as_binary()[:-6]: "word 5: the file ends within its vector",
    as_binary()[:30]: "word 2: the file ends within its vector",
    as_binary(array=ARRAY * np.float32(np.nan)): "word 1: the vector of 'cat' holds",
    b"5 3\n" + as_binary()[4:].replace(b"dog", b"d\xff\xfe"): "word 2: byte 0xff is not UTF-8",
    b"9999999999999 3\n" + as_binary()[4:]: "it is truncated",
}


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files(tmp_path, content):
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"bad[,:] .*{HOSTILE[content]}") as caught:
        WordVectors.from_file(path)
    assert "\n" not in str(caught.value)


DAMAGED = {"cut off": gzip.compress(as_text())[:-20], "garbage": gzip.compress(as_text())[:12] + b"garbage"}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_archives(tmp_path, content):
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(InputError, match="bad is not a whole gzip file: fetch it again"):
        WordVectors.from_file(path)


def test_no_file(tmp_path):
    with pytest.raises(InputError, match=r"there is no file .*none: check the path"):
        WordVectors.from_file(tmp_path / "none")
    with pytest.raises(InputError, match="is a folder"):
        WordVectors.from_file(tmp_path)
    for content in (b"", b"no zip", as_text()):
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(InputError, match=r"x\.npz: not a word space"):
            WordVectors.load(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", array=np.array([object()]), words=np.zeros(3, np.uint8))
    with pytest.raises(InputError, match=r"x\.npz: not a word space"):
        WordVectors.load(tmp_path / "x.npz")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: it is no plain file; write it to one"):
        WordVectors.from_file(tmp_path / "pipe")


def test_arrays():
    for words, array, message in (
        (["a", "b"], [[1, 2]], "2 words need as many vectors"),
        (["a"], [1, 2], "need as many vectors"),
        (["a"], [["x"]], "the vectors are not a table of numbers"),
        (["a", "b"], [[1], [1, 2]], "the vectors are not a table of numbers"),
        (["a", "b"], [[1], [np.inf]], "the vector of 'b' holds a number that is not finite"),
        ([3], [[1]], "word 0 of the vocabulary is 3"),
    ):
        with pytest.raises(InputError, match=message):
            WordVectors(words, array)
    twice = WordVectors(["a", "a"], [[1], [2]])
    assert twice.vectors(["a"]).tolist() == [[1]]


def test_kept_and_cloned(tmp_path):
    for space in (WordVectors(WORDS, ARRAY), LatentSemantics(2).fit(["a cat", "a dog", "my cat"])):
        space.save(tmp_path / "space.npz")
        again = type(space).load(tmp_path / "space.npz")
        assert again.words == space.words and np.array_equal(again.array, space.array)
        assert np.array_equal(type(space).from_dict(space.to_dict()).array, space.array)
        assert clone(SmoothedPartialTree(similarity=space)).similarity is space


def test_in_a_tree_kernel():
    space = WordVectors(["dog", "cat"], [[1, 0], [1, 1]])
    kernel = SmoothedPartialTree(similarity=space, normalize=False, decay=1, mu=1)
    tree = "(NP (dog::n))"
    assert kernel("(LEX##dog::n)", "(LEX##cat::n)") == pytest.approx(np.sqrt(0.5))
    assert kernel("(LEX##dog::n)", "(LEX##gnu::n)") == 0 and kernel("(LEX##gnu::n)", "(LEX##gnu::n)") == 1
    assert kernel(tree, "(NP (cat::n))") > kernel(tree, "(NP (cat::v))") == kernel(tree, "(NP (gnu::n))")


def test_skip_grams():
    texts = ["the cat chased the mouse", "the dog chased the cat", ["Verbatim", "cats"]] * 20
    space = WordVectors.train(texts, dimensions=5, min_count=1)
    assert "chase" in space and "Verbatim" in space and space.dimensions == 5
    assert np.array_equal(space.array, WordVectors.train(texts, dimensions=5, min_count=1).array)
    with pytest.raises(InputError, match="no word occurs 99 times"):
        WordVectors.train(texts, min_count=99)


def test_without_gensim(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(ImportError, match=r"rekern\[vectors\]"):
        WordVectors.train(["a b"])


@pytest.mark.parametrize("matrix", ["texts", "words"])
def test_latent_semantics(matrix):
    rng = np.random.default_rng(0)
    topics = [["cat", "dog", "mouse", "bird", "fish"], ["share", "stock", "fund", "bond", "price"]]
    texts = [list(rng.choice(topics[n % 2], 4)) for n in range(60)]
    space = LatentSemantics(4, matrix=matrix).fit(texts)
    assert space.dimensions == 4
    assert space.similarity("cat", "dog") > space.similarity("cat", "stock")
    assert np.array_equal(space.array, LatentSemantics(4, matrix=matrix).fit(texts).array)
    whole = LatentSemantics(250, matrix=matrix).fit(texts)
    assert whole.dimensions <= 10 and np.isfinite(whole.array).all()
    # With all dimensions, the vectors have the inner products of the rows of the matrix.
    assert np.linalg.matrix_rank(whole.array) <= whole.dimensions
    assert LatentSemantics(2, matrix=matrix, min_count=1000, tokenizer=Tokenizer()).dimensions == 2
    assert LatentSemantics(3, matrix=matrix).fit(["one"]).vectors(["one", "two"]).shape[0] == 2


def test_latent_semantics_is_exact_with_all_dimensions():
    texts = ["a b b", "b c", "c a d", "d d d a"]
    space = LatentSemantics(tokenizer=str.split).fit(texts)
    tf = np.array([[text.split().count(word) for text in texts] for word in space.words], float)
    weights = np.where(tf > 0, 1 + np.log(np.maximum(tf, 1)), 0) * (np.log(4 / (tf > 0).sum(axis=1)) + 1)[:, None]
    np.testing.assert_allclose(space.array @ space.array.T, weights @ weights.T, atol=1e-5)


def test_latent_semantics_refuses():
    for parameters in ({"dimensions": 0}, {"matrix": "rows"}, {"window": True}, {"min_count": 1.5}):
        with pytest.raises(InputError, match=next(iter(parameters))):
            LatentSemantics(**parameters)
    with pytest.raises(InputError, match="no word occurs 2 times"):
        LatentSemantics(min_count=2).fit(["a b"])
    assert not LatentSemantics(5).vectors(["a"]).any()  # not fitted: no word is known


def test_glove(corpora):
    space = WordVectors.from_file(corpora / "glove_twitter_25d_12k" / "vectors.txt.gz")
    assert (len(space), space.dimensions) == (11_925, 25)
    assert space.similarity("dog", "cat") > space.similarity("dog", "parliament")


def test_a_forged_shape_takes_no_memory(tmp_path):
    path = tmp_path / "space.npz"
    WordVectors(["cat"], [[1, 2]]).save(path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"(1, 2), }         ", b"(1, 200000000000),", 1))
    assert path.read_bytes() != content
    with pytest.raises(InputError, match="not a word space that save\\(\\) wrote, or damaged"):
        WordVectors.load(path)
