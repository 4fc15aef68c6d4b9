"""Compilation of functions of arrays by Numba: without Python objects, without the GIL, cached on disk."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeAlias

Function: TypeAlias = Callable[..., Any]  # of arrays


def compiled(function: Function) -> Function:
    """Compile a function of arrays with Numba (a decorator); it releases the GIL and is cached on disk.

    Numba looks for a writable folder next to the source file, then in the user's cache. If there is neither, as in a
    read-only installation without a home, the function is compiled in each process.

    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    import numba  # slow: whoever only defines functions to be compiled later need not load it

    try:
        compiled_function: Function = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        compiled_function = numba.njit(nogil=True)(function)
    return compiled_function


def inlined(function: Function) -> Function:
    """Compile a small function into every compiled function that calls it (a decorator).

    A call with many arrays costs time in a hot loop. This way a loop is written once and costs nothing to share.

    >>> @inlined
    ... def double(x):
    ...     return 2 * x
    >>> @compiled
    ... def quadruple(x):
    ...     return double(double(x))
    >>> quadruple(2)
    8
    """
    import numba

    inlined_function: Function = numba.njit(inline="always", nogil=True)(function)
    return inlined_function


def replace_globals(function: Function, **values: object) -> Function:
    """Return the same function with other values of some global names, such as compiled functions that it calls.

    >>> def greet():
    ...     return word
    >>> replace_globals(greet, word="hello")()
    'hello'
    """
    assert isinstance(function, FunctionType)
    copy = FunctionType(function.__code__, {**function.__globals__, **values}, function.__name__, function.__defaults__)
    copy.__doc__, copy.__module__ = function.__doc__, function.__module__
    return copy
