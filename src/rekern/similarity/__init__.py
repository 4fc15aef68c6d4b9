"""Scores inside a pair, usable as kernels, and the word spaces and lexicons that some of them need."""

from rekern.similarity.lexicons.latent_semantics import LatentSemantics
from rekern.similarity.lexicons.word_vectors import WordVectors
from rekern.similarity.precision_recall import PrecisionRecall
from rekern.similarity.similarities import Similarities
from rekern.similarity.unshared_words import UnsharedWords

__all__ = ["LatentSemantics", "PrecisionRecall", "Similarities", "UnsharedWords", "WordVectors"]
