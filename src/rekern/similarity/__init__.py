"""Scores inside a pair, usable as kernels, and the word spaces and lexicons that some of them need."""

from rekern.similarity.latent import LatentSemantics
from rekern.similarity.precision_recall import PrecisionRecall
from rekern.similarity.similarities import Similarities
from rekern.similarity.spaces import WordVectors

__all__ = ["LatentSemantics", "PrecisionRecall", "Similarities", "WordVectors"]
