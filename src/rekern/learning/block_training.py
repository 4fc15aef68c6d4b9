"""Training beyond memory: features in blocks on disk, descent over the blocks, and hashed weights."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.column_groups import SparseRows
from rekern.core.files import make_folder, open_locked, remove_locked
from rekern.core.object_digests import digest_object
from rekern.core.parallel_jobs import split_range
from rekern.core.source_code_digest import digest_kernel_source
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel
from rekern.learning.block_descent import Machine, Problem, decide_blocks, descend_blocks
from rekern.learning.block_features import Chunks, fill_store, fold_weights, weigh_rules
from rekern.learning.block_store import LOCK, BlockStore
from rekern.learning.classifier_trainers import TOLERANCE
from rekern.learning.feature_space import count_scores, hash_rules, make_decision, read_rules
from rekern.learning.pair_input import Pair, check_pair_kernel, read_items, reads_words_only

FEWEST_BITS, MOST_BITS = 16, 26  # of the number of columns
ADAPTED = 20_000  # pairs from which a kernel learns, such as the ranges of scores
LISTED = 5_000  # pairs in which the strongest rules are looked for
PROBED = 100  # pairs from which the size of a chunk is estimated
BLOCKS, FEWEST_ROWS, MOST_ROWS = 256, 16, 2048  # blocks in all, and rows of a block
BYTES_PER_FEATURE = 60  # while the features of a chunk are made
MOST_NOISE = 0.02  # by which hashing may change decision values (root mean square); their margin is 1
COMPARED = 1000  # pairs on which hashed weights are compared with the exact ones
HELD_OUT_TOLERANCE = 5e-2  # of the gap of the machine whose decisions are for the calibration
HELD_OUT = 20  # one in so many pairs is held out for the calibration
NOTED, TRAINED = 1, 2  # how far a machine is: its values of the held-out pairs are noted; it has learned from all pairs
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
    memory: str | int,
    folder: str | Path | None,
    n_jobs: int | None,
) -> BlockTraining:
    """Train a machine for each problem on the same pairs.

    The held-out pairs come last: when the machine of the other pairs is trained, their decision values are noted, and
    then training goes on with all pairs. With a ``folder`` what was done is kept there, and an interrupted run goes on.
    """
    memory = parse_memory(memory)
    check_words_only(kernel)
    hash_rules(kernel, FEWEST_BITS)  # refuses what has no features
    check_pair_kernel(kernel)
    kernel.adapt(read_items(kernel, [pairs[row] for row in choose_rows(len(pairs), ADAPTED).tolist()], with_forms=True))
    # Blocks of rows in random order: descent over blocks that differ, such as in their labels, would take far longer.
    order = np.random.default_rng(0).permutation(len(pairs))
    places = np.empty(len(pairs), np.int64)
    places[order] = np.arange(len(pairs))
    mixed = [problem._replace(targets=problem.targets[order], costs=problem.costs[order]) for problem in problems]
    probed = [pairs[row] for row in order[:PROBED].tolist()]
    probe = read_rules(kernel, read_items(kernel, probed), len(probed), n_jobs)
    spans = split_range(len(pairs), _find_chunk_size(probe, memory))
    rows = min(max(len(pairs) // BLOCKS, FEWEST_ROWS), MOST_ROWS)
    with ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(TemporaryDirectory(prefix="rekern-blocks-"))
        lock = make_folder(folder, "blocks") / LOCK
        stack.callback(remove_locked, lock, stack.enter_context(open_locked(lock)))
        digest = _digest_work(kernel, pairs, problems, held_out)
        store = BlockStore(lock.parent, spans, rows, digest, int(0.3 * memory))
        chunks = Chunks(kernel, pairs, order, store, n_jobs)
        entries = len(probe.keys) * len(pairs) // (len(probe.indptr) - 1)
        columns, blocks = fill_store(store, chunks, entries, memory), len(store.spans)
        if store.measure() < 0.4 * memory:
            store.join()
        together = max(1, int(0.15 * memory / max(store.measure_block(), 1)))
        machines, coefficients, values, passes = _solve(store, columns, kernel, mixed, places[held_out], together)
        first, last = store.spans[0]
        block, shown = store.load(0), min(COMPARED, last - first, spans[0][1])
        exact = np.array([one.decide(block, own[first:last]) for one, own in zip(machines, coefficients)])
        exact = (exact[:, :shown] - [[one.intercept] for one in machines]).T
        scores = np.column_stack([machine.score_weights for machine in machines])
        intercepts = np.array([machine.intercept for machine in machines])
        rules = exact - block.scores[:shown] @ scores
        del machines, block  # their memory is for the weights of rules
        store.forget()
        bits = min(max((memory // (8 * 8 * len(problems))).bit_length() - 1, FEWEST_BITS), MOST_BITS)
        weights = weigh_rules(chunks, coefficients, bits)
        bits, weights = fold_weights(chunks, weights, rules, bits, FEWEST_BITS, MOST_NOISE)
    hashed = hash_rules(kernel, bits)
    sample = read_items(hashed, [pairs[row] for row in choose_rows(len(pairs), LISTED).tolist()], with_forms=True)
    decision = make_decision(hashed, np.concatenate([np.zeros((0, len(problems))), *weights]), scores, sample)
    size = f"{len(pairs)} rows in {blocks} blocks, {columns} groups of rules"
    solver = f"dual coordinate descent over {size}, {passes} passes, weights in 2^{bits} columns"
    return BlockTraining(hashed, decision, intercepts, values, solver)


def check_words_only(kernel: Kernel) -> None:
    """Raise an InputError if a kernel reads more than the words of pairs."""
    if not reads_words_only(kernel):
        raise InputError("the kernel reads more than words: blocks and streams have rules and scores only")


def _solve(
    store: BlockStore, columns: int, kernel: Kernel, problems: list[Problem], held_out: Ints, together: int
) -> tuple[list[Machine], Floats, Floats, int]:
    """Train all machines, from where an earlier run stopped; returns also coefficients, held-out values and passes."""
    n = store.spans[-1][1]
    found = store.load_progress() or {}
    if "passes" not in found:  # of an older version
        found = {}
    coefficients: Floats = np.zeros((len(problems), n))
    values: Floats = np.zeros((len(problems), len(held_out)))
    stage, passes = np.zeros(len(problems), np.int64), np.zeros(1, np.int64)
    known: dict[str, AnyArray] = {"coefficients": coefficients, "values": values, "stage": stage, "passes": passes}
    for name in known.keys() & found.keys():
        known[name][:] = found[name]

    def keep(machine: Machine, arrays: Mapping[str, AnyArray] = MappingProxyType({})) -> None:
        store.save_progress(**known, **machine.to_arrays(), **arrays)

    machines = []
    for number, problem in enumerate(problems):
        machine, own = Machine(columns, count_scores(kernel)), coefficients[number]
        machines.append(machine)
        if stage[number] == TRAINED:
            machine.put(store.load_machine(number))
            continue
        if "weights" in found:
            machine.put(found)
        went = found if "sweep" in found else None
        found = {}  # it is about the first machine that is not trained yet
        keep_this = partial(keep, machine)
        if len(held_out) and stage[number] != NOTED:
            first = problem._replace(costs=problem.costs.copy())
            first.costs[held_out] = 0.0
            passes += descend_blocks(machine, store, first, own, HELD_OUT_TOLERANCE, keep_this, together, went)
            values[number] = decide_blocks(machine, store, own, together)[held_out]
            stage[number], went = NOTED, None
            keep(machine)
        passes += descend_blocks(machine, store, problem, own, TOLERANCE, keep_this, together, went)
        store.save_machine(number, machine.to_arrays())
        stage[number] = TRAINED
        store.save_progress(**known)
    return machines, coefficients, values, int(passes[0])


def _find_chunk_size(probe: SparseRows, memory: int) -> int:
    """Return of how many pairs features are made at once, from the rules of a few pairs."""
    each = len(probe.keys) / (len(probe.indptr) - 1)
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
