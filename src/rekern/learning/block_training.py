"""Training beyond memory: hashed features in blocks on disk, descent over the blocks, and streams of pairs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.files import make_folder
from rekern.core.object_digests import digest_object
from rekern.core.parallel_jobs import split_range
from rekern.core.source_code_digest import digest_kernel_source
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.learning.block_descent import Machine, Problem, decide_blocks, descend_blocks
from rekern.learning.block_store import BlockStore
from rekern.learning.classifier_trainers import TOLERANCE
from rekern.learning.feature_space import (
    FeatureBlock,
    count_columns,
    count_scores,
    hash_rules,
    make_decision,
    read_features,
)
from rekern.learning.pair_input import Pair, check_pair_kernel, read_items, read_table

FEWEST_BITS, MOST_BITS = 16, 26  # of the number of columns
ADAPTED = 20_000  # pairs from which a kernel learns, such as the ranges of scores
LISTED = 5_000  # pairs in which the strongest rules are looked for
PROBED = 100  # pairs from which the size of a chunk is estimated
BLOCKS, FEWEST_ROWS, MOST_ROWS = 256, 16, 2048  # blocks in all, and rows of a block
BYTES_PER_FEATURE = 60  # while the features of a chunk are made
NOTED = 20_000  # decision values of a stream that are kept for the calibration
STREAM_VISITS = 10  # of each pair of a stream while it is in memory, as in Yu et al.
HELD_OUT = 20  # one in so many pairs is held out for the calibration
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


class BlockTraining(NamedTuple):
    """What came out of training in blocks."""

    kernel: Kernel
    decision: DecisionFunction
    intercept: Floats  # of each output
    held_out: Floats  # decision values of the held-out pairs before they were trained on, a row for each output
    solver: str


def parse_memory(memory: object) -> int:
    """Return a number of bytes that is given as a number, or with a unit.

    >>> parse_memory("4GB"), parse_memory("1.5 GiB"), parse_memory(10**9)
    (4000000000, 1610612736, 1000000000)
    >>> parse_memory("much")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: memory='much': give a number of bytes of at least 100 MB, such as 4GB
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", str(memory), re.IGNORECASE)
    size = int(float(found[1]) * _UNITS[found[2].upper()]) if found and found[2].upper() in _UNITS else 0
    if isinstance(memory, bool) or not 10**8 <= size < 1 << 60:
        raise InputError(f"memory={str(memory)[:40]!r}: give a number of bytes of at least 100 MB, such as 4GB")
    return size


def as_path(folder: str | Path | None) -> Path | None:
    """Return a folder that may be given as text."""
    return None if folder is None else Path(folder)


def choose_rows(n: int, number: int) -> Ints:
    """Return the numbers of about ``number`` of ``n`` rows, evenly spread.

    >>> choose_rows(10, 4).tolist(), choose_rows(2, 4).tolist()
    ([0, 2, 5, 7], [0, 1])
    """
    return np.arange(n) if n <= number else np.arange(number) * n // number


def choose_held_out(n: int) -> Ints:
    """Return the numbers of the rows that are held out for the calibration, the same in every run.

    >>> choose_held_out(100).tolist()
    [2, 3, 11, 13, 20, 92]
    """
    return np.flatnonzero(np.random.default_rng(0).random(n) < 1 / HELD_OUT)


def train_in_blocks(
    kernel: Kernel,
    pairs: Sequence[Pair],
    problems: list[Problem],
    held_out: Ints,
    memory: int,
    folder: Path | None,
    n_jobs: int | None,
) -> BlockTraining:
    """Train a machine for each problem on the same pairs.

    The held-out pairs come last: when the machine of the other pairs is trained, their decision values are noted, and
    then training goes on with all pairs. With a ``folder`` what was done is kept there, and an interrupted run goes on.
    """
    check_words_only(kernel, pairs[:1])
    bits = (memory // (8 * 8 * len(problems))).bit_length() - 1
    bits = min(max(min(bits, len(pairs).bit_length() + 10), FEWEST_BITS), MOST_BITS)  # a thousand for each pair
    hashed = hash_rules(kernel, bits)
    check_pair_kernel(hashed)
    adapted = read_items(hashed, [pairs[row] for row in choose_rows(len(pairs), ADAPTED).tolist()], with_forms=True)
    hashed.adapt(adapted)
    # Blocks of rows in random order: descent over blocks that differ, such as in their labels, would take far longer.
    order = np.random.default_rng(0).permutation(len(pairs))
    places = np.empty(len(pairs), np.int64)
    places[order] = np.arange(len(pairs))
    mixed = [problem._replace(targets=problem.targets[order], costs=problem.costs[order]) for problem in problems]
    read = partial(_read_block, hashed, pairs, order, n_jobs)
    chunks = split_range(len(pairs), _find_chunk_size(read(0, min(PROBED, len(pairs))), memory))
    rows = min(max(len(pairs) // BLOCKS, FEWEST_ROWS), MOST_ROWS)
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="rekern-blocks-")))
        digest = _digest_work(hashed, pairs, problems, held_out)
        store = BlockStore(make_folder(folder, "blocks"), chunks, rows, digest, int(0.4 * memory))
        store.fill(read)
        machines, values, passes = _solve(store, hashed, mixed, places[held_out])
    sample = read_items(hashed, [pairs[row] for row in choose_rows(len(pairs), LISTED).tolist()], with_forms=True)
    decision = make_machine_decision(hashed, machines, sample)
    size = f"{len(pairs)} rows in {len(store.spans)} blocks, 2^{bits} columns"
    solver = f"dual coordinate descent over {size}, {passes} passes"
    return BlockTraining(hashed, decision, np.array([machine.intercept for machine in machines]), values, solver)


