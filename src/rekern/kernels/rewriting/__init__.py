"""Kernels on pairs of texts by their rewriting rules, and the rules as columns of a matrix.

The names below are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.kernels.rewriting.hashed_rules import HashedRules
    from rekern.kernels.rewriting.rewrite_vectorizer import RewriteVectorizer
    from rekern.kernels.rewriting.rewriting_kernel import Rewriting

_MODULES = {
    "RewriteVectorizer": "rekern.kernels.rewriting.rewrite_vectorizer",
    "HashedRules": "rekern.kernels.rewriting.hashed_rules",
    "Rewriting": "rekern.kernels.rewriting.rewriting_kernel",
}

__all__ = [
    "HashedRules",
    "RewriteVectorizer",
    "Rewriting",
]

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
