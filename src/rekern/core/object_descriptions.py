"""Objects as plain data: kernels, tokenizers, word spaces and parameters become JSON and arrays, and back.

Only registered classes are ever made (see `rekern.core.registry`), so a description cannot run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.core.json_values import Json, JsonObject
from rekern.core.registry import find_class
from rekern.errors import ModelFileError

PLAIN = bool | int | float | str
DTYPES = ("f8", "f4", "i8", "i4", "u8", "u4")  # what an array of a description may be restored to

Arrays = dict[str, AnyArray]


def describe(value: object, arrays: Arrays | None = None) -> Json:
    """A registered object or a plain parameter as JSON; arrays are put into ``arrays``, under names.

    >>> from rekern.kernels import Spectrum
    >>> describe(Spectrum(2))
    {'type': 'Spectrum', 'k': 2, 'normalize': True, 'on': None, 'tokenizer': None}
    """
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, tuple):
        return {"type": "tuple", "items": [describe(item, arrays) for item in value]}
    if isinstance(value, list):
        return [describe(item, arrays) for item in value]
    if isinstance(value, Mapping) and arrays is not None and all(isinstance(word, str) for word in value):
        rows = {word: np.asarray(vector, dtype=float) for word, vector in value.items()}
        if len({row.shape for row in rows.values()}) <= 1 and all(row.ndim == 1 for row in rows.values()):
            array = np.array(list(rows.values())).reshape(len(rows), -1)
            return {"type": "vectors", "words": list(rows), "array": describe(array, arrays)}
    if isinstance(value, np.ndarray) and arrays is not None and value.dtype.kind in "iuf":
        name = f"array-{len(arrays)}"
        # All whole numbers that a space holds are places in other arrays, far below 2**53.
        arrays[name] = np.asarray(value, dtype=np.float64)
        return {"type": "array", "name": name, "dtype": value.dtype.newbyteorder("=").str[1:]}
    if isinstance(value, np.generic):
        return value.item()
    if find_class(type(value).__name__) is type(value):
        return {"type": type(value).__name__, **_describe_object(value, arrays)}
    raise ValueError(
        f"a model with {value!r} in its kernel cannot be saved; give the kernel ready-made tokens instead "
        "of a tokenizer of your own, and word vectors instead of a similarity of your own"
    )


def _describe_object(value: Any, arrays: Arrays | None) -> JsonObject:
    if hasattr(value, "get_params"):
        return {name: describe(part, arrays) for name, part in value.get_params(deep=False).items()}
    return {"state": {name: describe(part, arrays) for name, part in value.to_dict().items()}}


def build(description: Json, arrays: Arrays | None = None) -> Any:
    """The object or parameter that `describe` wrote down.

    >>> build({"type": "PairSum", "kernel": {"type": "SubsetTree", "decay": 0.5}})
    PairSum(kernel=SubsetTree(decay=0.5))
    """
    if isinstance(description, list):
        return [build(item, arrays) for item in description]
    if not isinstance(description, dict):
        return description
    kind = description.get("type")
    if kind == "tuple":
        return tuple(build(item, arrays) for item in description.get("items", []))
    if kind == "array" and arrays is not None:
        return _build_array(description, arrays)
    if kind == "vectors" and arrays is not None:
        words, array = description["words"], build(description["array"], arrays)
        if not isinstance(words, list) or array.ndim != 2 or len(words) != len(array):
            raise ModelFileError("its word vectors do not fit its words")
        return dict(zip(map(str, words), array))
    found: Any = find_class(kind) if isinstance(kind, str) else None
    if found is None:
        raise ModelFileError(f"it uses {kind!r}, which this Rekern does not know")
    if hasattr(found, "get_params"):
        return found(**{name: build(value, arrays) for name, value in description.items() if name != "type"})
    if not hasattr(found, "from_dict"):
        raise ModelFileError(f"it uses {kind!r} where a kernel or a part of one is expected")
    return found.from_dict({name: build(part, arrays) for name, part in description["state"].items()})


def _build_array(description: JsonObject, arrays: Arrays) -> AnyArray:
    dtype = description.get("dtype")
    if description.get("name") not in arrays or dtype not in DTYPES:
        raise ModelFileError(f"it lacks the array {description.get('name')!r}")
    return arrays[description["name"]].astype(str(dtype))
