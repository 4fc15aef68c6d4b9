"""Kernels as JSON: for model files and for the command line. Only known types are ever made, so nothing can run code.

>>> describe(SoftPairing(PartialTree(on="constituents")))["kernel"]["on"]
'constituents'
>>> build({"type": "PairSum", "kernel": {"type": "SubsetTree", "decay": 0.5}})
PairSum(kernel=SubsetTree(decay=0.5))
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rekern.errors import InputError, ModelFileError
from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    DependencyPaths,
    Gaussian,
    Kernel,
    Neighborhoods,
    Normalized,
    PairProduct,
    PairSum,
    PartialTree,
    Product,
    Rewriting,
    Scaled,
    SmoothedPartialTree,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Sum,
    Wildcard,
)
from rekern.similarity import LatentSemantics, PrecisionRecall, Similarities, WordVectors
from rekern.similarity.lexicons.explicit_semantics import ExplicitSemantics
from rekern.structures.tokens import Tokenizer

KERNELS: tuple[type[Kernel], ...] = (
    Rewriting,
    Spectrum,
    Wildcard,
    Subsequence,
    SubTree,
    SubsetTree,
    PartialTree,
    SmoothedPartialTree,
    DependencyPaths,
    Neighborhoods,
    PairSum,
    PairProduct,
    AllSum,
    AllProduct,
    BestPairing,
    SoftPairing,
    PrecisionRecall,
    Similarities,
    Sum,
    Product,
    Scaled,
    Normalized,
    Gaussian,
)
OBJECTS: dict[str, type] = {kind.__name__: kind for kind in (*KERNELS, Tokenizer)}
# What was learned from texts or read from a file; kept as its ``state()``, a dict of lists and arrays.
SPACES: dict[str, Any] = {kind.__name__: kind for kind in (WordVectors, LatentSemantics, ExplicitSemantics)}
PLAIN = bool | int | float | str

Arrays = dict[str, np.ndarray]


def describe(value: Any, arrays: Arrays | None = None) -> Any:
    """A kernel, a tokenizer, a word space or a plain parameter as JSON; arrays are put into ``arrays``, under names.

    >>> describe(Spectrum(2))
    {'type': 'Spectrum', 'k': 2, 'normalize': True, 'on': None, 'tokenizer': None}
    """
    if type(value) in OBJECTS.values():
        parameters = value.get_params(deep=False)
        described = {name: describe(parameter, arrays) for name, parameter in parameters.items()}
        return {"type": type(value).__name__, **described}
    if type(value) in SPACES.values():
        state = {name: describe(part, arrays) for name, part in value.state().items()}
        return {"type": type(value).__name__, "state": state}
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
    if value is None or isinstance(value, PLAIN):
        return value
    raise ValueError(
        f"a model with {value!r} in its kernel cannot be saved; give the kernel ready-made tokens instead "
        "of a tokenizer of your own, and word vectors instead of a similarity of your own"
    )


def build(description: Any, arrays: Arrays | None = None) -> Any:
    """The kernel, tokenizer, word space or parameter that `describe` wrote down."""
    if isinstance(description, list):
        return [build(item, arrays) for item in description]
    if not isinstance(description, dict):
        return description
    kind = description.get("type")
    if kind == "tuple":
        return tuple(build(item, arrays) for item in description.get("items", []))
    if kind == "array" and arrays is not None:
        return _array(description, arrays)
    if kind == "vectors" and arrays is not None:
        words, array = description["words"], build(description["array"], arrays)
        if not isinstance(words, list) or array.ndim != 2 or len(words) != len(array):
            raise ModelFileError("its word vectors do not fit its words")
        return dict(zip(map(str, words), array))
    if kind in SPACES and arrays is not None:
        return SPACES[kind].from_state({name: build(part, arrays) for name, part in description["state"].items()})
    if kind not in OBJECTS:
        raise ModelFileError(f"it uses {kind!r}, which this Rekern does not know")
    return OBJECTS[kind](**{name: build(value, arrays) for name, value in description.items() if name != "type"})


def _array(description: dict[str, Any], arrays: Arrays) -> np.ndarray:
    dtype = description.get("dtype")
    if description.get("name") not in arrays or dtype not in ("f8", "f4", "i8", "i4", "u8", "u4"):
        raise ModelFileError(f"it lacks the array {description.get('name')!r}")
    return arrays[description["name"]].astype(dtype)


def kernel_from_json(text: str, name: str = "the kernel") -> Kernel:
    """The kernel that a user describes in JSON; what is wrong with it is said in one line.

    Every object has a ``type``, the name of a kernel, and any of its parameters; ``{"type": "Sum", "kernels": [...]}``
    adds up any number of kernels, and word vectors are ``{"type": "WordVectors", "file": "vectors.txt"}``.

    >>> kernel_from_json('{"type": "SoftPairing", "kernel": {"type": "PartialTree", "on": "tree", "mu": 0.2}}')
    SoftPairing(kernel=PartialTree(mu=0.2, on='tree'))
    >>> kernel_from_json('{"type": "SoftPairing", "kernel": {"type": "PartialTree", "lambda": 1}}')
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the kernel: PartialTree has no parameter 'lambda'; it has decay, mu, gaps, \
max_children, terminal_factor, normalize, on
    """
    try:
        description = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({error}); write it as in {EXAMPLE}") from None
    try:
        kernel = _made(description)
    except (InputError, ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from None
    if not isinstance(kernel, Kernel):
        raise InputError(f"{name} is {description!r}, not a kernel; write it as in {EXAMPLE}")
    return kernel


VECTORS = '{"type": "WordVectors", "file": "vectors.txt"}'
EXAMPLE = '{"type": "SoftPairing", "kernel": {"type": "PartialTree", "on": "constituents"}}'


def _made(description: Any) -> Any:
    """What a user describes, nested as deep as they like."""
    if isinstance(description, list):
        return [_made(item) for item in description]
    if not isinstance(description, dict):
        return description
    kind = description.get("type")
    parameters = {name: value for name, value in description.items() if name != "type"}
    if kind == "tuple" and set(parameters) == {"items"} and isinstance(parameters["items"], list):
        return tuple(_made(item) for item in parameters["items"])
    if kind == "WordVectors":
        if not isinstance(parameters.get("file"), str) or len(parameters) > 1:
            raise InputError(f"WordVectors need a file, and nothing else: write {VECTORS}")
        return WordVectors.from_file(parameters["file"])
    if not isinstance(kind, str) or kind not in OBJECTS:
        raise InputError(f"there is no kernel {kind!r}; known are {', '.join(kind.__name__ for kind in KERNELS)}")
    if kind == "Sum" and set(parameters) == {"kernels"}:
        return _sum(parameters["kernels"])
    known = list(inspect.signature(OBJECTS[kind]).parameters)
    for name in parameters:
        if name not in known:
            raise InputError(f"{kind} has no parameter {name!r}; it has {', '.join(known)}")
    for name in known:
        required = inspect.signature(OBJECTS[kind]).parameters[name].default is inspect.Parameter.empty
        if required and name not in parameters:
            raise InputError(f"{kind} needs the parameter {name!r}")
    made = {name: _made(value) for name, value in parameters.items()}
    for name in ("kernel", "left", "right"):
        if name in made and not isinstance(made[name], Kernel):
            raise InputError(f"the parameter {name!r} of {kind} is {parameters[name]!r}; give a kernel")
    if not isinstance(made.get("tokenizer"), Tokenizer | None):
        raise InputError(f'the tokenizer of {kind} is {parameters["tokenizer"]!r}; write {{"type": "Tokenizer"}}')
    if not isinstance(made.get("similarity"), WordVectors | None):
        raise InputError(f"the similarity of {kind} is {parameters['similarity']!r}; write {VECTORS}")
    return OBJECTS[kind](
        **{name: tuple(v) if name in TUPLES and isinstance(v, list) else v for name, v in made.items()}
    )


TUPLES = ("only", "groups", "kernels")  # parameters that are tuples; JSON has none


def _sum(described: Any) -> Any:
    if not isinstance(described, list) or not described:
        raise InputError('a Sum needs {"kernels": [...]} with at least one kernel, or left and right')
    made = [_made(item) for item in described]
    for item, kernel in zip(described, made):
        if not isinstance(kernel, Kernel):
            raise InputError(f"a Sum has {item!r} among its kernels; give kernels")
    return sum(made[1:], made[0])
