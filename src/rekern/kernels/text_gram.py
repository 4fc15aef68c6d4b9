"""The Gram of the distinct texts of pairs, from which the kernels on pairs gather their values.

Two texts are compared once. Blocks of rows are computed when a block of the Gram of pairs first needs them, so that a
Gram of pairs that is written to a file grows from the start. If the Gram of texts would exceed ``GRAM_BYTES``, its rows
are computed and forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.parallel_jobs import has_shared_memory, run
from rekern.kernels.gram_plan import Block, GramPlan, place_block
from rekern.kernels.kernel import Kernel
from rekern.structures.representations import Representations

GRAM_BYTES = 1 << 31  # of the Gram of distinct texts that is kept in memory: 16,384 texts with themselves


class TextGram(Protocol):
    """A Gram of texts of which rows can be asked for."""

    def fill(self, n_jobs: int | None) -> object:
        """Compute what is kept, in jobs."""
        ...

    def provide(self, rows: Ints, columns: Ints) -> object:
        """Compute what is kept and needed for the values of these rows in these columns."""
        ...

    def rows(self, numbers: Ints) -> Floats:
        """Return the rows of these numbers; they are right in the columns that were provided."""
        ...


def compare_texts(kernel: Kernel, left: Representations, right: Representations | None, n_jobs: int | None) -> TextGram:
    """Return K of all texts with all others, or of ``left`` with itself."""
    if 8 * len(left) * len(left if right is None else right) > GRAM_BYTES:
        return GramOnDemand(kernel.plan_gram(left, left if right is None else right, n_jobs).block)
    if not has_shared_memory():  # other processes cannot share what one of them has computed
        return StoredGram(kernel.gram(left, right, n_jobs))
    plan = kernel.plan_gram(left, right, n_jobs)
    return GrowingGram(plan, np.zeros((plan.rows, plan.columns)))


@dataclass(frozen=True)
class StoredGram:
    """A Gram of texts in memory."""

    gram: Floats

    def fill(self, n_jobs: int | None) -> None:
        """Do nothing: it is complete."""

    def provide(self, rows: Ints, columns: Ints) -> None:
        """Do nothing: it is complete."""

    def rows(self, numbers: Ints) -> Floats:
        """Return the rows of these numbers."""
        return self.gram[numbers]


@dataclass(frozen=True)
class GramOnDemand:
    """A Gram of texts whose rows are computed when they are needed."""

    block: Block

    def fill(self, n_jobs: int | None) -> None:
        """Do nothing: nothing is kept."""

    def provide(self, rows: Ints, columns: Ints) -> None:
        """Do nothing: nothing is kept."""

    def rows(self, numbers: Ints) -> Floats:
        """Compute the rows of these numbers."""
        wanted, places = np.unique(numbers, return_inverse=True)
        runs = np.split(wanted, np.flatnonzero(np.diff(wanted) > 1) + 1)
        return np.concatenate([self.block(int(run[0]), int(run[-1]) + 1) for run in runs])[places]


@dataclass(frozen=True)
class GrowingGram:
    """A Gram of texts in memory whose blocks are computed when they are first needed, each by one thread."""

    plan: GramPlan
    gram: Floats = field(compare=False)
    spans: list[tuple[int, int]] = field(init=False)
    locks: list[Lock] = field(init=False, compare=False)
    is_done: list[bool] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        spans = self.plan.spans()
        object.__setattr__(self, "spans", spans)
        object.__setattr__(self, "locks", [Lock() for _ in spans])
        object.__setattr__(self, "is_done", [False] * len(spans))

    def fill(self, n_jobs: int | None) -> None:
        """Compute all blocks."""
        for prepare in self.plan.prepare:
            prepare(n_jobs)
        missing = [(number,) for number, done in enumerate(self.is_done) if not done]
        for _ in run(self._compute, missing, n_jobs, "Gram matrix of texts"):
            pass

    def provide(self, rows: Ints, columns: Ints) -> None:
        """Compute the blocks that are needed for the values of these rows in these columns."""
        if not len(rows) or not len(columns):
            return
        needed = rows
        if self.plan.symmetric:  # a value is in the block of the smaller of its two numbers
            needed = np.concatenate((rows[rows <= columns.max()], columns[columns <= rows.max()]))
        for number in np.unique(needed // self.spans[0][1]).tolist():
            self._compute(number)

    def _compute(self, number: int) -> None:
        if self.is_done[number]:
            return
        with self.locks[number]:
            if not self.is_done[number]:
                first, last = self.spans[number]
                place_block(self.gram, first, last, self.plan.block(first, last), self.plan.symmetric)
                self.is_done[number] = True

    def rows(self, numbers: Ints) -> Floats:
        """Return the rows of these numbers."""
        return self.gram[numbers]
