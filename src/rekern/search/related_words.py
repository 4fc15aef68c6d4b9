"""Words of an index that mean nearly the same as those of a query, by the cosine of their vectors."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Booleans, Floats, Ints, Keys, SmallFloats, offsets_of, take_ragged
from rekern.core.parallel_jobs import split_range
from rekern.search.text_index import TextIndex, WordCounts
from rekern.search.text_index_core import multiply_rows
from rekern.similarity.lexicons.word_vectors import VectorTable

LEAST = 0.7  # cosine of related words
MOST = 3  # words that a word of a query is related to
SHARE = 0.5  # of the weight of the word itself, for a cosine of 1
CELLS = 1 << 23  # cosines that are computed at a time
SLACK = 1e-4  # more than the rounding errors of a product of matrices, which depend on how it is computed

NONE = np.zeros(0, np.int64), np.zeros(0)


class RelatedWords:
    """Finds words of an index that are related to other words.

    A word has the vector of the first word of the space with its stem, which is the most frequent one in most spaces.

    >>> from rekern.similarity import WordVectors
    >>> index = TextIndex.from_texts(["A good film", "Bad weather"])
    >>> related = RelatedWords(WordVectors(["film", "movie", "weather"], [[1, 0], [0.9, 0.1], [0, 1]]), index)
    >>> [related.find(index.count_texts([word]).keys[0])[1].round(2).tolist() for word in ("movies", "film", "tree")]
    [[0.99], [], []]
    """

    def __init__(self, vectors: VectorTable, index: TextIndex, earlier: RelatedWords | None = None):
        """Share with ``earlier``, which may be that of another index, what depends on the vectors alone."""
        self.vectors, self.index = vectors, index
        self.keys: Keys
        self.array: SmallFloats
        if earlier is not None and earlier.vectors is vectors and earlier.index.language == index.language:
            self.keys, self.array = earlier.keys, earlier.array
        else:
            self.keys, self.array = _normalize(vectors, index)
        places, is_known = _look_up(index.lists.keys, self.keys)
        self.rows, self.words = np.flatnonzero(is_known), places[is_known]  # of words that some text has
        self.columns = self.array[self.rows]
        self._known: dict[int, tuple[Ints, Floats]] = {}  # of words with vectors only: there is no end of others

    def find(self, key: int) -> tuple[Ints, Floats]:
        """Return the numbers of the words in the index that are related to a word, and their cosines."""
        return self._find_all(np.array([key], np.uint64))[0]

    def weigh(self, queries: WordCounts) -> tuple[Ints, Ints, Floats]:
        """Return for each query where its words begin, their numbers in the index and their weights.

        A related word weighs `SHARE` of the word of the query, or of itself if it is more frequent or the index lacks
        the other, times their cosine. Of several weights of a word the largest counts.
        """
        distinct, numbers = np.unique(queries.keys, return_inverse=True)
        places, is_known = _look_up(self.index.lists.keys, distinct)
        weights = self.index.weights
        lists = []
        for (words, cosines), place, known in zip(self._find_all(distinct), places.tolist(), is_known.tolist()):
            limit = weights[place] if known else np.inf
            shares = SHARE * cosines * np.minimum(weights[words], limit)
            if known:
                words, shares = np.append(place, words), np.append(limit, shares)
            lists.append((words, shares))
        sizes = np.array([len(words) for words, _ in lists], np.int64)
        entries = take_ragged(offsets_of(sizes), numbers).places
        all_words = np.concatenate([NONE[0], *(words for words, _ in lists)])[entries]
        all_shares = np.concatenate([NONE[1], *(shares for _, shares in lists)])[entries]
        all_shares *= np.repeat(queries.counts, sizes[numbers])
        owners = np.repeat(np.repeat(np.arange(len(queries.lengths)), np.diff(queries.starts)), sizes[numbers])
        order = np.lexsort((-all_shares, all_words, owners))
        owners, all_words, all_shares = owners[order], all_words[order], all_shares[order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = (owners[1:] != owners[:-1]) | (all_words[1:] != all_words[:-1])
        counts = np.bincount(owners[is_first], minlength=len(queries.lengths))
        return offsets_of(counts), all_words[is_first], all_shares[is_first]

    def _find_all(self, keys: Keys) -> list[tuple[Ints, Floats]]:
        """Return what `find` returns, for each of several words."""
        places, has_vector = _look_up(self.keys, keys)
        self._learn(places[has_vector])
        return [self._known[place] if has else NONE for place, has in zip(places.tolist(), has_vector.tolist())]

    def _learn(self, places: Ints) -> None:
        """Remember what is related to words that have not been met before."""
        places = np.array([place for place in places.tolist() if place not in self._known], np.int64)
        for first, last in split_range(len(places), max(CELLS // max(len(self.columns), 1), 1)):
            block = places[first:last]
            near = self.array[block] @ self.columns.T >= LEAST - SLACK
            rows, columns = np.nonzero(near)
            cosines = multiply_rows(self.array, block[rows], self.columns, columns)
            is_related = (cosines >= LEAST) & (self.rows[columns] != block[rows])
            rows, columns, cosines = rows[is_related], columns[is_related], cosines[is_related]
            order = np.lexsort((columns, -cosines, rows))
            starts = np.searchsorted(rows[order], np.arange(len(block) + 1))
            for place, begin, end in zip(block.tolist(), starts[:-1].tolist(), starts[1:].tolist()):
                best = order[begin : min(end, begin + MOST)]
                self._known[place] = self.words[columns[best]], cosines[best]


def _normalize(vectors: VectorTable, index: TextIndex) -> tuple[Keys, SmallFloats]:
    """Return the words of a space as keys of the index, in ascending order, and their vectors with length 1."""
    counts = index.count_texts(vectors.words)
    rows = np.flatnonzero(np.diff(counts.starts) == 1)
    keys, first = np.unique(counts.keys[counts.starts[rows]], return_index=True)
    found = vectors.array[rows[first]]
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found, dtype=np.float64))
    found /= np.where(lengths > 0.0, lengths, 1.0)[:, None]  # in place: a large space has gigabytes
    return keys, found


def _look_up(keys: Keys, wanted: Keys) -> tuple[Ints, Booleans]:
    """Return the places of keys among ascending ones, and which are there."""
    places = np.searchsorted(keys, wanted)
    is_there = places < len(keys)
    is_there[is_there] = keys[places[is_there]] == wanted[is_there]
    return places, is_there
