"""A progress bar on a terminal, for work that lasts; silence everywhere else."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_shown = False
PATIENCE = 1.0  # seconds before a bar appears


@contextmanager
def shown(wanted: bool = True) -> Iterator[None]:
    """Show progress bars inside this block, if standard error is a terminal.

    >>> with shown():
    ...     list(track([1, 2], 2, "counting"))
    [1, 2]
    """
    global _shown
    before, _shown = _shown, wanted
    try:
        yield
    finally:
        _shown = before


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """The items as they come, with a bar on standard error if they take longer than a second."""
    if not (_shown and label and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    started, bar = time.monotonic(), None
    task = None
    try:
        for done, item in enumerate(items, 1):
            if bar is None and time.monotonic() - started > PATIENCE:
                bar = Progress(console=Console(stderr=True), transient=True)
                bar.start()
                task = bar.add_task(label, total=total)
            if bar is not None and task is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()
