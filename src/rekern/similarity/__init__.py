"""Scores inside a pair, usable as kernels."""

from rekern.similarity.precision_recall import PrecisionRecall
from rekern.similarity.similarities import Similarities

__all__ = ["PrecisionRecall", "Similarities"]
