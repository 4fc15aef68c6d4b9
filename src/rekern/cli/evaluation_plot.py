"""How plots are made; a picture of how good a classifier is: confusion, ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.files import write_atomically
from rekern.errors import missing_extra
from rekern.learning.reports.roc_and_calibration import QualityCurves, find_quality_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colours of Okabe and Ito, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, PINK, YELLOW, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
COLOURS = (BLUE, ORANGE, GREEN, PINK, YELLOW, SKY)


def check_library() -> None:
    """Raise an error that names the extra to install if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", "plot")


def make_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """Make a figure with panels in rows and columns.

    It does not use pyplot, so no window opens and no state is shared with plots of the caller.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).ravel())


def style_panels(panels: Iterable[Axes]) -> None:
    """Give panels a light grid and no frame at the top and on the right."""
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)


def save_figure(figure: Figure, path: Path) -> None:
    """Save a figure as a file, completely or not at all."""
    with write_atomically(path) as temporary:
        figure.savefig(temporary, dpi=150)


def draw_evaluation(
    path: Path, names: Sequence[str], confusion: Sequence[Sequence[int]], scores: Floats | None, truth: Sequence[bool]
) -> None:
    """Draw the confusion matrix and, of two classes with scores of the second, three curves, into one file.

    Scores from 0 to 1 are probabilities, for which the calibration is drawn.
    """
    positive = np.asarray(truth, dtype=bool)
    curves = None if scores is None else find_quality_curves(scores, positive)
    figure, panels = make_figure(1, 1, (5, 4.5)) if curves is None else make_figure(2, 2, (9, 8))
    _draw_confusion(panels[0], names, confusion)
    if curves is not None:
        _draw_curves(panels[1], panels[2], panels[3], curves, float(positive.mean()), names[-1])
        style_panels(panels[1:])
    save_figure(figure, path)


def _draw_confusion(panel: Axes, names: Sequence[str], confusion: Sequence[Sequence[int]]) -> None:
    counts = np.array(confusion)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for row, column in np.ndindex(counts.shape):
        color = "white" if shares[row, column] > 0.5 else "black"
        panel.text(column, row, f"{counts[row, column]:,}", ha="center", va="center", color=color)
    panel.set_xticks(range(len(names)), names)
    panel.set_yticks(range(len(names)), names)
    panel.set(xlabel="predicted", ylabel="is", title="Confusion matrix")


def _draw_curves(roc: Axes, precision: Axes, calibration: Axes, curves: QualityCurves, share: float, name: str) -> None:
    """Draw the ROC curve, precision by recall, and the share of the class in bins of its probability."""
    roc.plot(*zip(*curves["roc"]), color=BLUE)
    roc.plot([0, 1], [0, 1], color="gray", linestyle=":")
    roc.set(xlabel="false positive rate", ylabel="true positive rate", title=f"ROC of {name}")
    precision.step(*zip(*curves["precision_recall"]), where="post", color=BLUE)
    precision.axhline(share, color="gray", linestyle=":")
    precision.set(xlabel="recall", ylabel="precision", ylim=(0, 1.02), title=f"Precision and recall of {name}")
    calibration.set(xlabel=f"probability of {name}", ylabel=f"share of {name}", title="Calibration")
    if not curves["calibration"]:
        calibration.text(0.5, 0.5, "the model has no probabilities", ha="center", transform=calibration.transAxes)
        return
    means, shares, _ = zip(*curves["calibration"])
    calibration.plot([0, 1], [0, 1], color="gray", linestyle=":")
    calibration.plot(means, shares, color=BLUE, marker="o")
