"""Rekern learns relations between texts with kernels, and every decision can be read.

The names below are loaded when they are first used, so that ``import rekern`` costs next to nothing.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily
from rekern.core.version import __version__
from rekern.errors import InputError, MissingExtraError, ModelFileError

if TYPE_CHECKING:
    from rekern.core.model_archive import load_model
    from rekern.core.model_limits import ModelLimits
    from rekern.kernels.rewriting.rewrite_vectorizer import RewriteVectorizer
    from rekern.krisp import SemanticParser
    from rekern.learning import (
        AutoPairClassifier,
        AutoPairRanker,
        AutoPairRegressor,
        PairClassifier,
        PairRanker,
        PairRegressor,
        TextClassifier,
    )
    from rekern.questions import QuestionClassifier
    from rekern.search import PairFinder

_PLACES = {
    "AutoPairClassifier": "rekern.learning",
    "AutoPairRanker": "rekern.learning",
    "AutoPairRegressor": "rekern.learning",
    "ModelLimits": "rekern.core.model_limits",
    "PairClassifier": "rekern.learning",
    "PairFinder": "rekern.search",
    "PairRanker": "rekern.learning",
    "PairRegressor": "rekern.learning",
    "QuestionClassifier": "rekern.questions",
    "RewriteVectorizer": "rekern.kernels.rewriting.rewrite_vectorizer",
    "SemanticParser": "rekern.krisp",
    "TextClassifier": "rekern.learning",
    "load_model": "rekern.core.model_archive",
}

__all__ = [
    "AutoPairClassifier",
    "AutoPairRanker",
    "AutoPairRegressor",
    "InputError",
    "MissingExtraError",
    "ModelFileError",
    "ModelLimits",
    "PairClassifier",
    "PairFinder",
    "PairRanker",
    "PairRegressor",
    "QuestionClassifier",
    "RewriteVectorizer",
    "SemanticParser",
    "TextClassifier",
    "__version__",
    "load_model",
]

__getattr__, __dir__ = load_lazily(__name__, _PLACES)
