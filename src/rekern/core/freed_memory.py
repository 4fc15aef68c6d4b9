"""Memory that arrays have left, kept for the next arrays."""

import ctypes
import mmap
import os
import platform
import time
from threading import Thread

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # the numbers of glibc's options, in malloc.h
MOST = (1 << 31) - 1
HUGE_PAGES, SMALL_PAGES = 14, 15  # the numbers of Linux's advice, in mman.h
PIECE = 1 << 24  # bytes
SLOWEST = 0.02  # seconds for a piece in huge pages; small ones take less
LONGEST = 2.0  # seconds, after which other threads will need the memory


def keep_freed_memory() -> bool:
    """Keep memory that is freed in this process, instead of returning it to the system; False where that is unknown.

    Training makes and drops arrays of hundreds of megabytes. The system clears every page that it hands out again,
    which takes a good part of the time. For a process that trains one model, before it starts threads.

    It must be called before NumPy is imported: NumPy asks for pages of 2 MB, unless the user has set
    ``NUMPY_MADVISE_HUGEPAGE``. Many virtual machines give free memory back to their host in pieces of this size. Such a
    page then takes far longer than the same memory in small pages.
    """
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    options = ((TRIM_THRESHOLD, MOST), (MMAP_THRESHOLD, MOST), (ARENA_MAX, 1))
    taken = [bool(library.mallopt(ctypes.c_int(name), ctypes.c_int(value))) for name, value in options]
    return all(taken)


def take_memory_ahead(size: int) -> Thread:
    """Let a thread ask the system for so many bytes, which later arrays find among what is free.

    The system clears memory when it is first written to. A process that first reads its data in one thread has cores
    left for that. It asks for huge pages, in which later arrays are reached faster, as long as they come quickly. Goes
    with `keep_freed_memory`.
    """
    thread = Thread(target=_take_memory, args=(size, time.monotonic() + LONGEST), daemon=True)
    thread.start()
    return thread


def _take_memory(size: int, end: float) -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    block = library.malloc(ctypes.c_size_t(size)) if size else None
    if block is None:
        return
    page = block + -block % mmap.PAGESIZE
    aligned = ctypes.c_void_p(page), ctypes.c_size_t(max(0, block + size - page))
    library.madvise(*aligned, HUGE_PAGES)
    for first in range(0, size, PIECE):
        started = time.thread_time()
        ctypes.memset(block + first, 0, min(PIECE, size - first))  # other threads go on meanwhile
        if time.thread_time() - started > SLOWEST:
            library.madvise(*aligned, SMALL_PAGES)
        if time.monotonic() > end:
            break
    library.free(ctypes.c_void_p(block))
