"""A progress bar on a terminal for long work; no output elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

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


def tell(message: str) -> None:
    """Print a remark where bars are shown: on standard error, if it is a terminal.

    >>> tell("nobody looks")
    """
    if _is_shown and sys.stderr.isatty():
        print(f"rekern: {message}", file=sys.stderr, flush=True)


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield the items, with a progress bar on standard error if they take longer than a second."""
    if not (_is_shown and label and sys.stderr.isatty()):
        yield from items
        return
    from rich.progress import Progress

    started, bar = time.monotonic(), None
    task = None
    try:
        for done, item in enumerate(items, 1):
            if bar is None and time.monotonic() - started > PATIENCE:
                bar = Progress(console=_make_console(), transient=True)
                bar.start()
                task = bar.add_task(label, total=total)
            if bar is not None and task is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()


def track_rows(blocks: Iterable[T], label: str, count: Callable[[T], int]) -> Iterator[T]:
    """Yield blocks of rows; on a terminal, show how many rows are done, and how many in a second.

    ``count`` returns the number of rows of a block.

    >>> list(track_rows([["a", "b"], ["c"]], "reading", len))
    [['a', 'b'], ['c']]
    """
    if not (_is_shown and label and sys.stderr.isatty()):
        yield from blocks
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    started, done = time.monotonic(), 0
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=_make_console(), transient=True) as bar:
        task = bar.add_task(label, total=None)
        for block in blocks:
            yield block
            done += count(block)
            speed = done / max(time.monotonic() - started, 1e-9)
            bar.update(task, description=f"{label}: {done:,} rows, {speed:,.0f} rows/s")


def _make_console() -> Console:
    from rich.console import Console

    return Console(stderr=True, color_system=None if os.environ.get("NO_COLOR") else "auto")
