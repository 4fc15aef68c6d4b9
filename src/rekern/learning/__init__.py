"""Models of pairs and of single texts: classes, numbers, orders; their files and their explanations.

The names below are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.core.model_archive import load_model
    from rekern.learning.auto_pair_models import AutoPairClassifier, AutoPairRanker, AutoPairRegressor
    from rekern.learning.measures import correlations, ranking_measures
    from rekern.learning.pair_classifier import PairClassifier
    from rekern.learning.pair_ranker import PairRanker
    from rekern.learning.pair_regressor import PairRegressor
    from rekern.learning.reports.model_report import Report, make_report, report_training
    from rekern.learning.text_classifier import TextClassifier

_MODULES = {
    "AutoPairClassifier": "rekern.learning.auto_pair_models",
    "AutoPairRanker": "rekern.learning.auto_pair_models",
    "AutoPairRegressor": "rekern.learning.auto_pair_models",
    "PairClassifier": "rekern.learning.pair_classifier",
    "PairRanker": "rekern.learning.pair_ranker",
    "PairRegressor": "rekern.learning.pair_regressor",
    "Report": "rekern.learning.reports.model_report",
    "TextClassifier": "rekern.learning.text_classifier",
    "correlations": "rekern.learning.measures",
    "load_model": "rekern.core.model_archive",
    "make_report": "rekern.learning.reports.model_report",
    "ranking_measures": "rekern.learning.measures",
    "report_training": "rekern.learning.reports.model_report",
}

__all__ = [
    "AutoPairClassifier",
    "AutoPairRanker",
    "AutoPairRegressor",
    "PairClassifier",
    "PairRanker",
    "PairRegressor",
    "Report",
    "TextClassifier",
    "correlations",
    "load_model",
    "make_report",
    "ranking_measures",
    "report_training",
]

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
