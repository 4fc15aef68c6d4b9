"""What all plots have in common: the library, colours, and how a figure is made and saved."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rekern.core.files import write_atomically
from rekern.errors import missing_extra

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


def save_with_legend(figure: Figure, panels: Iterable[Axes], path: Path) -> None:
    """Style panels, put one legend below all of them, so that it covers no curve, and save the figure."""
    style_panels(panels)
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    save_figure(figure, path)
