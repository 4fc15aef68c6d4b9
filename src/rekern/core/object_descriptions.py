"""Objects as plain data: kernels, tokenizers, word spaces and parameters become JSON and arrays, and back.

Only registered classes are ever made (see `rekern.core.registry`), so a description cannot run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rekern.core.arrays import AnyArray
from rekern.core.json_values import Json, JsonObject
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.registry import find_class
from rekern.core.state_schema import Array, Constraint, Sizes, Texts, find_schema, refuse, require
from rekern.errors import ModelFileError

PLAIN = bool | int | float | str
DTYPES = ("f8", "f4", "i8", "i4", "u8", "u4", "u1")  # what an array of a description may be restored to

MOST_EXACT = 1 << 53  # up to which floating-point numbers have all whole numbers

SMALLEST_PARAMETER = 1e-30  # of a number in a file; a product of several of them is still a number

Arrays = dict[str, AnyArray]


class State(dict[str, Any]):
    """The named parts of what an object has learned: numbers, texts, lists, arrays, registered objects and states.

    The methods return inner states, and raise ModelFileError if a file lacks them. The schema of a class checks the
    other parts.

    >>> state = State(inner=State(n=3))
    >>> state.state("inner")
    {'n': 3}
    >>> state.state("outer")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: its outer is damaged
    """

    limits: ModelLimits = DEFAULT_LIMITS  # of the one who reads the file

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


@dataclass(frozen=True)
class Raw:
    """The constraint on JSON that is part of a state as it is."""

    inner: Constraint

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise ModelFileError if the JSON does not satisfy the inner constraint."""
        if not isinstance(value, Verbatim):
            raise require(name, "JSON")
        self.inner.check(value.value, name, sizes)


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
        if all(isinstance(number, float) for number in value.values()):
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
        stored = value.get_stored_params() if hasattr(value, "get_stored_params") else value.get_params(deep=False)
        return {name: describe(part, arrays) for name, part in stored.items()}
    return {"state": {name: describe(part, arrays) for name, part in value.to_dict().items()}}


@dataclass(frozen=True)
class BuildContext:
    """What the reader of a file allows and gives: limits, and the resources that a file may need but not name."""

    limits: ModelLimits = DEFAULT_LIMITS
    given: Mapping[str, object] = field(default_factory=dict)


PLAIN_CONTEXT = BuildContext()


def build(description: Json, arrays: Arrays | None = None, context: BuildContext = PLAIN_CONTEXT) -> Any:
    """The object or parameter that `describe` wrote down, checked by the schema of its class.

    >>> build({"type": "PairSum", "kernel": {"type": "SubsetTree", "decay": 0.5}})
    PairSum(kernel=SubsetTree(decay=0.5))
    >>> build({"type": "PairSum", "kernel": {"type": "SubsetTree", "decay": 5}})
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: its decay is damaged: a number above 0 and at most 1 is needed
    """
    return _Builder(arrays, context).build(description)


class _Builder:
    """Builds one description; it counts the objects, and those around the one that it builds."""

    def __init__(self, arrays: Arrays | None, context: BuildContext):
        self.arrays, self.context, self.count, self.depth = arrays, context, 0, 0

    def build(self, description: Json) -> Any:
        if isinstance(description, list):
            if set(map(type, description)) <= {str, int, float, bool, type(None)}:
                return list(description)
            return [self.build(item) for item in description]
        if not isinstance(description, dict):
            return description
        kind = description.get("type")
        if kind == "tuple":
            items = description.get("items", [])
            if not isinstance(items, list):
                raise ModelFileError("a part of it is damaged")
            return tuple(self.build(items))
        if kind == "array" and self.arrays is not None:
            return _build_array(description, self.arrays)
        if kind == "state":
            parts = description.get("parts")
            if not isinstance(parts, dict):
                raise ModelFileError("a part of it is damaged")
            state = State({name: self.build(part) for name, part in parts.items()})
            state.limits = self.context.limits
            return state
        if kind == "json":
            return Verbatim(description.get("value"))
        if kind in ("numbers", "vectors") and self.arrays is not None:
            return self._build_words(description, 1 if kind == "numbers" else 2)
        return self._build_object(description)

    def _build_words(self, description: JsonObject, dimensions: int) -> dict[str, object]:
        """Words with a number or a vector each."""
        words: Any = description.get("words")
        array = self.build(description.get("array"))
        sizes: Sizes = {}
        Texts("words").check(words, "words", sizes)
        Array("f8", "words", *["*"] * (dimensions - 1)).check(array, "array", sizes)
        return dict(zip(words, array.tolist() if dimensions == 1 else array))

    def _build_object(self, description: JsonObject) -> Any:
        kind = description.get("type")
        found: Any = find_class(kind) if isinstance(kind, str) else None
        if found is None:
            raise ModelFileError(f"it uses {str(kind)[:40]!r}, which this Rekern does not know")
        self.count += 1
        self.depth += 1
        self.context.limits.check("depth", self.depth, f"its kernels are nested {self.depth} deep")
        self.context.limits.check("objects", self.count, "it has many kernels inside kernels")
        schema = find_schema(found)
        is_by_parameters = hasattr(found, "get_params")
        if not is_by_parameters and not hasattr(found, "from_dict"):
            raise ModelFileError(f"it uses {kind!r} where a kernel or a part of one is expected")
        parts = {name: part for name, part in description.items() if name != "type"}
        if not is_by_parameters:
            parts = parts["state"]
        values = {name: self.build(part) for name, part in parts.items()}
        if schema is not None:
            for name in schema.resources:
                self._replace_resource(name, values)
            schema.parts.check(values, str(kind))
            for name, value in values.items():
                if isinstance(value, float) and 0 < abs(value) < SMALLEST_PARAMETER:
                    raise refuse(name, "it is so small that no number is left of its powers")
        made = found(**values) if is_by_parameters else found.from_dict(values)
        if hasattr(made, "check_limits"):
            made.check_limits(self.context.limits)
        self.depth -= 1
        return made

    def _replace_resource(self, name: str, values: dict[str, object]) -> None:
        """Put what the reader gives in the place of what the file names: nothing named in a file is opened."""
        if name in self.context.given:
            values[name] = self.context.given[name]
        elif isinstance(values.get(name), str):
            raise ModelFileError(f"it needs a {name}: give it to load_model(path, {name}=…), or with --{name}")


def _build_array(description: JsonObject, arrays: Arrays) -> AnyArray:
    name, dtype = description.get("name"), description.get("dtype")
    if not isinstance(name, str) or name not in arrays or dtype not in DTYPES:
        raise ModelFileError(f"it lacks the array {str(name)[:40]!r}")
    array = arrays[name]
    is_whole = str(dtype)[0] != "f" and array.dtype.kind == "f"
    if is_whole and ((np.trunc(array) != array) | (np.abs(array) > MOST_EXACT)).any():
        raise ModelFileError(f"its {name} are not whole numbers")
    return array.astype(str(dtype), copy=False)
