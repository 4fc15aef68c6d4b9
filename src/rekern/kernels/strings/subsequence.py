"""The word subsequence kernel (Lodhi et al., 2002): tokens in the same order, not necessarily next to each other.

Sums run over matches, the places where both texts have the same token, not over all cells: two sentences share few.
For texts that repeat their tokens Lodhi's recursion over all cells takes over.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.parameters import check_decay
from rekern.core.registry import register
from rekern.kernels.kernel import Kernel, Plan, inverse_roots
from rekern.kernels.strings.ngram_kernels import tokens_of
from rekern.structures.tokens import Tokens


@compiled
def _over_matches(places, places2, count, powers, ends, carried):
    """From the weights of the subsequences that end in each match to those that are one token longer.

    A step to a later match costs a power of the decay for the tokens that it skips in both texts. Matches are sorted
    by their place in the first text. Returns the sum of the new weights, which are in ``carried``.
    """
    found = 0.0
    for match in range(count):
        row, column = places[match], places2[match]
        weight = 0.0
        for before in range(match):
            if places2[before] < column and places[before] < row:
                weight += ends[before] * powers[row - places[before] + column - places2[before] - 2]
        carried[match] = weight
        found += weight
    return found


@compiled
def _over_cells(places, places2, count, rows, columns, decay, ends, carried):
    """The same by Lodhi's recursion over all cells, in time that does not grow with the square of the matches."""
    above = np.zeros(columns + 1)  # above[c]: Σ ends(i, j) · decay^(tokens skipped) over the cells i < row, j < c
    found = 0.0
    match = 0
    for row in range(rows):
        first = match
        while match < count and places[match] == row:
            carried[match] = above[places2[match]]
            found += carried[match]
            match += 1
        left, at = 0.0, first
        for column in range(columns):
            left *= decay
            if at < match and places2[at] == column:
                left += ends[at]
                at += 1
            above[column + 1] = decay * above[column + 1] + left
    return found


@compiled
def _sums(block, first, offset, symmetric, ids, offsets, ids2, offsets2, vocabulary, length, decay, factor):
    """A block of the Gram: Σ over lengths n of factor^n · (sum over common subsequences of n tokens)."""
    longest = 1
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    for text in range(len(offsets2) - 1):
        longest = max(longest, offsets2[text + 1] - offsets2[text])
    powers = decay ** np.arange(2 * longest + 1)
    head = np.full(vocabulary, -1, np.int64)
    after = np.empty(longest, np.int64)
    places = np.empty(4 * longest, np.int64)
    places2 = np.empty(4 * longest, np.int64)
    ends = np.empty(4 * longest)
    carried = np.empty(4 * longest)
    for index in range(block.shape[0]):
        text = ids[offsets[first + index] : offsets[first + index + 1]]
        for place in range(len(text) - 1, -1, -1):
            after[place] = head[text[place]]
            head[text[place]] = place
        for column in range(index if symmetric else 0, block.shape[1]):
            text2 = ids2[offsets2[offset + column] : offsets2[offset + column + 1]]
            count = 0
            for row in range(len(text2)):
                place = head[text2[row]]
                while place >= 0:
                    if count == len(places):
                        places = np.concatenate((places, places))
                        places2 = np.concatenate((places2, places2))
                        ends = np.empty(len(places))
                        carried = np.empty(len(places))
                    places[count] = row
                    places2[count] = place
                    count += 1
                    place = after[place]
            total, weight = factor * count, factor
            ends[:count] = 1.0
            few = count * count <= 4 * len(text) * len(text2)
            for _ in range(1, min(length, len(text), len(text2))):
                if few:
                    found = _over_matches(places, places2, count, powers, ends, carried)
                else:
                    found = _over_cells(places, places2, count, len(text2), len(text), decay, ends, carried)
                if found == 0.0:
                    break
                weight *= factor
                total += weight * found
                ends, carried = carried, ends
            block[index, column] = total
        for place in range(len(text)):
            head[text[place]] = -1


@compiled
def _self_sums(ids, offsets, vocabulary, length, decay, factor):
    sums = np.empty(len(offsets) - 1)
    cell = np.empty((1, 1))
    for text in range(len(sums)):
        _sums(cell, text, text, False, ids, offsets, ids, offsets, vocabulary, length, decay, factor)
        sums[text] = cell[0, 0]
    return sums


