"""Names for what is read from JSON or becomes JSON. No type says more: it is checked where it is used."""

import math
from collections.abc import Mapping
from typing import Any

Json = Any  # None, a truth value, a number, a text, a list or an object
JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]


def to_json_value(value: object) -> Json:
    """Return plain values that JSON has: arrays become lists; NaN and infinite numbers become None.

    >>> to_json_value({"score": float("nan"), 1: ("a", True)})
    {'score': None, '1': ['a', True]}
    """
    if isinstance(value, dict):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return to_json_value(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
