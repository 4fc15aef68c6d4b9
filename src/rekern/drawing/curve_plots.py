"""Small plots of what a score adds to a decision, with a mark where the pair is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rekern.drawing.decision_steps import Values
from rekern.drawing.markup import Markup, element, join, write_number, write_signed
from rekern.drawing.page import draw_picture

WIDTH, HEIGHT = 200.0, 84.0
LEFT, RIGHT, TOP, BOTTOM = 38.0, 6.0, 8.0, 16.0


Points = tuple[tuple[float, float], ...]


class ScorePlot(NamedTuple):
    """A score in words, its curve, and the place of the pair of texts: the value of the score, and what it adds.

    A pair of scores has a second line, for the smallest value of its second score.
    """

    text: str
    points: Points
    mark: tuple[float, float] | None
    low_points: Points = ()


def choose_plots(
    curves: Sequence[Values], scores: Mapping[str, tuple[float | None, float | None]], n: int
) -> list[ScorePlot]:
    """Return plots for the first ``n`` of these scores that have a curve; pairs of scores have two values.

    >>> choose_plots([{"name": "recall", "points": [[0, -1], [1, 1]]}], {"recall": (0.5, None)}, n=4)
    [ScorePlot(text='recall', points=((0.0, -1.0), (1.0, 1.0)), mark=(0.5, 0.0), low_points=())]
    """
    known = {curve["name"]: curve for curve in curves}
    found = []
    for name, (score, other) in scores.items():
        curve = known.get(name)
        if curve is not None and len(curve["points"]) > 1:
            found.append(make_plot(curve, score, other))
    return found[:n]


def make_plot(curve: Values, score: float | None = None, other: float | None = None) -> ScorePlot:
    """Return the plot of a curve, or of a pair of scores, with a mark at these values.

    >>> partner = {"description": "length", "low": 1, "high": 3, "points": [[0, 1], [1, -1]]}
    >>> pair = {"name": "recall × length", "points": [[0, -1], [1, 1]], "partner": partner}
    >>> make_plot(pair, 1.0, 2.0).mark, make_plot(pair).text
    ((1.0, 0.0), 'recall × length (solid: the second is 3.00, dashed: 1.00)')
    """
    text, partner = str(curve.get("description") or curve["name"]), curve.get("partner")
    points = _read_points(curve["points"])
    low = _read_points(partner["points"]) if partner else ()
    if partner:
        text += f" (solid: the second is {partner['high']:.2f}, dashed: {partner['low']:.2f})"
    if score is None:
        return ScorePlot(text, points, None, low)
    height = _find_height(points, score)
    if partner and other is not None:
        height = _find_height(((partner["low"], _find_height(low, score)), (partner["high"], height)), other)
    return ScorePlot(text, points, (score, height), low)


def _read_points(points: Sequence[Sequence[float]]) -> Points:
    return tuple((float(x), float(y)) for x, y in points)


def draw_plot(plot: ScorePlot) -> Markup:
    """Return the shapes of one plot, of the size `WIDTH` × `HEIGHT`."""
    first, last = plot.points[0][0], plot.points[-1][0]
    heights = [y for _, y in plot.points + plot.low_points]
    low, high = min(*heights, 0.0), max(*heights, 0.0)
    wide, tall = last - first or 1.0, high - low or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = min(max((x - first) / wide, 0.0), 1.0)
        return LEFT + across * (WIDTH - LEFT - RIGHT), TOP + (high - y) / tall * (HEIGHT - TOP - BOTTOM)

    zero = place(first, 0.0)[1]
    shapes = [element("line", class_="rk-axis", x1=LEFT, x2=WIDTH - RIGHT, y1=zero, y2=zero)]
    levels = {low, high, 0.0}
    if len(levels) == 3 and min(high, -low) < 0.2 * tall:
        levels.discard(high if high < -low else low)
    for level in sorted(levels):
        y = place(first, level)[1] + 3.5
        text = "0" if level == 0 else write_signed(level, 2)
        shapes.append(element("text", text, class_="rk-soft", x=LEFT - 4, y=y, font_size=10.5, text_anchor="end"))
    for x, anchor in ((first, "start"), (last, "end")):
        text = write_number(x, 2).replace("-", "−")
        at = place(x, 0.0)[0]
        shapes.append(element("text", text, class_="rk-soft", x=at, y=HEIGHT - 3, font_size=10.5, text_anchor=anchor))
    for points, name in ((plot.low_points, "rk-plot rk-dashed"), (plot.points, "rk-plot")):
        if points:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
            shapes.append(element("polyline", class_=name, points=path))
    if plot.mark is not None:
        x, y = place(*plot.mark)
        shapes.append(element("circle", class_="rk-mark", cx=x, cy=y, r=5))
    return join(shapes)


def _find_height(points: Sequence[tuple[float, float]], score: float) -> float:
    """Return the height of a curve: straight between two points, flat beyond them."""
    for (left, low), (right, high) in pairwise(points):
        if score <= left:
            return low
        if score <= right and right > left:
            return low + (score - left) / (right - left) * (high - low)
    return points[-1][1]


def write_plots(plots: Sequence[ScorePlot]) -> Markup:
    """Return plots for HTML, as many in a row as there is room for."""
    figures = []
    for plot in plots:
        label = f"curve of {plot.text}"
        picture = draw_picture(draw_plot(plot), width=WIDTH, height=HEIGHT, label=label)
        at = "" if plot.mark is None or plot.low_points else f": {plot.mark[0]:.2f}"
        figures.append(element("figure", picture, element("figcaption", plot.text + at)))
    return element("div", *figures, class_="rk-curves")
