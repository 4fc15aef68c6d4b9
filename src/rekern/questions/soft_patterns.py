"""Soft patterns: clusters of questions with similar content words, which a question matches to a degree.

A question is a vector of the n-grams of its content words. One pass over the questions puts each one into the cluster
with the nearest centroid, or into a new cluster if no centroid is near. The degree of a match is the cosine with the
centroid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import Floats, Ints
from rekern.core.csr import make_csr
from rekern.questions.pattern_index import flatten_rows
from rekern.questions.question_units import HAN_SIGN, Units
from rekern.structures.stemmer import find_stemmer


def list_terms(units: Units, orders: Sequence[int] = (2,), stems: bool = False) -> list[str]:
    """List the n-grams of a question's content words, without its function words.

    ``orders`` are the lengths of the n-grams; with ``stems`` English words are reduced to their stems.

    >>> from rekern.questions.question_units import cut
    >>> list_terms(cut("How can I lose weight in summer?"), (1, 2))
    ['lose', 'weight', 'summer', 'lose weight', 'weight summer']
    >>> list_terms(cut("夏天怎么减肥"))
    ['夏天', '天减', '减肥']
    """
    content = [_stem(word) for word in units.content] if stems else units.content
    return [
        _join_words(content[place : place + order]) for order in orders for place in range(len(content) - order + 1)
    ]


def _join_words(words: list[str]) -> str:
    return ("" if all(len(word) == 1 and HAN_SIGN.match(word) for word in words) else " ").join(words)


@cache
def _stem(word: str) -> str:
    return word if len(word) < 3 else find_stemmer("english")(word)


def cluster_vectors(vectors: Sequence[dict[int, float]], threshold: float) -> Ints:
    """Cluster vectors in one pass; return the cluster of each vector, or -1 for an empty vector.

    >>> cluster_vectors([{0: 1.0}, {1: 1.0}, {0: 2.0, 1: 0.5}, {}], 0.4).tolist()
    [0, 1, 0, -1]
    """
    clusters = np.full(len(vectors), -1)
    sums: dict[int, dict[int, float]] = {}  # term -> cluster -> the term's weight in the cluster's sum
    squares: list[float] = []  # the squared norms of the sums
    for row, vector in enumerate(vectors):
        if not vector:
            continue
        products: dict[int, float] = {}
        for term, weight in vector.items():
            for cluster, total in sums.get(term, {}).items():
                products[cluster] = products.get(cluster, 0.0) + weight * total
        square = sum(weight * weight for weight in vector.values())
        # the oldest of equally near clusters
        near = max(products, key=lambda c: (products[c] / squares[c] ** 0.5, -c), default=-1)
        if near >= 0 and products[near] > threshold * (square * squares[near]) ** 0.5:
            squares[near] += 2 * products[near] + square
        else:
            near = len(squares)
            squares.append(square)
        clusters[row] = near
        for term, weight in vector.items():
            by_cluster = sums.setdefault(term, {})
            by_cluster[near] = by_cluster.get(near, 0.0) + weight
    return clusters


class SoftPatterns:
    """Clusters of questions by their content words; a question matches a cluster by its cosine with the centroid.

    ``terms`` are n-grams with their ``weights``, ``centroids`` a sparse matrix, clusters × terms, ``sizes`` the numbers
    of questions. ``orders`` and ``stems`` are those of `list_terms`. A cosine of ``floor`` or less is no match.

    >>> from rekern.questions.question_units import cut
    >>> asked = [cut(q) for q in ["how to lose weight fast", "why can't I lose weight", "new TV series this year"]]
    >>> found = SoftPatterns.cluster(asked, orders=(1,))
    >>> found.centroids.shape[0], found.match([cut("lose weight!")]).toarray().round(2).tolist()
    (2, [[0.94, 0.0]])
    """

    def __init__(
        self,
        terms: Sequence[str],
        weights: Floats,
        centroids: csr_array,
        sizes: Ints,
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
        self._unit_centroids = _scale_rows(centroids, self.norms).T.tocsr()

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
        """Cluster questions in one pass: a question joins a cluster if their cosine exceeds the ``threshold``.

        Clusters with fewer than ``min_size`` questions are left out. With ``idf`` rare n-grams weigh more.
        """
        listed = [list_terms(units, orders, stems) for units in questions]
        frequency = Counter(term for terms in listed for term in dict.fromkeys(terms))  # in a fixed order
        number = {term: place for place, term in enumerate(frequency)}
        weights = np.ones(len(number))
        if idf:
            weights = 1.0 + np.log(len(questions) / np.array(list(frequency.values()), dtype=float))
        matrix = _count_terms(listed, number, weights)
        rows = [dict(zip(*_get_row(matrix, row))) for row in range(len(listed))]
        clusters = cluster_vectors(rows, threshold)
        sizes = np.bincount(clusters[clusters >= 0], minlength=1)
        kept = np.flatnonzero(sizes >= min_size)
        place = np.full(len(sizes), -1)
        place[kept] = np.arange(len(kept))
        members = np.where(clusters >= 0, place[clusters], -1)
        made = cls(list(number), weights, _sum_members(matrix, members, len(kept)), sizes[kept], orders, stems, floor)
        made.members = members
        return made

    members: Ints  # the cluster of each training question, or -1

    def count_terms(self, questions: Iterable[Units]) -> csr_array:
        """Return the questions as a sparse matrix, questions × terms."""
        return _count_terms(
            [list_terms(units, self.orders, self.stems) for units in questions], self.number, self.weights
        )

    def match(self, questions: Iterable[Units]) -> csr_array:
        """Return the cosines above the floor, a sparse matrix, questions × clusters."""
        return self._drop_below_floor(_normalize_rows(self.count_terms(questions)) @ self._unit_centroids)

    def match_training(self, questions: Sequence[Units]) -> csr_array:
        """Return the cosines of the questions that were clustered, each compared with its own cluster without itself.

        A question is always near a centroid that contains it. New questions are not, and the weights are learned for
        new questions.
        """
        vectors = self.count_terms(questions)
        cosines = (_normalize_rows(vectors) @ self._unit_centroids).tocsr()
        rows = np.flatnonzero(self.members >= 0)
        own = self.members[rows]
        chosen = vectors[rows]
        products = np.asarray(chosen.multiply(self.centroids[own]).sum(axis=1)).ravel()
        squares = np.asarray(chosen.multiply(chosen).sum(axis=1)).ravel()
        rest = np.maximum(self.norms[own] ** 2 - 2 * products + squares, 0.0)  # the centroid without the question
        norms = np.sqrt(squares * rest)
        without = np.divide(
            products - squares, norms, out=np.zeros(len(rows)), where=norms > 1e-9 * np.maximum(squares, 1)
        )
        with_itself = products / np.sqrt(squares) / self.norms[own]
        change = csr_array((without - with_itself, (rows, own)), shape=cosines.shape)
        return self._drop_below_floor(cosines + change)

    def _drop_below_floor(self, cosines: csr_array) -> csr_array:
        cosines = cosines.tocsr()
        cosines.data[cosines.data <= max(self.floor, 1e-12)] = 0.0
        cosines.eliminate_zeros()
        np.minimum(cosines.data, 1.0, out=cosines.data)
        return cosines

    def names(self) -> list[str]:
        """Return the clusters as text: their heaviest terms."""
        return [", ".join(self.list_heaviest(cluster)) for cluster in range(self.centroids.shape[0])]

    def select(self, columns: Sequence[int]) -> SoftPatterns:
        """Keep the clusters with these numbers; all terms stay, because they count for a question's length."""
        kept = (self.centroids[list(columns)], self.sizes[list(columns)])
        return SoftPatterns(self.terms, self.weights, *kept, self.orders, self.stems, self.floor)

    def list_heaviest(self, cluster: int, n: int = 5) -> list[str]:
        """List the ``n`` heaviest terms of a cluster.

        >>> from rekern.questions.question_units import cut
        >>> SoftPatterns.cluster([cut("lose weight"), cut("lose weight fast")], (1,)).list_heaviest(0, 2)
        ['lose', 'weight']
        """
        columns, values = _get_row(self.centroids, cluster)
        return [self.terms[columns[place]] for place in np.lexsort((np.asarray(columns), -np.asarray(values)))[:n]]


def _count_terms(listed: Sequence[Sequence[str]], number: dict[str, int], weights: Floats) -> csr_array:
    columns, offsets = flatten_rows([[number[term] for term in terms if term in number] for terms in listed])
    matrix = make_csr(weights[columns], columns, offsets, len(number))
    matrix.sum_duplicates()
    return matrix


def _get_row(matrix: csr_array, row: int) -> tuple[list[int], list[float]]:
    span = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[span].tolist(), matrix.data[span].tolist()


def _sum_members(matrix: csr_array, members: Ints, clusters: int) -> csr_array:
    rows = np.flatnonzero(members >= 0)
    belongs = csr_array((np.ones(len(rows)), (members[rows], rows)), shape=(clusters, matrix.shape[0]))
    return (belongs @ matrix).tocsr()


def _scale_rows(matrix: csr_array, norms: Floats) -> csr_array:
    scaled = matrix.tocsr().copy()
    scaled.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(scaled.indptr))
    return scaled


def _normalize_rows(matrix: csr_array) -> csr_array:
    return _scale_rows(matrix, np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()))
