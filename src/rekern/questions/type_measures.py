"""How good a classification of questions is, type by type. It needs no scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class TypeRow(TypedDict):
    """The measures of one type, from 0 to 1, and the number of its questions."""

    questions: int
    precision: float
    recall: float
    f: float


class TypeMeasures(TypedDict):
    """What `measure_types` returns."""

    questions: int
    accuracy: float
    types: dict[str, TypeRow]


def measure_types(true: Sequence[object], found: Sequence[object]) -> TypeMeasures:
    """Return the accuracy in per cent, and precision, recall and F of each type from 0 to 1.

    >>> result = measure_types(["Fact", "Fact", "List"], ["Fact", "List", "List"])
    >>> round(result["accuracy"], 1), result["types"]["Fact"]
    (66.7, {'questions': 2, 'precision': 1.0, 'recall': 0.5, 'f': 0.6666666666666666})
    """
    pairs = list(zip(map(str, true), map(str, found)))
    rows: dict[str, TypeRow] = {}
    for kind in sorted({kind for pair in pairs for kind in pair}):
        both = sum(pair == (kind, kind) for pair in pairs)
        asked = sum(pair[0] == kind for pair in pairs)
        answered = sum(pair[1] == kind for pair in pairs)
        rows[kind] = {
            "questions": asked,
            "precision": both / answered if answered else 0.0,
            "recall": both / asked if asked else 0.0,
            "f": 2 * both / (asked + answered),
        }
    right = sum(a == b for a, b in pairs)
    return {"questions": len(pairs), "accuracy": 100 * right / len(pairs) if pairs else 0.0, "types": rows}


def format_percent(share: float) -> str:
    """Format a share as per cent.

    >>> format_percent(0.712)
    '71.2 %'
    """
    return f"{100 * share:.1f} %"
