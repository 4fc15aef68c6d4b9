"""Checks of all parameters of an object by the table of constraints beside its class.

A registered class has a table in its ``schema``, any other class in ``parameter_table``. All wrong values lead to the
same kind of error, a ValueError whose message starts with the name and the value. A class that accepts more than a
model file may contain, or knows a better message, checks the parameters in ``checks_itself`` itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TypeVar, cast

import numpy as np

from rekern.core.messages import show_value
from rekern.core.model_limits import LARGEST_NUMBER
from rekern.core.parameters import is_whole
from rekern.core.state_schema import MOST_WHOLE, Anything, Constraint, Record, Schema, Sizes, parameters, refuse
from rekern.errors import InputError, ModelFileError

Method = TypeVar("Method", bound=Callable[..., object])


def find_parameter_table(kind: type) -> Record | None:
    """Return the constraints of the parameters of a class, or None for a class of another package without a table.

    >>> from rekern.kernels import Spectrum
    >>> sorted(find_parameter_table(Spectrum).parts)
    ['k', 'normalize', 'on', 'tokenizer']
    """
    for base in kind.__mro__:
        table, schema = vars(base).get("parameter_table"), vars(base).get("schema")
        if isinstance(table, Record):
            return table
        if isinstance(schema, Schema):
            return schema.parts
        if "__init__" in vars(base):  # its parameters are not those of the classes above it
            return None
    return None


def check_parameters(thing: object) -> None:
    """Raise a ValueError if a parameter of an object does not satisfy its constraint.

    >>> from rekern.kernels import Spectrum
    >>> check_parameters(Spectrum(k="two"))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: k='two': give a whole number from 1 to 32
    """
    table = find_parameter_table(type(thing))
    if table is None:
        return
    own: frozenset[str] = getattr(thing, "checks_itself", frozenset())
    for name, constraint in table.parts.items():
        if name in own:
            continue
        value = getattr(thing, name)
        try:
            constraint.check(_reduce(value), name)
        except ModelFileError as error:
            raise InputError(f"{name}={show_value(value)}: give {error.needed}") from None


def _reduce(value: object) -> object:
    """Return a number as a plain one; one beyond the limits of model files as the limit, for it is no error here."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        large = abs(float(value)) > (MOST_WHOLE if isinstance(value, int) else LARGEST_NUMBER)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if not large or not math.isfinite(value):
        return value
    limit: int | float = MOST_WHOLE if isinstance(value, int) else LARGEST_NUMBER
    return limit if value > 0 else -limit


def check_first(method: Method) -> Method:
    """Make a method check the parameters of its object before anything else (a decorator)."""

    @wraps(method)
    def check_and_call(self: object, *arguments: object, **options: object) -> object:
        check_parameters(self)
        return method(self, *arguments, **options)

    return cast(Method, check_and_call)


class Jobs:
    """A number of threads."""

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise an error if the value is no number of threads."""
        if value is not None and not (is_whole(value) and 0 < abs(value) < 1 << 20):
            raise refuse(name, "a whole number of threads, -1 for all cores, or None is needed")


class ClassWeights:
    """Weights of classes: "balanced", a mapping from classes to finite numbers from 0, or None."""

    def check(self, value: object, name: str, sizes: Sizes | None = None) -> None:
        """Raise an error if the value has no weights of classes."""
        weights = value.values() if isinstance(value, Mapping) else ()
        finite = all(isinstance(weight, int | float | np.number) and 0 <= weight < np.inf for weight in weights)
        is_name = isinstance(value, str) and value == "balanced"
        if value is not None and not is_name and not (isinstance(value, Mapping) and finite):
            raise refuse(name, "'balanced', a dict from classes to numbers of at least 0, or None is needed")


def state_parameters(**constraints: Constraint | None) -> Record:
    """Return a table of parameters; None stands for a parameter that the class checks itself.

    >>> from rekern.core.state_schema import Whole
    >>> sorted(state_parameters(n=Whole(1), kernel=None).parts)
    ['kernel', 'n']
    """
    return parameters(**{name: Anything() if one is None else one for name, one in constraints.items()})
