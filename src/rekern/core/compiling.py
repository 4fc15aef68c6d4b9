"""Compilation of functions of arrays by Numba: without Python objects, without the GIL, cached on disk."""

# mypy: allow-untyped-calls

import copyreg
import hashlib
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias, cast

from rekern.core.progress import tell

Function: TypeAlias = Callable[..., Any]  # of arrays


def compiled(function: Function) -> Function:
    """Compile a function of arrays with Numba (a decorator); it releases the GIL and is cached on disk.

    Numba looks for a writable folder next to the source file, then in the user's cache. If there is neither, as in a
    read-only installation without a home, the function is compiled in each process. Processes may compile and load at
    the same time.

    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    return _compile(function)


def uncounted(function: Function) -> Function:
    """Compile a function that makes no arrays, not even slices; those it is given are not counted (a decorator).

    Numba counts who uses an array. With ten arrays that takes a tenth of a microsecond in each call, which is much for
    a function that compiled code calls for every pair of texts.

    >>> @uncounted
    ... def read(array, place):
    ...     return array[place]
    >>> read(np.arange(3), 2)
    2
    """
    return _compile(function, _nrt=False)  # an option that Numba does not document; its own functions use it


def _compile(function: Function, **options: bool) -> Function:
    import numba  # slow: whoever only defines functions to be compiled later need not load it

    compile_function: Any = numba.njit
    compiled_function: Any = compile_function(nogil=True, **options)(function)
    with suppress(RuntimeError):  # there is no folder for it
        compiled_function._cache = _define_cache()(function)
    # Numba would send the source of a function to another process, which would compile it instead of loading it.
    copyreg.pickle(type(compiled_function), _reduce_by_name)
    return cast("Function", compiled_function)


def _reduce_by_name(function: Function) -> str | tuple[Function, tuple[object, ...]]:
    """Say how a compiled function is sent to another process: ours by its name, others as Numba does it.

    Functions of users, in a notebook for example, may not be found by their names there.
    """
    is_ours = function.__module__.partition(".")[0] == __name__.partition(".")[0]
    is_known = getattr(sys.modules.get(function.__module__), function.__name__, None) is function
    return (
        function.__name__
        if is_ours and is_known
        else cast("tuple[Function, tuple[object, ...]]", function.__reduce__())
    )


@cache
def _define_cache() -> Any:
    """Define Numba's cache of a function with other names of data files and another stamp of the sources.

    Numba numbers these files: two processes that compile one function for two signatures at the same time take the same
    number, and from then on the wrong code is loaded. It also looks at the time stamp of the function's own file only,
    not of those that hold the functions it calls. Before it loads the first function it imports all that it can
    compile, and SciPy, which takes half a second: compiled code needs the memory manager only.
    """
    from numba.core.caching import FunctionCache, IndexDataCacheFile
    from numba.core.runtime.nrt import rtsys

    class CodeFile(IndexDataCacheFile):
        def save(self, key: Hashable, data: object) -> None:
            text = repr((self._version, self._source_stamp, key))
            base = self._index_name.removesuffix(".nbi")
            name = f"{base}.{hashlib.sha256(text.encode()).hexdigest()[:24]}.nbc"
            self._save_data(name, data)  # first, so that the index never names what is not there
            self._save_index({**self._load_index(), key: name})

        def _load_index(self) -> dict[Hashable, str]:
            try:
                return cast("dict[Hashable, str]", super()._load_index())
            except Exception:  # of an older version, with types that are gone, or damaged: compile again
                return {}

    class CodeCache(FunctionCache):
        def __init__(self, function: Function):
            super().__init__(function)
            stamp = tuple(sorted(map(stamp_source, list_sources(function))))
            self._cache_file = CodeFile(self._cache_path, self._impl.filename_base, stamp)

        def load_overload(self, signature: object, context: Any) -> object:
            rtsys.initialize(context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(signature, context)
                if found is not None:
                    return found
            _tell_of_compilation()
            return None

    return CodeCache


@cache
def _tell_of_compilation() -> None:
    """Tell whoever waits at a terminal why a command takes long, once in a process."""
    tell("functions are compiled when they are first used: this takes up to a minute, once")


@cache
def list_sources(function: Function) -> frozenset[str]:
    """The files that hold a function of arrays and all compiled functions that it calls.

    >>> [Path(name).name for name in list_sources(replace_globals)]
    ['compiling.py']
    """
    files = {function.__code__.co_filename}
    for name in function.__code__.co_names:
        called = getattr(function.__globals__.get(name), "py_func", function)
        if called is not function:
            files |= list_sources(called)
    return frozenset(files)


@cache
def stamp_source(path: str) -> tuple[str, int, int]:
    """The name, size and time stamp of a file.

    >>> stamp_source(__file__)[0]
    'compiling.py'
    """
    try:
        state = Path(path).stat()
    except OSError:  # typed in by hand
        return path, 0, 0
    return Path(path).name, state.st_size, state.st_mtime_ns


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
