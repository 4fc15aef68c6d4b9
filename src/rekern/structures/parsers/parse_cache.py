"""The cache of parses: the same parser with the same options never parses a text twice.

The cache is one SQLite file. A key is the hash of the parser's identity and of the text; a value is compressed JSON.
Reading the cache never runs code. An entry that cannot be read is ignored.
"""

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from rekern.core.cache_folder import cache_folder
from rekern.core.files import show_path
from rekern.errors import InputError
from rekern.structures.parsers.interface import Parse
from rekern.structures.sentences import Sentence, sentence

FILE = "parses.sqlite"
VERSION = 1  # the version of the stored values; it is part of the key
SAVE_EVERY = 1.0  # seconds between two writes
WAIT = 60.0  # seconds to wait for another process that writes
BATCH = 500  # keys in one query; SQLite allows 999
MAX_SIZE = 1 << 28  # bytes of one parse when decompressed


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

    def __init__(self, folder: str | os.PathLike[str] | None, identity: Mapping[str, object]):
        place = cache_folder(folder)
        self.path = place / FILE
        self._identity = json.dumps([VERSION, dict(identity)], sort_keys=True, default=str)
        self._pending: list[tuple[bytes, bytes]] = []
        self._saved = time.monotonic()
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot make the cache folder {show_path(place)} ({reason}): give another") from None
        with self._explain_errors():
            self._base = sqlite3.connect(self.path, timeout=WAIT)
            with self._base:
                self._base.execute("CREATE TABLE IF NOT EXISTS parses (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    def get(self, texts: Iterable[str]) -> dict[str, Parse]:
        """Return the parses of the texts that are in the cache, by text."""
        keys = {self._make_key(text): text for text in texts}
        found: dict[str, Parse] = {}
        wanted = list(keys)
        with self._explain_errors():
            for start in range(0, len(wanted), BATCH):
                part = wanted[start : start + BATCH]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM parses WHERE key IN ({marks})"
                with closing(self._base.execute(query, part)) as rows:
                    for key, value in rows:
                        parse = _unpack(value)
                        if parse is not None:
                            found[keys[key]] = parse
        return found

    def put(self, text: str, parse: Parse) -> None:
        """Store a parse. A parse with a fault is not stored, so that the text is parsed again next time."""
        if parse.fault:
            return
        self._pending.append((self._make_key(text), _pack(parse)))
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Write the parses that were stored since the last call to the file."""
        if self._pending:
            with self._explain_errors(), self._base:
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

    def _make_key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self._identity}\0{text}".encode()).digest()

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into an `InputError` with a remedy."""
        try:
            yield
        except sqlite3.OperationalError as error:
            name = show_path(self.path)
            raise InputError(f"cannot use the cache {name} ({error}): give another folder") from None
        except sqlite3.DatabaseError as error:
            raise InputError(f"the cache {show_path(self.path)} is damaged ({error}): delete it") from None


def _pack(parse: Parse) -> bytes:
    dependencies = None if parse.dependencies is None else [list(one) for one in parse.dependencies]
    text = json.dumps([dependencies, parse.constituents], ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode())


def _unpack(value: bytes) -> Parse | None:
    """Return the parse that `_pack` packed, or None if the value is damaged."""
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(value, MAX_SIZE)
        if not unpacking.eof:
            return None
        dependencies, constituents = json.loads(data)
        return Parse(
            None if dependencies is None else tuple(map(_build_sentence, dependencies)),
            None if constituents is None else tuple(map(str, constituents)),
        )
    except (zlib.error, TypeError, ValueError, RecursionError):  # an InputError of `sentence` is a ValueError
        return None


def _build_sentence(fields: Sequence[Any]) -> Sentence:
    words, lemmas, tags, heads, relations = fields
    return sentence(words, heads, lemmas, tags, relations)
