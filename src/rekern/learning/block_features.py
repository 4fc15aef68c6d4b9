"""Features of many pairs, made chunk by chunk and written to disk over groups of equal columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.column_groups import ColumnGroups, SparseRows
from rekern.core.key_rows import KeyRows
from rekern.core.parallel_jobs import has_shared_memory, run, run_ahead, split_range
from rekern.core.progress import track
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.rewriting.hashed_rules_core import add_columns, sum_columns
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.learning.block_store import BlockStore
from rekern.learning.feature_space import SmallFloats, group_features, list_rule_terms, read_rules, read_scores
from rekern.learning.pair_input import Pair, read_items, take_items
from rekern.structures.pairs import Pairs

PAIRS_TOGETHER = 256  # whose rules are made at once

R = TypeVar("R")  # what is made of the rules of a few pairs


class BlockRules(NamedTuple, Generic[R]):
    """The rules of a few pairs, the number of their chunk, and that of the first pair."""

    chunk: int
    first: int
    rows: R


class Chunks:
    """The pairs of a corpus in chunks, in a given order; the tokens and scores of each chunk are made once.

    Then they are in the store, on disk: in memory, the words of millions of pairs take more than all weights.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rekern.kernels import Rewriting
    >>> pairs, order = [("a b", "b"), ("b", "b")], np.array([1, 0])
    >>> with TemporaryDirectory() as folder:
    ...     store = BlockStore(Path(folder), [(0, 1), (1, 2)], 1, "digest", 0)
    ...     chunks = Chunks(Rewriting(1, normalize=False), pairs, order, store)
    ...     [block.rows.tolist() for block in chunks.iterate_rules("rules", lambda rows: np.diff(rows.indptr))]
    [[2], [3]]
    """

    def __init__(
        self, kernel: Kernel, pairs: Sequence[Pair], order: Ints, store: BlockStore, n_jobs: int | None = None
    ):
        self.kernel, self.pairs, self.order, self.store, self.n_jobs = kernel, pairs, order, store, n_jobs
        self.spans = store.chunks

    def read_items(self, number: int) -> Items:
        """Return the pairs of a chunk as rules are made of them: their tokens, if all terms have the same tokens."""
        known = self.store.read_tokens(number)
        if known is not None:
            return known
        items = self._make_items(number)
        if isinstance(items, Pairs):
            self.store.write_tokens(number, items, self._make_scores(number, items))
        return items

    def read_scores(self, number: int) -> SmallFloats:
        """Return the scores of a chunk."""
        known = self.store.read_scores(number)
        return self._make_scores(number, self._make_items(number)) if known is None else known

    def _make_items(self, number: int) -> Items:
        first, last = self.spans[number]
        return read_items(self.kernel, [self.pairs[row] for row in self.order[first:last].tolist()])

    def _make_scores(self, number: int, items: Items) -> SmallFloats:
        first, last = self.spans[number]
        return read_scores(self.kernel, items, last - first)

    def iterate_rules(self, label: str, change: Callable[[SparseRows], R]) -> Iterator[BlockRules[R]]:
        """Yield what ``change`` makes of the rules, of a few pairs at a time; the next are made meanwhile.

        Threads that make rules call ``change``; it is not sent to other processes, as it may have large tables.
        """
        is_here = has_shared_memory()
        chunks = run_ahead(self.read_items, [(number,) for number in range(len(self.spans))], 1)
        for number, items in enumerate(track(chunks, len(self.spans), label)):
            first, last = self.spans[number]
            # Few pairs: large arrays of new memory take longer than the rules.
            spans, known = split_range(last - first, PAIRS_TOGETHER), cast(Sequence[object], items)
            calls = [(self.kernel, known[start:end], end - start, 1) for start, end in spans]
            if is_here:
                made = run(lambda *call: change(read_rules(*call)), calls, self.n_jobs)
            else:
                made = (change(rows) for rows in run(read_rules, calls, self.n_jobs))
            for (start, _), rows in zip(spans, made):
                yield BlockRules(number, first + start, rows)


def fill_store(store: BlockStore, chunks: Chunks, entries: int, memory: int) -> int:
    """Make the features of all chunks that the store does not have; return the number of columns.

    ``entries`` is about how many rules all pairs have together, ``memory`` how many bytes the tables may take.
    """
    columns = store.load_columns()
    if columns is not None:
        return columns
    groups = ColumnGroups(entries, memory, chunks.n_jobs)
    for noted in chunks.iterate_rules("counting rules", lambda rows: rows.keys):
        groups.note(noted.rows)
    store.clear_placed()
    for sifted in chunks.iterate_rules("comparing rules", groups.sift):
        store.add_placed(sifted.chunk, groups.sign(sifted.first, sifted.rows))
    groups.number()
    scores = run_ahead(chunks.read_scores, [(number,) for number in range(len(chunks.spans))], 1)
    for number, own in enumerate(track(scores, len(chunks.spans), "features")):
        grouped = groups.condense(store.take_placed(number))  # of every chunk: columns are numbered as they come
        if not store.has_chunk(number):
            store.write(number, group_features(grouped, own))
    store.save_columns(groups.used)
    return groups.used


def extract_rows(term: Rewriting, items: Items) -> KeyRows:
    """Return the rules of some pairs for one term of a kernel.

    >>> extract_rows(Rewriting(1, normalize=False), [("a b", "b")]).values.tolist()
    [1.0, 1.0, 1.0]
    """
    return term.extract_rows(term.read_items(items), 1)


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
        spans = split_range(len(used), PAIRS_TOGETHER)
        for (term, factor), columns in zip(terms, weights):
            calls = [(term, items[start:end]) for start, end in spans]
            for (start, end), rows in zip(spans, run(extract_rows, calls, chunks.n_jobs)):
                add_columns(*rows, own[used[start:end]] * factor, columns)
    return weights


def fold_weights(
    chunks: Chunks, weights: list[Floats], exact: Floats, bits: int, fewest: int, most_noise: float
) -> tuple[int, list[Floats]]:
    """Halve the number of columns as long as decision values stay near the exact ones; return bits and weights.

    ``exact`` has what the rules add to the decision values of the first pairs, a column for each output. The difference
    that hashing makes is the root of the mean square.
    """
    terms, items = list_rule_terms(chunks.kernel), cast(Sequence[object], chunks.read_items(0))[: len(exact)]
    rows = [extract_rows(term, items) for term, _ in terms]

    def measure(folded: list[Floats]) -> float:
        parts = [factor * sum_columns(*own, part) for own, part, (_, factor) in zip(rows, folded, terms)]
        return float(np.sqrt(np.mean((exact - np.sum(parts, axis=0)) ** 2))) if parts else 0.0

    while bits > fewest and not any(hasattr(term, "bits") for term, _ in terms):
        folded = [part[0::2] + part[1::2] for part in weights]
        if measure(folded) > most_noise:
            break
        bits, weights = bits - 1, folded
    return bits, weights
