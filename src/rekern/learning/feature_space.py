"""Explicit features of a kernel for training in blocks: rules by their keys or hashed, and scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints, SmallInts, offsets_of
from rekern.core.column_groups import GroupedRows, SparseRows
from rekern.core.hashing import constants
from rekern.core.key_rows import sum_rows
from rekern.errors import InputError
from rekern.kernels.combinations import Scaled, Sum
from rekern.kernels.decision_functions import DecisionFunction, SumDecision
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.rewriting.hashed_rules import HashedRules
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.score_kernel import ScoreKernel

SmallFloats = npt.NDArray[np.float32]

TERM_SEED = 977  # of the constants by which the keys of further terms differ


class FeatureBlock(NamedTuple):
    """The features of some pairs in 32 bits: sparse columns of rules, dense scores, and the squared norms of rows.

    ``own`` is what features that no other pair has add to each norm; they have no column.
    """

    indptr: Ints
    columns: SmallInts
    values: SmallFloats
    scores: SmallFloats
    norms: Floats
    own: Floats


def hash_rules(kernel: Kernel, bits: int) -> Kernel:
    """Return a kernel with hashed rules in place of rules; an InputError for a kernel that has other features.

    >>> from rekern.learning.named_kernels import resolve_kernel
    >>> hash_rules(resolve_kernel("rules"), 20).bits
    20
    """
    if isinstance(kernel, Sum):
        return Sum(hash_rules(kernel.left, bits), hash_rules(kernel.right, bits))
    if isinstance(kernel, Scaled):
        return Scaled(hash_rules(kernel.kernel, bits), kernel.weight)
    if type(kernel) is Rewriting and kernel.has_features():
        return HashedRules(**kernel.get_params(deep=False), bits=bits)
    if isinstance(kernel, HashedRules | ScoreKernel):
        return kernel
    raise InputError(
        f"{summarize_kernel(kernel)} has no features that can be made block by block: use rules and scores, such as "
        "rules+curves, or train without blocks"
    )


def list_terms(kernel: Kernel, factor: float = 1.0) -> list[tuple[Rewriting | ScoreKernel, float]]:
    """Return the summands of a kernel, as they are, and the factor of the features of each."""
    if isinstance(kernel, Sum):
        return list_terms(kernel.left, factor) + list_terms(kernel.right, factor)
    if isinstance(kernel, Scaled):
        return list_terms(kernel.kernel, factor * float(kernel.weight) ** 0.5)
    assert isinstance(kernel, Rewriting | ScoreKernel)
    return [(kernel, factor)]


def count_columns(kernel: Kernel) -> int:
    """Return the number of columns of hashed rules.

    >>> count_columns(HashedRules(bits=10) + HashedRules(2, bits=8))
    1280
    """
    return sum(1 << term.bits for term, _ in list_terms(kernel) if isinstance(term, HashedRules))


def count_scores(kernel: Kernel) -> int:
    """Return the number of scores."""
    return sum(len(term.names()) for term, _ in list_terms(kernel) if isinstance(term, ScoreKernel))


def read_rules(kernel: Kernel, items: Items, n: int, n_jobs: int | None = None) -> SparseRows:
    """Return the rules of ``n`` items by their keys; rules of different terms have different keys.

    >>> rows = read_rules(Rewriting(1, normalize=False), [("a b", "b"), ("b", "b")], 2)
    >>> np.diff(rows.indptr).tolist(), rows.values.tolist()
    ([3, 2], [1.0, 1.0, 1.0, 1.0, 1.0])
    """
    parts = []
    for number, (term, factor) in enumerate(list_rule_terms(kernel)):
        rows = term.extract_rows(term.read_items(items), n_jobs)
        keys = rows.keys ^ constants(TERM_SEED, number)[-1] if number else rows.keys
        parts.append(SparseRows(rows.indptr, keys, (rows.values * factor).astype(np.float32)))
    return join_rows(parts, n)


def read_scores(kernel: Kernel, items: Items, n: int) -> SmallFloats:
    """Return the scores of ``n`` items, a row for each."""
    found = [(term.scores(items) * factor).astype(np.float32) for term, factor in _list_score_terms(kernel)]
    return np.ascontiguousarray(np.concatenate([np.zeros((n, 0), np.float32), *found], axis=1))


def group_features(rows: GroupedRows, scores: SmallFloats) -> FeatureBlock:
    """Return a block of rules over groups of equal columns, and of scores."""
    norms = add_squares(rows.indptr, rows.values, scores) + rows.own
    return FeatureBlock(rows.indptr, rows.columns, rows.values, scores, norms, rows.own)


def read_features(kernel: Kernel, items: Items, n: int, n_jobs: int | None = None) -> FeatureBlock:
    """Return the features of ``n`` items for a kernel of hashed rules and scores.

    >>> block = read_features(HashedRules(1, normalize=False), [("a b", "b"), ("b", "b")], 2)
    >>> np.diff(block.indptr).tolist(), block.norms.tolist()
    ([3, 2], [3.0, 2.0])
    """
    first, parts = 0, []
    for term, factor in list_rule_terms(kernel):
        assert isinstance(term, HashedRules)
        rows = term.extract_rows(term.read_items(items), n_jobs)
        columns = (rows.keys >> np.uint64(64 - term.bits)) + np.uint64(first)
        parts.append(SparseRows(rows.indptr, columns, (rows.values * factor).astype(np.float32)))
        first += 1 << term.bits
    joined, scores = join_rows(parts, n), read_scores(kernel, items, n)
    norms = add_squares(joined.indptr, joined.values, scores)
    return FeatureBlock(joined.indptr, joined.keys.astype(np.int32), joined.values, scores, norms, np.zeros(n))


def add_squares(indptr: Ints, values: SmallFloats, scores: SmallFloats) -> Floats:
    """Return the sum of the squares of each row."""
    sums: Floats = sum_rows(indptr, values.astype(np.float64) ** 2) + (scores.astype(np.float64) ** 2).sum(axis=1)
    return sums


def join_rows(parts: list[SparseRows], n: int) -> SparseRows:
    """Return ``n`` rows of several sparse matrices, one after the other in each row."""
    if not parts:
        return SparseRows(np.zeros(n + 1, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.float32))
    if len(parts) == 1:
        return parts[0]
    rows = np.concatenate([np.repeat(np.arange(n), np.diff(part.indptr)) for part in parts])
    order = np.argsort(rows, kind="stable")
    keys, values = np.concatenate([part.keys for part in parts]), np.concatenate([part.values for part in parts])
    return SparseRows(offsets_of(np.bincount(rows, minlength=n)), keys[order], values[order])


def list_rule_terms(kernel: Kernel) -> list[tuple[Rewriting, float]]:
    """Return the summands of a kernel that are rules, and the factor of the features of each."""
    return [(term, factor) for term, factor in list_terms(kernel) if isinstance(term, Rewriting)]


def _list_score_terms(kernel: Kernel) -> list[tuple[ScoreKernel, float]]:
    return [(term, factor) for term, factor in list_terms(kernel) if isinstance(term, ScoreKernel)]


def make_decision(kernel: Kernel, weights: Floats, score_weights: Floats, sample: Items) -> DecisionFunction:
    """Return the decision function with these weights of columns and of scores, a column for each output.

    ``sample`` are some of the training items, from which the strongest rules and the effects of scores are read.
    """
    return _decide(kernel, 1.0, [weights], [score_weights], sample)


def _decide(
    kernel: Kernel, factor: float, weights: list[Floats], score_weights: list[Floats], sample: Items
) -> DecisionFunction:
    """Take the weights of a kernel off the front of what is left of all weights."""
    if isinstance(kernel, Sum):
        return SumDecision(
            [_decide(part, factor, weights, score_weights, sample) for part in (kernel.left, kernel.right)]
        )
    if isinstance(kernel, Scaled):
        return _decide(kernel.kernel, factor * float(kernel.weight) ** 0.5, weights, score_weights, sample)
    if isinstance(kernel, HashedRules):
        own, weights[0] = np.split(weights[0], [1 << kernel.bits])
        return kernel.decide_by_weights(own * factor, kernel.read_items(sample))
    assert isinstance(kernel, ScoreKernel)
    own, score_weights[0] = np.split(score_weights[0], [len(kernel.names())])
    return kernel.decide_by_weights(own * factor, sample)
