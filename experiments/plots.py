"""What the plots of experiments share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rekern.cli.evaluation_plot import save_figure, style_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def save_with_legend(figure: Figure, panels: Iterable[Axes], path: Path) -> None:
    """Style panels, put one legend below all of them, so that it covers no curve, and save the figure."""
    style_panels(panels)
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    save_figure(figure, path)
