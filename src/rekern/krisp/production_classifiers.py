"""Kernel values of the substrings of a training set, and a probabilistic support vector machine for each class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.jobs import run, spans
from rekern.kernels.gram_plan import inverse_roots
from rekern.krisp.substring_kernels import Corpus, Substring, SubstringKernel, SubstringSum, all_substrings

ROWS = 128  # of a table that are computed together
TOLERANCE = 0.01  # between the primal and the dual objective of a machine, as a share of the former
SWEEPS = 200


class Table:
    """The kernel's values between the distinct substrings of a corpus, computed row by row when they are wanted.

    Substrings that the kernel cannot tell apart have one number.

    >>> from rekern.krisp.substring_kernels import Item, WordSubsequences
    >>> table = Table(WordSubsequences(), Corpus([Item(("a", "b")), Item(("b", "b"))]))
    >>> table.numbers[1].tolist(), len(table)  # [start, end - 1]; "b" occurs three times
    ([[2, 3], [-1, 2]], 4)
    >>> table.rows([2]).astype(float).round(2).tolist()
    [[0.0, 0.58, 1.0, 0.89]]
    """

    def __init__(self, kernel: SubstringKernel, corpus: Corpus, n_jobs: int | None = None):
        self.kernel, self.corpus, self.n_jobs = kernel, corpus, n_jobs
        known: dict[object, int] = {}
        self.substrings: list[Substring] = []
        self.numbers: list[np.ndarray] = []
        for place, item in enumerate(corpus.items):
            found = np.full((len(item.words), len(item.words)), -1, np.int32)
            for substring in all_substrings(len(item.words), place):
                _, start, end = substring
                number = known.setdefault(kernel.key(item, start, end), len(known))
                if number == len(self.substrings):
                    self.substrings.append(substring)
                found[start, end - 1] = number
            self.numbers.append(found)
        self.norms = norms(kernel, corpus, self.substrings)
        self._place = np.full(len(self.substrings), -1, np.int64)
        self._rows = np.zeros((0, len(self.substrings)), np.float32)

    def __len__(self) -> int:
        return len(self.substrings)

    def compute(self, numbers: Iterable[int]) -> None:
        """Compute the rows of these substrings, in threads, if they are not there yet."""
        missing = [int(number) for number in sorted(set(numbers)) if self._place[number] < 0]
        if not missing:
            return
        rows = np.empty((len(self._rows) + len(missing), len(self)), np.float32)
        before = len(self._rows)
        rows[:before] = self._rows

        def fill(first: int, last: int) -> None:
            part = missing[first:last]
            left = [self.substrings[number] for number in part]
            values = gram(self.kernel, self.corpus, left, self.substrings, self.norms[:, part], self.norms)
            rows[before + first : before + last] = values

        for _ in run(fill, spans(len(missing), ROWS), self.n_jobs, "kernel values"):
            pass
        self._place[missing] = np.arange(before, len(rows))
        self._rows = rows

    def rows(self, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """The values between these substrings and all."""
        self.compute(numbers)
        return self._rows[self._place[np.asarray(numbers, dtype=np.int64)]]


def parts(kernel: SubstringKernel) -> list[tuple[SubstringKernel, float]]:
    """The kernels of a sum with their weights; a kernel alone has the weight 1."""
    if not isinstance(kernel, SubstringSum):
        return [(kernel, 1.0)]
    return [(inner, weight * share) for part, weight in kernel.parts() for inner, share in parts(part)]


def norms(kernel: SubstringKernel, corpus: Corpus, A: Sequence[Substring]) -> np.ndarray:
    """What the values of each part of a kernel are multiplied by: 1/√K(a, a), or 1 where it is not normalised."""
    return np.array(
        [inverse_roots(part.diag(corpus, A)) if part.normalize else np.ones(len(A)) for part, _ in parts(kernel)]
    ).reshape(-1, len(A))


def gram(
    kernel: SubstringKernel,
    corpus: Corpus,
    A: Sequence[Substring],
    B: Sequence[Substring],
    left: np.ndarray,
    right: np.ndarray,
) -> np.ndarray:
    """The kernel's values with given `norms`."""
    total = np.zeros((len(A), len(B)))
    for place, (part, weight) in enumerate(parts(kernel)):
        values = part.raw(corpus, A, B)
        values *= left[place][:, None]
        values *= weight * right[place]
        total += values
    return total


class Machine(NamedTuple):
    """A trained class: coefficients of substrings (by their numbers), and the intercept of their sum.

    Its probability is 1 / (1 + exp(-(slope · value + shift))).
    """

    numbers: np.ndarray
    coefficients: np.ndarray
    intercept: float
    slope: float
    shift: float


