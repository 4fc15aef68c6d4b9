"""Counts of the documents that contain an n-gram, exact and in bounded memory.

A collection is read once and kept as token numbers, in a temporary file if it is large. `count_frequent` then finds the
n-grams that at least so many documents contain, and `count_together` the documents that contain all words of an n-gram.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Ints, SmallInts, offsets_of
from rekern.errors import InputError
from rekern.structures import ngram_counts_core as core
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens

MAX_WORD_LENGTH = 64  # a longer token is hardly a word
MAX_WORDS = 5_000_000  # distinct words that are numbered
MIN_CELLS, MAX_CELLS = 1 << 12, 1 << 24
CHUNK = 1 << 20  # tokens that are counted at a time
IN_MEMORY = 1 << 26  # bytes of token numbers; more of them go to a temporary file
BATCH = 1000  # texts that are tokenized at a time


class Counts(NamedTuple):
    """N-grams as word numbers (padded with -1), the number of documents with each, and the smallest number counted."""

    ngrams: SmallInts
    documents: Ints
    floor: int


class Collection:
    """Documents as token numbers, written once and read several times; a large collection lies in a temporary file.

    >>> with Collection() as documents:
    ...     words = documents.read(["so far", "so good"], str.split)
    ...     counts = count_frequent(documents, 2, 2, floor=1, n=10)
    ...     [" ".join(words[word] for word in ngram) for ngram in counts.ngrams.tolist()], counts.documents.tolist()
    (['so far', 'so good'], [1, 1])
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed by __exit__)
        self._shapes: list[tuple[int, int]] = []
        self.n_documents = self.n_tokens = 0

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, texts: Iterable[str | Sequence[str]], tokenizer: Tokenize) -> list[str]:
        """Tokenize the texts, store their token numbers, and return the words by number."""
        words = _WordNumbers()
        source = iter(texts)
        ids: list[SmallInts] = []
        lengths: list[Ints] = []
        done = waiting = 0
        while batch := list(islice(source, BATCH)):
            try:
                tokens = Tokens.from_texts(batch, tokenizer)
            except InputError as error:
                raise error.at(row=None if error.row is None else done + error.row) from None
            numbers = np.array([words[token] for token in tokens.vocabulary], np.int32)
            ids.append(numbers[tokens.ids])
            lengths.append(np.diff(tokens.offsets))
            done += len(batch)
            waiting += len(tokens.ids)
            if waiting >= CHUNK:
                self._append(np.concatenate(ids), offsets_of(np.concatenate(lengths)))
                ids, lengths, waiting = [], [], 0
        if ids:
            self._append(np.concatenate(ids), offsets_of(np.concatenate(lengths)))
        return words.words

    def _append(self, ids: SmallInts, offsets: Ints) -> None:
        try:
            self._file.write(ids.tobytes() + offsets.tobytes())
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"no room for a temporary file ({reason}); name a folder with more in TMPDIR") from None
        self._shapes.append((len(ids), len(offsets)))
        self.n_documents += len(offsets) - 1
        self.n_tokens += len(ids)

    def chunks(self) -> Iterator[tuple[SmallInts, Ints, int]]:
        """Yield token numbers, offsets, and the number of the first document, counted from 1."""
        self._file.seek(0)
        first = 1
        for n_ids, n_offsets in self._shapes:
            ids = np.frombuffer(self._file.read(4 * n_ids), np.int32)
            yield ids, np.frombuffer(self._file.read(8 * n_offsets), np.int64), first
            first += n_offsets - 1


class _WordNumbers(dict[str, int]):
    """The number of each word; -1 for a token that belongs to no n-gram."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def __missing__(self, token: str) -> int:
        if len(self.words) >= MAX_WORDS or len(token) > MAX_WORD_LENGTH or not any(map(str.isalnum, token)):
            return -1
        number = self[token] = len(self.words)
        self.words.append(token)
        return number


def count_frequent(documents: Collection, shortest: int, longest: int, floor: int, n: int) -> Counts:
    """Find all n-grams of these sizes in at least ``floor`` documents, with exact counts.

    A hash table first gives an upper bound for each n-gram; only those whose bound reaches the floor are then counted
    one by one. If they are more than ``n``, the floor rises and those below it are dropped. The others were counted
    from the first document on.
    """
    positions = documents.n_tokens * (longest - shortest + 1)
    size = min(MAX_CELLS, max(MIN_CELLS, 1 << max(0, 2 * positions - 1).bit_length()))
    cells, marks = np.zeros(size, np.uint32), np.zeros(size, np.int32)
    for ids, offsets, first in documents.chunks():
        core.count_cells(ids, offsets, first, shortest, longest, cells, marks)
    del marks

    room = min(n, 1 << 30, max(1, positions))
    slots = np.zeros(1 << (2 * room - 1).bit_length(), np.int32)
    ngrams, counts = np.full((room, longest), -1, np.int32), np.zeros(room, np.int64)
    seen, used = np.zeros(room, np.int32), 0
    for ids, offsets, first in documents.chunks():
        begin = 0
        while begin < len(offsets) - 1:
            begin, used = core.count_ngrams(
                ids, offsets, first, begin, shortest, longest, cells, floor, slots, ngrams, counts, seen, used
            )
            if begin < len(offsets) - 1:  # no room: drop at least half
                bounds = core.read_cells(ngrams, used, cells)
                floor = max(floor, int(np.partition(bounds, used // 2)[used // 2])) + 1
                kept = np.flatnonzero(bounds >= floor)
                for array in (ngrams, counts, seen):
                    array[: len(kept)] = array[kept]
                counts[len(kept) :] = seen[len(kept) :] = 0
                used = len(kept)
                slots[:] = 0
                core.fill_slots(ngrams, used, slots)
    frequent = counts[:used] >= floor
    return Counts(ngrams[:used][frequent], counts[:used][frequent], floor)


def count_together(documents: Collection, ngrams: SmallInts, n_words: int) -> Ints:
    """Count for each n-gram the documents that contain all its words, in any order and anywhere."""
    together = np.zeros(len(ngrams), np.int64)
    if not len(ngrams):
        return together
    frequency = np.zeros(n_words + 1, np.int64)  # the last is for -1, which is never the rarest
    for ids, _, _ in documents.chunks():
        frequency += np.bincount(np.where(ids < 0, n_words, ids), minlength=n_words + 1)
    frequency[-1] = np.iinfo(np.int64).max
    rarest = ngrams[np.arange(len(ngrams)), np.argmin(frequency[ngrams], axis=1)]
    by_rarest = np.argsort(rarest, kind="stable")
    word_offsets = np.searchsorted(rarest[by_rarest], np.arange(n_words + 1))
    present = np.zeros(n_words, np.int32)
    for ids, offsets, first in documents.chunks():
        core.count_together(ids, offsets, first, ngrams, by_rarest, word_offsets, present, together)
    return together
