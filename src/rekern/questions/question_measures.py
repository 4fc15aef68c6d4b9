"""How good a classification of questions is."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np


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


def mcnemar(true: Sequence[Any], one: Sequence[Any], other: Sequence[Any]) -> float:
    """McNemar's exact test: how likely two equally good classifiers differ on so many questions, or more.

    >>> mcnemar([1] * 6, [1] * 6, [2] * 6)
    0.03125
    """
    right, also = np.asarray(one) == np.asarray(true), np.asarray(other) == np.asarray(true)
    first, second = int(np.sum(right & ~also)), int(np.sum(also & ~right))
    total, least = first + second, min(first, second)
    return min(1.0, 2 * sum(comb(total, count) for count in range(least + 1)) / 2**total) if total else 1.0


def in_per_cent(share: float) -> str:
    """A share to read.

    >>> in_per_cent(0.712)
    '71.2 %'
    """
    return f"{100 * share:.1f} %"
