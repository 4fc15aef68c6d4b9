"""A picture of how good a classifier is: confusion matrix, ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rekern.core.arrays import Booleans, Floats
from rekern.reproduce.plots import BLUE, make_figure, save_figure, style_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 10  # of the calibration curve


def draw_evaluation(
    path: Path, names: Sequence[str], confusion: Sequence[Sequence[int]], scores: Floats | None, truth: Sequence[bool]
) -> None:
    """Draw the confusion matrix and, of two classes with scores of the second, three curves, into one file.

    Scores from 0 to 1 are probabilities, for which the calibration is drawn.
    """
    figure, panels = make_figure(1, 1, (5, 4.5)) if scores is None else make_figure(2, 2, (9, 8))
    _draw_confusion(panels[0], names, confusion)
    if scores is not None:
        positive = np.asarray(truth, dtype=bool)
        _draw_curves(panels[1], panels[2], scores, positive, names[-1])
        _draw_calibration(panels[3], scores, positive, names[-1])
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


def _draw_curves(roc: Axes, precision: Axes, scores: Floats, positive: Booleans, name: str) -> None:
    """Draw the ROC curve, and precision by recall, with a point for each distinct score."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = np.cumsum(positive[order])[last]
    false = last + 1 - hits
    recall = hits / max(int(positive.sum()), 1)
    roc.plot([0, *(false / max(int((~positive).sum()), 1))], [0, *recall], color=BLUE)
    roc.plot([0, 1], [0, 1], color="gray", linestyle=":")
    roc.set(xlabel="false positive rate", ylabel="true positive rate", title=f"ROC of {name}")
    precision.step([0, *recall], [1, *(hits / (last + 1))], where="pre", color=BLUE)
    precision.axhline(positive.mean(), color="gray", linestyle=":")
    precision.set(xlabel="recall", ylabel="precision", ylim=(0, 1.02), title=f"Precision and recall of {name}")


def _draw_calibration(panel: Axes, scores: Floats, positive: Booleans, name: str) -> None:
    """Draw the share of the class in bins of its probability."""
    panel.set(xlabel=f"probability of {name}", ylabel=f"share of {name}", title="Calibration")
    if scores.min() < 0 or scores.max() > 1:
        panel.text(0.5, 0.5, "the model has no probabilities", ha="center", transform=panel.transAxes)
        return
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    used = [number for number in range(BINS) if (bins == number).any()]
    means = [float(scores[bins == number].mean()) for number in used]
    shares = [float(positive[bins == number].mean()) for number in used]
    panel.plot([0, 1], [0, 1], color="gray", linestyle=":")
    panel.plot(means, shares, color=BLUE, marker="o")
