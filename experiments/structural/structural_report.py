"""Results of kernels on trees and graphs as text tables and plots: our figures next to the published ones."""

from __future__ import annotations

from pathlib import Path

from experiments.reports import format_table, format_title, join_parts, save_with_legend
from rekern.cli.evaluation_plot import BLUE, ORANGE, make_figure
from rekern.core.json_values import JsonObject

COLUMNS = {
    "rel": "rel",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "published": "published",
    "published_f1": "publ. F1",
    "cv_accuracy": "train folds",
    "cv_sd": "±",
    "all_cv_accuracy": "all folds",
    "all_cv_sd": "± ",
    "published_all_cv": "publ. folds",
    "C": "C",
    "note": "note",
}
MEASURES = ("accuracy", "precision", "recall", "f1")


def format_structural(result: JsonObject) -> str:
    """Format the table of a result; a star marks what the training part chose.

    >>> row = {"method": "ptk", "tree": "lct", "accuracy": 90.6, "published": 90.6, "C": 10.0, "chosen": True}
    >>> chosen = {"method": "ptk", "C": 10.0, "cv_accuracy": 87.0, "accuracy": 90.6}
    >>> print(format_structural({"name": "trec", "rows": [row], "seconds": 1.0, "chosen_on_train": chosen}))
    trec: TREC questions by tree kernels on KeLP's trees
    <BLANKLINE>
    method  tree  accuracy  published      C
    ptk *   lct      90.60      90.60  10.00
    <BLANKLINE>
    Chosen on the training part (*): ptk, C = 10
      cross-validation: accuracy 87.00
      test: accuracy 90.60
    <BLANKLINE>
    1.0 seconds
    """
    names = {"tree": "tree", **COLUMNS}
    rows = result["rows"]
    shown = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
    cells = [
        {
            "method": row["method"] + (" *" if row["chosen"] else ""),
            **{names[name]: _get_cell(row, name) for name in shown},
        }
        for row in rows
    ]
    parts = [format_title(result["name"]), format_table(cells, tuple(cells[0])), _format_choice(result)]
    return join_parts(parts, result)


def _get_cell(row: JsonObject, name: str) -> object:
    value = row.get(name)
    return ("yes" if value else "no") if name == "rel" else value


def _format_choice(result: JsonObject) -> str:
    chosen = result["chosen_on_train"]
    what = [chosen["method"], chosen.get("note"), f"C = {chosen['C']:g}"]
    spread = f" ± {chosen['cv_sd']:.2f}" if "cv_sd" in chosen else ""
    tested = ", ".join(f"{name} {chosen[name]:.2f}" for name in MEASURES if name in chosen)
    return (
        f"Chosen on the training part (*): {', '.join(part for part in what if part)}\n"
        f"  cross-validation: accuracy {chosen['cv_accuracy']:.2f}{spread}\n  test: {tested}"
    )


def draw_structural(result: JsonObject, folder: Path) -> list[Path]:
    """Draw test accuracies, one line per row, with the published ones."""
    rows = result["rows"][::-1]
    figure, (panel,) = make_figure(1, 1, (7.5, 1.2 + 0.2 * len(rows)))
    places = range(len(rows))
    panel.plot([row["accuracy"] for row in rows], places, "o", color=BLUE, label="ours")
    known = [(row["published"], place) for row, place in zip(rows, places) if row.get("published") is not None]
    panel.plot([value for value, _ in known], [place for _, place in known], "D", color=ORANGE, mfc="none")
    panel.plot([], [], "D", color=ORANGE, mfc="none", label="published")
    panel.set_yticks(places, [_format_label(row) for row in rows], fontsize=8)
    panel.set_xlabel("test accuracy (%)")
    panel.set_title(result["name"])
    path = folder / f"{result['name']}.png"
    save_with_legend(figure, [panel], path)
    return [path]


def _format_label(row: JsonObject) -> str:
    on = row.get("tree") or row.get("task")
    if on:
        return f"{row['method']}, {on}, C = {row['C']:g}"
    return str(row["method"]) + (", REL" if row["rel"] else "") + (" (chosen)" if row["chosen"] else "")