@register
class Subsequence(Kernel):
    """The word subsequences that two texts share, of all lengths up to ``max_length``.

    With ``weight="gaps"`` a common subsequence weighs ``decay`` for every token that it skips, in both texts; with
    ``weight="span"`` it weighs ``decay`` for every token from its first to its last, as in Lodhi et al.

    >>> K = Subsequence(max_length=2, decay=0.5, normalize=False)
    >>> K("a b c".split(), "a c".split())  # a, c, and a…c, which skips one token
    2.5
    >>> Subsequence(2, 0.5, weight="span", normalize=False)("a b".split(), "a b".split())  # 2 · 0.5² + 0.5⁴
    0.5625
    """

    on_texts = True

    def __init__(
        self,
        max_length: int = 3,
        decay: float = 0.75,
        weight: str = "gaps",
        normalize: bool = True,
        tokenizer: Callable[[str], list[str]] | None = None,
        on: str | None = None,
    ):
        self.max_length = max_length
        self.decay = decay
        self.weight = weight
        self.normalize = normalize
        self.tokenizer = tokenizer
        self.on = on

    def _weights(self) -> tuple[int, float, float]:
        if self.weight not in ("gaps", "span"):
            raise ValueError(f"weight={self.weight!r}: give 'gaps' or 'span'")
        if (
            isinstance(self.max_length, bool)
            or not isinstance(self.max_length, int | np.integer)
            or self.max_length < 1
        ):
            raise ValueError(f"max_length={self.max_length!r}: give a whole number of at least 1")
        decay = check_decay(self.decay)
        return int(self.max_length), decay, 1.0 if self.weight == "gaps" else decay * decay

    def items(self, X: Any) -> Tokens:
        """Texts as interned tokens."""
        return tokens_of(X, self.tokenizer, self.on)

    def _plan(self, X: Any, Y: Any, n_jobs: int | None) -> Plan:
        weights = self._weights()
        left = self.items(X)
        right, size = (left, len(left.vocabulary)) if Y is None else _renumbered(self.items(Y), left)
        rows = columns = None
        if self.normalize:
            rows = inverse_roots(self._squares(left))
            columns = rows if Y is None else inverse_roots(self._squares(right, size))
        block = _Block(left.ids, left.offsets, right.ids, right.offsets, size, weights, rows, columns, Y is None)
        return Plan(len(left), len(right), Y is None, block)

    def _squares(self, tokens: Tokens, size: int | None = None) -> np.ndarray:
        return finite(_self_sums(tokens.ids, tokens.offsets, size or len(tokens.vocabulary), *self._weights()))

    def diag(self, X: Any) -> np.ndarray:
        """K(x, x) for every text."""
        squares = self._squares(self.items(X))
        return (squares > 0).astype(float) if self.normalize else squares


@dataclass(frozen=True)
class _Block:
    """Computes rows ``first`` … ``last`` of a Gram."""

    ids: np.ndarray
    offsets: np.ndarray
    ids2: np.ndarray
    offsets2: np.ndarray
    vocabulary: int
    weights: tuple[int, float, float]
    rows: np.ndarray | None
    columns: np.ndarray | None
    symmetric: bool

    def __call__(self, first: int, last: int) -> np.ndarray:
        offset = first if self.symmetric else 0
        block = np.zeros((last - first, len(self.offsets2) - 1 - offset))
        arrays = (self.ids, self.offsets, self.ids2, self.offsets2, self.vocabulary)
        _sums(block, first, offset, self.symmetric, *arrays, *self.weights)
        finite(block)
        if self.rows is not None and self.columns is not None:
            block *= self.rows[first:last, None]  # one after the other: the product of the two may leave the range
            block *= self.columns[offset:]
            if self.symmetric:
                np.fill_diagonal(block, (self.rows[first:last] > 0).astype(float))
        return block


def _renumbered(tokens: Tokens, other: Tokens) -> tuple[Tokens, int]:
    """The tokens numbered as in the other corpus, new ones behind, and how many numbers there are."""
    numbers = {token: number for number, token in enumerate(other.vocabulary)}
    place = np.array([numbers.setdefault(token, len(numbers)) for token in tokens.vocabulary], dtype=np.int32)
    return Tokens(place[tokens.ids], tokens.offsets, list(numbers)), len(numbers)


def finite(values: np.ndarray) -> np.ndarray:
    """The values, if none has left the range of floating-point numbers."""
    if not np.isfinite(values).all():
        raise ValueError("a kernel value exceeds the range of numbers: use a smaller max_length or a smaller decay")
    return values
