"""Models of pairs and of single texts: classes, numbers, orders; their files and their explanations."""

from rekern.core.model_archive import load_model
from rekern.learning.auto_pair_models import AutoPairClassifier, AutoPairRanker, AutoPairRegressor
from rekern.learning.measures import correlations, ranking_measures
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.text_classifier import TextClassifier

__all__ = [
    "AutoPairClassifier",
    "AutoPairRanker",
    "AutoPairRegressor",
    "PairClassifier",
    "PairRanker",
    "PairRegressor",
    "TextClassifier",
    "correlations",
    "load_model",
    "ranking_measures",
]
