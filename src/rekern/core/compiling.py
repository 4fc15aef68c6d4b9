"""Compilation of functions of arrays by Numba: without Python objects, without the GIL, cached on disk."""

# mypy: allow-untyped-calls

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, cast

from rekern.core.progress import tell

Function: TypeAlias = Callable[..., Any]  # of arrays


def compiled(function: Function) -> Function:
    """Compile a function of arrays with Numba (a decorator); it releases the GIL and is cached on disk.

    Numba looks for a writable folder next to the source file, then in the user's cache. If there is neither, as in a
    read-only installation without a home, the function is compiled in each process. Each type of an argument is another
    version of the function, also a number that is written into a call (``f(0)``) beside one that is computed.

    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    import numba  # slow: whoever only asks for help need not load it

    _watch_compilation()
    compile_function: Callable[..., Any] = numba.njit
    try:
        return cast("Function", compile_function(nogil=True, cache=True)(function))
    except RuntimeError:  # there is no folder for the cache
        return cast("Function", compile_function(nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile a small function into every compiled function that calls it (a decorator).

    A function with one caller is compiled once this way, and not on its own as well. A call with many arrays costs time
    in a hot loop; this way a loop is written once and costs nothing to share.

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


@cache
def _watch_compilation() -> None:
    """Let Numba say when it compiles a function of ours: whoever waits at a terminal is told once why it takes long."""
    from numba.core import event

    class Watch(event.Listener):
        def on_start(self, event: Any) -> None:
            if event.data["dispatcher"].py_func.__module__.startswith("rekern."):
                _tell_of_compilation()

        def on_end(self, event: Any) -> None:
            """Say nothing."""

    event.register("numba:compile", Watch())


@cache
def _tell_of_compilation() -> None:
    tell("functions are compiled when they are first used: this takes up to half a minute, once")
