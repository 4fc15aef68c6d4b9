"""Kernels on single texts by their contiguous patterns: k-grams, and k-grams with wildcards."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rekern.core.csr import make_csr
from rekern.core.inverted_lists import ListBlock, invert
from rekern.core.jobs import run, spans
from rekern.core.key_index import number_keys
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.parameters import check_decay, check_patterns, check_size
from rekern.core.registry import register
from rekern.kernels.kernel import Kernel, Plan, inverse_roots
from rekern.kernels.strings.ngram_core import patterns
from rekern.structures.representations import texts_in
from rekern.structures.tokens import Tokens

TEXTS_IN_BLOCK = 1024


def tokens_of(X: Any, tokenizer: Callable[[str], list[str]] | None, on: str | None = None) -> Tokens:
    """Texts, or their representation ``on``, as interned tokens; ready ones are taken as they are."""
    return Tokens.from_texts(texts_in(X, on), tokenizer)


class PatternKernel(Kernel):
    """A kernel on texts whose features are patterns of ``k`` elements with at most some wildcards."""

    on_texts = True

    k: int
    normalize: bool
    tokenizer: Callable[[str], list[str]] | None

    def _pattern(self) -> tuple[int, int, float]:
        """The number of elements, the most wildcards, and the decay of a wildcard."""
        raise NotImplementedError

    def items(self, X: Any) -> Tokens:
        """Texts as interned tokens."""
        return tokens_of(X, self.tokenizer, self.on)

    def rows(self, tokens: Tokens, n_jobs: int | None = None) -> KeyRows:
        """The patterns of every text."""
        size, wildcards, decay = self._pattern()
        finger = tokens.fingerprints()
        calls = [
            (
                tokens.ids[tokens.offsets[a] : tokens.offsets[b]],
                tokens.offsets[a : b + 1] - tokens.offsets[a],
                finger,
                size,
                wildcards,
                decay,
            )
            for a, b in spans(len(tokens), TEXTS_IN_BLOCK)
        ] or [(tokens.ids[:0], np.zeros(1, np.int64), finger, size, wildcards, decay)]
        rows = stack_rows(list(run(_extract, calls, n_jobs, "patterns")))
        if self.normalize:
            scale = np.repeat(inverse_roots(rows.squared_norms()), np.diff(rows.indptr))
            rows = rows._replace(values=rows.values * scale)
        return rows

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        left = self.rows(self.items(X), n_jobs)
        right = None if Y is None else self.rows(self.items(Y), n_jobs)
        lists = invert(left, right, n_jobs)
        diagonal = self._diagonal(left) if right is None else None
        return Plan(len(left.indptr) - 1, lists.width, Y is None, ListBlock(lists, diagonal))

    def has_features(self) -> bool:
        """Patterns are explicit features."""
        return True

    def features(self, X: Any, n_jobs: int | None = None) -> sp.csr_array:
        """A row for each text, a column for each distinct pattern of these texts."""
        rows = self.rows(self.items(X), n_jobs)
        numbers, distinct = number_keys(rows.keys, n_jobs)
        return make_csr(rows.values, numbers, rows.indptr, len(distinct))

    def _diagonal(self, rows: KeyRows) -> np.ndarray:
        return (np.diff(rows.indptr) > 0).astype(float) if self.normalize else rows.squared_norms()

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every text."""
        return self._diagonal(self.rows(self.items(X)))


@register
class Spectrum(PatternKernel):
    """The k-grams that two texts share (Leslie et al., 2002).

    >>> Spectrum(2, normalize=False)("to be or not to be".split(), "to be is to do".split())  # "to be", twice and once
    2.0
    >>> Spectrum(2).gram(["a rose is a rose", "a rose"])
    array([[1.        , 0.81649658],
           [0.81649658, 1.        ]])
    """

    def __init__(
        self,
        k: int = 2,
        normalize: bool = True,
        tokenizer: Callable[[str], list[str]] | None = None,
        on: str | None = None,
    ):
        self.k = k
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.on = on

    def _pattern(self) -> tuple[int, int, float]:
        return check_size("k", self.k), 0, 1.0


@register
class Wildcard(PatternKernel):
    """The patterns of k elements with at most m wildcards that two texts share (Leslie and Kuang, 2004).

    A wildcard stands for any one token and weighs ``decay``.

    >>> Wildcard(2, 1, decay=0.5, normalize=False)("a b".split(), "a c".split())  # "a *", with 0.5 on both sides
    0.25
    """

    def __init__(
        self,
        k: int = 2,
        m: int = 1,
        decay: float = 1.0,
        normalize: bool = True,
        tokenizer: Callable[[str], list[str]] | None = None,
        on: str | None = None,
    ):
        self.k = k
        self.m = m
        self.decay = decay
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.on = on

    def _pattern(self) -> tuple[int, int, float]:
        size = check_size("k", self.k)
        if isinstance(self.m, bool) or not isinstance(self.m, int | np.integer) or not 0 <= self.m <= size:
            raise ValueError(f"m={self.m!r}: give a whole number from 0 to k={size}")
        check_patterns(size, int(self.m))
        return size, int(self.m), check_decay(self.decay)


def _extract(
    ids: np.ndarray, offsets: np.ndarray, finger: np.ndarray, size: int, wildcards: int, decay: float
) -> KeyRows:
    return patterns(ids, offsets, finger, size, wildcards=wildcards, decay=decay)
