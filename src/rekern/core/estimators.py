"""What kernels, tokenizers and models take from scikit-learn, or a small substitute for commands that start at once.

Importing scikit-learn takes longer than loading a model and predicting. A command that only uses a trained model calls
`skip_scikit_learn` before it imports kernels and models. They are then built on the substitute, which has parameters
and nothing else. Everywhere else they are ordinary scikit-learn estimators.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from types import MethodType
from typing import TYPE_CHECKING, Generic, Self, TypeVar, cast

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "NotFittedError",
    "RegressorMixin",
    "TransformerMixin",
    "available_if",
    "copy_unfitted",
    "skip_scikit_learn",
]

Instance = TypeVar("Instance")
Anything = TypeVar("Anything")
Method = TypeVar("Method", bound=Callable[..., object])

_NAMES = ("BaseEstimator", "ClassifierMixin", "NotFittedError", "RegressorMixin", "TransformerMixin")
_is_skipped = False


def skip_scikit_learn() -> None:
    """Build kernels and models that are imported from now on without scikit-learn, unless it is imported already."""
    global _is_skipped
    _is_skipped = "sklearn" not in sys.modules and "rekern.kernels.kernel" not in sys.modules


class _Parameters:
    """An object whose parameters are the arguments of its ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters; with ``deep`` also those of parameters that have some, as ``name__inner``."""
        found: dict[str, object] = {}
        for name in sorted(signature(type(self)).parameters):  # as in scikit-learn: the same bytes in model files
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
            found[name] = value
        return found

    def set_params(self, **parameters: object) -> Self:
        """Set parameters."""
        for name, value in parameters.items():
            outer, _, inner = name.partition("__")
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def __repr__(self) -> str:
        known = signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in sorted(self.get_params(deep=False).items())
            if repr(value) != repr(known[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def copy_unfitted(value: Anything) -> Anything:
    """Return an object with the same parameters that has learned nothing, as scikit-learn's ``clone``.

    >>> from rekern.kernels import Spectrum
    >>> copy_unfitted(Spectrum(3))
    Spectrum(k=3)
    """
    if not _is_skipped:
        from sklearn.base import clone

        return cast(Anything, clone(value, safe=False))
    if isinstance(value, list | tuple):
        return cast(Anything, type(value)(copy_unfitted(part) for part in value))
    if hasattr(value, "__sklearn_clone__"):
        return cast(Anything, value.__sklearn_clone__())
    if isinstance(value, _Parameters):
        parameters = {name: copy_unfitted(part) for name, part in value.get_params(deep=False).items()}
        return type(value)(**parameters)
    return deepcopy(value)


class _Kind:
    """The substitute for scikit-learn's mixins."""


class _NotFitted(ValueError, AttributeError):
    """The substitute for scikit-learn's NotFittedError."""


if TYPE_CHECKING:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError
else:

    def __getattr__(name: str) -> object:
        if name not in _NAMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if _is_skipped:
            return {"BaseEstimator": _Parameters, "NotFittedError": _NotFitted}.get(name, type(name, (_Kind,), {}))
        import sklearn.base
        import sklearn.exceptions

        return getattr(sklearn.exceptions if name == "NotFittedError" else sklearn.base, name)


class available_if(Generic[Instance]):
    """A decorator: the method is there only if ``check`` of the object is true, as scikit-learn's ``available_if``.

    >>> class Model:
    ...     @available_if(lambda model: False)
    ...     def predict(self): ...
    >>> hasattr(Model(), "predict")
    False
    """

    def __init__(self, check: Callable[[Instance], bool]):
        self.check = check

    def __call__(self, function: Method) -> Method:
        """Return the method with its condition."""
        return cast(Method, _Conditional(function, self.check))


class _Conditional(Generic[Instance]):
    def __init__(self, function: Callable[..., object], check: Callable[[Instance], bool]):
        self.function = function
        self.check = check
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __get__(self, instance: Instance | None, owner: type) -> object:
        if instance is None:
            return self.function
        message = f"This {owner.__name__!r} has no attribute {self.function.__name__!r}"
        try:
            is_there = self.check(instance)
        except AttributeError as error:
            raise AttributeError(message) from error
        if not is_there:
            raise AttributeError(message)
        return MethodType(self.function, instance)
