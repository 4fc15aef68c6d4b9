"""Scores inside a pair, usable as kernels, and the word spaces and lexicons that some of them need.

The names below are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.similarity.lexicons.latent_semantics import LatentSemantics
    from rekern.similarity.lexicons.word_vectors import WordVectors
    from rekern.similarity.precision_recall import PrecisionRecall
    from rekern.similarity.similarities import Similarities
    from rekern.similarity.unshared_words import UnsharedWords

_MODULES = {
    "LatentSemantics": "rekern.similarity.lexicons.latent_semantics",
    "PrecisionRecall": "rekern.similarity.precision_recall",
    "Similarities": "rekern.similarity.similarities",
    "UnsharedWords": "rekern.similarity.unshared_words",
    "WordVectors": "rekern.similarity.lexicons.word_vectors",
}

__all__ = [
    "LatentSemantics",
    "PrecisionRecall",
    "Similarities",
    "UnsharedWords",
    "WordVectors",
]

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
