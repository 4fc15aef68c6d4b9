"""What computes Gram matrices: the processor, or a GPU of NVIDIA.

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

from rekern.core.messages import show_value
from rekern.errors import InputError

DEVICES = ("cpu", "cuda")

_active: ContextVar[str | None] = ContextVar("device", default=None)


def choose_device(device: str | None = None) -> str:
    """Return the device to use, "cpu" or "cuda", after checking that it is there.

    >>> choose_device("cpu")
    'cpu'
    """
    named = "device"
    if device is None:
        device = _active.get()
    if device is None:
        device, named = os.environ.get("REKERN_DEVICE") or "cpu", "REKERN_DEVICE"
    # These are errors of no file, whichever is read.
    if device not in DEVICES:
        raise InputError(f"{named}={show_value(device)}: give 'cpu' or 'cuda'", names_file=True)
    fault = find_fault() if device == "cuda" else None
    if fault is not None:
        remedy = 'install "rekern[gpu]" and a driver of NVIDIA, or use the device "cpu"'
        raise InputError(f'the device "cuda" cannot be used ({fault}); {remedy}', names_file=True)
    return device


@contextmanager
def use_device(device: str | None) -> Iterator[None]:
    """Compute the Grams of a block of code on a device; None leaves it as it is, after checking it.

    >>> with use_device("cpu"):
    ...     choose_device()
    'cpu'
    """
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
    except Exception as error:  # the driver, the library and its parts each have errors of their own
        reason = " ".join(str(error).split()) or type(error).__name__
        return reason if len(reason) <= 120 else reason[:117] + "..."
    return None
