"""Functions for the GPU, compiled by numba-cuda when they are first launched.

They are written in the files of compiled cores, where ``cuda`` is this module's placeholder: whoever never uses a GPU
never loads the library.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import Protocol

from rekern.core.compiling import Function, list_sources, replace_globals, stamp_source
from rekern.core.device import Stream, get_stream, is_simulated, load_cuda

cuda: object = None  # stands for numba.cuda until a function is compiled

SWITCH = "CUDA_LOW_OCCUPANCY_WARNINGS"  # of numba-cuda
THREADS = 256  # of a block
WARP = 32  # threads that go in step
SMALL_REGISTERS = 64
SIMULATED_THREADS = 4  # of a block in Numba's simulator, where each is a thread of Python


class Launchable(Protocol):
    """A function as numba-cuda compiles it."""

    def __getitem__(self, configuration: tuple[int, int, Stream]) -> Function:
        """Return what runs it in so many blocks of so many threads, in a stream."""
        ...


class SimulatedCuda:
    """``numba.cuda`` in functions that kernels call, in the simulator.

    The simulator itself replaces the module while such a function runs. With several threads in it, the first one that
    returns would take the replacement away from the others.
    """

    def __getattr__(self, name: str) -> object:
        from numba.cuda.simulator.kernel import _get_kernel_context

        found: object = getattr(_get_kernel_context(), name)
        return found


class CudaFunction:
    """A function that the GPU runs: a kernel, or what kernels call."""

    def __init__(self, function: Function, is_called: bool, registers: int | None = None):
        self.function = function
        self.is_called = is_called
        self.registers = registers

    @cached_property
    def compiled(self) -> Launchable:
        """The function as numba-cuda compiles it, with all functions that it calls."""
        names = self.function.__code__.co_names
        known = self.function.__globals__
        called: dict[str, object] = {
            name: known[name].compiled for name in names if isinstance(known.get(name), CudaFunction)
        }
        if "cuda" in names:
            called["cuda"] = SimulatedCuda() if self.is_called and is_simulated() else load_cuda()
        function = replace_globals(self.function, **called)
        options = {} if self.registers is None or is_simulated() else {"max_registers": self.registers}
        compile_function = partial(load_cuda().jit, device=self.is_called, **options)
        made: Launchable
        with suppress(RuntimeError):  # there is no folder for a cache
            function.__qualname__ = f"{function.__name__}_{self._stamp()}"  # names the files of the cache
            made = compile_function(cache=not self.is_called)(function)
            return made
        made = compile_function()(function)
        return made

    @property
    def py_func(self) -> Function:
        """The function in Python, under the name that Numba uses."""
        return self.function

    def _stamp(self) -> str:
        """Return a name for the state of all files that the function is made of; Numba looks at the first one only."""
        stamps = sorted(map(stamp_source, list_sources(self.function)))
        return hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]

    def launch(self, blocks: int, *arguments: object, most: int = THREADS) -> None:
        """Run the kernel in so many blocks of at most so many threads; nothing happens if there are none."""
        if blocks > 0:
            compiled = self.compiled
            with hide_occupancy_warnings():
                compiled[blocks, min(most, count_threads()), get_stream()](*arguments)


@contextmanager
def hide_occupancy_warnings() -> Iterator[None]:
    """Let numba-cuda say nothing of small grids, which the last chunks of a corpus always have."""
    config = getattr(sys.modules.get("numba.cuda.dispatcher"), "config", None)
    before = getattr(config, SWITCH, None)
    if before is None:
        yield
        return
    setattr(config, SWITCH, 0)
    try:
        yield
    finally:
        setattr(config, SWITCH, before)


def cuda_kernel(function: Function) -> CudaFunction:
    """Make a kernel of a function of arrays (a decorator)."""
    return CudaFunction(function, False)


def small_kernel(function: Function) -> CudaFunction:
    """Make a kernel with fewer registers, so that more of its threads run at once (a decorator).

    For functions whose threads wait for memory most of the time.
    """
    return CudaFunction(function, False, SMALL_REGISTERS)


def cuda_function(function: Function) -> CudaFunction:
    """Make a function that kernels call (a decorator)."""
    return CudaFunction(function, True)


def count_threads() -> int:
    """Return how many threads a block has."""
    return SIMULATED_THREADS if is_simulated() else THREADS
