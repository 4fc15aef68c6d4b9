"""A progress bar on a terminal for long work; no output elsewhere."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_is_shown = False
PATIENCE = 1.0  # seconds before a bar appears


@contextmanager
def show_bars(show: bool = True) -> Iterator[None]:
    """Show progress bars in this block, or with ``False`` none, if standard error is a terminal.

    >>> with show_bars():
    ...     list(track([1, 2], 2, "counting"))
    [1, 2]
    """
    global _is_shown
    before, _is_shown = _is_shown, show
    try:
        yield
    finally:
        _is_shown = before


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items, with a progress bar on standard error if they take longer than a second."""
    if not (_is_shown and label and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    started, bar = time.monotonic(), None
    task = None
    try:
        for done, item in enumerate(items, 1):
            if bar is None and time.monotonic() - started > PATIENCE:
                plain = Console(stderr=True, color_system=None if os.environ.get("NO_COLOR") else "auto")
                bar = Progress(console=plain, transient=True)
                bar.start()
                task = bar.add_task(label, total=total)
            if bar is not None and task is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()
