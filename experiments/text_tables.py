"""Results as text tables."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.experiment_titles import format_title
from rekern.core.json_values import JsonObject

MEASURES = ("accuracy", "pearson", "spearman", "map", "mrr")
DIGITS = {"pearson": 4, "spearman": 4, "map": 4, "mrr": 4}


def format_result(result: JsonObject) -> str:
    """Format all tables of a result."""
    parts = [format_title(result["name"]), *_format_rows(result["rows"])]
    if "tables" in result:
        parts.append(_format_systems(result["tables"]))
    if "figure6" in result:
        counts = format_table(result["figure6"], ("k", "average", "worst"), 4)
        parts.append(f"Figure 6: C / n_avg² of Algorithm 2\n{counts}")
    parts.append(_format_choices(result["chosen_on_train"]))
    return join_parts(parts, result)


def join_parts(parts: Sequence[str], result: JsonObject) -> str:
    """Join the parts of a report, and add the files that were written and the time.

    >>> print(join_parts(["one", "two"], {"seconds": 2.0}))
    one
    <BLANKLINE>
    two
    <BLANKLINE>
    2.0 seconds
    """
    files = ["\n".join(f"written: {path}" for path in result["files"])] if "files" in result else []
    return "\n\n".join([*parts, *files, f"{result['seconds']:.1f} seconds"])


def format_table(rows: Sequence[JsonObject], columns: tuple[str, ...], digits: int = 2) -> str:
    """Format rows under the names of their columns: numbers are aligned on the right, words on the left.

    >>> print(format_table([{"method": "pr", "accuracy": 73.5}, {"method": "kb-srk"}], ("method", "accuracy")))
    method  accuracy
    pr         73.50
    kb-srk         -
    """
    numbers = {name for name in columns if any(isinstance(row.get(name), float) for row in rows)}
    cells = [list(columns)]
    cells += [
        [_format_cell(row.get(name), DIGITS.get(name.removeprefix("dev_"), digits)) for name in columns] for row in rows
    ]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    lines = [
        "  ".join(
            cell.rjust(width) if name in numbers else cell.ljust(width)
            for name, cell, width in zip(columns, line, widths)
        ).rstrip()
        for line in cells
    ]
    return "\n".join(lines)


def _format_rows(rows: list[JsonObject]) -> list[str]:
    """Format a table for each task, or for each note if all rows have one; empty columns are left out."""
    names = ["method", "kmax", *MEASURES, "published", "cv_accuracy", *(f"dev_{measure}" for measure in MEASURES)]
    by, columns = ("note", names) if all(row.get("note") for row in rows) else ("task", [*names, "note"])
    parts = []
    for heading in dict.fromkeys(row.get(by) for row in rows):
        group = [row for row in rows if row.get(by) == heading]
        filled = {name for row in group for name, value in row.items() if value not in (None, "") or name == "kmax"}
        shown = [name for name in columns if name in filled]
        parts.append((f"{heading}\n" if heading else "") + format_table(group, tuple(shown)))
    return parts


def _format_systems(systems: list[JsonObject]) -> str:
    """Format the paper's table of systems, with our figures next to the published ones: the best over kmax."""
    heading = "Best over kmax, with PR or without, next to the published table"
    return f"{heading}\n{format_table(systems, ('system', 'published', 'ours', 'kmax'))}"


def _format_choices(chosen: JsonObject) -> str:
    parts = [
        _format_choice(chosen),
        *(_format_choice(value, f" for {task}") for task, value in chosen.items() if isinstance(value, dict)),
    ]
    return "\n\n".join(parts)


def _format_choice(chosen: JsonObject, where: str = "") -> str:
    what = [chosen["method"]]
    if chosen.get("kmax") is not None:
        what.append(f"kmax = {chosen['kmax']}")
    if chosen.get("note"):
        what.append(chosen["note"])
    if "C" in chosen:
        what.append(f"C = {chosen['C']:g}")
    where = where or (f" for {chosen['task']}" if "task" in chosen else "")
    part = "development" if any(name.startswith("dev_") for name in chosen) else "training"
    lines = [f"Chosen on the {part} part{where}: {', '.join(what)}"]
    for prefix, name in (("cv_", "cross-validation"), ("dev_", "development"), ("", "test")):
        found = [
            f"{measure} {_format_cell(chosen[prefix + measure], DIGITS.get(measure, 2))}"
            for measure in MEASURES
            if prefix + measure in chosen
        ]
        if found:
            lines.append(f"  {name}: {', '.join(found)}")
    return "\n".join(lines)


def _format_cell(value: object, digits: int) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
