"""Support vector machines over blocks of rows on disk (Yu, Hsieh, Chang and Lin, 2010).

Coordinate descent on the dual problem looks at one row at a time, so that only the weights, the coefficients and one
block of rows have to be in memory. The solution is that of `dual_descent`, to the stated gap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.progress import track
from rekern.learning.block_descent_core import add_block, add_losses, decide_block, descend_block
from rekern.learning.feature_space import FeatureBlock

SWEEPS = 1000
SCALES, SCALE_STEPS, GOLDEN = (0.8, 1.25), 16, 0.618  # of the weights, and the search for the best
ROWS_TOGETHER = 4096  # whose decision values a thread computes
VISITS = 1  # of each row while its block is in memory; more save reading, and cost more work in all


class Blocks(Protocol):
    """Where blocks of rows come from."""

    spans: list[tuple[int, int]]

    def load(self, number: int) -> FeatureBlock:
        """Return a block."""


class Problem(NamedTuple):
    """What is to be learned: targets (1 and -1, or numbers), the cost of each row, and the kind of loss."""

    targets: Floats
    costs: Floats
    width: float = 0.0  # errors up to here cost nothing, in a regression
    regression: bool = False


class Rest(NamedTuple):
    """Which rows are left out for some passes because their coefficients do not move."""

    values: Floats  # decision values when the rows were visited, without features that no other row has
    skips: npt.NDArray[np.int8]
    waits: npt.NDArray[np.int8]

    @classmethod
    def start(cls, n: int) -> Rest:
        """Return that no row rests."""
        return cls(np.zeros(n), np.zeros(n, np.int8), np.zeros(n, np.int8))

    def take(self, rows: Ints) -> Rest:
        """Return that of some rows, as a copy."""
        return Rest(self.values[rows], self.skips[rows], self.waits[rows])

    def put(self, rows: Ints, rest: Rest) -> None:
        """Note what became of some rows."""
        self.values[rows], self.skips[rows], self.waits[rows] = rest.values, rest.skips, rest.waits


class Machine:
    """The weights of columns and of scores, the intercept, and the squared length of them all.

    >>> rows = FeatureBlock(
    ...     np.arange(3), np.arange(2, dtype=np.int32), np.ones(2, np.float32),
    ...     np.zeros((2, 0), np.float32), np.ones(2),
    ...     np.zeros(2),
    ... )
    >>> machine, coefficients = Machine(2, 0), np.zeros(2)
    >>> for _ in range(9):
    ...     machine.descend(rows, Problem(np.array([1.0, -1.0]), np.full(2, 10.0)), coefficients, visits=9)
    >>> coefficients.round(3).tolist(), machine.decide(rows).round(3).tolist()
    ([1.0, -1.0], [1.0, -1.0])
    """

    def __init__(self, columns: int, scores: int):
        self.weights, self.score_weights, self.state = np.zeros(max(columns, 1)), np.zeros(scores), np.zeros(2)
        self.own_length = 0.0  # of the weights of features that only one row has, while rows are added

    @property
    def intercept(self) -> float:
        """The weight of the constant feature."""
        return float(self.state[0])

    def descend(
        self,
        block: FeatureBlock,
        problem: Problem,
        coefficients: Floats,
        rest: Rest | None = None,
        visits: int = VISITS,
        seed: int = 0,
    ) -> None:
        """Move the coefficients of the rows of a block, in place."""
        descend_block(
            tuple(block),
            problem.targets,
            problem.costs,
            coefficients,
            tuple(Rest.start(len(coefficients)) if rest is None else rest),
            self.weights,
            self.score_weights,
            self.state,
            problem.width,
            problem.regression,
            visits,
            seed,
        )

    def decide(self, block: FeatureBlock, coefficients: Floats | None = None) -> Floats:
        """Return the decision values of the rows of a block; of rows that were learned from with their coefficients."""
        values = np.zeros(len(block.norms))
        own = np.zeros(len(values)) if coefficients is None else coefficients
        arrays = (tuple(block), own, self.weights, self.score_weights, self.state, values)
        run_in_threads(decide_block, [(*span, *arrays) for span in split_range(len(values), ROWS_TOGETHER)])
        return values

    def add(self, block: FeatureBlock, coefficients: Floats) -> None:
        """Add the rows of a block, times their coefficients."""
        add_block(tuple(block), coefficients, self.weights, self.score_weights, self.state)
        self.own_length += float(block.own @ coefficients**2)

    def measure(self) -> None:
        """Compute the squared length of the weights, after `add`."""
        length = self.weights @ self.weights + self.score_weights @ self.score_weights + self.state[0] ** 2
        self.state[1] = length + self.own_length


def join_blocks(blocks: list[FeatureBlock]) -> FeatureBlock:
    """Return the rows of several blocks as one block."""
    if len(blocks) == 1:
        return blocks[0]
    starts = np.cumsum([0] + [len(block.columns) for block in blocks])
    indptr = np.concatenate([block.indptr[bool(i) :] + starts[i] for i, block in enumerate(blocks)])
    columns = np.concatenate([block.columns for block in blocks])
    values = np.concatenate([block.values for block in blocks])
    scores = np.concatenate([block.scores for block in blocks])
    norms, own = (np.concatenate([block[place] for block in blocks]) for place in (4, 5))
    return FeatureBlock(indptr, columns, values, scores, norms, own)


def decide_blocks(machine: Machine, blocks: Blocks, coefficients: Floats) -> Floats:
    """Return the decision values of all rows."""
    return np.concatenate(
        [
            machine.decide(blocks.load(number), coefficients[first:last])
            for number, (first, last) in enumerate(blocks.spans)
        ]
    )


def descend_blocks(
    machine: Machine,
    blocks: Blocks,
    problem: Problem,
    coefficients: Floats,
    tolerance: float,
    keep: Callable[[], None] = lambda: None,
    together: int = 1,
) -> int:
    """Train until primal and dual objective differ by at most ``tolerance``, as a share of the primal.

    The machine and the coefficients, which belong together, change in place. Returns the number of passes. ``keep`` is
    called after each pass over all blocks. ``together`` blocks are in memory at once, others in each pass, and their
    rows are visited in random order: rows that always come one after the other need several times as many passes.
    """
    rest, own, sweep, near = Rest.start(len(coefficients)), np.zeros(len(coefficients)), 0, 2.0 * tolerance
    for sweep in range(SWEEPS):
        order = np.random.default_rng(sweep).permutation(len(blocks.spans)).tolist()
        groups = [order[first : first + together] for first in range(0, len(order), together)]
        for number, group in enumerate(track(groups, len(groups), f"pass {sweep + 1}")):
            rows = np.concatenate([np.arange(*blocks.spans[block]) for block in group])
            part = problem._replace(targets=problem.targets[rows], costs=problem.costs[rows])
            moved, resting = coefficients[rows], rest.take(rows)
            joined = join_blocks([blocks.load(block) for block in group])
            machine.descend(joined, part, moved, resting, seed=sweep * len(groups) + number)
            coefficients[rows], own[rows] = moved, joined.own
            rest.put(rows, resting)
        guess = _measure_gap(machine, problem, coefficients, own, rest.values)
        if guess <= near or sweep == SWEEPS - 1:
            # So far these were the values that the rows had when they were visited; now those that they have.
            values = decide_blocks(machine, blocks, coefficients) - own * coefficients
            gap = _measure_gap(machine, problem, coefficients, own, values)
            if gap <= tolerance:
                break
            near = guess * max(0.95 * tolerance / gap, 0.7)
            rest.skips[:] = 0
        keep()
    return sweep + 1


def _measure_gap(machine: Machine, problem: Problem, coefficients: Floats, own: Floats, values: Floats) -> float:
    """Return the gap between the objectives, as a share of the primal; ``values`` are without the rows' own features.

    The coefficients are near the dual optimum long before their weights are near the primal one: where many rows lie on
    the margin, small errors cost much. The primal objective is therefore that of better weights, which are easy to
    find: all times the best scale, and for each row the best weight of the features that no other row has. The dual
    objective is below the optimum by at most the gap to any weights, and half the squared distance of the
    coefficients' weights from the best ones is at most the same.
    """
    gains = float(coefficients @ problem.targets) - problem.width * float(np.abs(coefficients).sum())
    length = float(machine.state[1])
    shared = max(length - float(own @ coefficients**2), 0.0)
    rows = (values, own, problem.targets, problem.costs, problem.width, problem.regression)

    def measure(scale: float) -> float:
        return float(0.5 * scale**2 * shared + add_losses(*rows, scale))

    low, high = SCALES
    for _ in range(SCALE_STEPS):  # the objective is convex in the scale
        one, two = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, two) if measure(one) <= measure(two) else (one, high)
    primal = min(measure(0.5 * (low + high)), measure(1.0))
    return (primal - (gains - 0.5 * length)) / primal if primal > 0.0 else 0.0
