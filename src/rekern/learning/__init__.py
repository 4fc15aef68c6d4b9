"""Models of pairs: classes, numbers, orders; their files and their explanations."""

from rekern.learning.classifier import PairClassifier
from rekern.learning.files import load_model
from rekern.learning.ranker import PairRanker, ranking_measures
from rekern.learning.regressor import PairRegressor, correlations

__all__ = ["PairClassifier", "PairRanker", "PairRegressor", "correlations", "load_model", "ranking_measures"]
