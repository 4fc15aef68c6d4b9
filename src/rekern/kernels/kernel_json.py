"""Kernels that a user describes as JSON, on the command line or in a file."""

from __future__ import annotations

import inspect
import json
import warnings
from typing import Any

from rekern.core.parameters import is_whole, read_windows
from rekern.core.registry import find_class, list_classes
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.structures import Tokenizer


def kernel_from_json(text: str, name: str = "the kernel") -> Kernel:
    """The kernel that a user describes in JSON; what is wrong with it is said in one line.

    Every object has a ``type``, the name of a kernel, and any of its parameters; ``{"type": "Sum", "kernels": [...]}``
    adds up any number of kernels. Window sizes are ``"k": "1-4"`` or ``"k": {"from": 1, "to": 4}``. Word vectors are
    ``{"type": "WordVectors", "file": "vectors.txt"}``.

    >>> kernel_from_json('{"type": "SoftPairing", "kernel": {"type": "PartialTree", "on": "tree", "mu": 0.2}}')
    SoftPairing(kernel=PartialTree(mu=0.2, on='tree'))
    >>> kernel_from_json('{"type": "Rewriting", "k": "1-4"}').k
    (1, 4)
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
        kernel = _make(description)
    except (InputError, ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from None
    if not isinstance(kernel, Kernel):
        raise InputError(f"{name} is {description!r}, not a kernel; write it as in {EXAMPLE}")
    return kernel


VECTORS = '{"type": "WordVectors", "file": "vectors.txt"}'
EXAMPLE = '{"type": "SoftPairing", "kernel": {"type": "PartialTree", "on": "constituents"}}'


def _make(description: Any) -> Any:
    """What a user describes, nested as deep as they like."""
    if isinstance(description, list):
        return [_make(item) for item in description]
    if not isinstance(description, dict):
        return description
    kind = description.get("type")
    parameters = {name: value for name, value in description.items() if name != "type"}
    if kind is None and set(parameters) == {"from", "to"}:
        return (parameters["from"], parameters["to"])
    if kind == "tuple" and set(parameters) == {"items"} and isinstance(parameters["items"], list):
        return tuple(_make(item) for item in parameters["items"])
    found: Any = find_class(kind) if isinstance(kind, str) else None
    if found is not None and hasattr(found, "from_file"):
        if not isinstance(parameters.get("file"), str) or len(parameters) > 1:
            raise InputError(f'{kind} need a file, and nothing else: write {{"type": "{kind}", "file": "vectors.txt"}}')
        return found.from_file(parameters["file"])
    if found is None or not hasattr(found, "get_params"):
        known_kernels = ", ".join(known_kind.__name__ for known_kind in list_classes(Kernel))
        raise InputError(f"there is no kernel {kind!r}; known are {known_kernels}")
    if kind == "Sum" and set(parameters) == {"kernels"}:
        return _make_sum(parameters["kernels"])
    known = list(inspect.signature(found).parameters)
    for name in parameters:
        if name not in known:
            raise InputError(f"{kind} has no parameter {name!r}; it has {', '.join(known)}")
    for name in known:
        required = inspect.signature(found).parameters[name].default is inspect.Parameter.empty
        if required and name not in parameters:
            raise InputError(f"{kind} needs the parameter {name!r}")
    made = {name: _make(value) for name, value in parameters.items()}
    for name in ("kernel", "left", "right"):
        if name in made and not isinstance(made[name], Kernel):
            raise InputError(f"the parameter {name!r} of {kind} is {parameters[name]!r}; give a kernel")
    if not isinstance(made.get("tokenizer"), Tokenizer | None):
        raise InputError(f'the tokenizer of {kind} is {parameters["tokenizer"]!r}; write {{"type": "Tokenizer"}}')
    if isinstance(made.get("similarity"), Kernel | Tokenizer | str | int | float | list | tuple):
        raise InputError(f"the similarity of {kind} is {parameters['similarity']!r}; write {VECTORS}")
    if kind == "Rewriting" and "k" in made:
        made["k"] = _read_sizes(made["k"])
    return found(**{name: tuple(v) if name in TUPLES and isinstance(v, list) else v for name, v in made.items()})


TUPLES = ("only", "groups", "kernels")  # parameters that are tuples; JSON has none


def _read_sizes(k: Any) -> Any:
    """The window sizes of rules: a range may be written "1-4"; a list such as [1, 4] is probably meant as one."""
    if isinstance(k, str):
        try:
            return read_windows(k)
        except ValueError as error:
            raise InputError(f"k={error}") from None
    if isinstance(k, list) and len(k) == 2 and all(map(is_whole, k)) and k[1] > k[0] + 1:
        first, last = k
        warnings.warn(
            f'"k": [{first}, {last}] means the two window sizes {first} and {last}; write "{first}-{last}" for all '
            f'sizes from {first} to {last}, or "{first},{last}" for these two',
            stacklevel=2,
        )
    return k


def _make_sum(described: Any) -> Any:
    if not isinstance(described, list) or not described:
        raise InputError('a Sum needs {"kernels": [...]} with at least one kernel, or left and right')
    made = [_make(item) for item in described]
    for item, kernel in zip(described, made):
        if not isinstance(kernel, Kernel):
            raise InputError(f"a Sum has {item!r} among its kernels; give kernels")
    return sum(made[1:], made[0])
