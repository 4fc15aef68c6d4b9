"""The labels of a table as a model knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.learning.pair_classifier import PairClassifier

if TYPE_CHECKING:
    from rekern.learning.predicted_columns import PairPredictor


def match_labels(model: PairClassifier, table: Table) -> list[object]:
    """Return the labels of a table as classes of the model; an unknown label is an error that names its line.

    >>> from rekern.datasets import from_frame
    >>> model = PairClassifier(calibration=0).fit([("a", "b"), ("c", "d")], ["0", "1"])
    >>> match_labels(model, from_frame({"source": ["a", "c"], "target": ["b", "d"], "label": [0.0, 1.0]}))
    ['0', '1']
    """
    labels = table.labels or []
    known = {_name_class(label): label for label in model.classes_.tolist()}
    for row, label in enumerate(labels):
        if _name_class(label) not in known:
            names = ", ".join(map(str, known))
            raise InputError(
                f"{table.place(row)}: the model knows no label {label!s}, only {names}; correct it or drop the row"
            )
    return [known[_name_class(label)] for label in labels]


def _name_class(label: object) -> str:
    """Return one name for 1, 1.0 and "1", because a number's type depends on the other labels of its file."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def check_numbers(table: Table, remedy: str) -> None:
    """Raise InputError at the first label that is not a number.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": ["1", "much"]})
    >>> check_numbers(table, "give a number")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 1: the label 'much' is not a number; give a number
    """
    for row, label in enumerate(table.labels or []):
        try:
            float(label)
        except ValueError:
            raise InputError(f"{table.place(row)}: the label {label!r} is not a number; {remedy}") from None


def read_truth(model: PairPredictor, table: Table) -> list[object]:
    """Return the labels of a table as a model predicts them: classes that it knows, or numbers."""
    if isinstance(model, PairClassifier):
        return match_labels(model, table)
    check_numbers(table, "this model predicts numbers")
    return [float(label) for label in table.labels or []]
