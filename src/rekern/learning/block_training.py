"""Training beyond memory: hashed features in blocks on disk, and descent over the blocks."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, cast

import numpy as np

from rekern.core.arrays import Floats, Ints, offsets_of
from rekern.core.files import make_folder, open_locked, remove_locked, show_path, write_atomically
from rekern.core.parallel_jobs import run, run_ahead, split_range
from rekern.core.progress import track
from rekern.core.version import __version__
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.learning.block_descent import Machine, Problem, decide_blocks, descend_blocks
from rekern.learning.feature_space import (
    FeatureBlock,
    SmallFloats,
    count_columns,
    count_scores,
    hash_rules,
    make_decision,
    read_features,
    read_scores,
)
from rekern.learning.pair_input import Pair, check_pair_kernel, read_items, reads_words_only

FEWEST_BITS, MOST_BITS = 16, 26  # of the number of columns
COLUMNS_PER_PAIR = 256  # as far as memory allows: then few rules share a column
ADAPTED = 20_000  # pairs from which a kernel learns, such as the ranges of scores
LISTED = 5_000  # pairs in which the strongest rules are looked for
CHUNK, PAIRS_TOGETHER = 4096, 256  # pairs whose texts are read at once, and whose rules are made at once
BLOCKS, FEWEST_ROWS, MOST_ROWS = 256, 16, 2048  # blocks in all, and rows of a block
TOLERANCE = 0.2  # of the gap between primal and dual objective: more passes hardly change a prediction
HELD_OUT_TOLERANCE = 0.3  # of the machine whose decisions are for the calibration
HELD_OUT = 20  # one in so many pairs is held out for the calibration
WHOLE = 0.8  # of the memory, into which all features fit if they are kept there
LOCK, PLAN, ROWS = "lock", "plan.json", "rows.npz"  # files in the folder: the run that uses it, of what, where rows are
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


class BlockStore:
    """The features of all rows in three files of a folder, from which they are read in blocks.

    >>> value = np.ones(2, np.float32)
    >>> rows = FeatureBlock(np.arange(3), np.arange(2, dtype=np.int32), value, value[:, None], np.array([2.0, 3.0]))
    >>> with TemporaryDirectory() as folder:
    ...     store = BlockStore(Path(folder), [rows, rows], 1)
    ...     block = store.load([3, 0])
    >>> store.spans, block.columns.tolist(), block.scores.tolist(), block.norms.tolist()
    ([(0, 1), (1, 2), (2, 3), (3, 4)], [1, 0], [[1.0], [1.0]], [3.0, 2.0])
    """

    def __init__(self, folder: Path, made: Iterable[FeatureBlock], rows: int):
        """Write features, unless an earlier run has written all of them."""
        self._folder = folder
        if not (folder / ROWS).exists():
            self._write(made)
        try:
            with np.load(folder / ROWS, allow_pickle=False) as found:
                self._indptr, self._norms, self._scores = found["indptr"], found["norms"], int(found["scores"])
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            remedy = f"delete the folder {show_path(folder)} to train from the start"
            raise InputError(f"{show_path(folder / ROWS)} is missing or damaged: {remedy}", names_file=True) from None
        self.spans = split_range(len(self._norms), rows)
        self.bytes_per_block = (8 * int(self._indptr[-1]) // len(self._norms) + 4 * self._scores) * rows
        self._kept: FeatureBlock | None = None

    def load(self, numbers: list[int]) -> FeatureBlock:
        """Return the rows of some blocks, one block after the other; all of them, in order, are kept in memory."""
        if len(numbers) == len(self.spans):
            if self._kept is None:
                self._kept = self._read(0, len(self._norms))
            return self._kept
        parts = [self._read(*self.spans[number]) for number in numbers]
        lengths = np.concatenate([np.diff(part.indptr) for part in parts])
        return FeatureBlock(
            offsets_of(lengths),
            np.concatenate([part.columns for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.norms for part in parts]),
        )

    def _read(self, first: int, last: int) -> FeatureBlock:
        """Return consecutive rows."""
        begin, count = int(self._indptr[first]), int(self._indptr[last] - self._indptr[first])
        size = self._scores
        scores = np.fromfile(self._folder / "scores", np.float32, (last - first) * size, offset=4 * first * size)
        return FeatureBlock(
            self._indptr[first : last + 1] - begin,
            np.fromfile(self._folder / "columns", np.int32, count, offset=4 * begin),
            np.fromfile(self._folder / "values", np.float32, count, offset=4 * begin),
            scores.reshape(last - first, size),
            self._norms[first:last],
        )

    def _write(self, made: Iterable[FeatureBlock]) -> None:
        lengths, norms, scores = [], [], 0
        with ExitStack() as stack:
            files = [stack.enter_context(open(self._folder / name, "wb")) for name in ("columns", "values", "scores")]
            for block in made:
                for array, file in zip((block.columns, block.values, block.scores), files, strict=True):
                    array.tofile(file)
                lengths.append(np.diff(block.indptr))
                norms.append(block.norms)
                scores = block.scores.shape[1]
        with write_atomically(self._folder / ROWS) as temporary:
            indptr = offsets_of(np.concatenate(lengths))
            np.savez(temporary, indptr=indptr, norms=np.concatenate(norms), scores=np.array(scores))


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
    then training goes on with all pairs. With a ``folder`` the features stay there for another training of these pairs.
    """
    memory = parse_memory(memory)
    check_words_only(kernel)
    hashed = hash_rules(kernel, _choose_bits(len(pairs), memory, len(problems)))
    check_pair_kernel(hashed)
    sample = [pairs[row] for row in choose_rows(len(pairs), ADAPTED).tolist()]
    hashed.adapt(read_items(hashed, sample, with_forms=True))
    # Blocks of rows in random order: descent over blocks that differ, such as in their labels, would take far longer.
    order = np.random.default_rng(0).permutation(len(pairs))
    places = np.empty(len(pairs), np.int64)
    places[order] = np.arange(len(pairs))
    columns, scores = count_columns(hashed), count_scores(hashed)
    weights = np.zeros((columns, len(problems)), np.float32)
    score_weights, intercepts = np.zeros((scores, len(problems))), np.zeros(len(problems))
    values, passes = np.zeros((len(problems), len(held_out))), 0
    with ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(TemporaryDirectory(prefix="rekern-blocks-"))
        lock = make_folder(folder, "blocks") / LOCK
        stack.callback(remove_locked, lock, stack.enter_context(open_locked(lock)))
        _check_folder(lock.parent, _digest_work(hashed, pairs))
        rows = min(max(len(pairs) // BLOCKS, FEWEST_ROWS), MOST_ROWS)
        store = BlockStore(lock.parent, iterate_features(hashed, pairs, order, n_jobs), rows)
        together = int(WHOLE * memory / max(store.bytes_per_block, 1))
        if together < len(store.spans):
            together = max(1, together // 3)  # the next ones are read meanwhile, and then put together
        together = min(together, len(store.spans))
        for number, problem in enumerate(problems):
            mixed = problem._replace(targets=problem.targets[order], costs=problem.costs[order])
            machine, coefficients = Machine(columns, scores), np.zeros(len(pairs))
            if len(held_out):
                first = mixed._replace(costs=mixed.costs.copy())
                first.costs[places[held_out]] = 0.0
                passes += descend_blocks(machine, store, first, coefficients, HELD_OUT_TOLERANCE, together)
                values[number] = decide_blocks(machine, store, together)[places[held_out]]
            passes += descend_blocks(machine, store, mixed, coefficients, TOLERANCE, together)
            weights[:, number], score_weights[:, number] = machine.weights[:columns], machine.score_weights
            intercepts[number] = machine.intercept
    sample = [pairs[row] for row in choose_rows(len(pairs), LISTED).tolist()]
    decision = make_decision(hashed, weights, score_weights, read_items(hashed, sample, with_forms=True))
    size = f"{len(pairs)} rows in {len(store.spans)} blocks"
    solver = f"dual coordinate descent over {size}, {passes} passes, {columns} columns of rules"
    return BlockTraining(hashed, decision, intercepts, values, solver)


def iterate_features(
    kernel: Kernel, pairs: Sequence[Pair], order: Ints, n_jobs: int | None = None
) -> Iterator[FeatureBlock]:
    """Yield the features of pairs in this order, some at a time; the texts of the next ones are read meanwhile."""

    def read(first: int, last: int) -> tuple[Items, SmallFloats]:
        items = read_items(kernel, [pairs[row] for row in order[first:last].tolist()])
        return items, read_scores(kernel, items, last - first)

    spans = split_range(len(pairs), CHUNK)
    for items, scores in track(run_ahead(read, spans, 1), len(spans), "features"):
        known = cast(Sequence[object], items)
        parts = split_range(len(scores), PAIRS_TOGETHER)
        yield from run(partial(read_features, kernel), [(known[a:b], scores[a:b], 1) for a, b in parts], n_jobs)


def check_words_only(kernel: Kernel) -> None:
    """Raise an InputError if a kernel reads more than the words of pairs."""
    if not reads_words_only(kernel):
        raise InputError("the kernel reads more than words: blocks and streams have rules and scores only")


def _choose_bits(n: int, memory: int, outputs: int) -> int:
    """Return of how many bits the number of a column of rules is: the weights take at most an eighth of the memory."""
    most = (memory // (8 * 8 * outputs)).bit_length() - 1
    return max(min((COLUMNS_PER_PAIR * n).bit_length(), most, MOST_BITS), FEWEST_BITS)


def _check_folder(folder: Path, digest: str) -> None:
    """Refuse a folder that has anything but the blocks of the same pairs and kernel."""
    path = folder / PLAN
    if path.exists():
        if path.read_text("utf-8") != json.dumps(digest):
            raise InputError(
                f"{folder} has the blocks of another training (other pairs, kernel, memory or version of Rekern): "
                "name another folder, or delete it"
            )
    elif any(path.name != LOCK for path in folder.iterdir()):
        raise InputError(f"{folder} is not empty: name a new folder for the blocks")
    else:
        with write_atomically(path) as temporary:
            temporary.write_text(json.dumps(digest), "utf-8")


def _digest_work(kernel: Kernel, pairs: Sequence[Pair]) -> str:
    """Return a digest of what the features depend on; a function as tokenizer is known by its name."""
    digest = hashlib.blake2b(f"{__version__} {re.sub(r' at 0x[0-9a-f]+', '', repr(kernel))}".encode(), digest_size=16)
    for source, target in pairs:
        digest.update(repr((source, target)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