def train(gram: np.ndarray, numbers: np.ndarray, signs: np.ndarray, weights: np.ndarray, C: float) -> Machine:
    """A support vector machine with a probability (Platt, 1999), from the Gram of its examples.

    Positive and negative examples weigh the same in all, so that a rare class is not thought improbable everywhere.

    >>> machine = train(np.eye(2, dtype=np.float32), np.array([7, 8]), np.array([1.0, -1.0]), np.ones(2), 10.0)
    >>> machine.numbers.tolist(), machine.coefficients.round(2).tolist()
    ([7, 8], [1.0, -1.0])
    """
    if len(signs) == 0 or (signs == signs[0]).all():  # nothing to tell apart: it is everywhere, or nowhere
        return Machine(numbers[:0], np.zeros(0), 4.0 * float(signs[0]) if len(signs) else -4.0, 1.0, 0.0)
    positive, negative = weights[signs > 0].sum(), weights[signs < 0].sum()
    weights = weights * np.where(signs > 0, max(1.0, negative / positive), 1.0)
    coefficients, values = _descend(np.ascontiguousarray(gram), signs, C * weights, TOLERANCE, SWEEPS)
    slope, shift = sigmoid(values, signs, weights)
    used = coefficients != 0
    return Machine(numbers[used], coefficients[used], float(coefficients.sum()), slope, shift)


@compiled
def _descend(gram, signs, limits, tolerance, most):
    """Dual coordinate descent for the hinge loss on a dense Gram, to which 1 is added for the intercept."""
    number = len(signs)
    values = np.zeros(number)
    coefficients = np.zeros(number)
    for _ in range(most):
        losses, gains, length = 0.0, 0.0, 0.0
        for row in range(number):
            sign = signs[row]
            old = coefficients[row]
            centre = old * sign - (values[row] * sign - 1.0) / (gram[row, row] + 1.0)
            step = min(max(centre, 0.0), limits[row]) * sign - old
            if step != 0.0:
                coefficients[row] += step
                for other in range(number):
                    values[other] += step * (gram[row, other] + 1.0)
        for row in range(number):
            losses += limits[row] * max(1.0 - values[row] * signs[row], 0.0)
            gains += abs(coefficients[row])
            length += coefficients[row] * values[row]
        if length + losses - gains <= tolerance * (0.5 * length + losses):
            break
    return coefficients, values


def sigmoid(values: np.ndarray, signs: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """The slope and shift that fit 1 / (1 + exp(-(slope · value + shift))) best, with Platt's smoothed targets.

    >>> slope, shift = sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1, -1, 1, 1]), np.ones(4))
    >>> round(slope, 2), round(abs(shift), 2)
    (0.67, 0.0)
    """
    positive, negative = weights[signs > 0].sum(), weights[signs < 0].sum()
    targets = np.where(signs > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))
    slope, shift = 1.0, float(np.log((positive + 1) / (negative + 1)))

    def loss(slope: float, shift: float) -> float:
        found = slope * values + shift
        return float(np.sum(weights * (np.logaddexp(0.0, found) - targets * found)))

    for _ in range(100):  # Newton's method; a step that leads uphill is halved
        chance = 1 / (1 + np.exp(-np.clip(slope * values + shift, -50, 50)))
        error = weights * (chance - targets)
        curve = weights * np.maximum(chance * (1 - chance), 1e-12)
        gradient = np.array([np.sum(error * values), np.sum(error)])
        mixed = np.sum(curve * values)
        hessian = np.array([[np.sum(curve * values * values), mixed], [mixed, np.sum(curve)]]) + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        before = loss(slope, shift)
        while np.abs(step).max() >= 1e-6 and loss(slope - step[0], shift - step[1]) > before:
            step /= 2
        slope, shift = slope - step[0], shift - step[1]
        if np.abs(step).max() < 1e-6:
            break
    return max(float(slope), 1e-3), float(shift)


def log_probabilities(machines: Sequence[Machine], table: Table) -> np.ndarray:
    """The log probability of every distinct substring of a table under every machine, (machines, substrings)."""
    table.compute({int(number) for machine in machines for number in machine.numbers})
    found = np.empty((len(machines), len(table)))
    for place, machine in enumerate(machines):
        values = machine.coefficients.astype(np.float32) @ table.rows(machine.numbers) + machine.intercept
        found[place] = -np.logaddexp(0.0, -(machine.slope * values + machine.shift))
    return found
