"""What kind of answer a question wants: strict and soft patterns in a fuzzy Markov logic network.

The names below are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rekern.questions.classifier import QuestionClassifier
    from rekern.questions.expressions import Expressions, read_expressions
    from rekern.questions.logic import MarkovLogic
    from rekern.questions.soft import SoftPatterns
    from rekern.questions.strict import StrictPatterns
    from rekern.questions.written import embedded_model, load_questions

_PLACES = {
    "Expressions": "expressions",
    "MarkovLogic": "logic",
    "QuestionClassifier": "classifier",
    "SoftPatterns": "soft",
    "StrictPatterns": "strict",
    "embedded_model": "written",
    "load_questions": "written",
    "read_expressions": "expressions",
}

__all__ = [
    "Expressions",
    "MarkovLogic",
    "QuestionClassifier",
    "SoftPatterns",
    "StrictPatterns",
    "embedded_model",
    "load_questions",
    "read_expressions",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
