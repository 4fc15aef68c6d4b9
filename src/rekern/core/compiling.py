"""One way to compile a core: no Python objects, no GIL, cached on disk where a disk can be written."""

from collections.abc import Callable
from typing import Any


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of arrays with Numba; it releases the GIL and is cached on disk.

    Numba looks for a writable folder beside the source, then in the user's cache. In a read-only installation
    without a home there is neither: the function then compiles anew in each process instead of failing.

    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    import numba  # slow: whoever only defines functions to be compiled later need not load it

    try:
        compiled_function: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        compiled_function = numba.njit(nogil=True)(function)
    return compiled_function
