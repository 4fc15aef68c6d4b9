"""Objects as plain data: kernels, tokenizers, word spaces and parameters become JSON and arrays, and back.

Only registered classes are ever made (see `rekern.core.registry`), so a description cannot run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.core.json_values import Json, JsonObject
from rekern.core.registry import find_class
from rekern.errors import ModelFileError

PLAIN = bool | int | float | str
DTYPES = ("f8", "f4", "i8", "i4", "u8", "u4", "u1")  # what an array of a description may be restored to

Arrays = dict[str, AnyArray]


class State(dict[str, Any]):
    """The named parts of what an object has learned: numbers, texts, lists, arrays, registered objects and states.

    The methods return a part after checking its kind, and raise ModelFileError if a file lacks it or has another kind.

    >>> state = State(weights=np.ones((2, 1)), inner=State(n=3))
    >>> state.array("weights", "f8", 2).shape, state.state("inner").number("n")
    ((2, 1), 3)
    >>> state.array("weights", "u8", 1)
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: its weights are damaged
    """

    def array(self, name: str, kind: str, dimensions: int | None = None) -> Any:
        """Return an array of this type, such as "f8" or "u1"."""
        value = self.get(name)
        if not isinstance(value, np.ndarray) or value.dtype.str[1:] != kind:
            raise ModelFileError(f"its {name} are damaged")
        if dimensions is not None and value.ndim != dimensions:
            raise ModelFileError(f"its {name} are damaged")
        return value

    def number(self, name: str) -> int:
        """Return a whole number of at least 0."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ModelFileError(f"its {name} is no number")
        return value

    def state(self, name: str) -> State:
        """Return a state inside this one."""
        value = self.get(name)
        if not isinstance(value, State):
            raise ModelFileError(f"its {name} is damaged")
        return value

    def states(self, name: str, count: int) -> list[State]:
        """Return a list of so many states inside this one."""
        value = self.get(name)
        if not isinstance(value, list) or len(value) != count or not all(isinstance(part, State) for part in value):
            raise ModelFileError(f"its {name} are damaged")
        return value


@dataclass(frozen=True)
class Verbatim:
    """JSON that is part of a state as it is, such as a list of texts."""

    value: Json


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
    if isinstance(value, State):
        return {"type": "state", "parts": {name: describe(part, arrays) for name, part in value.items()}}
    if isinstance(value, Verbatim):
        return {"type": "json", "value": value.value}
    if isinstance(value, Mapping) and arrays is not None and all(isinstance(word, str) for word in value):
        if value and all(isinstance(number, float) for number in value.values()):
            numbers = describe(np.array(list(value.values())), arrays)
            return {"type": "numbers", "words": list(value), "array": numbers}
        rows = {word: np.asarray(vector, dtype=float) for word, vector in value.items()}
        if len({row.shape for row in rows.values()}) <= 1 and all(row.ndim == 1 for row in rows.values()):
            array = np.array(list(rows.values())).reshape(len(rows), -1)
            return {"type": "vectors", "words": list(rows), "array": describe(array, arrays)}
    if isinstance(value, np.ndarray) and arrays is not None and value.dtype.kind in "iuf":
        dtype = value.dtype.newbyteorder("=").str[1:]
        return {"type": "array", "name": _store_array(value, arrays), "dtype": dtype}
    if isinstance(value, np.generic):
        return value.item()
    if find_class(type(value).__name__) is type(value):
        return {"type": type(value).__name__, **_describe_object(value, arrays)}
    raise ValueError(
        f"a model with {value!r} in its kernel cannot be saved; give the kernel ready-made tokens instead "
        "of a tokenizer of your own, and word vectors instead of a similarity of your own"
    )


def _store_array(value: AnyArray, arrays: Arrays) -> str:
    """Put an array into ``arrays`` and return its name; an array that is there already is not put there again."""
    for name, array in arrays.items():
        if array.shape == value.shape and array.dtype == value.dtype and np.array_equal(array, value):
            return name
    name = f"array-{len(arrays)}"
    arrays[name] = value
    return name


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
    if kind == "state":
        parts = description.get("parts")
        if not isinstance(parts, dict):
            raise ModelFileError("a part of it is damaged")
        return State({name: build(part, arrays) for name, part in parts.items()})
    if kind == "json":
        return Verbatim(description.get("value"))
    if kind == "numbers" and arrays is not None:
        words, array = description["words"], build(description["array"], arrays)
        if not isinstance(words, list) or array.ndim != 1 or len(words) != len(array) or array.dtype != np.float64:
            raise ModelFileError("its numbers do not fit its words")
        return dict(zip(map(str, words), array.tolist()))
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
    return arrays[description["name"]].astype(str(dtype), copy=False)
