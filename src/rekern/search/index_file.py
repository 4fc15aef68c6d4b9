"""Files of indexes: a zip of JSON and plain arrays, which are not compressed, so that they can be memory-mapped."""

from __future__ import annotations

import json
import mmap
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from rekern.core.archive_members import METHODS, compute_checksum, view_array, write_member
from rekern.core.arrays import AnyArray, Ints, Keys, SmallInts
from rekern.core.files import is_stream, show_path, write_atomically
from rekern.core.state_schema import Array, Either, Number, Record, Text, refuse
from rekern.core.version import __version__
from rekern.errors import InputError, ModelFileError
from rekern.search.text_index import EncodedTexts, TextIndex, WordLists
from rekern.search.text_index_core import are_lists_ascending

FORMAT, VERSION = "rekern index", 1
HEADER = "index.json"
LONGEST_HEADER = 10_000  # bytes
LOCAL_HEADER, ZIP64_EXTRA = 30, 20  # bytes before the name of a member; after its own extra field
ALIGNMENT, PADDING = 64, 0xD935  # of the arrays; the number of the extra field that only makes room

SCHEMA = Record(
    keys=Array("u8", "words"),
    starts=Array("i8", "words+1", offsets="entries"),
    lengths=Array("i4", "texts", least=0),
    rows=Array("i4", "entries", least=0, below="texts"),
    counts=Array("i4", "entries", least=1),
    text_starts=Array("i8", "texts+1", offsets="bytes"),
    text_bytes=Array("u1", "bytes"),
)
TYPES = {name: (constraint.types[0],) for name, constraint in SCHEMA.parts.items() if isinstance(constraint, Array)}


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
    with write_atomically(path) as temporary, open(temporary, "wb") as stream, zipfile.ZipFile(stream, "w") as archive:
        write_member(archive, HEADER, json.dumps(header).encode(), shrink=False)
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # of the first day of 1980: the same index gives the same bytes
            member.create_system, member.external_attr = 3, 0o644 << 16
            start = stream.tell() + LOCAL_HEADER + len(member.filename) + 4 + ZIP64_EXTRA
            padding = -start % ALIGNMENT
            member.extra = struct.pack("<HH", PADDING, padding) + bytes(padding)
            with archive.open(member, "w", force_zip64=True) as part:
                content = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
                np.lib.format.write_array(part, content, version=(1, 0), allow_pickle=False)
        archive.comment = compute_checksum(archive)


def is_index_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins like an index, so that it is no table. Nothing is read from a pipe.

    >>> is_index_file("no such file")
    False
    """
    if is_stream(path):
        return False
    try:
        with open(path, "rb") as stream:
            start = stream.read(LOCAL_HEADER + len(HEADER))
    except (OSError, ValueError):
        return False
    return start.startswith(b"PK\x03\x04") and start.endswith(HEADER.encode())


def open_index(path: str | os.PathLike[str]) -> TextIndex:
    """Open an index that `save_index` wrote: its arrays are memory-mapped, and checked before they are used.

    A file that is damaged, of another kind or written by a newer Rekern raises ``ModelFileError``.

    >>> open_index("no such file.index")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.index: there is no such file: check the path
    """
    name = show_path(path)
    try:
        if not Path(path).exists():
            raise ModelFileError("there is no such file: check the path")
        with open(path, "rb") as stream, zipfile.ZipFile(stream) as archive:
            # a private copy of the pages that somebody writes to: the arrays are like any others to compiled code
            content = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY))
            language = _read_header(archive)
            return _check_index(language, {part: _map_array(archive, content, part) for part in TYPES})
    except (ModelFileError, InputError) as error:
        raise ModelFileError(f"{name}: {error}") from None
    except OSError as error:
        raise ModelFileError(f"{name}: it cannot be read ({error.strerror or error})") from None
    except (zipfile.BadZipFile, ValueError, KeyError, struct.error, zlib.error, EOFError, RuntimeError):
        reason = "this is not an index, or it is damaged; make it again"
        raise ModelFileError(f"{name}: {reason}") from None


def _read_header(archive: zipfile.ZipFile) -> str | None:
    """Check the header, and return the language of the index."""
    member = archive.getinfo(HEADER)
    if member.compress_type not in METHODS or member.file_size > LONGEST_HEADER:
        raise ModelFileError("this is a zip file, but no index")
    with archive.open(member) as stream:
        header = json.loads(stream.read(LONGEST_HEADER))
    if not isinstance(header, dict) or header.pop("format", None) != FORMAT:
        raise ModelFileError("this is a zip file, but no index")
    schema = Record(version=Number(1), written_by=Text(100), language=Either(None, Text(100)))
    schema.check(header, HEADER)
    if header["version"] > VERSION:
        raise ModelFileError(f"it was written by Rekern {header['written_by']!r}: upgrade this one, or make it again")
    language: str | None = header["language"]
    return language


def _map_array(archive: zipfile.ZipFile, content: memoryview, name: str) -> AnyArray:
    """Return the array of a member, as a view of the file."""
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1 or member.compress_size != member.file_size:
        raise refuse(name, "it is compressed or encrypted")
    start = member.header_offset + LOCAL_HEADER
    lengths = struct.unpack("<HH", content[start - 4 : start])
    start += sum(lengths)
    if start + member.file_size > len(content):
        raise refuse(name, "it ends too early")
    array = view_array(content[start : start + member.file_size], name, TYPES[name], 1)
    if not array.flags.aligned:
        raise refuse(name, "it begins at the wrong place")
    return array


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
