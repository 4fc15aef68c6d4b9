"""Products of every two scores: their means, their Gram and their weights, without an array of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.core.compiling import compiled
from rekern.kernels.score_kernel import ScoreBlock

SMALLEST_SHARE = 1e-9  # of the squares of the products that their variance is; less is rounding
LISTED = 50  # pairs of scores that move decisions most


def list_pairs(scores: int) -> tuple[Ints, Ints]:
    """Return the first and the second score of every pair, in their order.

    >>> [numbers.tolist() for numbers in list_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(scores, 1)
    return first, second


def join_names(first: str, second: str) -> str:
    """Return the name of a pair of scores.

    >>> join_names("precision", "recall")
    'precision × recall'
    """
    return f"{first} × {second}"


def join_pairs(names: Sequence[str]) -> list[str]:
    """Return the names of all pairs of scores, in the order of `list_pairs`.

    >>> join_pairs(["a", "b", "c"])
    ['a × b', 'a × c', 'b × c']
    """
    return [join_names(first, second) for first, second in combinations(names, 2)]


class ScoreProducts(NamedTuple):
    """The features that are products of two scores: what is subtracted from each product, and the factor of all.

    ``lines`` are standardised scores throughout, a row for each item.

    >>> lines = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    >>> products = ScoreProducts.learn(lines, 3.0)
    >>> round(float((products.list_features(lines) ** 2).sum(axis=1).mean()), 12)
    3.0
    """

    center: Floats  # a number for each pair
    scale: float

    @classmethod
    def learn(cls, lines: Floats, weight: float) -> ScoreProducts:
        """Return the products whose variances in these items add up to ``weight``."""
        n, scores = lines.shape
        center: Floats = (lines.T @ lines)[list_pairs(scores)] / n
        total = float(_square_products(lines).mean())
        variance = total - float(center @ center)
        return cls(center, float(np.sqrt(weight / variance)) if variance > SMALLEST_SHARE * total else 0.0)

    def list_features(self, lines: Floats) -> Floats:
        """Return all products, centred and scaled: a row for each item."""
        first, second = list_pairs(lines.shape[1])
        features: Floats = (lines[:, first] * lines[:, second] - self.center) * self.scale
        return features

    def find_shifts(self, lines: Floats) -> Floats:
        """Return for each item what its mean products take from every value of the Gram."""
        table = self.fill_table(self.center)
        found = np.full(len(lines), -0.5 * float(self.center @ self.center))
        _sum_products(lines, table, found)
        return found * self.scale**2

    def sum_squares(self, lines: Floats) -> Floats:
        """Return the sum of the squares of the features of each item."""
        squares: Floats = _square_products(lines) * self.scale**2 - 2 * self.find_shifts(lines)
        return np.maximum(squares, 0.0)

    def weigh(self, lines: Floats, coefficients: Floats) -> Floats:
        """Return a weight for each centred product and output, from coefficients of items: a row for each output."""
        pairs = list_pairs(lines.shape[1])
        found = [((lines * own[:, None]).T @ lines)[pairs] - self.center * float(own.sum()) for own in coefficients.T]
        return np.array(found).reshape(coefficients.shape[1], -1) * self.scale**2

    def measure_spreads(self, lines: Floats) -> Floats:
        """Return the standard deviation of each product in these items."""
        pairs, squares = list_pairs(lines.shape[1]), lines**2
        means = (lines.T @ lines)[pairs] / len(lines)
        variances: Floats = (squares.T @ squares)[pairs] / len(lines) - means**2
        return np.sqrt(np.maximum(variances, 0.0))

    def add_up(self, lines: Floats, weights: Floats, sums: Floats) -> None:
        """Add to the sum of each item its centred products, times the weights of one output."""
        sums -= float(weights @ self.center)
        _sum_products(lines, self.fill_table(weights), sums)

    @staticmethod
    def fill_table(values: Floats) -> Floats:
        """Return the values of all pairs as a square table; they stand above the diagonal."""
        scores = round((1 + np.sqrt(1 + 8 * len(values))) / 2)
        table = np.zeros((scores, scores))
        table[list_pairs(scores)] = values
        return table


def _square_products(lines: Floats) -> Floats:
    """Return for each item the sum of the squares of the products of every two scores."""
    squares = np.ascontiguousarray(lines**2)
    found: Floats = 0.5 * (squares.sum(axis=1) ** 2 - (squares**2).sum(axis=1))
    return found


@compiled
def _sum_products(lines, weights, sums):  # type: ignore[no-untyped-def]
    """Add to the sum of each row the products of every two of its scores, times weights above the diagonal."""
    n = lines.shape[1]
    found = np.empty(n)
    for row in range(len(lines)):
        found[:] = 0.0
        for first in range(n):
            value, line = lines[row, first], weights[first]
            for second in range(first + 1, n):
                found[second] += value * line[second]
        total = 0.0
        for second in range(n):
            total += found[second] * lines[row, second]
        sums[row] += total


@dataclass(frozen=True)
class ProductBlock:
    """Computes a block of the Gram of curves and of products of every two scores."""

    curves: ScoreBlock
    factor: float
    rows: Floats  # standardised scores of the items of the rows
    columns: Floats  # of those of the columns, a row for each score
    column_squares: Floats
    row_shifts: Floats
    column_shifts: Floats

    @classmethod
    def prepare(cls, curves: ScoreBlock, products: ScoreProducts, left: Floats, right: Floats) -> ProductBlock:
        """Return the block function for these standardised scores."""
        shifts, columns = products.find_shifts(left), np.ascontiguousarray(right.T)
        other = shifts if right is left else products.find_shifts(right)
        return cls(curves, products.scale**2, left, columns, columns**2, shifts, other)

    def __call__(self, first: int, last: int) -> Floats:
        block = self.curves(first, last)
        offset, rows = first if self.curves.symmetric else 0, self.rows[first:last]
        # The sum over all i < j of l[i]·l[j]·o[i]·o[j] is half of (l·o)² − l²·o². The shifts are what is left of the
        # means that are subtracted from the products.
        sums = rows @ self.columns[:, offset:]
        sums *= sums
        sums -= rows**2 @ self.column_squares[:, offset:]
        sums *= 0.5 * self.factor
        block += sums
        block -= self.row_shifts[first:last, None] + self.column_shifts[offset:]
        return block
