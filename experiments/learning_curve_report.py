"""Learning curves of semantic parsers as text and as plots."""

from __future__ import annotations

from pathlib import Path

from rekern.cli.evaluation_plot import COLOURS, make_figure, save_figure
from rekern.core.json_values import JsonObject


def draw_curves(result: JsonObject, folder: Path) -> list[Path]:
    """Draw the learning curves and the curves of precision and recall as PNG files."""
    name = result["name"]
    learning, precision = folder / f"{name}-learning-curve.png", folder / f"{name}-precision-recall.png"
    _draw_learning_curves(result, learning)
    _draw_precision_recall(result, precision)
    return [learning, precision]


def _draw_learning_curves(result: JsonObject, path: Path) -> None:
    figure, (panel,) = make_figure(1, 1, (6.4, 4.4))
    for kernel, colour in _assign_colours(result):
        rows = [row for row in result["rows"] if row["kernel"] == kernel]
        panel.plot([row["train"] for row in rows], [row["f"] for row in rows], "o-", color=colour, label=kernel)
        known = [row for row in rows if row["published"] is not None]
        panel.plot([row["train"] for row in known], [row["published"] for row in known], "--", color=colour)
    panel.set_xlabel("training examples")
    panel.set_ylabel("best F (%); dashed: published")
    panel.legend(frameon=False)
    save_figure(figure, path)


def _draw_precision_recall(result: JsonObject, path: Path) -> None:
    figure, (panel,) = make_figure(1, 1, (6.4, 4.4))
    for kernel, colour in _assign_colours(result):
        points = next(found["points"] for found in result["curves"] if found["kernel"] == kernel)
        panel.plot([recall for _, recall in points], [precision for precision, _ in points], color=colour, label=kernel)
    panel.set_xlabel("recall (%)")
    panel.set_ylabel("precision (%)")
    panel.legend(frameon=False)
    save_figure(figure, path)


def _assign_colours(result: JsonObject) -> list[tuple[str, str]]:
    kernels = list(dict.fromkeys(row["kernel"] for row in result["rows"]))
    return list(zip(kernels, COLOURS * len(kernels)))
