"""Plots of measures: lines or dots over two axes, and a confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rekern.drawing.markup import Markup, element, join, write_number
from rekern.drawing.page import draw_picture
from rekern.drawing.text_widths import cut_text

WIDTH, HEIGHT = 300.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 18.0, 10.0, 42.0


class Plot(NamedTuple):
    """A plot: its title, the names of its axes, points, and how they are drawn."""

    title: str
    x_name: str
    y_name: str
    points: Sequence[tuple[float, float]]
    x_range: tuple[float, float] = (0.0, 1.0)
    y_range: tuple[float, float] = (0.0, 1.0)
    are_joined: bool = True  # a line through the points
    has_dots: bool = False
    guide: tuple[tuple[float, float], tuple[float, float]] | None = None  # a dotted line to compare with
    x_logarithm: bool = False


def draw_xy_plot(plot: Plot) -> Markup:
    """Return a plot as a figure of HTML.

    >>> "<polyline" in draw_xy_plot(Plot("ROC", "false", "true", [(0.0, 0.0), (1.0, 1.0)]))
    True
    """
    shapes: list[Markup] = []
    for value in _list_ticks(*plot.y_range):
        y = _place(plot, plot.x_range[0], value)[1]
        shapes.append(element("line", class_="rk-grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        text = _write_tick(value)
        shapes.append(element("text", text, class_="rk-soft", x=LEFT - 6, y=y + 4, font_size=11, text_anchor="end"))
    ticks = [x for x, _ in plot.points] if plot.x_logarithm else _list_ticks(*plot.x_range)
    for value in ticks:
        x = _place(plot, value, plot.y_range[0])[0]
        text = _write_tick(value)
        y = HEIGHT - BOTTOM + 15
        shapes.append(element("text", text, class_="rk-soft", x=x, y=y, font_size=11, text_anchor="middle"))
    base = HEIGHT - BOTTOM
    shapes.append(element("line", class_="rk-axis", x1=LEFT, x2=WIDTH - RIGHT, y1=base, y2=base))
    if plot.guide is not None:
        (x1, y1), (x2, y2) = (_place(plot, *point) for point in plot.guide)
        shapes.append(element("line", class_="rk-axis", x1=x1, y1=y1, x2=x2, y2=y2, stroke_dasharray="2 4"))
    placed = [_place(plot, *point) for point in plot.points]
    if plot.are_joined:
        shapes.append(element("polyline", class_="rk-plot", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in placed)))
    if plot.has_dots:
        for (x, y), (a, b) in zip(placed, plot.points):
            title = element("title", f"{a:.4g}, {b:.4g}")
            shapes.append(element("circle", title, class_="rk-dot", cx=x, cy=y, r=3.5 if plot.are_joined else 2))
    middle = (LEFT + WIDTH - RIGHT) / 2
    name = cut_text(plot.x_name, WIDTH - LEFT, 12)
    shapes.append(element("text", name, x=middle, y=HEIGHT - 8, font_size=12, text_anchor="middle"))
    turn = f"translate(12 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"
    name = cut_text(plot.y_name, HEIGHT - BOTTOM, 12)
    shapes.append(element("text", name, transform=turn, font_size=12, text_anchor="middle"))
    label = f"{plot.title}: {plot.y_name} by {plot.x_name}"
    picture = draw_picture(*shapes, width=WIDTH, height=HEIGHT, label=label)
    return element("figure", element("figcaption", plot.title), picture, class_="rk-panel-figure")


def _place(plot: Plot, x: float, y: float) -> tuple[float, float]:
    (left, right), (low, high) = plot.x_range, plot.y_range
    if plot.x_logarithm:
        left, right, x = math.log(max(left, 1)), math.log(max(right, 1)), math.log(max(x, 1))
    across = (x - left) / ((right - left) or 1.0)
    up = (y - low) / ((high - low) or 1.0)
    return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)


def _list_ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two ends.

    >>> _list_ticks(0.0, 1.0), _list_ticks(0.62, 0.71)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.62, 0.64, 0.66, 0.68, 0.7])
    """
    rough = (high - low) / 5 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    found = []
    while first * step <= high + 1e-9 * step:
        found.append(round(first * step, 10))
        first += 1
    return found


def _write_tick(value: float) -> str:
    if value >= 10_000:
        return f"{value / 1000:.0f}k"
    return write_number(value, 2).replace("-", "−")


def write_confusion(names: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup:
    """Return a confusion matrix as an HTML table; the darker a cell, the larger its share of the row.

    >>> write_confusion(["no", "yes"], [[3, 1], [0, 2]]).count("<td")
    4
    """
    head = element("tr", element("th", "is \\ predicted"), *(element("th", name, class_="rk-value") for name in names))
    rows = []
    for name, row in zip(names, counts):
        total = max(sum(row), 1)
        cells = [element("td", f"{count:,}", class_=f"rk-value rk-shade-{round(8 * count / total)}") for count in row]
        rows.append(element("tr", element("th", name), *cells))
    return element("table", join([element("thead", head), element("tbody", *rows)]), class_="rk-confusion")
