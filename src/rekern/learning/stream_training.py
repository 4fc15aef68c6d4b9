"""Learning from streams of pairs: one block after the other, none of which is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel
from rekern.learning.block_descent import Machine, Problem
from rekern.learning.block_training import ADAPTED, LISTED, check_words_only, choose_rows
from rekern.learning.feature_space import count_columns, count_scores, hash_rules, make_decision, read_features
from rekern.learning.pair_input import Pair, check_pair_kernel, read_items

NOTED = 20_000  # decision values of a stream that are kept for the calibration
STREAM_VISITS = 10  # of each pair of a stream while it is in memory, as in Yu et al.


class Stream:
    """A machine for each output that learns from one block of pairs after the other.

    What a block teaches is kept in the weights; its pairs are not. After a single pass the machine is near the one that
    is trained on all pairs at once, not at it.
    """

    def __init__(self, kernel: Kernel, pairs: Sequence[Pair], outputs: int, middle: float = 0.0, bits: int = 22):
        check_words_only(kernel, pairs[:1])
        self.kernel = hash_rules(kernel, bits)
        check_pair_kernel(self.kernel)
        chosen = [pairs[row] for row in choose_rows(len(pairs), ADAPTED).tolist()]
        self.kernel.adapt(read_items(self.kernel, chosen, with_forms=True))
        self.sample = [pairs[row] for row in choose_rows(len(pairs), LISTED).tolist()]
        self.machines = [Machine(count_columns(self.kernel), count_scores(self.kernel)) for _ in range(outputs)]
        self.rows, self.middle = 0, middle  # what is subtracted from the targets of a regression
        self._noted = np.zeros((2, outputs, 0))  # decision values before they were learned from, and their signs
        self.noted_labels: AnyArray = np.zeros(0)

    def note(self, values: Floats, signs: Ints, labels: AnyArray) -> None:
        """Keep decision values that pairs had before they were learned from, for the calibration."""
        self._noted = np.concatenate([self._noted, np.array([values, signs])], axis=2)[:, :, -NOTED:]
        joined = np.concatenate([self.noted_labels, labels]) if len(self.noted_labels) else labels
        self.noted_labels = joined[-NOTED:]

    def list_noted(self) -> tuple[Floats, Ints]:
        """Return the noted decision values and signs, a row for each output."""
        return self._noted[0], self._noted[1].astype(np.int64)

    def learn(self, pairs: Sequence[Pair], problems: list[Problem], n_jobs: int | None) -> Floats:
        """Learn from pairs; return the decision values that they had before, a row for each output."""
        block = read_features(self.kernel, read_items(self.kernel, pairs), len(pairs), n_jobs)
        before = np.array([machine.decide(block) for machine in self.machines])
        for machine, problem in zip(self.machines, problems):
            machine.descend(block, problem, np.zeros(len(pairs)), visits=STREAM_VISITS, seed=self.rows)
        self.rows += len(pairs)
        return before

    def decide(self) -> DecisionFunction:
        """Return the decision function that was learned so far."""
        sample = read_items(self.kernel, self.sample, with_forms=True)
        weights = np.column_stack([machine.weights for machine in self.machines])
        scores = np.column_stack([machine.score_weights for machine in self.machines])
        return make_decision(self.kernel, weights, scores, sample)

    def list_intercepts(self) -> Floats:
        """Return the intercepts that were learned so far."""
        return np.array([machine.intercept for machine in self.machines])
