"""Support vector machines over blocks of rows on disk (Yu, Hsieh, Chang and Lin, 2010).

Coordinate descent on the dual problem looks at one row at a time, so that only the weights, the coefficients and one
block of rows have to be in memory. The solution is that of `dual_descent`, to the stated gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.core.parallel_jobs import keep_threads, run_ahead, run_in_threads, split_range
from rekern.core.progress import track
from rekern.learning.block_descent_core import (
    add_block,
    add_losses,
    decide_block,
    descend_block,
    measure_steps,
    repeat_steps,
)
from rekern.learning.feature_space import FeatureBlock

A = TypeVar("A", bound=AnyArray)

SWEEPS = 1000
SCALES, SCALE_STEPS = (0.8, 1.25), 5  # of the weights, and the search for the best
ROWS_TOGETHER = 512  # whose decision values a thread computes
LOSSES_TOGETHER = 1 << 16  # which a thread adds up
LONGEST_STEP = 1.0  # by how many times its last step a machine moves on; more would also multiply errors of rounding
MOMENTUM_SWEEPS = 200  # after which it does no longer: then descent alone makes sure that it comes to an end
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
        """Return the state in which no row is left out."""
        return cls(np.zeros(n), np.zeros(n, np.int8), np.zeros(n, np.int8))

    def take(self, rows: Ints) -> Rest:
        """Return the state of some rows, as a copy."""
        return Rest(self.values[rows], self.skips[rows], self.waits[rows])

    def put(self, rows: Ints, rest: Rest) -> None:
        """Write the new state of some rows back."""
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

    def list_weights(self) -> list[Floats]:
        """Return all weights, as views: of columns, of scores, and of the constant feature."""
        return [self.weights, self.score_weights, self.state[:1]]

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return what `put` needs."""
        return {"weights": self.weights, "score_weights": self.score_weights, "state": self.state}

    def put(self, arrays: Mapping[str, AnyArray]) -> None:
        """Make this machine the same as one that was written down by `to_arrays`."""
        for name, array in self.to_arrays().items():
            array[:] = arrays[name]


class Momentum:
    """What a machine was after the last pass, so that it can go on in the same direction.

    Descent alone is slow where many rows are nearly equal: their coefficients move towards each other by a small share
    in each pass, always in the same direction. After each pass all coefficients, and the weights with them, are
    therefore moved on by the step since the last pass, times the factor at which the dual objective is largest. A
    coefficient that leaves its bounds by this is put back by the next visit of its row.

    >>> machine, coefficients, own = Machine(1, 0), np.zeros(1), np.zeros(1)
    >>> momentum = Momentum(machine, coefficients)
    >>> coefficients[0] = machine.weights[0] = 0.75
    >>> momentum.move_on(machine, Problem(np.ones(1), np.full(1, 9.0)), coefficients, own)
    >>> coefficients.tolist(), machine.weights.tolist()  # the best is 1
    ([1.0], [1.0])
    """

    def __init__(self, machine: Machine, coefficients: Floats):
        self._coefficients, self._weights = coefficients.copy(), [part.copy() for part in machine.list_weights()]

    def move_on(self, machine: Machine, problem: Problem, coefficients: Floats, own: Floats) -> None:
        """Move a machine and its coefficients on, in place; ``own`` is the squared norm of what one row has."""
        steps, parts = coefficients - self._coefficients, machine.list_weights()
        found = [measure_steps(old, new) for old, new in zip(self._weights, parts)]
        squares, product = np.sum([*found, (own @ steps**2, own @ (coefficients * steps))], axis=0).tolist()
        slope = steps @ problem.targets - problem.width * (steps @ np.sign(coefficients)) - product
        factor = float(np.clip(slope / squares, 0.0, LONGEST_STEP)) if squares > 0.0 else 0.0
        for old, new in zip([*self._weights, self._coefficients], [*parts, coefficients]):
            repeat_steps(old, new, factor)
        machine.own_length = float(own @ coefficients**2)
        machine.measure()

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return what `put` needs."""
        return {"old_coefficients": self._coefficients, **{f"old_{i}": part for i, part in enumerate(self._weights)}}

    def put(self, arrays: Mapping[str, AnyArray]) -> None:
        """Go on as one that was written down by `to_arrays`."""
        for name, array in self.to_arrays().items():
            array[:] = arrays[name]


class Descent:
    """Where a descent over blocks is: with it an interrupted one goes on as if nothing had happened.

    >>> machine, coefficients = Machine(1, 0), np.zeros(2)
    >>> first, second = Descent(machine, coefficients, 0.1), Descent(machine, coefficients, 0.1)
    >>> first.sweep = 3
    >>> second.put(first.to_arrays())
    >>> second.sweep, second.near
    (3, 0.2)
    """

    def __init__(self, machine: Machine, coefficients: Floats, tolerance: float):
        self.sweep, self.near = 0, 2.0 * tolerance
        self.rest, self.own = Rest.start(len(coefficients)), np.zeros(len(coefficients))
        self.momentum = Momentum(machine, coefficients)

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return what `put` needs."""
        numbers = {"sweep": np.array(self.sweep), "near": np.array(self.near), "own": self.own}
        return {**numbers, **self._name_rest(), **self.momentum.to_arrays()}

    def put(self, arrays: Mapping[str, AnyArray]) -> None:
        """Go on as one that was written down by `to_arrays`."""
        self.sweep, self.near, self.own[:] = int(arrays["sweep"]), float(arrays["near"]), arrays["own"]
        for name, array in self._name_rest().items():
            array[:] = arrays[name]
        self.momentum.put(arrays)

    def _name_rest(self) -> dict[str, AnyArray]:
        return {f"rest_{name}": array for name, array in self.rest._asdict().items()}


