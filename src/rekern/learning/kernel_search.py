"""A search over kernels by cross-validation, within a given time: from simple to rich kernels, then their shapes,
windows, both orders of the pairs, and C.

Whatever is tried is tested on the same folds. A kernel that is clearly worse than the best one in the first folds is
dropped. In the end the simplest kernel wins that is within one standard error of the best, and close to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars
from rekern.errors import InputError, MissingExtraError
from rekern.kernels.kernel import Kernel
from rekern.learning.cross_validation import Fold
from rekern.learning.kernel_choice import NO_TIME, Trial
from rekern.learning.kernel_ladder import (
    COSTS,
    DEFAULT_WINDOWS,
    FAR_COSTS,
    OTHER_WINDOWS,
    Candidate,
    Step,
    has_landmarks,
)
from rekern.learning.search_tasks import SearchTask, list_rows, measure_error
from rekern.learning.training_matrices import SharedMatrices, TrainingMatrix

FIRST_FOLDS = 2  # after which a kernel may be dropped
CLEARLY = 2.0  # standard errors of the difference
CLOSE = 0.002  # the most that the simplest kernel may be below the best one, whatever the standard error
LONGEST_PROBLEM = 200  # characters of an error
FINALISTS = 3  # kernels that are tried on all pairs, if the others were tried on a sample of many
LEADERS = 2  # kernels that are tried with other windows and other costs, besides those that `_list_leaders` names


class Winner(NamedTuple):
    """The kernel and the C that a search chose, and its place in the list of trials."""

    kernel: Kernel
    C: float
    place: int


class _Run(NamedTuple):
    """A kernel that was tested in all folds."""

    candidate: Candidate
    C: float
    values: Floats  # the decision values of all pairs, each from the fold in which it was held out
    score: float
    place: int  # in the list of trials


class KernelSearch:
    """Tries kernels on training pairs; `trials` lists them all, `choose` gives the winner.

    Parameters
    ----------
    task : SearchTask
        What is learned.
    items : pairs
        The training pairs, or a table of them.
    folds : list of Fold
        The folds.
    groups : array
        The group of each pair; pairs of one group are in one fold.
    seconds : float
        No kernel is started that would probably end later.
    gram_limit : int
        The most pairs, or of a ranking differences of two candidates, for which a Gram is computed; with more, kernels
        without explicit features are not tried.
    n_jobs : int, optional
        Threads.
    on_trial : callable, optional
        Called with every `Trial`.
    """

    def __init__(
        self,
        task: SearchTask,
        items: Sequence[object],
        folds: Sequence[Fold],
        groups: Ints,
        seconds: float,
        gram_limit: int,
        n_jobs: int | None = None,
        on_trial: Callable[[Trial], None] | None = None,
    ):
        self.task, self.folds, self.groups = task, list(folds), groups
        self.started, self.seconds = time.monotonic(), seconds
        self.longest = {True: 0.0, False: 0.0}  # seconds of a trial, on a Gram and on features
        self.matrices = SharedMatrices(items, task.size <= gram_limit, n_jobs, task.needs_all_features)
        self.n_jobs, self.on_trial = n_jobs, on_trial
        self.trials: list[Trial] = []
        self.runs: list[_Run] = []
        self.known: set[tuple[str, float]] = set()

    def climb(self, steps: Sequence[Step]) -> Winner:
        """Try all steps of a ladder, then the best ones in other ways; returns the winner."""
        for step in steps:
            self.try_kernel(Candidate(step, DEFAULT_WINDOWS), 1.0)
        for candidate in self._list_shaped():
            for step in candidate.step.list_shapes():
                self.try_kernel(Candidate(step, candidate.windows), 1.0)
        for candidate in self._list_leaders():
            for windows in OTHER_WINDOWS:
                if windows is not None or candidate.step.kernel is not None:
                    self.try_kernel(Candidate(candidate.step, windows), 1.0)
        for candidate in self._list_leaders() if self.task.may_have_no_direction else []:
            if candidate.kernel.reads() == {"source", "target"}:
                self.try_kernel(candidate._replace(both_orders=True), 1.0)
        for candidate in self._list_leaders():
            if not candidate.both_orders and candidate.kernel.reads() == {"source", "target"}:
                self.try_kernel(candidate._replace(target_words=True), 1.0)
        for candidate in self._list_leaders():
            for C in COSTS:
                self.try_kernel(candidate, C)
            best = max((run for run in self.runs if run.candidate.name == candidate.name), key=_get_score)
            if best.C in FAR_COSTS:
                self.try_kernel(candidate, FAR_COSTS[best.C])
        return self.choose()

    def try_kernel(self, candidate: Candidate, C: float) -> None:
        """Test a kernel in the folds, unless that was done, or there is no time for it."""
        if (candidate.name, C) in self.known:
            return
        self.known.add((candidate.name, C))
        started = time.monotonic()
        on_gram = self.matrices.needs_gram(candidate.kernel)
        if self.runs and started - self.started + self.longest[on_gram] + self._estimate_last_fit() > self.seconds:
            self.record(Trial(candidate.name, C, None, None, 0, 0.0, NO_TIME))
            return
        with show_bars(False):
            matrix, problem = self._build(candidate.kernel)
            if matrix is None:
                self.record(Trial(candidate.name, C, None, None, 0, 0.0, f"not tried: {problem}"))
                return
            values, done, loss = self._hold_out(matrix, C)
        took = time.monotonic() - started
        self.longest[on_gram] = max(self.longest[on_gram], took)
        rows = list_rows(self.folds[:done])
        score, influences = self.task.measure(values[rows], rows)
        outcome = "tried" if done == len(self.folds) else f"dropped: {loss:.4f} below the best in these folds"
        if done == len(self.folds):
            self.runs.append(_Run(candidate, C, values, score, len(self.trials)))
        error = measure_error(influences, self.groups[rows])
        self.record(Trial(candidate.name, C, score, error, done, took, outcome))

    def _build(self, kernel: Kernel) -> tuple[TrainingMatrix | None, str]:
        """What to train on, or why there is nothing; a kernel that cannot read the pairs does not end the search."""
        try:
            return self.matrices.build(kernel), "too many pairs for a Gram"
        except (InputError, MissingExtraError) as error:
            if not self.runs:  # not even the simplest kernel can read them
                raise
            text = "".join(character if character.isprintable() else " " for character in str(error))
            return None, text[:LONGEST_PROBLEM]

    def choose(self) -> Winner:
        """Return the simplest kernel that is as good as the best one, as far as the folds can tell."""
        chosen = self._find_winner()
        return Winner(chosen.candidate.kernel, chosen.C, chosen.place)

    def _find_winner(self) -> _Run:
        """The simplest of the kernels that are within one standard error of the best, and close to it."""
        best = self._find_best()
        rows = list_rows(self.folds)
        equals = []
        for one in self.runs:
            loss, error = self._compare(one, best.values, rows)
            if loss <= min(error, CLOSE):
                equals.append(one)
        simplest = min(one.candidate.rank for one in equals)
        return max((one for one in equals if one.candidate.rank == simplest), key=_get_score)

    def _find_best(self) -> _Run:
        """The kernel with the highest score so far."""
        return max(self.runs, key=_get_score)

    def _hold_out(self, matrix: TrainingMatrix, C: float) -> tuple[Floats, int, float]:
        """The decision values of held-out pairs, in how many folds, and how far below the best kernel.

        Only the first folds are done if that is clearly below.
        """
        values, done, loss = np.zeros((len(self.groups), self.task.outputs)), 0, 0.0
        for batch in (self.folds[:FIRST_FOLDS], self.folds[FIRST_FOLDS:]):
            calls = [(matrix, C, fold, output) for fold in batch for output in range(self.task.outputs)]
            for (_, _, fold, output), found in zip(calls, run(self.task.decide, calls, self.n_jobs)):
                values[fold.test, output] = found
            done += len(batch)
            if self.runs and done < len(self.folds):
                gain, error = self._compare(self._find_best(), values, list_rows(self.folds[:done]))
                if -gain > CLEARLY * error:
                    loss = -gain
                    break
        return values, done, loss

    def _estimate_last_fit(self) -> float:
        """About how long it takes to train the model with the best kernel so far: as long as to try it."""
        return self.trials[self._find_best().place].seconds

    def _compare(self, one: _Run, values: Floats, rows: Ints) -> tuple[float, float]:
        """How much lower a kernel scores on these rows than other decision values, and the standard error of that."""
        mine, other = self.task.measure(one.values[rows], rows), self.task.measure(values[rows], rows)
        return other.score - mine.score, measure_error(other.influences - mine.influences, self.groups[rows])

    def try_finalists(self, finalists: Sequence[tuple[Candidate, float]]) -> Winner:
        """Try the best kernels of a sample, and the best of these with other rules and in both orders of the pairs.

        More pairs make rules and orders tell apart that were equal on the sample.
        """
        for candidate, C in finalists:
            self.try_kernel(candidate, C)
        best = self._find_best()
        for windows in (DEFAULT_WINDOWS, OTHER_WINDOWS[0]):
            self.try_kernel(best.candidate._replace(windows=windows), best.C)
        best = self._find_best()
        has_words = best.candidate.target_words
        if self.task.may_have_no_direction and not has_words and best.candidate.kernel.reads() == {"source", "target"}:
            self.try_kernel(best.candidate._replace(both_orders=True), best.C)
        return self.choose()

    def list_finalists(self) -> list[tuple[Candidate, float]]:
        """Return the best kernels, each with its C, and the one that would win; to be tried on more pairs."""
        best: dict[str, _Run] = {}
        for one in sorted(self.runs, key=lambda one: (-one.score, one.candidate.rank)):
            best.setdefault(one.candidate.name, one)
        chosen = {one.candidate.name: one for one in [*list(best.values())[:FINALISTS], self._find_winner()]}
        return [(one.candidate, one.C) for one in chosen.values()]

    def _list_leaders(self) -> list[Candidate]:
        """The kernels to try in more ways: the best ones, the best that can be read, the one that would win now."""
        ordered = sorted(self.runs, key=lambda one: (-one.score, one.candidate.rank))
        by_step: dict[int, Candidate] = {}
        for one in ordered:
            by_step.setdefault(one.candidate.step.number, one.candidate)
        leaders = list(by_step.values())
        readable = [one for one in leaders if one.kernel.has_features() and not has_landmarks(one.kernel)]
        return list(dict.fromkeys([*leaders[:LEADERS], *readable[:1], self._find_winner().candidate]))

    def _list_shaped(self) -> list[Candidate]:
        """The kernels to try in other shapes: the leaders, and the best that has some."""
        best = max((run for run in self.runs if run.candidate.step.shapes), key=_get_score, default=None)
        return list(dict.fromkeys([*self._list_leaders(), *([] if best is None else [best.candidate])]))

    def record(self, trial: Trial) -> None:
        """Add a trial to the list, and tell about it."""
        self.trials.append(trial)
        if self.on_trial is not None:
            self.on_trial(trial)


def _get_score(one: _Run) -> float:
    return one.score
