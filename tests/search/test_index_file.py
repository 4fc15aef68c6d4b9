"""Files of indexes: memory-mapped, the same bytes for the same texts, and never trusted."""

import json
import os
import random
import zipfile

import numpy as np
import pytest

from rekern.errors import ModelFileError
from rekern.search import PairFinder
from rekern.search.index_file import TYPES, is_index_file, open_index, save_index
from rekern.search.text_index import TextIndex

CORPUS = ["Who wrote Hamlet?", "How high is K2?", "", "Who is the author of Hamlet?", "Is K2 high?"]


@pytest.fixture
def path(tmp_path):
    save_index(TextIndex.from_texts(CORPUS), tmp_path / "texts.index")
    return tmp_path / "texts.index"


def test_what_is_opened_is_what_was_saved(path, tmp_path):
    index = open_index(path)
    assert index.read_texts(0, len(index)) == CORPUS and index.language == "english"
    for name, array in zip("abcdefg", (*index.lists, index.lengths, *index.texts)):
        assert array.flags.aligned and not array.flags.owndata, name
    fresh = PairFinder().fit(CORPUS)
    opened = PairFinder.open(path)
    assert opened.find(["hamlet"]).to_columns() == fresh.find(["hamlet"]).to_columns()
    opened.add(["K2"]).save(path)  # over the file that is mapped
    fresh.add(["K2"]).save(tmp_path / "other.index")
    assert path.read_bytes() == (tmp_path / "other.index").read_bytes()
    assert opened.find(["k2"]).targets == PairFinder.open(path).find(["k2"]).targets


def test_which_files_are_indexes(path, tmp_path):
    (tmp_path / "a.tsv").write_text("text\na\n")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("index.txt", "a")
    assert is_index_file(path)
    assert not any(is_index_file(tmp_path / name) for name in ("a.tsv", "b.zip", "none", "."))


def rewrite(path, changes):
    """Write the parts of an index again, some of them changed."""
    with open(path, "rb") as stream:
        header, arrays = json.loads(stream.readline()), {}
        for name in TYPES:
            stream.seek(-stream.tell() % 64, os.SEEK_CUR)
            arrays[name] = np.load(stream)
    changes(header, arrays)
    with open(path, "wb") as stream:
        stream.write(json.dumps(header).encode() + b"\n")
        for array in arrays.values():
            if array is not None:
                stream.write(bytes(-stream.tell() % 64))
                np.save(stream, array)


def change(name, value):
    """A change that sets an array, or one number of it."""

    def apply(header, arrays):
        arrays[name] = value(arrays[name].copy())

    return apply


def put(place, number):
    def value(array):
        array[place] = number
        return array

    return value


def swap(array):
    array[[0, 1]] = array[[1, 0]]
    return array


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (change("rows", put(0, 5)), "numbers below 5 are needed"),
        (change("rows", put(0, -1)), "at least 0"),
        (change("rows", lambda array: np.zeros_like(array)), "do not ascend"),
        (change("counts", put(2, 0)), "at least 1"),
        (change("starts", put(-1, 1 << 40)), "is damaged"),
        (change("starts", put(1, -3)), "is damaged"),
        (change("keys", swap), "do not ascend"),
        (change("lengths", lambda array: array[:-1]), "is damaged"),
        (change("text_starts", put(-1, 10_000)), "is damaged"),
        (change("counts", lambda array: array.astype(np.int64)), "not the list of numbers"),
        (change("counts", lambda array: array[:, None]), "not the list of numbers"),
        (change("keys", lambda array: None), "not the list of numbers"),
        (change("text_bytes", lambda array: None), "not an index, or it is damaged"),
        (lambda header, arrays: header.update(version=2), "upgrade this one"),
        (lambda header, arrays: header.update(format="other"), "its format is damaged"),
        (lambda header, arrays: header.update(language="klingon"), "klingon"),
    ],
)
def test_files_that_are_refused(path, changes, message):
    rewrite(path, lambda header, arrays: None)
    assert len(open_index(path)) == len(CORPUS)
    rewrite(path, changes)
    with pytest.raises(ModelFileError, match=message) as caught:
        open_index(path)
    assert str(path) in str(caught.value)


def test_texts_that_are_no_utf8(path):
    rewrite(path, change("text_bytes", put(0, 0xFF)))
    with pytest.raises(ModelFileError, match="text 0 is not UTF-8"):
        open_index(path).read_text(0)


def test_damaged_files_are_one_error_or_harmless(path):
    content = path.read_bytes()
    rng = random.Random(0)
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(3):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged[: rng.choice([len(damaged), rng.randrange(len(damaged))])])
        try:
            finder = PairFinder.open(path)
            finder.find(["Who wrote K2?"])
        except ModelFileError:
            pass


def test_no_file(tmp_path):
    with pytest.raises(ModelFileError, match="there is no such file"):
        open_index(tmp_path / "none")
    os.mkdir(tmp_path / "folder")
    with pytest.raises(ModelFileError, match="it cannot be read"):
        open_index(tmp_path / "folder")
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(ModelFileError, match="not an index"):
        open_index(tmp_path / "empty")