class GroupBuffer:
    """Memory for the rows of several blocks, which is used again for the next ones: new memory would cost more."""

    def __init__(self) -> None:
        self._parts: dict[str, AnyArray] = {}

    def join(self, blocks: list[FeatureBlock]) -> FeatureBlock:
        """Return the rows of several blocks as one block, which is valid until the next call."""
        if len(blocks) == 1:
            return blocks[0]
        starts = np.cumsum([0] + [len(block.columns) for block in blocks]).tolist()
        moved = [block._replace(indptr=block.indptr[bool(i) :] + starts[i]) for i, block in enumerate(blocks)]
        return FeatureBlock(*(self._join(name, parts) for name, *parts in zip(FeatureBlock._fields, *moved)))

    def _join(self, name: str, arrays: list[A]) -> A:
        size, known = sum(len(array) for array in arrays), self._parts.get(name)
        if known is None or len(known) < size:
            known = self._parts[name] = np.empty((int(1.1 * size) + 1, *arrays[0].shape[1:]), arrays[0].dtype)
        return cast(A, np.concatenate(arrays, out=known[:size]))


def read_groups(
    blocks: Blocks, groups: list[list[int]], buffers: tuple[GroupBuffer, GroupBuffer]
) -> Iterator[FeatureBlock]:
    """Yield the rows of groups of blocks; those of the next group are read meanwhile.

    >>> one = np.zeros(1)
    >>> rows = FeatureBlock(np.arange(2), one, one, one[:, None], one, one)
    >>> class Two:
    ...     spans = [(0, 1), (1, 2)]
    ...     def load(self, number):
    ...         return rows
    >>> [len(group.norms) for group in read_groups(Two(), [[0, 1], [1]], (GroupBuffer(), GroupBuffer()))]
    [2, 1]
    """

    def read(number: int) -> FeatureBlock:
        return buffers[number % 2].join([blocks.load(block) for block in groups[number]])

    return run_ahead(read, [(number,) for number in range(len(groups))], 1)


def decide_blocks(
    machine: Machine,
    blocks: Blocks,
    coefficients: Floats,
    together: int = 1,
    buffers: tuple[GroupBuffer, GroupBuffer] | None = None,
) -> Floats:
    """Return the decision values of all rows; ``together`` blocks are in memory at once."""
    groups = [list(range(*span)) for span in split_range(len(blocks.spans), together)]
    found, first = np.zeros(len(coefficients)), 0
    for group in read_groups(blocks, groups, buffers or (GroupBuffer(), GroupBuffer())):
        last = first + len(group.norms)
        found[first:last] = machine.decide(group, coefficients[first:last])
        first = last
    return found


