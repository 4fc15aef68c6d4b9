"""What commands print: JSON for programs; tables, remarks and progress for people."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rekern.core.files import show_path
from rekern.core.json_values import to_json_value
from rekern.core.messages import show_controls
from rekern.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_CONTROLS = re.compile("[\x7f-\x9f]")  # that JSON need not escape

BAR_WIDTH = 24  # characters of the longest bar


def say(message: str) -> None:
    """Print a remark on standard error, on one line."""
    print(show_controls(f"rekern: {' '.join(message.split())}"), file=sys.stderr, flush=True)


def print_json(value: object) -> None:
    """Print a value as JSON; NaN and infinite numbers become null.

    >>> print_json({"rule": "⟨1⟩ → ⟨1⟩", "score": float("nan")})
    {
      "rule": "⟨1⟩ → ⟨1⟩",
      "score": null
    }
    """
    print(_format_json(value, indent=2))


def print_json_line(value: object) -> None:
    """Print a value as JSON on one line, at once, for readers that take one line after another.

    >>> print_json_line({"rule": "⟨1⟩ → ⟨1⟩", "score": float("nan")})
    {"rule": "⟨1⟩ → ⟨1⟩", "score": null}
    """
    print(_format_json(value, indent=None), flush=True)


def _format_json(value: object, indent: int | None) -> str:
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    text = json.dumps(to_json_value(value), ensure_ascii=not is_utf8, indent=indent, allow_nan=False)
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def make_console() -> Console:
    """Return a Rich console on standard output that prints text literally, without markup.

    >>> make_console().print("[bold]not markup[/bold]")
    [bold]not markup[/bold]
    """
    from rekern.cli.console import PlainConsole

    return PlainConsole()


def make_table(*columns: str) -> Table:
    """Return an empty table with a line below its header; a column whose name starts with ``>`` is right-aligned.

    >>> [column.justify for column in make_table("name", ">count").columns]
    ['left', 'right']
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        right = column.startswith(">")
        table.add_column(column.lstrip(">"), justify="right" if right else "left", no_wrap=right)
    return table


def draw_bar(share: float, width: int = BAR_WIDTH) -> str:
    """Draw a bar for a number from 0 to 1.

    >>> draw_bar(0.5, 4), draw_bar(1.0, 4)
    ('██··', '████')
    """
    filled = round(max(0.0, min(1.0, share)) * width)
    return "█" * filled + "·" * (width - filled)


def format_seconds(duration: float) -> str:
    """Format a duration.

    >>> format_seconds(0.1234), format_seconds(75)
    ('0.12 s', '75 s')
    """
    return f"{duration:.2f} s" if duration < 10 else f"{duration:.0f} s"


def format_size(count: int) -> str:
    """Format the size of a file in bytes.

    >>> format_size(512), format_size(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done on standard error, if it is a terminal; yields a function that changes the text.

    >>> with show_status("counting") as change:
    ...     change("still counting")
    """
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rekern.cli.console import PlainConsole
    from rekern.core.progress import show_bars

    with show_bars(False), PlainConsole(stderr=True).status(text) as line:  # progress bars would overwrite it
        yield line.update


def check_extension(path: Path, *known: str) -> None:
    """Refuse a file whose name promises another format; a name without an extension promises nothing.

    >>> check_extension(Path("report.HTML"), ".html", ".htm")
    >>> check_extension(Path("report.pdf"), ".html", ".htm")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: report.pdf: this is written as .html only; give the file this extension
    """
    if path.suffix and path.suffix.lower() not in known:
        raise InputError(f"this is written as {known[0]} only; give the file this extension", file=show_path(path))


def choose_table_format(path: str) -> str:
    """Return the format of a table to be written, by the extension of its name.

    >>> choose_table_format("rules.tsv.gz")
    'tsv'
    >>> choose_table_format("rules.docx")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: rules.docx: the extension does not tell the format; name it .tsv, .csv, .jsonl or .parquet
    """
    from rekern.datasets.table_formats import choose_format
    from rekern.datasets.table_writer import FORMATS

    try:
        return choose_format(path, None, FORMATS)
    except InputError:
        remedy = "name it .tsv, .csv, .jsonl or .parquet"
        raise InputError(f"the extension does not tell the format; {remedy}", file=show_path(path)) from None
