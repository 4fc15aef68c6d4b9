"""Learning from streams of pairs: one block after the other, none of which is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.errors import InputError
from rekern.kernels.curve_decision import CurveDecision
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel
from rekern.kernels.rewriting.hashed_rules import HashedDecision
from rekern.kernels.score_kernel import ScoreDecision
from rekern.learning.block_descent import Machine, Problem, Rows
from rekern.learning.block_training import ADAPTED, LISTED, check_words_only, choose_rows
from rekern.learning.feature_space import (
    count_columns,
    count_scores,
    hash_rules,
    list_terms,
    make_decision,
    read_features,
    read_scores,
)
from rekern.learning.pair_input import Pair, check_pair_kernel, read_items

NOTED = 20_000  # decision values of a stream that are kept for the calibration
STREAM_BITS = 22  # of the number of columns
STREAM_VISITS = 10  # of each pair of a stream while it is in memory, as in Yu et al.


class Stream:
    """A machine for each output that learns from one block of pairs after the other.

    What a block teaches is kept in the weights; its pairs are not. After a single pass the machine is near the one that
    is trained on all pairs at once, not at it.
    """

    def __init__(self, kernel: Kernel, pairs: Sequence[Pair], outputs: int, middle: float = 0.0):
        self.kernel = kernel
        self.sample = [pairs[row] for row in choose_rows(len(pairs), LISTED).tolist()]
        self.machines = [Machine(count_columns(self.kernel), count_scores(self.kernel)) for _ in range(outputs)]
        self.rows, self.middle = 0, middle  # what is subtracted from the targets of a regression
        self.is_trained = False
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
        items = read_items(self.kernel, pairs)
        block = read_features(self.kernel, items, read_scores(self.kernel, items, len(pairs)), n_jobs)
        before = np.array([machine.decide(block) for machine in self.machines])
        for machine, problem in zip(self.machines, problems):
            machine.descend(block, problem, Rows.start(len(pairs)), visits=STREAM_VISITS, seed=self.rows)
        self.rows, self.is_trained = self.rows + len(pairs), True
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


def start_stream(
    kernel: Kernel, pairs: Sequence[Pair], outputs: int, middle: float = 0.0, bits: int = STREAM_BITS
) -> Stream:
    """Return a stream that has learned nothing; the kernel learns from the first pairs."""
    check_words_only(kernel)
    hashed = hash_rules(kernel, bits)
    check_pair_kernel(hashed)
    chosen = [pairs[row] for row in choose_rows(len(pairs), ADAPTED).tolist()]
    hashed.adapt(read_items(hashed, chosen, with_forms=True))
    return Stream(hashed, pairs, outputs, middle)


def resume_stream(kernel: Kernel, decision: DecisionFunction, intercept: Floats, pairs: Sequence[Pair]) -> Stream:
    """Return a stream that goes on from a model of a stream or of blocks, such as one from a file."""
    terms = decision.terms()
    if not all(isinstance(term, HashedDecision | CurveDecision | ScoreDecision) for term in terms):
        raise InputError(
            "partial_fit cannot go on from this model: its rules are not hashed. Begin with partial_fit or "
            "fit_in_blocks, or use a new model"
        )
    columns, scores = [np.zeros((0, len(intercept)))], [np.zeros((0, len(intercept)))]
    for term, (_, factor) in zip(terms, list_terms(kernel)):
        assert isinstance(term, HashedDecision | CurveDecision | ScoreDecision)
        (columns if isinstance(term, HashedDecision) else scores).append(term.list_weights() / factor)
    stream = Stream(kernel, pairs, len(intercept))
    for output, machine in enumerate(stream.machines):
        machine.score_weights[:] = np.concatenate(scores)[:, output]
        if len(columns) > 1:
            machine.weights[:] = np.concatenate(columns)[:, output]
        machine.state[0] = intercept[output]
        machine.measure()
    stream.is_trained = True
    return stream
