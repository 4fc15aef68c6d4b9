"""Parses on disk: a text that was parsed once is never parsed again by the same parser with the same settings.

The cache is one SQLite file. A key is the hash of the parser's identity and of the text, a value is compressed JSON:
nothing in it can run code, and whatever cannot be read counts as not there.
"""

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from rekern.core.cache_folder import cache_folder
from rekern.core.files import show_path
from rekern.errors import InputError
from rekern.structures.parsers.interface import Parse
from rekern.structures.sentences import Sentence, sentence

FILE = "parses.sqlite"
SHAPE = 1  # of what is stored; another shape is another key
SAVE_EVERY = 1.0  # seconds of work that an interruption may cost
WAIT = 60.0  # seconds for another process that writes
ASKED_AT_ONCE = 500  # keys; SQLite takes 999
LARGEST = 1 << 28  # bytes of one parse when unpacked


class ParseCache:
    """The parses of one parser in a cache folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with ParseCache(folder, {"parser": "mine"}) as cache:
    ...         cache.put("Rain falls.", Parse(constituents=("(S (NP Rain) (VP falls))",)))
    ...     with ParseCache(folder, {"parser": "mine"}) as cache:
    ...         list(cache.get(["Rain falls.", "Snow falls."]))
    ['Rain falls.']
    """

    def __init__(self, folder: str | os.PathLike[str] | None, identity: dict[str, Any]):
        place = cache_folder(folder)
        self.path = place / FILE
        self._identity = json.dumps([SHAPE, identity], sort_keys=True, default=str)
        self._pending: list[tuple[bytes, bytes]] = []
        self._saved = time.monotonic()
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot make the cache folder {show_path(place)} ({reason}): name another") from None
        with self._readable():
            self._base = sqlite3.connect(self.path, timeout=WAIT)
            with self._base:
                self._base.execute("CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    def get(self, texts: Iterable[str]) -> dict[str, Parse]:
        """The parses of those texts that are known."""
        keys = {self._key(text): text for text in texts}
        found: dict[str, Parse] = {}
        wanted = list(keys)
        with self._readable():
            for start in range(0, len(wanted), ASKED_AT_ONCE):
                part = wanted[start : start + ASKED_AT_ONCE]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM parses WHERE key IN ({marks})"
                with closing(self._base.execute(query, part)) as rows:
                    for key, value in rows:
                        parse = _unpacked(value)
                        if parse is not None:
                            found[keys[key]] = parse
        return found

    def put(self, text: str, parse: Parse) -> None:
        """Keep a parse; one that has a fault is not kept, so that it is tried again."""
        if parse.fault:
            return
        self._pending.append((self._key(text), _packed(parse)))
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Write what is pending."""
        if self._pending:
            with self._readable(), self._base:
                self._base.executemany("INSERT OR REPLACE INTO parses VALUES (?, ?)", self._pending)
            self._pending = []
        self._saved = time.monotonic()

    def __enter__(self) -> "ParseCache":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.save()
        finally:
            self._base.close()

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self._identity}\0{text}".encode()).digest()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """SQLite's errors as one line with a remedy."""
        try:
            yield
        except sqlite3.OperationalError as error:
            name = show_path(self.path)
            raise InputError(f"cannot use the cache {name} ({error}): free it, or name another folder") from None
        except sqlite3.DatabaseError as error:
            raise InputError(f"the cache {show_path(self.path)} is damaged ({error}): delete it") from None


def _packed(parse: Parse) -> bytes:
    dependencies = None if parse.dependencies is None else [list(one) for one in parse.dependencies]
    text = json.dumps([dependencies, parse.constituents], ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode())


def _unpacked(value: Any) -> Parse | None:
    """The parse, or None if this is none."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(value, LARGEST)
        if not unpacking.eof:
            return None
        dependencies, constituents = json.loads(data)
        return Parse(
            None if dependencies is None else tuple(map(_checked, dependencies)),
            None if constituents is None else tuple(map(str, constituents)),
        )
    except (zlib.error, TypeError, ValueError, RecursionError):  # an InputError of `sentence` is a ValueError
        return None


def _checked(fields: Sequence[Any]) -> Sentence:
    words, lemmas, tags, heads, relations = fields
    return sentence(words, heads, lemmas, tags, relations)
