"""Support vector machines over blocks of rows on disk (Yu, Hsieh, Chang and Lin, 2010).

Coordinate descent on the dual problem looks at one row at a time, so that only the weights, the coefficients and one
block of rows have to be in memory. The solution is that of `dual_descent`, to the stated gap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints
from rekern.core.parallel_jobs import run_ahead, run_in_threads, split_range
from rekern.core.progress import track
from rekern.learning.block_descent_core import decide_block, descend_block
from rekern.learning.feature_space import FeatureBlock

SWEEPS = 1000
ROWS_TOGETHER = 512  # whose decision values a thread computes


class Blocks(Protocol):
    """Where blocks of rows come from."""

    spans: list[tuple[int, int]]

    def load(self, numbers: list[int]) -> FeatureBlock:
        """Return the rows of some blocks, one block after the other."""


class Problem(NamedTuple):
    """What is to be learned: targets (1 and -1, or numbers), the cost of each row, and the kind of loss."""

    targets: Floats
    costs: Floats
    width: float = 0.0  # errors up to here cost nothing, in a regression
    regression: bool = False


class Rows(NamedTuple):
    """The coefficients of rows, their losses when they were visited, and which rows rest (see `descend_block`)."""

    coefficients: Floats
    losses: Floats
    rest: npt.NDArray[np.int8]

    @classmethod
    def start(cls, n: int) -> Rows:
        """Return rows of which nothing is learned."""
        return cls(np.zeros(n), np.zeros(n), np.zeros((n, 2), np.int8))


class Machine:
    """The weights of columns and of scores, the intercept, and the squared length of them all.

    >>> rows = FeatureBlock(
    ...     np.arange(3), np.arange(2, dtype=np.int32), np.ones(2, np.float32),
    ...     np.zeros((2, 0), np.float32), np.ones(2)
    ... )
    >>> machine, learned = Machine(2, 0), Rows.start(2)
    >>> machine.descend(rows, Problem(np.array([1.0, -1.0]), np.full(2, 10.0)), learned, visits=99)
    >>> learned.coefficients.round(3).tolist(), machine.decide(rows).round(3).tolist()
    ([1.0, -1.0], [1.0, -1.0])
    """

    def __init__(self, columns: int, scores: int):
        self.weights, self.score_weights, self.state = np.zeros(max(columns, 1)), np.zeros(scores), np.zeros(2)

    @property
    def intercept(self) -> float:
        """The weight of the constant feature."""
        return float(self.state[0])

    def descend(self, block: FeatureBlock, problem: Problem, rows: Rows, visits: int = 1, seed: int = 0) -> None:
        """Move the coefficients of the rows of a block, in place."""
        arrays = (tuple(block), problem.targets, problem.costs, *rows, self.weights, self.score_weights, self.state)
        descend_block(*arrays, problem.width, problem.regression, visits, seed)

    def decide(self, block: FeatureBlock) -> Floats:
        """Return the decision values of the rows of a block."""
        values = np.zeros(len(block.norms))
        arrays = (tuple(block), self.weights, self.score_weights, self.state, values)
        run_in_threads(decide_block, [(*span, *arrays) for span in split_range(len(values), ROWS_TOGETHER)])
        return values

    def measure(self) -> None:
        """Compute the squared length of the weights, after they were set."""
        self.state[1] = self.weights @ self.weights + self.score_weights @ self.score_weights + self.state[0] ** 2


def decide_blocks(machine: Machine, blocks: Blocks, together: int = 1) -> Floats:
    """Return the decision values of all rows; ``together`` blocks are in memory at once."""
    found = np.zeros(blocks.spans[-1][1])
    for rows, block in _read_groups(blocks, list(range(len(blocks.spans))), together):
        found[rows] = machine.decide(block)
    return found


def descend_blocks(
    machine: Machine, blocks: Blocks, problem: Problem, coefficients: Floats, tolerance: float, together: int = 1
) -> int:
    """Train until primal and dual objective differ by at most ``tolerance``, as a share of the primal.

    The machine and the coefficients, which belong together, change in place. Returns the number of passes. ``together``
    blocks are in memory at once, others in each pass, and their rows are visited in random order: rows that always come
    one after the other need several times as many passes.
    """
    order, learned = list(range(len(blocks.spans))), Rows.start(len(coefficients))
    groups = -(-len(order) // together)
    for sweep in range(SWEEPS):
        if groups > 1:
            order = np.random.default_rng(sweep).permutation(len(order)).tolist()
        read = track(_read_groups(blocks, order, together), groups, f"pass {sweep + 1}")
        for number, (rows, block) in enumerate(read):
            part = problem._replace(targets=problem.targets[rows], costs=problem.costs[rows])
            moved = Rows(coefficients[rows], learned.losses[rows], learned.rest[rows])
            machine.descend(block, part, moved, seed=sweep * groups + number)
            coefficients[rows], learned.losses[rows], learned.rest[rows] = moved
        gains = float(coefficients @ problem.targets - problem.width * np.abs(coefficients).sum())
        if _is_near(machine, float(learned.losses.sum()), gains, tolerance):
            # So far these were the losses that the rows had when they were visited; now those that they have.
            losses = _sum_losses(problem, decide_blocks(machine, blocks, together))
            if _is_near(machine, losses, gains, tolerance):
                break
    return sweep + 1


def _read_groups(blocks: Blocks, order: list[int], together: int) -> Iterator[tuple[Ints, FeatureBlock]]:
    """Yield the numbers of the rows of groups of blocks, and the rows; those of the next group are read meanwhile."""
    groups = [(order[first:last],) for first, last in split_range(len(order), together)]
    for (group,), block in zip(groups, run_ahead(blocks.load, groups, 1)):
        yield np.concatenate([np.arange(*blocks.spans[number]) for number in group]), block


def _is_near(machine: Machine, losses: float, gains: float, tolerance: float) -> bool:
    length = float(machine.state[1])
    return length + losses - gains <= tolerance * (0.5 * length + losses)


def _sum_losses(problem: Problem, values: Floats) -> float:
    if problem.regression:
        errors = np.abs(values - problem.targets) - problem.width
    else:
        errors = 1.0 - values * problem.targets
    return float(problem.costs @ np.maximum(errors, 0.0))
