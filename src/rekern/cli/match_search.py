"""A search of ``rekern match``: how its files are read, and its matches in blocks, from a log if there is one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rekern.cli import output
from rekern.core.text_files import STANDARD_INPUT

if TYPE_CHECKING:
    from rekern.search.match_log import MatchLog
    from rekern.search.matches import Matches, ScoredPairs
    from rekern.search.pair_finder import PairFinder, Workers


@dataclass(frozen=True)
class TextReader:
    """How the texts of a file are read: in blocks, of one column."""

    column: str
    format: str | None
    encoding: str
    no_header: bool
    option: str = "--text"  # which names the column

    def check(self, path: str) -> None:
        """Refuse a file that cannot be opened, or lacks the column, before any work is done for it."""
        from rekern.datasets.table_formats import choose_format

        choose_format(path, self.format)
        if can_read_again(path):
            next(self.iterate(path), None)

    def iterate(self, path: str, label: str = "") -> Iterator[list[str]]:
        """Yield the texts of a file in blocks; ``label`` is shown on a terminal."""
        from rekern.core.progress import track_rows
        from rekern.datasets.table_formats import iterate_columns

        column = "1" if self.no_header and self.column == "text" else self.column
        blocks = iterate_columns(path, self.format, encoding=self.encoding, header=not self.no_header)
        yield from track_rows((block.texts(column, self.option) for block in blocks), label, len)


@dataclass(frozen=True)
class Search:
    """What is looked for: a corpus, perhaps queries, and which matches are kept."""

    finder: PairFinder
    queries: str | None
    reader: TextReader
    top: int | None
    min_probability: float | None
    workers: Workers

    def score(self, done: int = 0) -> Iterator[ScoredPairs]:
        """Yield matches in blocks, without those of the blocks that are done."""
        if self.queries is None:
            yield from self.finder.score_duplicates(self.min_probability, done, self.workers)
            return
        for _, _, found in self._score_queries(done):
            yield found

    def _score_queries(self, done: int = 0) -> Iterator[tuple[list[str], int, ScoredPairs]]:
        """Yield blocks of queries, with the row of the first one and the matches."""
        sent: deque[tuple[list[str], int]] = deque()

        def list_calls() -> Iterator[tuple[object, ...]]:
            first = 0
            assert self.queries is not None
            for number, texts in enumerate(self.reader.iterate(self.queries, "matching")):
                if number >= done:
                    sent.append((texts, first))
                    yield texts, self.top, self.min_probability
                first += len(texts)

        for found in self.workers.run("score_queries", list_calls()):
            texts, first = sent.popleft()
            yield texts, first, found._replace(sources=found.sources + first)

    def score_all(self, log: MatchLog | None) -> Iterable[ScoredPairs]:
        """Return the matches to keep; with a log, those that it has are not looked for again."""
        if log is None:
            return self._choose(self.score())
        if log.done:
            output.say("an interrupted search continues")
        for block in self.score(log.done):
            log.append(block)
        return self._choose(log.read_blocks())

    def find(self, log: MatchLog | None) -> Iterator[Matches]:
        """Yield matches with their texts. With a log, queries are read once more for their texts."""
        if self.queries is None:
            for block in self.score_all(log):
                yield self.finder.read_duplicates(block)
            return
        for texts, first, found in self._score_queries() if log is None else self._read_log(log):
            yield found.read(partial(_read_row, texts, first), self.finder.index_.read_text)

    def _read_log(self, log: MatchLog) -> Iterator[tuple[list[str], int, ScoredPairs]]:
        """Yield what `_score_queries` yields, with the matches of the log when it is complete."""
        from rekern.search.matches import join_pairs

        assert self.queries is not None
        blocks = iter(self.score_all(log))
        known = join_pairs([], self.finder.model)
        first = 0
        for texts in self.reader.iterate(self.queries):
            last = first + len(texts)
            while not (len(known.sources) and known.sources[-1] >= last) and (block := next(blocks, None)) is not None:
                known = join_pairs([known, block], self.finder.model)
            place = int(known.sources.searchsorted(last))
            yield texts, first, known.take(slice(place))
            known, first = known.take(slice(place, None)), last

    def _choose(self, blocks: Iterable[ScoredPairs]) -> Iterable[ScoredPairs]:
        """Return the matches to keep; which duplicates are the best of their texts is known only at the end."""
        if self.queries is not None or (self.top is None and self.finder.model is not None):
            return blocks
        return [self.finder.choose_duplicates(blocks, self.top)]


def can_read_again(path: str) -> bool:
    """Return whether a file can be read more than once: standard input and pipes cannot."""
    from rekern.core.files import is_stream

    return path != STANDARD_INPUT and not is_stream(path)


def _read_row(texts: list[str], first: int, row: int) -> str:
    return texts[row - first]
