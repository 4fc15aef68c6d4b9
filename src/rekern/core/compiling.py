"""Compilation of functions of arrays by Numba: without Python objects, without the GIL, cached on disk."""

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

Function: TypeAlias = Callable[..., Any]  # of arrays

_is_interpreted = False


def interpret_cores() -> None:
    """Run the functions that are defined from now on as plain Python, with the same results.

    To load Numba and one compiled function takes a second; a single pair is compared in a twentieth of it without
    them. For a process that compares no more than that, before it imports kernels.
    """
    global _is_interpreted
    is_early = "numba" not in sys.modules and "rekern.core.hashing" not in sys.modules
    if is_early and int(np.__version__.partition(".")[0]) >= 2:  # before, uint64 with int gave float64
        _is_interpreted = True
        np.seterr(over="ignore")  # keys wrap around


def is_interpreted() -> bool:
    """Return whether the functions of arrays are plain Python, so that loops over large tables are to be avoided.

    >>> is_interpreted()
    False
    """
    return _is_interpreted


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
    if _is_interpreted:
        return function
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
    if _is_interpreted:
        return function
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
