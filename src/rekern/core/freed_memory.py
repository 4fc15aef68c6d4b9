"""Memory that arrays have left, kept for the next arrays."""

import ctypes
import platform
import time
from contextlib import suppress
from threading import Thread

import numpy as np

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # the numbers of glibc's options, in malloc.h
MOST = (1 << 31) - 1
PAGE, PIECE = 1 << 12, 1 << 24  # bytes
LONGEST = 1.5  # seconds, after which other threads will need the memory


def keep_freed_memory() -> bool:
    """Keep memory that is freed in this process, instead of returning it to the system; False where that is unknown.

    Training makes and drops arrays of hundreds of megabytes. The system clears every page that it hands out again,
    which takes a good part of the time. For a process that trains one model, before it starts threads.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    options = ((TRIM_THRESHOLD, MOST), (MMAP_THRESHOLD, MOST), (ARENA_MAX, 1))
    taken = [bool(library.mallopt(ctypes.c_int(name), ctypes.c_int(value))) for name, value in options]
    return all(taken)


def take_memory_ahead(size: int) -> Thread:
    """Let a thread ask the system for so many bytes, which later arrays find among what is free.

    The system clears memory when it is first written to. A process that first reads its data in one thread has cores
    left for that. Goes with `keep_freed_memory`.
    """
    thread = Thread(target=_take_memory, args=(size, time.monotonic() + LONGEST), daemon=True)
    thread.start()
    return thread


def _take_memory(size: int, end: float) -> None:
    with suppress(MemoryError):
        block = np.empty(size, np.uint8)
        for first in range(0, size, PIECE):
            block[first : first + PIECE : PAGE] = 0
            if time.monotonic() > end:
                break
