"""Pairs of texts in a file: as many as the disk has room for, of which a few are in memory."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from os import SEEK_END, PathLike
from tempfile import TemporaryFile
from threading import Lock
from typing import overload

__all__ = ["StoredPairs"]

TOGETHER = 4096  # pairs that are read at once from the first to the last


class StoredPairs(Sequence[tuple[str, str]]):
    """A list of pairs whose texts are on disk, in a file without a name, which vanishes when the process ends.

    Each pair takes 16 bytes of memory. ``folder`` is where the file is, by default the folder of temporary files.

    >>> pairs = StoredPairs([("a cat", "cats"), ("", "b")])
    >>> pairs.extend([("c", "é")])
    >>> pairs
    StoredPairs(3 pairs)
    >>> len(pairs), pairs[2], pairs[:2], list(pairs)[-1]
    (3, ('c', 'é'), [('a cat', 'cats'), ('', 'b')], ('c', 'é'))
    """

    def __init__(self, pairs: Iterable[tuple[str, str]] = (), folder: str | PathLike[str] | None = None):
        self._file = TemporaryFile(prefix="rekern-pairs-", dir=folder)  # noqa: SIM115
        self._ends = array("q", [0])  # of each text, in bytes
        self._lock = Lock()
        self.extend(pairs)

    def extend(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Append pairs."""
        rest = iter(pairs)
        while some := list(islice(rest, TOGETHER)):
            texts = [text.encode("utf-8", "surrogatepass") for source, target in some for text in (source, target)]
            with self._lock:  # not while pairs are made, which may be read from this list
                self._file.seek(0, SEEK_END)
                self._file.write(b"".join(texts))
                self._ends.extend(accumulate(map(len, texts), initial=self._ends.pop()))

    def __repr__(self) -> str:
        return f"StoredPairs({len(self):,} pairs)"

    def __len__(self) -> int:
        return (len(self._ends) - 1) // 2

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, str]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str] | list[tuple[str, str]]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return self._read(start, stop) if step == 1 else [self[row] for row in range(start, stop, step)]
        if not -len(self) <= index < len(self):
            raise IndexError(f"pair {index} of {len(self)}")
        return self._read(index % len(self), index % len(self) + 1)[0]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for start in range(0, len(self), TOGETHER):
            yield from self._read(start, min(start + TOGETHER, len(self)))

    def _read(self, start: int, stop: int) -> list[tuple[str, str]]:
        """Return the pairs from ``start`` to ``stop - 1``; several threads may call it."""
        if stop <= start:
            return []
        ends = self._ends[2 * start : 2 * stop + 1].tolist()
        with self._lock:
            self._file.seek(ends[0])
            data = self._file.read(ends[-1] - ends[0])
        spans = pairwise(end - ends[0] for end in ends)
        texts = [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in spans]
        return list(zip(texts[::2], texts[1::2]))
