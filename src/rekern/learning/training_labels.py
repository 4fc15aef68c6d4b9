"""Labels and weights of training pairs, checked."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.messages import show_value
from rekern.core.state_schema import LARGEST_WHOLE
from rekern.errors import InputError

MANY_CLASSES = 20  # different numbers; more of them are probably quantities


def read_labels(y: Iterable[object] | None, n: int) -> AnyArray:
    """The labels of ``n`` pairs as an array of text or of numbers.

    >>> read_labels(["yes", "no"], 2).tolist()
    ['yes', 'no']
    >>> read_labels([1, None], 2)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 1: the label is missing; drop the row or give it a label
    """
    if y is None:
        raise InputError("training requires y to be passed, but the target y is None; give one label for each pair")
    labels: AnyArray
    if hasattr(y, "to_numpy"):
        labels = np.asarray(y.to_numpy())
    else:
        labels = np.asarray(y if hasattr(y, "__array__") else list(y))
    if labels.ndim != 1:
        raise InputError(f"labels must be one column, got {labels.ndim} dimensions")
    if n != len(labels):
        raise InputError(f"there are {n} pairs but {len(labels)} labels; give one label for each pair")
    if not n:
        raise InputError("there are no pairs to train on; give at least two")
    if labels.dtype == np.longdouble:  # of which files know nothing
        labels = labels.astype(np.float64)
    for row, label in enumerate(labels.tolist()):
        if label is None or label != label:
            raise InputError("the label is missing; drop the row or give it a label", row=row)
        if isinstance(label, float) and math.isinf(label):
            raise InputError("the label is not a finite number", row=row)
        refuse_large_number(label, row, "label")
    if labels.dtype == object:  # text columns of data frames
        labels = np.array(labels.tolist())
    if labels.dtype.kind not in "biufU":
        raise InputError("labels must be all text or all numbers; convert them first")
    return labels


def refuse_large_number(label: object, row: int, name: str) -> None:
    """Raise InputError if no model file can hold a number as a label; ``name`` is what the message calls it.

    >>> refuse_large_number(1e30, 7, "label")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 7: the label 1e+30 is too large; use smaller numbers, or text for classes
    """
    number = label.item() if isinstance(label, np.generic) else label
    if isinstance(number, int | float) and abs(number) > LARGEST_WHOLE:
        raise InputError(
            f"the {name} {show_value(number)} is too large; use smaller numbers, or text for classes", row=row
        )


def read_numbers(labels: AnyArray, needs: str) -> Floats:
    """Return labels as finite numbers; ``needs`` is the beginning of the message about other labels.

    >>> read_numbers(np.array([1.0, "good"]), "a regression needs numbers as labels")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 1: a regression needs numbers as labels, got 'good'
    """
    if labels.dtype.kind not in "iufb":
        row = next((row for row, label in enumerate(labels.tolist()) if not _is_number(label)), 0)
        raise InputError(f"{needs}, got {show_value(labels.tolist()[row])}", row=row)
    numbers = labels.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise InputError("the label is not a finite number", row=int(np.argmin(np.isfinite(numbers))))
    return numbers


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def warn_of_quantities(classes: AnyArray) -> None:
    """Warn if the classes are many decimal numbers: these are hardly names.

    >>> warn_of_quantities(np.array([0.0, 0.5, 1.0]))
    """
    if classes.dtype.kind == "f" and len(classes) > MANY_CLASSES and any(not label.is_integer() for label in classes):
        warnings.warn(
            f"{len(classes)} different decimal numbers are used as classes; a regression uses them as quantities",
            stacklevel=2,
        )


def read_weights(weights: Iterable[float] | None, n: int) -> Floats | None:
    """The weights of ``n`` pairs, None if none are given.

    >>> read_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if weights is None:
        return None
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight must be one number for each pair") from None
    if found.shape != (n,):
        raise InputError(f"sample_weight has the shape {found.shape}; give one number for each of the {n} pairs")
    if not np.isfinite(found).all() or (found < 0).any():
        row = int(np.argmin(np.isfinite(found) & (found >= 0)))
        raise InputError(f"the weight {found[row]:g} cannot be used; give a finite number of at least 0", row=row)
    if not found.any():
        raise InputError("all sample weights are zero; give one of the pairs a weight")
    return found
