"""A file with the pairs that were found so far, so that a search that was interrupted can go on.

The file begins with a line of JSON that says which search it belongs to and how much of it is done. The pairs follow as
numbers. The line is written anew after the pairs, which are on disk by then.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import IO

import numpy as np

from rekern.core.files import open_locked, remove_locked
from rekern.core.json_values import Json
from rekern.search.matches import ScoredPairs

RECORD = np.dtype([("source", "<i8"), ("target", "<i8"), ("score", "<f8"), ("probability", "<f8")])
HEADER = 200  # bytes
RECORD_SECONDS = 2.0  # the most work that an interruption loses


class MatchLog:
    """The pairs of the blocks that are done; see `open_match_log`."""

    def __init__(self, stream: IO[bytes], state: Mapping[str, Json], has_probabilities: bool):
        digest = blake2b(json.dumps(state).encode(), digest_size=16).hexdigest()  # of one length, whatever the options
        self._state: dict[str, Json] = {"file": "unfinished matches of Rekern", "search": digest}
        self._stream, self._has_probabilities = stream, has_probabilities
        self._since = time.monotonic()
        self.done, self._pairs = self._read_header()
        self._stream.truncate(HEADER + self._pairs * RECORD.itemsize if self.done else 0)

    def append(self, pairs: ScoredPairs) -> None:
        """Append the pairs of one more block."""
        records = np.empty(len(pairs.sources), RECORD)
        records["source"], records["target"], records["score"] = pairs[:3]
        records["probability"] = pairs.list_probabilities()
        self._stream.seek(HEADER + self._pairs * RECORD.itemsize)
        self._stream.write(records.tobytes())
        self.done += 1
        self._pairs += len(records)
        if time.monotonic() - self._since >= RECORD_SECONDS:
            self.record()

    def record(self) -> None:
        """Record how much is done, once it is on disk."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        # One write of one length: a kill leaves the old text or the new one, never a mixture.
        text = json.dumps({**self._state, "done": self.done, "pairs": self._pairs}).encode()
        self._stream.seek(0)
        self._stream.write(text.ljust(HEADER - 1) + b"\n")
        self._stream.flush()
        self._since = time.monotonic()

    def read_blocks(self, size: int = 100_000) -> Iterator[ScoredPairs]:
        """Yield all pairs, some at a time."""
        self._stream.flush()
        for first in range(0, self._pairs, size):
            self._stream.seek(HEADER + first * RECORD.itemsize)
            count = min(size, self._pairs - first)
            records = np.frombuffer(self._stream.read(count * RECORD.itemsize), RECORD)
            probabilities = records["probability"].copy() if self._has_probabilities else None
            yield ScoredPairs(
                records["source"].copy(), records["target"].copy(), records["score"].copy(), probabilities
            )

    def _read_header(self) -> tuple[int, int]:
        """Return how many blocks and pairs of this search an earlier run found; 0 if it was another search."""
        self._stream.seek(0)
        try:
            found = json.loads(self._stream.read(HEADER))
            done, pairs = found.pop("done"), found.pop("pairs")
        except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
            return 0, 0
        size = os.fstat(self._stream.fileno()).st_size
        is_whole = type(done) is int and type(pairs) is int and done >= 0 <= pairs
        if found != self._state or not is_whole or size < HEADER + pairs * RECORD.itemsize:
            return 0, 0
        return done, pairs


@contextmanager
def open_match_log(path: Path, state: Mapping[str, Json], has_probabilities: bool) -> Iterator[MatchLog]:
    """Open the log of a search that this state describes: of an earlier run, or a new one.

    It is removed when the block ends. After an error or Ctrl-C it stays if there is something to go on with.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_match_log(Path(folder) / "log", {"corpus": "a"}, False) as log:
    ...     log.append(ScoredPairs(np.array([0]), np.array([1]), np.array([0.5])))
    ...     log.done, [block.targets.tolist() for block in log.read_blocks()]
    (1, [[1]])
    """
    with open_locked(path) as stream:
        log = MatchLog(stream, state, has_probabilities)
        try:
            yield log
        except BaseException:
            if log.done:
                log.record()
            else:
                remove_locked(path, stream)
            raise
        remove_locked(path, stream)
