"""How good a classification of questions is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def measured(true: Sequence[Any], found: Sequence[Any]) -> dict[str, Any]:
    """The accuracy in per cent, and of each type precision, recall and F from 0 to 1.

    >>> result = measured(["Fact", "Fact", "List"], ["Fact", "List", "List"])
    >>> round(result["accuracy"], 1), result["types"]["Fact"]
    (66.7, {'questions': 2, 'precision': 1.0, 'recall': 0.5, 'f': 0.6666666666666666})
    """
    pairs = list(zip(map(str, true), map(str, found)))
    rows = {}
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


def in_per_cent(share: float) -> str:
    """A share to read.

    >>> in_per_cent(0.712)
    '71.2 %'
    """
    return f"{100 * share:.1f} %"
