"""Kernels on pairs of texts by their rewriting rules, and the rules as columns of a matrix."""

from rekern.kernels.rewriting.rewrite_vectorizer import RewriteVectorizer
from rekern.kernels.rewriting.rewriting_kernel import Rewriting

__all__ = ["RewriteVectorizer", "Rewriting"]
