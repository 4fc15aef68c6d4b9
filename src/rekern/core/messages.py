"""Words for error messages: what a value is, and lists of names of bounded length."""

from collections.abc import Iterable

import numpy as np

MAX_NAMES = 20
MAX_LENGTH = 60


def name_value(value: object) -> str:
    """Say in words what a value is.

    >>> name_value(None), name_value(float("nan")), name_value(3), name_value(b"x"), name_value({})
    ('None', 'NaN', 'the number 3', 'bytes', 'a dict')
    """
    if value is None:
        return "None"
    if isinstance(value, bool | np.bool_):
        return f"the truth value {value}"
    if isinstance(value, int | float | np.number):
        return "NaN" if value != value else f"the number {value}"
    if isinstance(value, np.ndarray):
        return f"an array with {value.ndim} dimensions"
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):  # of pandas
        return "missing"
    return kind if kind == "bytes" else f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def list_names(names: Iterable[object]) -> str:
    """List names, such as those of columns, on one line of bounded length.

    >>> list_names(["id", "text"]), list_names([])
    ('id, text', 'none')
    """
    texts = [str(name) for name in names]
    shown = [text if text.isprintable() and text else repr(text) for text in texts[:MAX_NAMES]]
    shown = [text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "..." for text in shown]
    more = f" and {len(texts) - MAX_NAMES} more" if len(texts) > MAX_NAMES else ""
    return ", ".join(shown) + more or "none"
