"""A waterfall for matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rekern.drawing.decision_steps import Step
from rekern.drawing.markup import clean_text, write_signed
from rekern.drawing.text_widths import wrap_text
from rekern.drawing.waterfall import find_range
from rekern.errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOR, AGAINST = "#0063a6", "#b34700"
TEXT_WIDTH = 300.0


def plot_steps(steps: Sequence[Step], ax: Axes | None = None) -> Axes:
    """Draw a waterfall on ``ax``, or on a new figure of pyplot; what counts against is hatched.

    >>> import matplotlib; matplotlib.use("agg")
    >>> axes = plot_steps([Step("intercept", 0.0, 0.5), Step("decision", 0.0, 0.5, is_total=True)])
    >>> [text.get_text() for text in axes.get_yticklabels()]
    ['intercept', 'decision']
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("matplotlib", "plot") from None
    if ax is None:
        _, ax = pyplot.subplots(figsize=(9, 0.7 + 0.36 * len(steps)), layout="constrained")
    for row, step in enumerate(steps):
        is_for = step.height >= 0
        ax.barh(
            row,
            step.height,
            left=step.start,
            height=0.6,
            facecolor=FOR if is_for else "none",
            edgecolor=FOR if is_for else AGAINST,
            hatch=None if is_for else "////",
        )
        right = max(step.start, step.end)
        ax.annotate(
            write_signed(step.height), (right, row), (4, 0), textcoords="offset points", va="center", fontsize=9
        )
    names = ["\n".join(wrap_text(clean_text(step.text), TEXT_WIDTH, 11)[:3]) for step in steps]
    ax.set_yticks(range(len(steps)), [name.replace("$", r"\$") for name in names], fontsize=9)
    ax.set_ylim(len(steps) - 0.4, -0.6)
    ax.axvline(0, color="gray", linewidth=0.8)
    low, high = find_range(steps)
    ax.set_xlim(low - 0.04 * (high - low), high + 0.12 * (high - low))  # room for the numbers
    ax.set_xlabel("decision value")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
