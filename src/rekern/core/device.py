"""The device on which Grams are computed: the processor, or a GPU of NVIDIA through numba-cuda.

This is the only place that decides it: the argument ``device``, else the environment variable ``REKERN_DEVICE``, else
the processor.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock, RLock
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray
from rekern.core.messages import show_value
from rekern.errors import InputError

DEVICES = ("cpu", "cuda")
SHARE = 0.8  # of the free memory of the GPU that Rekern takes
REMOVED_NAME = "row_stack"  # of NumPy, removed in 2.5
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

DEVICE_LOCK = RLock()  # one thread at a time works with the GPU: its memory is sized for one
ALLOCATION_LOCK = Lock()  # threads that help it do not take memory at the same time: Numba keeps lists of it


class Stream(Protocol):
    """Work of the GPU that is done in order."""

    def synchronize(self) -> None:
        """Wait until it is done."""
        ...


class DeviceArray(Protocol):
    """An array in the memory of the GPU."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as of other arrays."""
        ...

    def __getitem__(self, places: int | slice | tuple[int | slice, ...]) -> DeviceArray:
        """Return a part of it."""
        ...

    def reshape(self, *shape: int) -> DeviceArray:
        """Return it with another shape."""
        ...

    def copy_to_host(self, array: AnyArray | None = None, stream: Stream | None = None) -> AnyArray:
        """Return it in the memory of the processor."""
        ...

    def copy_to_device(self, array: AnyArray, stream: Stream | None = None) -> None:
        """Fill it with an array of the processor."""
        ...


_active: ContextVar[str | None] = ContextVar("device", default=None)


def choose_device(device: str | None = None) -> str:
    """Return the device to use, "cpu" or "cuda", after checking that it is there.

    >>> choose_device("cpu")
    'cpu'
    """
    named = "device"
    if device is None:
        device, named = _active.get(), "device"
    if device is None:
        device, named = os.environ.get("REKERN_DEVICE") or "cpu", "REKERN_DEVICE"
    if device not in DEVICES:
        raise _refuse(f"{named}={show_value(device)}: give 'cpu' or 'cuda'")
    if device == "cuda":
        check_gpu()
    return device


def has_gpu_chosen() -> bool:
    """Return whether Grams are to be computed by the GPU.

    >>> with use_device("cpu"):
    ...     has_gpu_chosen()
    False
    """
    return choose_device() == "cuda"


@contextmanager
def use_device(device: str | None) -> Iterator[None]:
    """Compute the Grams of a block of code on a device; None leaves it as it is."""
    if device is None:
        yield
        return
    token = _active.set(choose_device(device))
    try:
        yield
    finally:
        _active.reset(token)


@cache
def find_fault() -> str | None:
    """Return why no GPU can be used, on one line; None if one can."""
    try:
        from numba import cuda

        cuda.current_context()
        if not is_simulated():
            _load_registries()
    except Exception as error:  # the driver, the library and its parts each have errors of their own
        reason = " ".join(str(error).split()) or type(error).__name__
        return reason if len(reason) <= 120 else reason[:117] + "..."
    return None


def _load_registries() -> None:
    """Load what numba-cuda otherwise loads when it compiles its first function.

    Its version 0.30 looks for a name that NumPy 2.5 no longer has; so the name is lent to it for that moment.
    """
    from numba.cuda.descriptor import cuda_target

    is_lent = not hasattr(np, REMOVED_NAME)
    if is_lent:
        setattr(np, REMOVED_NAME, np.vstack)
    try:
        cuda_target.target_context.refresh()
    finally:
        if is_lent:
            delattr(np, REMOVED_NAME)


def check_gpu() -> None:
    """Raise an error of one line if there is no GPU that can be used."""
    fault = find_fault()
    if fault is not None:
        remedy = 'install "rekern[gpu]" and a driver of NVIDIA, or use the device "cpu"'
        raise _refuse(f'the device "cuda" cannot be used ({fault}); {remedy}')


def _refuse(reason: str) -> InputError:
    """Return the error that there is no such device; it is that of no file, whichever is read."""
    return InputError(reason, names_file=True)


def load_cuda() -> ModuleType:
    """Return the module ``numba.cuda``."""
    from numba import cuda

    module: ModuleType = cuda
    return module


@cache
def get_stream() -> Stream:
    """Return the stream in which all kernels of this process run; copies to the processor run beside it."""
    return make_stream()


@cache
def get_upload_stream() -> Stream:
    """Return the stream of copies to the GPU: they need not wait for the kernels before."""
    return make_stream()


def make_stream() -> Stream:
    """Return a new stream."""
    stream: Stream = load_cuda().stream()
    return stream


def allocate(*shape: int, dtype: npt.DTypeLike = np.float64) -> DeviceArray:
    """Return an array whose values are what they happen to be."""
    with ALLOCATION_LOCK:
        array: DeviceArray = load_cuda().device_array(shape, dtype)
    return array


def upload(array: AnyArray) -> DeviceArray:
    """Return an array in the memory of the GPU."""
    cuda = load_cuda()
    with ALLOCATION_LOCK:
        copied = cuda.device_array(array.shape, array.dtype)
    if array.size:
        copied.copy_to_device(np.ascontiguousarray(array), stream=get_upload_stream())
        done = cuda.event()
        done.record(get_upload_stream())
        done.wait(get_stream())
    found: DeviceArray = copied
    return found


def download(array: DeviceArray) -> AnyArray:
    """Return a small array of the GPU, when all kernels are done."""
    values = array.copy_to_host(stream=get_stream())
    get_stream().synchronize()
    return values


def is_simulated() -> bool:
    """Return whether Numba's simulator, which runs everything in Python, takes the place of a GPU."""
    from numba.core import config

    return bool(getattr(config, "ENABLE_CUDASIM", False))


@contextmanager
def catch_device_errors() -> Iterator[None]:
    """Turn an error of the GPU, such as too little memory, into one line that says what to do."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "CudaAPIError":
            raise
        reason = " ".join(str(error).split())
        remedy = 'set REKERN_DEVICE_MEMORY=8G or less if other programs use its memory, or use the device "cpu"'
        raise InputError(f"the GPU failed ({reason}); {remedy}") from None


def measure_memory() -> int:
    """Return how many bytes of the GPU's memory may be used.

    This is what ``REKERN_DEVICE_MEMORY`` says, such as ``8G``, and never more than four fifths of what is free.
    """
    free = min(float(load_cuda().current_context().get_memory_info()[0]), 2.0**50)
    return int(min(SHARE * free, parse_size(os.environ.get("REKERN_DEVICE_MEMORY") or "1048576G")))


def parse_size(text: str) -> int:
    """Return a number of bytes that is written with a unit.

    >>> parse_size("8G"), parse_size("1.5M")
    (8589934592, 1572864)
    """
    unit = text[-1:].upper() if text[-1:].upper() in UNITS else ""
    try:
        size = float(text[: len(text) - len(unit)]) * UNITS[unit]
    except ValueError:
        size = -1.0
    if not 0 < size < 2**60:
        raise InputError(f"REKERN_DEVICE_MEMORY={show_value(text)}: give a size such as 8G or 500M")
    return int(size)
