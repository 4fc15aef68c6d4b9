"""Values of columns: checks of texts and labels, and conversion of labels to numbers.

Errors count rows from 0; what reads a file adds the file and the line.
"""

import math
import re
from collections.abc import Sequence
from numbers import Number
from typing import Any

from rekern.errors import InputError

# A number with a leading zero ("007") or many digits is a name: it would not survive the conversion.
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
REAL = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
NOT_A_NUMBER = {"nan", "na", "n/a", "null", "none", "inf", "-inf", "+inf", "infinity", "-infinity"}


def check_texts(values: Sequence[object], column: str) -> list[str]:
    """Check that all values are strings that can be written as UTF-8; ``column`` is named in the error.

    >>> check_texts(["He left.", None], "target")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: row 1, target: the text is missing; drop the row or give it a text
    """
    if set(map(type, values)) != {str}:  # the loop is slow
        for row, value in enumerate(values):
            if is_missing(value):
                raise InputError("the text is missing; drop the row or give it a text", row=row, column=column)
            if not isinstance(value, str):
                reason = f"the value is {_name_type(value)}, not a text; write it as a string"
                raise InputError(reason, row=row, column=column)
    texts = list(map(str, values))
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        for row, text in enumerate(texts):
            if any("\ud800" <= character <= "\udfff" for character in text):
                reason = "the text holds half of a character; correct it"
                raise InputError(reason, row=row, column=column) from None
    return texts


def check_present(values: Sequence[object], column: str) -> list[object]:
    """Check that no value is missing, and remove blanks at the ends of strings.

    >>> check_present([" a ", 1], "group")
    ['a', 1]
    """
    stripped = [value.strip() if isinstance(value, str) else value for value in values]
    missing = [
        row for row, value in enumerate(stripped) if (value == "" if isinstance(value, str) else is_missing(value))
    ]
    if missing:
        reason = f"the value is missing; drop the row or give it a {column}"
        if len(missing) > 1:
            reason = (
                f"the value is missing, here and in {len(missing) - 1:,} more; drop the rows or give each a {column}"
            )
        raise InputError(reason, row=missing[0], column=column)
    return stripped


def convert_labels(values: Sequence[object]) -> list[Any]:
    """Convert labels to integers if all of them are, else to real numbers if all of them are, else to strings.

    >>> convert_labels(["1", "0"]), convert_labels(["1", "0.5"]), convert_labels(["yes", "1"])
    ([1, 0], [1.0, 0.5], ['yes', '1'])
    """
    strings = write_labels(values)
    is_real = {string: REAL.fullmatch(string) is not None for string in set(strings)}
    if all(INTEGER.fullmatch(string) for string in is_real):
        return [int(string) for string in strings]
    if all(is_real.values()):
        return [_check_finite(float(string), row) for row, string in enumerate(strings)]
    if all(real or string.lower() in NOT_A_NUMBER for string, real in is_real.items()) and any(is_real.values()):
        row = next(row for row, string in enumerate(strings) if not is_real[string])
        reason = f"the value is {strings[row]!r} where the others are numbers; drop the row"
        raise InputError(reason, row=row, column="label")
    return list(strings)


def write_labels(values: Sequence[object]) -> list[str]:
    """Return labels as they are written; a missing one, and one that is neither a string nor a number, is refused.

    >>> write_labels([" a ", 1, True])
    ['a', '1', '1']
    """
    labels = [to_plain(value) for value in check_present(values, "label")]
    for row, value in enumerate(labels):
        if not isinstance(value, str | Number):
            reason = f"the value is {_name_type(value)}; give a string or a number"
            raise InputError(reason, row=row, column="label")
    return [value if isinstance(value, str) else _write_number(value) for value in labels]


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT, which are known by name because pandas is not imported.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def to_plain(value: object) -> object:
    """Return a NumPy scalar as a Python one, and a missing value as None.

    >>> import numpy as np
    >>> to_plain(np.float64("nan")), to_plain(np.int64(3))
    (None, 3)
    """
    if hasattr(value, "item") and not isinstance(value, str) and getattr(value, "ndim", None) == 0:
        value = value.item()
    return None if is_missing(value) else value


def _write_number(value: object) -> str:
    """Return a number as the text that it would have in a TSV file; truth values are 1 and 0."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _check_finite(value: float, row: int) -> float:
    if not math.isfinite(value):
        raise InputError("the value is too large for a number; give it a smaller one", row=row, column="label")
    return value


def _name_type(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
