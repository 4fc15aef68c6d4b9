"""Scores inside a pair, usable as kernels, and the word spaces and lexicons that some of them need.

The names below are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
