"""The types of training questions, checked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.errors import InputError
from rekern.learning.training_labels import refuse_large_number

NEEDED = "types are needed for training, a list of names or numbers, one for each question"


def check_labels(y: Iterable[object], n_questions: int) -> AnyArray:
    """Return the types as an array, after checking them: one for each question, all text or all numbers.

    >>> check_labels(["Fact", "List"], 2).tolist()
    ['Fact', 'List']
    """
    try:
        listed = [] if isinstance(y, str) else list(y)
        labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else listed)
    except (TypeError, ValueError):
        raise InputError(NEEDED) from None
    if labels.ndim != 1:
        raise InputError(NEEDED)
    if len(labels) != n_questions:
        raise InputError(f"there are {n_questions} questions but {len(labels)} types; give one type for each question")
    if not n_questions:
        raise InputError("there are no questions to train on; give some of each type")
    for row, label in enumerate(listed):
        if _is_missing(label):
            raise InputError("the type is missing; drop the row or give it a type", row=row)
        refuse_large_number(label, row, "type")
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    mixed = len({isinstance(label, str) for label in listed}) > 1
    if mixed or labels.ndim != 1 or labels.dtype.kind not in "biufU":
        raise InputError("types must be all text or all numbers; convert them first")
    return labels


def _is_missing(label: object) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA is neither equal to itself nor not
        return True
