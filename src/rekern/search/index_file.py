"""Files of indexes: a line of JSON, and arrays as ``numpy.save`` writes them, one after the other, to be mapped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Ints, Keys, SmallInts
from rekern.core.files import is_stream, show_path, write_atomically
from rekern.core.model_archive import read_array_header
from rekern.core.state_schema import Array, Choice, Either, Record, Text, refuse
from rekern.core.version import __version__
from rekern.errors import InputError, ModelFileError
from rekern.search.text_index import EncodedTexts, TextIndex, WordLists
from rekern.search.text_index_core import are_lists_ascending

FORMAT, VERSION = "rekern index", 1
START = b'{"format": "rekern index", '
LONGEST_HEADER = 10_000  # bytes
ALIGNMENT = 64  # of the arrays

HEADER = Record(format=Choice(FORMAT), version=Choice(VERSION), written_by=Text(100), language=Either(None, Text(100)))
SCHEMA = Record(
    keys=Array("u8", "words"),
    starts=Array("i8", "words+1", offsets="entries"),
    lengths=Array("i4", "texts", least=0),
    rows=Array("i4", "entries", least=0, below="texts"),
    counts=Array("i4", "entries", least=1),
    text_starts=Array("i8", "texts+1", offsets="bytes"),
    text_bytes=Array("u1", "bytes"),
)
TYPES = {name: constraint.types[0] for name, constraint in SCHEMA.parts.items() if isinstance(constraint, Array)}


def save_index(index: TextIndex, path: str | os.PathLike[str]) -> None:
    """Write an index; the file appears only when it is complete.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_index(TextIndex.from_texts(["one text", "another"]), f"{folder}/texts.index")
    ...     open_index(f"{folder}/texts.index").read_text(1)
    'another'
    """
    header = {"format": FORMAT, "version": VERSION, "written_by": __version__, "language": index.language}
    arrays: dict[str, AnyArray] = {
        "keys": index.lists.keys,
        "starts": index.lists.starts,
        "lengths": index.lengths,
        "rows": index.lists.rows,
        "counts": index.lists.counts,
        "text_starts": index.texts.starts,
        "text_bytes": index.texts.content,
    }
    with write_atomically(path) as temporary, open(temporary, "wb") as stream:
        stream.write(json.dumps(header).encode() + b"\n")
        for name in TYPES:
            stream.write(bytes(-stream.tell() % ALIGNMENT))
            np.save(stream, np.ascontiguousarray(arrays[name], dtype=f"<{TYPES[name]}"), allow_pickle=False)


def is_index_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like an index, so that it is no table. Nothing is read from a pipe.

    >>> is_index_file("no such file")
    False
    """
    if is_stream(path):
        return False
    try:
        with open(path, "rb") as stream:
            return stream.read(len(START)) == START
    except (OSError, ValueError):
        return False


def open_index(path: str | os.PathLike[str]) -> TextIndex:
    """Open an index that `save_index` wrote: its arrays are memory-mapped, and checked before they are used.

    A file that is damaged, of another kind or written by another version of Rekern raises ``ModelFileError``.

    >>> open_index("no such file.index")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.index: there is no such file: check the path
    """
    name = show_path(path)
    try:
        if not Path(path).exists():
            raise ModelFileError("there is no such file: check the path")
        with open(path, "rb") as stream:
            # a private copy of the pages that somebody writes to: the arrays are like any others to compiled code
            content = np.memmap(stream, np.uint8, mode="c").view(np.ndarray)
            stream.seek(0)
            header = json.loads(stream.readline(LONGEST_HEADER))
            if isinstance(header, dict) and header.get("version") != VERSION:
                other = repr(header.get("written_by"))[:100]
                raise ModelFileError(f"it was written by Rekern {other}: upgrade this one, or make it again")
            HEADER.check(header, "header")
            return _check_index(header["language"], {part: _map_array(stream, content, part) for part in TYPES})
    except (ModelFileError, InputError) as error:
        raise ModelFileError(f"{name}: {error}") from None
    except OSError as error:
        raise ModelFileError(f"{name}: it cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError):
        raise ModelFileError(f"{name}: this is not an index, or it is damaged; make it again") from None


def _map_array(stream: BinaryIO, content: npt.NDArray[np.uint8], name: str) -> AnyArray:
    """Return the array that comes next in a file, as a view of its content."""
    stream.seek(-stream.tell() % ALIGNMENT, os.SEEK_CUR)
    shape, kind = read_array_header(stream)
    start = stream.tell()
    end = start + (shape[0] if len(shape) == 1 else 0) * kind.itemsize
    if len(shape) != 1 or kind != np.dtype(f"<{TYPES[name]}") or end > len(content) or start % kind.itemsize:
        raise refuse(name, "it is not the list of numbers that it should be")
    stream.seek(end)
    return content[start:end].view(kind)


def _check_index(language: str | None, arrays: dict[str, AnyArray]) -> TextIndex:
    """Return the index of these arrays, if they fit each other."""
    SCHEMA.check(arrays, "index")
    lists = WordLists(
        cast(Keys, arrays["keys"]),
        cast(Ints, arrays["starts"]),
        cast(SmallInts, arrays["rows"]),
        cast(SmallInts, arrays["counts"]),
    )
    keys, starts, rows, _ = lists
    if (keys[1:] <= keys[:-1]).any():
        raise refuse("keys", "they do not ascend")
    if not are_lists_ascending(starts, rows):
        raise refuse("rows", "they do not ascend")
    texts = EncodedTexts(cast(Ints, arrays["text_starts"]), cast(npt.NDArray[np.uint8], arrays["text_bytes"]))
    index = TextIndex(language, lists, cast(SmallInts, arrays["lengths"]), texts)
    index.count_texts([""])  # the language must be one that there is
    return index
