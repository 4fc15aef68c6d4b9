"""A picture of how good a classifier is: confusion matrix, ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rekern.core.arrays import Floats
from rekern.learning.reports.roc_and_calibration import QualityCurves, find_quality_curves
from rekern.reproduce.plots import BLUE, make_figure, save_figure, style_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
