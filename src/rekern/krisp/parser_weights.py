"""What a parser keeps of its training, and the scores of the substrings of a new sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats
from rekern.kernels.kernel import Kernel
from rekern.krisp.production_classifiers import ProductionClassifier, join_coefficients
from rekern.krisp.productions import Production
from rekern.krisp.sentence_corpus import SentenceCorpus
from rekern.krisp.substring_gram import GramPart, SubstringGram, compute_gram, compute_norms
from rekern.krisp.substrings import Substrings, list_spans
from rekern.krisp.word_reader import ParserInput
from rekern.krisp.word_scores import SparseRows, find_nonzero, score_classes


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
