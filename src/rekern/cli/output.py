"""What commands print: JSON for programs, tables for people, plain where no terminal reads them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rekern.core.files import show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BAR = 24  # width of the longest bar, in characters


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers that JSON lacks become null.

    >>> print_json({"rule": "⟨1⟩ → ⟨1⟩", "score": float("nan")})
    {
      "rule": "⟨1⟩ → ⟨1⟩",
      "score": null
    }
    """
    whole = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    print(json.dumps(_plain(value), ensure_ascii=not whole, indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def console() -> Console:
    """Standard output for people; what is printed is taken literally.

    >>> console().print("[bold]not markup[/bold]")
    [bold]not markup[/bold]
    """
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False, legacy_windows=False)


def table(*columns: str) -> Table:
    """An empty table with a rule below its header; a column whose name starts with ``>`` is flush right.

    >>> [column.justify for column in table("name", ">count").columns]
    ['left', 'right']
    """
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        right = column.startswith(">")
        made.add_column(column.lstrip(">"), justify="right" if right else "left", no_wrap=right)
    return made


def bar(share: float, width: int = BAR) -> str:
    """A bar for a number from 0 to 1.

    >>> bar(0.5, 4), bar(1.0, 4)
    ('██··', '████')
    """
    filled = round(max(0.0, min(1.0, share)) * width)
    return "█" * filled + "·" * (width - filled)


def seconds(duration: float) -> str:
    """A duration to read.

    >>> seconds(0.1234), seconds(75)
    ('0.12 s', '75 s')
    """
    return f"{duration:.2f} s" if duration < 10 else f"{duration:.0f} s"


def size(count: int) -> str:
    """A file's size to read.

    >>> size(512), size(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


@contextmanager
def status(text: str) -> Iterator[Callable[[str], None]]:
    """Say on standard error what is being done, if that is a terminal; yields a function that changes the text.

    >>> with status("counting") as change:
    ...     change("still counting")
    """
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    from rekern.core.progress import shown

    with shown(False), Console(stderr=True, markup=False).status(text) as line:  # bars would write over it
        yield line.update


def table_format(path: str) -> str:
    """How a table of this name is to be written.

    >>> table_format("rules.tsv.gz")
    'tsv'
    >>> table_format("rules.docx")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: rules.docx: the extension tells no format; name it .tsv, .csv, .jsonl or .parquet
    """
    from rekern.datasets.table_formats import choose_format
    from rekern.datasets.tables import WRITTEN

    try:
        return choose_format(path, None, WRITTEN)
    except InputError:
        remedy = "name it .tsv, .csv, .jsonl or .parquet"
        raise InputError(f"{show_path(path)}: the extension tells no format; {remedy}") from None