def descend_blocks(
    machine: Machine,
    blocks: Blocks,
    problem: Problem,
    coefficients: Floats,
    tolerance: float,
    keep: Callable[[Mapping[str, AnyArray]], None] = lambda arrays: None,
    together: int = 1,
    found: dict[str, AnyArray] | None = None,
) -> int:
    """Train until primal and dual objective differ by at most ``tolerance``, as a share of the primal.

    The machine and the coefficients, which belong together, change in place. Returns the number of passes. ``keep`` is
    called after each pass over all blocks; with what it got as ``found``, the same machine and the same coefficients,
    an interrupted run goes on to the same bits. ``found`` is emptied, which frees its memory. ``together`` blocks are
    in memory at once, others in each pass, and their rows are visited in random order: rows that always come one after
    the other need several times as many passes.
    """
    descent, buffers = Descent(machine, coefficients, tolerance), (GroupBuffer(), GroupBuffer())
    if found is not None:
        descent.put(found)
        found.clear()
    rest, own = descent.rest, descent.own
    for sweep in range(descent.sweep, SWEEPS):
        order = np.random.default_rng(sweep).permutation(len(blocks.spans)).tolist()
        groups = [order[first : first + together] for first in range(0, len(order), together)]
        read = read_groups(blocks, groups, buffers)
        for number, joined in enumerate(track(read, len(groups), f"pass {sweep + 1}")):
            rows = np.concatenate([np.arange(*blocks.spans[block]) for block in groups[number]])
            part = problem._replace(targets=problem.targets[rows], costs=problem.costs[rows])
            moved, resting = coefficients[rows], rest.take(rows)
            machine.descend(joined, part, moved, resting, seed=sweep * len(groups) + number)
            coefficients[rows], own[rows] = moved, joined.own
            rest.put(rows, resting)
        descent.sweep = sweep + 1
        guess = _measure_gap(machine, problem, coefficients, own, rest.values)
        if guess <= descent.near or descent.sweep == SWEEPS:
            # So far these were the values that the rows had when they were visited; now those that they have.
            values = decide_blocks(machine, blocks, coefficients, together, buffers) - own * coefficients
            gap = _measure_gap(machine, problem, coefficients, own, values)
            if gap <= tolerance:
                break
            # a guess may be far too low
            descent.near = max(guess * max(0.95 * tolerance / gap, 0.7), 0.5 * tolerance)
            rest.skips[:] = 0
        if sweep < MOMENTUM_SWEEPS:
            descent.momentum.move_on(machine, problem, coefficients, own)
            rest.skips[_find_outside(problem, coefficients)] = 0
        keep(descent.to_arrays())
    return descent.sweep


def _find_outside(problem: Problem, coefficients: Floats) -> Booleans:
    """Return which coefficients are not within their bounds."""
    is_outside: Booleans = np.abs(coefficients) > problem.costs
    return is_outside if problem.regression else is_outside | (coefficients * problem.targets < 0.0)


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
    spans = split_range(len(values), LOSSES_TOGETHER)

    def measure(scale: float) -> tuple[float, float]:
        losses, slope = np.sum(run_in_threads(add_losses, [(*span, *rows, scale) for span in spans]), axis=0).tolist()
        return 0.5 * scale**2 * shared + losses, scale * shared + slope

    with keep_threads():
        primal = _find_minimum(measure)
    return (primal - (gains - 0.5 * length)) / primal if primal > 0.0 else 0.0


def _find_minimum(measure: Callable[[float], tuple[float, float]]) -> float:
    """Return about the smallest value of a convex function of the scale, which returns its value and its slope.

    >>> round(_find_minimum(lambda scale: ((scale - 1.1) ** 2, 2 * (scale - 1.1))), 9)
    0.0
    """
    best, slope = measure(1.0)
    near, far = (1.0, slope), (SCALES[slope < 0.0], 0.0)  # the minimum lies between the two
    value, slope = measure(far[0])
    far = far[0], slope
    best = min(best, value)
    for _ in range(SCALE_STEPS):
        if near[1] * far[1] >= 0.0:  # it is at one end
            break
        middle = near[0] - near[1] * (far[0] - near[0]) / (far[1] - near[1])
        value, slope = measure(middle)
        best = min(best, value)
        if slope * far[1] < 0.0:
            near, far = far, (middle, slope)
        else:
            near, far = (near[0], 0.5 * near[1]), (middle, slope)  # halved, so that both ends move
    return best
