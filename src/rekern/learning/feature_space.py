"""Explicit features of a kernel for training in blocks and on streams: hashed rules, and scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints, SmallInts, offsets_of
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
AnyFloats = npt.NDArray[np.floating]


class FeatureBlock(NamedTuple):
    """The features of some pairs in 32 bits: sparse columns of rules, dense scores, and the squared norms of rows."""

    indptr: Ints
    columns: SmallInts
    values: SmallFloats
    scores: SmallFloats
    norms: Floats


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


def read_scores(kernel: Kernel, items: Items, n: int) -> SmallFloats:
    """Return the scores of ``n`` items, a row for each."""
    terms = [(term, factor) for term, factor in list_terms(kernel) if isinstance(term, ScoreKernel)]
    found = [(term.scores(items) * factor).astype(np.float32) for term, factor in terms]
    return np.ascontiguousarray(np.concatenate([np.zeros((n, 0), np.float32), *found], axis=1))


def read_features(kernel: Kernel, items: Items, scores: SmallFloats, n_jobs: int | None = None) -> FeatureBlock:
    """Return the features of items for a kernel of hashed rules and scores, which are given.

    >>> block = read_features(HashedRules(1, normalize=False), [("a b", "b"), ("b", "b")], np.zeros((2, 0), np.float32))
    >>> np.diff(block.indptr).tolist(), block.norms.tolist()
    ([3, 2], [3.0, 2.0])
    """
    first, n = 0, len(scores)
    rows, columns, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
    for term, factor in list_terms(kernel):
        if isinstance(term, HashedRules):
            found = term.extract_rows(term.read_items(items), n_jobs)
            rows.append(np.repeat(np.arange(n), np.diff(found.indptr)))
            columns.append((term.find_columns(found.keys) + np.uint64(first)).astype(np.int32))
            values.append((found.values * factor).astype(np.float32))
            first += 1 << term.bits
    where, column, value = np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
    if len(rows) > 2:  # rules of several kinds: those of each row together
        order = np.argsort(where, kind="stable")
        where, column, value = where[order], column[order], value[order]
    squares = np.bincount(where, value.astype(np.float64) ** 2, n)
    norms = squares + (scores.astype(np.float64) ** 2).sum(axis=1)
    return FeatureBlock(offsets_of(np.bincount(where, minlength=n)), column, value, scores, norms)


def make_decision(kernel: Kernel, weights: AnyFloats, score_weights: Floats, sample: Items) -> DecisionFunction:
    """Return the decision function with these weights of columns and of scores, a column for each output.

    ``sample`` are some of the training items, from which the strongest rules and the effects of scores are read.
    """
    return _decide(kernel, 1.0, [weights], [score_weights], sample)


def _decide(
    kernel: Kernel, factor: float, weights: list[AnyFloats], score_weights: list[Floats], sample: Items
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
    scores, score_weights[0] = np.split(score_weights[0], [len(kernel.names())])
    return kernel.decide_by_weights(scores * factor, sample)