def check_words_only(kernel: Kernel, X: object) -> None:
    """Raise an InputError if a kernel reads more than the words of pairs."""
    if read_table(kernel, X) is not None:
        raise InputError("the kernel reads more than words: blocks and streams have rules and scores only")


def make_machine_decision(kernel: Kernel, machines: list[Machine], sample: Items) -> DecisionFunction:
    """Return the decision function of machines, one for each output."""
    weights = np.column_stack([machine.weights for machine in machines])
    scores = np.column_stack([machine.score_weights for machine in machines])
    return make_decision(kernel, weights, scores, sample)


def _solve(
    store: BlockStore, kernel: Kernel, problems: list[Problem], held_out: Ints
) -> tuple[list[Machine], Floats, int]:
    """Train all machines, from where an earlier run stopped; returns also the held-out values and the passes."""
    n = store.spans[-1][1]
    found = store.load_progress()
    coefficients = np.zeros((len(problems), n)) if found is None else found["coefficients"]
    values: Floats = np.zeros((len(problems), len(held_out))) if found is None else found["values"].astype(float)
    stage = np.zeros(len(problems), np.int64) if found is None else found["stage"]  # 1: the held-out values are noted

    def keep() -> None:
        store.save_progress(coefficients=coefficients, values=values, stage=stage)

    machines, passes = [], 0
    for number, problem in enumerate(problems):
        machine = Machine(count_columns(kernel), count_scores(kernel))
        _take_up(machine, store, coefficients[number])
        if len(held_out) and not stage[number]:
            first = problem._replace(costs=problem.costs.copy())
            first.costs[held_out] = 0.0
            passes += descend_blocks(machine, store, first, coefficients[number], TOLERANCE, keep)
            values[number] = decide_blocks(machine, store)[held_out]
            stage[number] = 1
            keep()
        passes += descend_blocks(machine, store, problem, coefficients[number], TOLERANCE, keep)
        keep()
        machines.append(machine)
    return machines, values, passes


def _take_up(machine: Machine, store: BlockStore, coefficients: Floats) -> None:
    """Give a machine the weights that belong to coefficients of an earlier run."""
    if coefficients.any():
        for number, (first, last) in enumerate(store.spans):
            machine.add(store.load(number), coefficients[first:last])
        machine.measure()


def _read_block(
    kernel: Kernel, pairs: Sequence[Pair], order: Ints, n_jobs: int | None, first: int, last: int
) -> FeatureBlock:
    """Return the features of the pairs at these places of an order."""
    items = read_items(kernel, [pairs[row] for row in order[first:last].tolist()])
    return read_features(kernel, items, last - first, n_jobs)


def _find_chunk_size(probe: FeatureBlock, memory: int) -> int:
    """Return of how many pairs features are made at once, from the features of a few pairs."""
    each = (len(probe.columns) + probe.scores.size) / len(probe.norms)
    return int(min(max(memory / 16 / (BYTES_PER_FEATURE * max(each, 1.0)), 256), 1 << 16))


def _digest_work(kernel: Kernel, pairs: Sequence[Pair], problems: list[Problem], held_out: AnyArray) -> str:
    """Return a digest of all that the result depends on."""
    digest = hashlib.blake2b(digest_kernel_source().encode(), digest_size=16)
    digest.update(str(digest_object(kernel)).encode())
    for source, target in pairs:
        digest.update(repr((source, target)).encode("utf-8", "surrogatepass"))
    for problem in problems:
        digest.update(problem.targets.tobytes() + problem.costs.tobytes() + repr(problem[2:]).encode())
    digest.update(held_out.tobytes())
    return digest.hexdigest()


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
        block = _read_block(self.kernel, pairs, np.arange(len(pairs)), n_jobs, 0, len(pairs))
        before = np.array([machine.decide(block) for machine in self.machines])
        for machine, problem in zip(self.machines, problems):
            machine.descend(block, problem, np.zeros(len(pairs)), visits=STREAM_VISITS, seed=self.rows)
        self.rows += len(pairs)
        return before

    def decide(self) -> DecisionFunction:
        """Return the decision function that was learned so far."""
        sample = read_items(self.kernel, self.sample, with_forms=True)
        return make_machine_decision(self.kernel, self.machines, sample)

    def list_intercepts(self) -> Floats:
        """Return the intercepts that were learned so far."""
        return np.array([machine.intercept for machine in self.machines])
