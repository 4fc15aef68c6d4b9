"""Memory that arrays have left, kept for the next arrays."""

import ctypes
import platform

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # the numbers of glibc's options, in malloc.h
MOST = (1 << 31) - 1


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
