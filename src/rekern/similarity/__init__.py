"""Scores inside a pair, usable as kernels."""

from rekern.similarity.precision_recall import PrecisionRecall

__all__ = ["PrecisionRecall"]
