"""What a parser keeps of its training, and the scores of the substrings of a new sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints
from rekern.kernels.kernel import Kernel
from rekern.krisp.learner import ProductionClassifier, join_coefficients
from rekern.krisp.parser_input import ParserInput
from rekern.krisp.productions import Production
from rekern.krisp.sentence_corpus import SentenceCorpus
from rekern.krisp.substring_gram import GramPart, SubstringGram, compute_gram, compute_norms
from rekern.krisp.substrings import Substrings, list_spans


class SparseRows(NamedTuple):
    """The coefficients of the classes, most of which are 0: for each class the places of the others, and their values.

    >>> rows = find_nonzero(np.array([[0.0, 2.0], [0.0, 0.0]]))
    >>> rows.combine(np.array([[1.0, 1.0], [3.0, 5.0]])).tolist()
    [[6.0, 10.0], [0.0, 0.0]]
    """

    places: list[Ints]
    values: list[Floats]

    def combine(self, gram: Floats) -> Floats:
        """The product with a matrix that has a row for every coefficient."""
        found = np.zeros((len(self.places), gram.shape[1]))
        scratch = np.empty((max(map(len, self.places), default=0), gram.shape[1]))
        for row, places, values in zip(found, self.places, self.values):
            if len(places):
                chosen = scratch[: len(places)]
                # all places are there; to check each of them would take a copy
                np.matmul(values, gram.take(places, 0, chosen, "clip"), out=row)
        return found


def find_nonzero(coefficients: Floats) -> SparseRows:
    """The coefficients that are not 0, class by class."""
    places = [np.flatnonzero(row) for row in coefficients]
    return SparseRows(places, [row[found] for row, found in zip(coefficients, places)])


def score_classes(values: Floats, sigmoids: Floats, n_words: int) -> Floats:
    """Log probabilities (class, start, end) from the decision values of all classes on all substrings of a sentence."""
    intercept, slope, offset = sigmoids[:, :, None]
    values = slope * (values + intercept) + offset
    scores = np.full((len(values), n_words, n_words + 1), -np.inf)
    bounds = np.array(list_bounds(n_words), dtype=np.int64).reshape(-1, 2)
    scores[:, bounds[:, 0], bounds[:, 1]] = -np.logaddexp(0.0, -values)
    return scores


def list_bounds(n_words: int) -> list[tuple[int, int]]:
    """Where the substrings of a sentence start and end.

    >>> list_bounds(2)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(start, end) for start in range(n_words) for end in range(start + 1, n_words + 1)]


class ParserWeights(NamedTuple):
    """What a parser keeps of its training: the substrings that classifiers use, and the coefficients of every class.

    ``norms`` are those of `rekern.krisp.substring_gram.compute_norms`; the rows of ``sigmoids`` are the intercepts,
    slopes and offsets of all classes.
    """

    productions: tuple[Production, ...]
    substrings: Substrings
    norms: Floats
    coefficients: Floats
    sigmoids: Floats


def collect_weights(
    productions: tuple[Production, ...],
    gram: SubstringGram | GramPart,
    classifiers: Sequence[ProductionClassifier],
) -> ParserWeights:
    """Collect what the classifiers use of the training sentences."""
    numbers, coefficients = join_coefficients(classifiers, np.float64)
    spans = gram.substrings.spans[numbers]
    sentences, renumbered = np.unique(spans[:, 0], return_inverse=True)
    spans[:, 0] = renumbered.ravel()
    corpus = SentenceCorpus(gram.substrings.corpus.sentences[sentence] for sentence in sentences.tolist())
    sigmoids = np.array(
        [[c.intercept for c in classifiers], [c.slope for c in classifiers], [c.offset for c in classifiers]]
    )
    return ParserWeights(productions, Substrings(corpus, spans), gram.norms[:, numbers], coefficients, sigmoids)


def score_substrings(
    kernel: Kernel, weights: ParserWeights, question: ParserInput, rows: SparseRows | None = None
) -> Floats:
    """Log probabilities of all classes on all substrings of a sentence, (class, start, end).

    ``rows`` are the coefficients of the weights without zeros, for many sentences.
    """
    rows = find_nonzero(weights.coefficients) if rows is None else rows
    corpus = weights.substrings.corpus.extend([question.annotated])
    words = len(question.words)
    substrings = Substrings(corpus, list_spans(words, len(corpus) - 1))
    known = weights.substrings.move_to(corpus)
    norms = compute_norms(kernel, substrings)
    gram = compute_gram(kernel, known, substrings, weights.norms, norms)
    return score_classes(rows.combine(gram), weights.sigmoids, words)
