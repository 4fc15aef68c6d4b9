"""Results as text tables."""

from typing import Any

from rekern.reproduce import NAMES

MEASURES = ("accuracy", "pearson", "spearman", "map", "mrr")
DIGITS = {"pearson": 4, "spearman": 4, "map": 4, "mrr": 4}


def as_text(result: dict[str, Any]) -> str:
    """All tables of a result, one below the other."""
    parts = [f"{result['name']}: {NAMES[result['name']]}", *_rows(result["rows"])]
    if "tables" in result:
        parts.append(_systems(result["tables"]))
    if "figure6" in result:
        parts.append("Figure 6: C / n_avg² of Algorithm 2\n" + table(result["figure6"], ("k", "average", "worst"), 4))
    parts.append(_chosen(result["chosen_on_train"]))
    if "files" in result:
        parts.append("\n".join(f"written: {path}" for path in result["files"]))
    parts.append(f"{result['seconds']:.1f} seconds")
    return "\n\n".join(parts)


def table(rows: list[dict[str, Any]], columns: tuple[str, ...], digits: int = 2) -> str:
    """Rows under the names of their columns; numbers to the right, words to the left.

    >>> print(table([{"method": "pr", "accuracy": 73.5}, {"method": "kb-srk"}], ("method", "accuracy")))
    method  accuracy
    pr         73.50
    kb-srk         -
    """
    numbers = {name for name in columns if any(isinstance(row.get(name), float) for row in rows)}
    cells = [list(columns)]
    cells += [[_cell(row.get(name), DIGITS.get(name.removeprefix("dev_"), digits)) for name in columns] for row in rows]
    widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
    lines = [
        "  ".join(
            cell.rjust(width) if name in numbers else cell.ljust(width)
            for name, cell, width in zip(columns, line, widths)
        ).rstrip()
        for line in cells
    ]
    return "\n".join(lines)


def _rows(rows: list[dict[str, Any]]) -> list[str]:
    """A table for each task (for each note, where all rows have one), with the columns that it has something for."""
    names = ["method", "kmax", *MEASURES, "published", "cv_accuracy", *(f"dev_{measure}" for measure in MEASURES)]
    by, columns = ("note", names) if all(row.get("note") for row in rows) else ("task", [*names, "note"])
    parts = []
    for heading in dict.fromkeys(row.get(by) for row in rows):
        group = [row for row in rows if row.get(by) == heading]
        shown = [name for name in columns if name == "kmax" or any(row.get(name) not in (None, "") for row in group)]
        parts.append((f"{heading}\n" if heading else "") + table(group, tuple(shown)))
    return parts


def _systems(systems: list[dict[str, Any]]) -> str:
    """The paper's table of systems with our figures beside its own: the best over kmax, as it reports them."""
    return "Best over kmax, with PR or without, beside the published table\n" + table(
        systems, ("system", "published", "ours", "kmax")
    )


def _chosen(chosen: dict[str, Any]) -> str:
    parts = [
        _described(chosen),
        *(_described(value, f" for {task}") for task, value in chosen.items() if isinstance(value, dict)),
    ]
    return "\n\n".join(parts)


def _described(chosen: dict[str, Any], where: str = "") -> str:
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
            f"{measure} {_cell(chosen[prefix + measure], DIGITS.get(measure, 2))}"
            for measure in MEASURES
            if prefix + measure in chosen
        ]
        if found:
            lines.append(f"  {name}: {', '.join(found)}")
    return "\n".join(lines)


def _cell(value: Any, digits: int) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)
