"""Features of many pairs, made chunk by chunk and written to disk over groups of equal columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.column_groups import ColumnGroups, SparseRows
from rekern.core.parallel_jobs import run_ahead
from rekern.core.progress import track
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.rewriting.hashed_rules_core import add_columns, sum_columns
from rekern.learning.block_store import BlockStore, Span
from rekern.learning.feature_space import SmallFloats, group_features, list_rule_terms, read_rules, read_scores
from rekern.learning.pair_input import Pair, read_items, take_items


class Chunks:
    """The pairs of a corpus in chunks, in a given order; the tokens of each chunk are read once.

    >>> from rekern.kernels import Rewriting
    >>> chunks = Chunks(Rewriting(1, normalize=False), [("a b", "b"), ("b", "b")], np.array([1, 0]), [(0, 1), (1, 2)])
    >>> [np.diff(rows.indptr).tolist() for rows in chunks.iterate_rules("rules")]
    [[2], [3]]
    """

    def __init__(
        self, kernel: Kernel, pairs: Sequence[Pair], order: Ints, spans: list[Span], n_jobs: int | None = None
    ):
        self.kernel, self.pairs, self.order, self.spans, self.n_jobs = kernel, pairs, order, spans, n_jobs
        self._items: dict[int, Items] = {}

    def read_items(self, number: int) -> Items:
        """Return the pairs of a chunk as the kernel reads them."""
        if number not in self._items:
            first, last = self.spans[number]
            self._items[number] = read_items(self.kernel, [self.pairs[row] for row in self.order[first:last].tolist()])
        return self._items[number]

    def read_rules(self, number: int) -> SparseRows:
        """Return the rules of a chunk."""
        first, last = self.spans[number]
        return read_rules(self.kernel, self.read_items(number), last - first, self.n_jobs)

    def read_scores(self, number: int) -> SmallFloats:
        """Return the scores of a chunk."""
        first, last = self.spans[number]
        return read_scores(self.kernel, self.read_items(number), last - first)

    def iterate_rules(self, label: str) -> Iterator[SparseRows]:
        """Yield the rules of all chunks; those of the next chunk are made meanwhile."""
        rows = run_ahead(self.read_rules, [(number,) for number in range(len(self.spans))], 1)
        return iter(track(rows, len(self.spans), label))


def fill_store(store: BlockStore, chunks: Chunks, entries: int, memory: int) -> int:
    """Make the features of all chunks that the store does not have; return the number of columns.

    ``entries`` is about how many rules all pairs have together, ``memory`` how many bytes the tables may take.
    """
    columns = store.load_columns()
    if columns is not None:
        return columns
    groups = ColumnGroups(entries, memory, chunks.n_jobs)
    for rows in chunks.iterate_rules("counting rules"):
        groups.note(rows)
    for (first, _), rows in zip(chunks.spans, chunks.iterate_rules("comparing rules")):
        groups.sign(first, rows)
    groups.number()
    for number, rows in enumerate(chunks.iterate_rules("features")):
        grouped = groups.condense(rows)  # of every chunk, since columns are numbered as they come
        if not store.has_chunk(number):
            store.write(number, group_features(grouped, chunks.read_scores(number)))
    store.save_columns(groups.used)
    return groups.used


def weigh_rules(chunks: Chunks, coefficients: Floats, bits: int) -> list[Floats]:
    """Return the weights of all rules of each term of the kernel, hashed into 2 to the power of ``bits`` columns.

    ``coefficients`` has a row for each output. The weights of a term are an array of columns × outputs.
    """
    terms = list_rule_terms(chunks.kernel)
    weights: list[Floats] = [np.zeros((1 << getattr(term, "bits", bits), len(coefficients))) for term, _ in terms]
    for number, (first, last) in track(enumerate(chunks.spans), len(chunks.spans), "weights"):
        own = np.ascontiguousarray(coefficients[:, first:last].T)
        used = np.flatnonzero(own.any(axis=1))
        items = take_items(cast(Sequence[object], chunks.read_items(number)), used)
        for (term, factor), columns in zip(terms, weights):
            rows = term.extract_rows(term.read_items(items), chunks.n_jobs)
            add_columns(*rows, own[used] * factor, columns)
    return weights


def fold_weights(
    chunks: Chunks, weights: list[Floats], exact: Floats, bits: int, fewest: int, most_noise: float
) -> tuple[int, list[Floats]]:
    """Halve the number of columns as long as decision values stay near the exact ones; return its logarithm.

    ``exact`` has what the rules add to the decision values of the first pairs, a column for each output. The difference
    that hashing makes is the root of the mean square.
    """
    terms, items = list_rule_terms(chunks.kernel), chunks.read_items(0)
    rows = [term.extract_rows(term.read_items(items), chunks.n_jobs).slice_rows(0, len(exact)) for term, _ in terms]

    def measure(folded: list[Floats]) -> float:
        parts = [factor * sum_columns(*own, part) for own, part, (_, factor) in zip(rows, folded, terms)]
        return float(np.sqrt(np.mean((exact - np.sum(parts, axis=0)) ** 2))) if parts else 0.0

    while bits > fewest and not any(hasattr(term, "bits") for term, _ in terms):
        folded = [part.reshape(len(part) // 2, 2, -1).sum(axis=1) for part in weights]
        if measure(folded) > most_noise:
            break
        bits, weights = bits - 1, folded
    return bits, weights
