"""What experiments print and write: text tables of any result, JSON files, plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rekern.cli.evaluation_plot import save_figure, style_panels
from rekern.core.files import write_atomically
from rekern.core.json_values import JsonObject

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HIDDEN = {"name", "files", "seconds", "candidates", "curves", "chosen_on_train"}  # or shown on their own


def write_json(path: Path, content: object) -> None:
    """Write a JSON file, completely or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_choice(out: Path | None, name: str, choice: JsonObject) -> None:
    """Write what the training part chose, if there is a folder: before the test part is read."""
    if out is not None:
        write_json(out / f"{name}-chosen.json", choice)


def format_result(title: str, result: JsonObject) -> str:
    """Format a result: its tables, what the training part chose, the files that were written, and the time.

    >>> row = {"method": "pr", "kmax": None, "accuracy": 73.51, "published": 73.6}
    >>> print(format_result("msrp: MSRP", {"name": "msrp", "rows": [row, {"method": "kb-srk", "kmax": 4}], "seconds": 1,
    ...                                    "chosen_on_train": {"method": "pr", "C": 1.0}, "test_pairs": 1725}))
    msrp: MSRP
    <BLANKLINE>
    method  kmax  accuracy  published
    pr         -     73.51       73.6
    kb-srk     4         -          -
    <BLANKLINE>
    Chosen on the training part: method pr, C 1
    <BLANKLINE>
    test_pairs 1725
    <BLANKLINE>
    1.0 seconds
    """
    parts = [title, *_list_tables("", {name: value for name, value in result.items() if name != "chosen_on_train"})]
    if "chosen_on_train" in result:
        chosen = reversed(list(_list_tables("", result["chosen_on_train"])))
        parts.insert(2, "Chosen on the training part: " + "\n  ".join(chosen))
    parts += ["\n".join(f"written: {path}" for path in result["files"])] if "files" in result else []
    return "\n\n".join([*parts, f"{result['seconds']:.1f} seconds"])


def _list_tables(name: str, value: JsonObject) -> Iterator[str]:
    """List a table for every list of rows, and for every object of objects; then a line with all that is single."""
    single = {}
    for key, part in value.items():
        heading = f"{name} {key}".strip()
        if key in HIDDEN or part is None or part in ("", []):
            continue
        rows = part if isinstance(part, list) else list(part.values()) if isinstance(part, dict) else []
        if not rows or not all(isinstance(row, dict) for row in rows):
            if isinstance(part, dict):
                yield from _list_tables(heading, part)
            else:
                single[key] = part
        elif isinstance(part, list):
            yield format_table(rows) if heading == "rows" else f"{heading}\n{format_table(rows)}"
        elif any(isinstance(inner, list | dict) for row in rows for inner in row.values()):
            for inner, row in part.items():
                yield from _list_tables(f"{heading} {inner}", row)
        else:
            yield f"{heading}\n" + format_table([{"": inner, **row} for inner, row in part.items()])
    if single:
        listed = ", ".join(f"{key} {_format_cell(part)}" for key, part in single.items())
        yield f"{name}: {listed}" if name else listed


def format_table(rows: Sequence[JsonObject]) -> str:
    """Format rows under the names of their columns: numbers are aligned on the right, words on the left."""
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in HIDDEN]
    names = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
    are_numbers = [all(isinstance(row.get(name) or 0, int | float) for row in rows) for name in names]
    cells = [names, *([_format_cell(row.get(name)) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = [
        [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(line, widths, are_numbers)]
        for line in cells
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _format_cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_format_cell(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_format_cell, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def save_with_legend(figure: Figure, panels: Iterable[Axes], path: Path) -> None:
    """Style panels, put one legend below all of them, so that it covers no curve, and save the figure."""
    style_panels(panels)
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    save_figure(figure, path)
