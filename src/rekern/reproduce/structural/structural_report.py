"""Results of kernels on structures as text tables and figures: our figures beside the published ones."""

from pathlib import Path
from typing import Any

from rekern.reproduce import NAMES
from rekern.reproduce.rewriting_plots import _figure, _save
from rekern.reproduce.text_tables import table

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


def as_text(result: dict[str, Any]) -> str:
    """The table of a result; a star marks what the training part chose.

    >>> row = {"method": "ptk", "tree": "lct", "accuracy": 90.6, "published": 90.6, "C": 10.0, "chosen": True}
    >>> print(as_text({"name": "trec", "rows": [row], "seconds": 1.0,
    ...                "chosen_on_train": {"method": "ptk", "C": 10.0, "cv_accuracy": 87.0, "accuracy": 90.6}}))
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
            **{names[name]: _cell(row, name) for name in shown},
        }
        for row in rows
    ]
    parts = [f"{result['name']}: {NAMES[result['name']]}", table(cells, tuple(cells[0])), _chosen(result)]
    if "files" in result:
        parts.append("\n".join(f"written: {path}" for path in result["files"]))
    return "\n\n".join([*parts, f"{result['seconds']:.1f} seconds"])


def _cell(row: dict[str, Any], name: str) -> Any:
    value = row.get(name)
    return ("yes" if value else "no") if name == "rel" else value


def _chosen(result: dict[str, Any]) -> str:
    chosen = result["chosen_on_train"]
    what = [chosen["method"], chosen.get("note"), f"C = {chosen['C']:g}"]
    spread = f" ± {chosen['cv_sd']:.2f}" if "cv_sd" in chosen else ""
    tested = ", ".join(f"{name} {chosen[name]:.2f}" for name in MEASURES if name in chosen)
    return (
        f"Chosen on the training part (*): {', '.join(part for part in what if part)}\n"
        f"  cross-validation: accuracy {chosen['cv_accuracy']:.2f}{spread}\n  test: {tested}"
    )


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Draw test accuracies, a line for each row, and the published ones beside them."""
    rows = result["rows"][::-1]
    figure, panels = _figure(1, (7.5, 1.2 + 0.2 * len(rows)))
    places = range(len(rows))
    panels[0].plot([row["accuracy"] for row in rows], places, "o", color="#0072B2", label="ours")
    beside = [(row["published"], place) for row, place in zip(rows, places) if row["published"] is not None]
    panels[0].plot([value for value, _ in beside], [place for _, place in beside], "D", color="#D55E00", mfc="none")
    panels[0].plot([], [], "D", color="#D55E00", mfc="none", label="published")
    panels[0].set_yticks(places, [_label(row) for row in rows], fontsize=8)
    panels[0].set_xlabel("test accuracy (%)")
    panels[0].set_title(result["name"])
    path = folder / f"{result['name']}.png"
    _save(figure, panels, path)
    return [path]


def _label(row: dict[str, Any]) -> str:
    if "tree" in row:
        return f"{row['method']}, {row['tree']}, C = {row['C']:g}"
    return row["method"] + (", REL" if row["rel"] else "") + (" (chosen)" if row["chosen"] else "")
