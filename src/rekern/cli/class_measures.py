"""How good predicted classes are: accuracy, precision, recall, F1, confusions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class OneClassMeasures(TypedDict):
    """The measures of one class; ``pairs`` is the number of pairs with this label."""

    precision: float
    recall: float
    f1: float
    pairs: int


class ClassMeasures(TypedDict):
    """The measures of a classifier; ``majority`` is the accuracy of always predicting the most frequent class."""

    accuracy: float
    majority: float
    macro_f1: float
    classes: dict[str, OneClassMeasures]
    confusion: list[list[int]]  # a row for each label, a column for each prediction


def measure_classes(
    predictions: Sequence[object], labels: Sequence[object], classes: Sequence[object]
) -> ClassMeasures:
    """Compare predicted classes with labels.

    >>> found = measure_classes([1, 1, 0], [1, 0, 0], [0, 1])
    >>> found["accuracy"], found["confusion"], found["classes"]["1"]["precision"]
    (0.6666666666666666, [[1, 1], [0, 1]], 0.5)
    """
    import numpy as np
    from sklearn.metrics import confusion_matrix

    matrix = confusion_matrix(labels, predictions, labels=list(classes))
    hits, predicted, true = np.diag(matrix), matrix.sum(axis=0), matrix.sum(axis=1)
    precision = np.divide(hits, predicted, out=np.zeros(len(hits)), where=predicted > 0)
    recall = np.divide(hits, true, out=np.zeros(len(hits)), where=true > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros(len(hits)), where=both > 0)
    rows = zip(precision.tolist(), recall.tolist(), f1.tolist(), true.tolist())
    return {
        "accuracy": float(hits.sum() / matrix.sum()),
        "majority": float(true.max() / matrix.sum()),
        "macro_f1": float(np.mean(f1)),
        "classes": {
            str(name): {"precision": p, "recall": r, "f1": f, "pairs": count}
            for name, (p, r, f, count) in zip(classes, rows)
        },
        "confusion": matrix.tolist(),
    }
