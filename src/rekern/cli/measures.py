"""How good predictions are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def class_measures(predictions: Any, labels: Any, classes: Sequence[Any]) -> dict[str, Any]:
    """Accuracy, precision, recall and F1 of each class, and the confusion matrix (rows: what the file says).

    >>> found = class_measures([1, 1, 0], [1, 0, 0], [0, 1])
    >>> found["accuracy"], found["confusion"], found["classes"]["1"]["precision"]
    (0.6666666666666666, [[1, 1], [0, 1]], 0.5)
    """
    import numpy as np
    from sklearn.metrics import confusion_matrix

    matrix = confusion_matrix(labels, predictions, labels=list(classes))
    hits, said, true = np.diag(matrix), matrix.sum(axis=0), matrix.sum(axis=1)
    precision = np.divide(hits, said, out=np.zeros(len(hits)), where=said > 0)
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
