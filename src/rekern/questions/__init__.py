"""What kind of answer a question wants: strict and soft patterns in a fuzzy Markov logic network.

The names below are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.questions.markov_logic import MarkovLogic
    from rekern.questions.pattern_settings import PatternSettings
    from rekern.questions.question_classifier import QuestionClassifier
    from rekern.questions.question_corpus import load_questions
    from rekern.questions.regular_expressions import Expressions, read_expressions
    from rekern.questions.six_type_model import embedded_model
    from rekern.questions.soft_patterns import SoftPatterns
    from rekern.questions.strict_patterns import StrictPatterns

_MODULES = {
    "Expressions": "regular_expressions",
    "MarkovLogic": "markov_logic",
    "PatternSettings": "pattern_settings",
    "QuestionClassifier": "question_classifier",
    "SoftPatterns": "soft_patterns",
    "StrictPatterns": "strict_patterns",
    "embedded_model": "six_type_model",
    "load_questions": "question_corpus",
    "read_expressions": "regular_expressions",
}

__all__ = [
    "Expressions",
    "MarkovLogic",
    "PatternSettings",
    "QuestionClassifier",
    "SoftPatterns",
    "StrictPatterns",
    "embedded_model",
    "load_questions",
    "read_expressions",
]

__getattr__, __dir__ = load_lazily(__name__, _MODULES)
