"""Soft patterns: groups of questions with similar content words, which a question matches to a degree.

A question is a vector of the n-grams of its content words. One pass over the questions puts each into the cluster with
the nearest centroid, or into a new one where none is near. The degree of a match is the cosine with the centroid.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from rekern.questions.question_units import HAN, Units


def terms_of(units: Units, orders: Sequence[int] = (2,), stems: bool = False) -> list[str]:
    """The n-grams of a question's content words, its function words removed.

    >>> from rekern.questions.question_units import cut
    >>> terms_of(cut("How can I lose weight in summer?"), (1, 2))
    ['lose', 'weight', 'summer', 'lose weight', 'weight summer']
    >>> terms_of(cut("夏天怎么减肥"))
    ['夏天', '天减', '减肥']
    """
    content = [_stem()(word) for word in units.content] if stems else units.content
    return [_joined(content[place : place + order]) for order in orders for place in range(len(content) - order + 1)]


def _joined(words: list[str]) -> str:
    return ("" if all(len(word) == 1 and _HAN.match(word) for word in words) else " ").join(words)


_HAN = re.compile(f"[{HAN}]")


@cache
def _stem() -> Callable[[str], str]:
    import snowballstemmer

    stemmer = snowballstemmer.stemmer("english")

    @cache
    def stem(word: str) -> str:
        return word if len(word) < 3 or len(word) > 64 else stemmer.stemWord(word) or word

    return stem


def single_pass(vectors: Sequence[dict[int, float]], threshold: float) -> np.ndarray:
    """The cluster of each vector, in the order of the vectors; an empty vector has none (-1).

    >>> single_pass([{0: 1.0}, {1: 1.0}, {0: 2.0, 1: 0.5}, {}], 0.4).tolist()
    [0, 1, 0, -1]
    """
    clusters = np.full(len(vectors), -1)
    filed: dict[int, dict[int, float]] = {}  # term -> cluster -> the term's weight in the cluster's sum
    squares: list[float] = []  # the squared norms of the sums
    for row, vector in enumerate(vectors):
        if not vector:
            continue
        products: dict[int, float] = {}
        for term, weight in vector.items():
            for cluster, sum_ in filed.get(term, {}).items():
                products[cluster] = products.get(cluster, 0.0) + weight * sum_
        square = sum(weight * weight for weight in vector.values())
        # of equally near clusters the oldest
        near = max(products, key=lambda c: (products[c] / squares[c] ** 0.5, -c), default=-1)
        if near >= 0 and products[near] > threshold * (square * squares[near]) ** 0.5:
            squares[near] += 2 * products[near] + square
        else:
            near = len(squares)
            squares.append(square)
        clusters[row] = near
        for term, weight in vector.items():
            sums = filed.setdefault(term, {})
            sums[near] = sums.get(near, 0.0) + weight
    return clusters


class SoftPatterns:
    """Clusters of questions by their content words: ``centroids`` is a sparse matrix, clusters × terms.

    >>> from rekern.questions.question_units import cut
    >>> asked = [cut(q) for q in ["how to lose weight fast", "why can't I lose weight", "new TV series this year"]]
    >>> found = SoftPatterns.cluster(asked, orders=(1,))
    >>> found.centroids.shape[0], found.match([cut("lose weight!")]).toarray().round(2).tolist()
    (2, [[0.94, 0.0]])
    """

    def __init__(
        self,
        terms: Sequence[str],
        weights: np.ndarray,
        centroids: Any,
        sizes: np.ndarray,
        orders: Sequence[int] = (2,),
        stems: bool = False,
        floor: float = 0.02,
    ):
        self.terms = list(terms)
        self.weights = weights
        self.centroids = centroids
        self.sizes = sizes
        self.orders = tuple(orders)
        self.stems = stems
        self.floor = floor
        self.number = {term: place for place, term in enumerate(self.terms)}
        self.norms = np.sqrt(np.asarray(centroids.multiply(centroids).sum(axis=1)).ravel())
        self._turned = _scaled_rows(centroids, self.norms).T.tocsr()

    @classmethod
    def cluster(
        cls,
        questions: Sequence[Units],
        orders: Sequence[int] = (2,),
        threshold: float = 0.4,
        floor: float = 0.02,
        idf: bool = False,
        stems: bool = False,
        min_size: int = 1,
    ) -> SoftPatterns:
        """Cluster questions in one pass with the cosine ``threshold``; clusters below ``min_size`` are left out.

        ``orders`` are the lengths of the n-grams; with ``idf`` rare ones weigh more. A match at or below ``floor`` is
        none.
        """
        listed = [terms_of(units, orders, stems) for units in questions]
        frequency = Counter(term for terms in listed for term in dict.fromkeys(terms))  # in a fixed order
        number = {term: place for place, term in enumerate(frequency)}
        weights = np.ones(len(number))
        if idf:
            weights = 1.0 + np.log(len(questions) / np.array(list(frequency.values()), dtype=float))
        matrix = _counted(listed, number, weights)
        rows = [dict(zip(*_row(matrix, row))) for row in range(len(listed))]
        clusters = single_pass(rows, threshold)
        sizes = np.bincount(clusters[clusters >= 0], minlength=1)
        kept = np.flatnonzero(sizes >= min_size)
        place = np.full(len(sizes), -1)
        place[kept] = np.arange(len(kept))
        members = np.where(clusters >= 0, place[clusters], -1)
        made = cls(list(number), weights, _sums(matrix, members, len(kept)), sizes[kept], orders, stems, floor)
        made.members = members
        return made

    members: np.ndarray  # of each training question, its cluster or -1

    def vectors(self, questions: Iterable[Units]) -> Any:
        """The questions as a sparse matrix, questions × terms."""
        return _counted([terms_of(units, self.orders, self.stems) for units in questions], self.number, self.weights)

    def match(self, questions: Iterable[Units]) -> Any:
        """The cosines with the centroids, a sparse matrix, questions × clusters; without those up to the floor."""
        return self._above_floor(_unit_rows(self.vectors(questions)) @ self._turned)

    def match_training(self, questions: Sequence[Units]) -> Any:
        """The same for the questions that were clustered, each compared with its own cluster as if it were not in it.

        A question is always near a centroid that it is part of; a new one has no such luck, and the weights are meant
        for new ones.
        """
        from scipy.sparse import csr_array

        vectors = self.vectors(questions)
        cosines = (_unit_rows(vectors) @ self._turned).tocsr()
        rows = np.flatnonzero(self.members >= 0)
        own = self.members[rows]
        mine = vectors[rows]
        products = np.asarray(mine.multiply(self.centroids[own]).sum(axis=1)).ravel()
        squares = np.asarray(mine.multiply(mine).sum(axis=1)).ravel()
        left = np.maximum(self.norms[own] ** 2 - 2 * products + squares, 0.0)  # of the centroid without the question
        norms = np.sqrt(squares * left)
        fair = np.divide(
            products - squares, norms, out=np.zeros(len(rows)), where=norms > 1e-9 * np.maximum(squares, 1)
        )
        before = products / np.sqrt(squares) / self.norms[own]
        change = csr_array((fair - before, (rows, own)), shape=cosines.shape)
        return self._above_floor(cosines + change)

    def _above_floor(self, cosines: Any) -> Any:
        cosines = cosines.tocsr()
        cosines.data[cosines.data <= max(self.floor, 1e-12)] = 0.0
        cosines.eliminate_zeros()
        np.minimum(cosines.data, 1.0, out=cosines.data)
        return cosines

    def names(self) -> list[str]:
        """The clusters to read, by their heaviest terms."""
        return [", ".join(self.in_words(cluster)) for cluster in range(self.centroids.shape[0])]

    def select(self, columns: Sequence[int]) -> SoftPatterns:
        """The clusters of these numbers; the terms stay, for they are part of a question's length."""
        kept = (self.centroids[list(columns)], self.sizes[list(columns)])
        return SoftPatterns(self.terms, self.weights, *kept, self.orders, self.stems, self.floor)

    def in_words(self, cluster: int, number: int = 5) -> list[str]:
        """The heaviest terms of a cluster.

        >>> from rekern.questions.question_units import cut
        >>> SoftPatterns.cluster([cut("lose weight"), cut("lose weight fast")], (1,)).in_words(0, 2)
        ['lose', 'weight']
        """
        columns, values = _row(self.centroids, cluster)
        return [self.terms[columns[place]] for place in np.lexsort((np.asarray(columns), -np.asarray(values)))[:number]]


def _counted(listed: Sequence[Sequence[str]], number: dict[str, int], weights: np.ndarray) -> Any:
    from scipy.sparse import csr_array

    columns = [[number[term] for term in terms if term in number] for terms in listed]
    offsets = np.cumsum([0, *map(len, columns)], dtype=np.int32)
    indices = np.array([column for row in columns for column in row], dtype=np.int32)
    matrix = csr_array((weights[indices], indices, offsets), shape=(len(listed), len(number)))
    matrix.sum_duplicates()
    return matrix


def _row(matrix: Any, row: int) -> tuple[list[int], list[float]]:
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[span].tolist(), matrix.data[span].tolist()


def _sums(matrix: Any, members: np.ndarray, clusters: int) -> Any:
    from scipy.sparse import csr_array

    rows = np.flatnonzero(members >= 0)
    belongs = csr_array((np.ones(len(rows)), (members[rows], rows)), shape=(clusters, matrix.shape[0]))
    return (belongs @ matrix).tocsr()


def _scaled_rows(matrix: Any, norms: np.ndarray) -> Any:
    scaled = matrix.tocsr().copy()
    scaled.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(scaled.indptr))
    return scaled


def _unit_rows(matrix: Any) -> Any:
    return _scaled_rows(matrix, np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()))
