"""Matches: pairs of texts that were found, with their scores and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints
from rekern.drawing.markup import shorten

SHOWN = 3  # pairs of a representation
WIDE = 60  # characters of a text there


class Match(NamedTuple):
    """One pair: the two texts and their rows, the score of the candidate, and the probability of the model.

    >>> Match("Who left?", "Who went?", 0, 7, 3.5).probability is None
    True
    """

    source: str
    target: str
    source_row: int
    target_row: int
    score: float
    probability: float | None = None


@dataclass(frozen=True)
class Matches:
    """Pairs in columns; each is also a `Match`, by its number or in a loop.

    >>> matches = Matches(["Who left?"], ["Who went?"], np.array([0]), np.array([7]), np.array([3.5]))
    >>> matches
    <Matches: 1 pair>
      Who left? | Who went?    (score 3.50)
    >>> len(matches), matches[0].target
    (1, 'Who went?')
    >>> matches.to_columns()
    {'source': ['Who left?'], 'target': ['Who went?'], 'source_row': [0], 'target_row': [7], 'score': [3.5]}
    """

    sources: list[str]
    targets: list[str]
    source_rows: Ints
    target_rows: Ints
    scores: Floats
    probabilities: Floats | None = None

    def __repr__(self) -> str:
        lines = [f"<Matches: {len(self):,} pair{'s' * (len(self) != 1)}>"]
        for found in islice(self, SHOWN):
            value = f"score {found.score:.2f}" if found.probability is None else f"probability {found.probability:.2f}"
            lines.append(f"  {shorten(found.source, WIDE)} | {shorten(found.target, WIDE)}    ({value})")
        return "\n".join(lines + ["  …"] * (len(self) > SHOWN))

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, number: int) -> Match:
        probability = None if self.probabilities is None else float(self.probabilities[number])
        return Match(
            self.sources[number],
            self.targets[number],
            int(self.source_rows[number]),
            int(self.target_rows[number]),
            float(self.scores[number]),
            probability,
        )

    def __iter__(self) -> Iterator[Match]:
        return (self[number] for number in range(len(self)))

    def to_columns(self, first_row: int = 0) -> dict[str, list[object]]:
        """Return the columns by name, for `rekern.datasets.write_table` or a data frame.

        ``first_row`` is the number of the first row of a file: 1 if people count it.
        """
        columns: dict[str, list[object]] = {
            "source": list(self.sources),
            "target": list(self.targets),
            "source_row": (self.source_rows + first_row).tolist(),
            "target_row": (self.target_rows + first_row).tolist(),
            "score": self.scores.tolist(),
        }
        if self.probabilities is not None:
            columns["probability"] = self.probabilities.tolist()
        return columns

    def group_rows(self) -> list[list[int]]:
        """Return groups of rows that matches connect, the largest first: clusters of duplicates in one corpus.

        Two rows of a group need not match each other: a chain of matches connects them.

        >>> rows = np.array([0, 4, 1]), np.array([1, 5, 2])
        >>> Matches([""] * 3, [""] * 3, *rows, np.ones(3)).group_rows()
        [[0, 1, 2], [4, 5]]
        """
        return group_rows(self.source_rows, self.target_rows)


class ScoredPairs(NamedTuple):
    """Pairs as numbers of rows, with their scores and perhaps their probabilities.

    >>> pairs = ScoredPairs(np.array([0, 0]), np.array([1, 2]), np.array([0.5, 0.7]))
    >>> pairs.take(np.array([1])).targets.tolist()
    [2]
    """

    sources: Ints
    targets: Ints
    scores: Floats
    probabilities: Floats | None = None

    def take(self, places: Ints | slice) -> ScoredPairs:
        """Return the pairs at these places."""
        probabilities = None if self.probabilities is None else self.probabilities[places]
        return ScoredPairs(self.sources[places], self.targets[places], self.scores[places], probabilities)

    def list_probabilities(self) -> Floats:
        """Return the probabilities; 0 if there are none."""
        return np.zeros(len(self.sources)) if self.probabilities is None else self.probabilities

    def read(self, read_source: Callable[[int], str], read_target: Callable[[int], str]) -> Matches:
        """Return the pairs with their texts, which two functions of the row give."""
        sources = [read_source(row) for row in self.sources.tolist()]
        targets = [read_target(row) for row in self.targets.tolist()]
        return Matches(sources, targets, *self)


def join_pairs(blocks: Sequence[ScoredPairs], model: object = None) -> ScoredPairs:
    """Return the pairs of all blocks; they have probabilities if there is a model.

    >>> join_pairs([]).sources.tolist()
    []
    """
    none = np.zeros(0, np.int64)
    return ScoredPairs(
        np.concatenate([none, *(block.sources for block in blocks)]),
        np.concatenate([none, *(block.targets for block in blocks)]),
        np.concatenate([np.zeros(0), *(block.scores for block in blocks)]),
        None if model is None else np.concatenate([np.zeros(0), *(block.list_probabilities() for block in blocks)]),
    )


def group_rows(source_rows: Ints, target_rows: Ints) -> list[list[int]]:
    """Return the groups of rows that pairs of rows connect, the largest first, then in the order of their rows.

    >>> group_rows(np.array([3]), np.array([1]))
    [[1, 3]]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, places = np.unique(np.concatenate([source_rows, target_rows]), return_inverse=True)
    if not len(rows):
        return []
    ends = places.reshape(2, -1)
    graph = coo_array((np.ones(len(source_rows)), (ends[0], ends[1])), shape=(len(rows), len(rows)))
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    groups = np.split(rows[order], np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted((group.tolist() for group in groups), key=lambda group: (-len(group), group[0]))


def rank_within(group: Ints, values: Sequence[Floats], rows: Ints, top: int) -> Booleans:
    """Return which pairs are among the ``top`` best of their group, in the order of `order_within`.

    >>> rank_within(np.array([0, 0, 1]), [np.array([0.5, 0.9, 0.1])], np.arange(3), 1).tolist()
    [False, True, True]
    """
    order = order_within(group, values, rows)
    ordered = group[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))  # groups are numbers from 0 up
    ranks = np.arange(len(ordered)) - np.repeat(starts, np.diff(starts, append=len(ordered)))
    chosen = np.zeros(len(rows), bool)
    chosen[order[ranks < top]] = True
    return chosen


def order_within(group: Ints, values: Sequence[Floats], rows: Ints) -> Ints:
    """Return the order of pairs by their group, then by falling values, then by their rows.

    >>> order_within(np.array([1, 0, 0]), [np.array([0.5, 0.1, 0.9])], np.arange(3)).tolist()
    [2, 1, 0]
    """
    order: Ints = np.lexsort([rows, *(-value for value in reversed(values)), group])
    return order
