"""A Gram matrix as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rekern.drawing.markup import Markup, clean_text, element, write_number
from rekern.drawing.page import draw_picture, frame_figure
from rekern.drawing.text_widths import cut_text

MOST_CELLS = 40  # in a row or a column; larger matrices are drawn as means of blocks
SIDE = 520.0
LABEL = 150.0


def draw_gram(matrix: Sequence[Sequence[float]], labels: Sequence[object] = (), *, style: bool = True) -> Markup:
    """Return a matrix of kernel values as a heat map, a fragment of HTML; a notebook shows it.

    ``matrix`` is a list of rows or an array. Of a large one every cell shows the mean of a block of values. ``labels``
    are written beside the rows.

    >>> drawing = draw_gram([[1.0, 0.5], [0.5, 1.0]], ["first", "second"])
    >>> drawing.count("<rect"), "second" in drawing
    (4, True)
    """
    rows = [[float(value) for value in row] for row in matrix]
    columns = len(rows[0]) if rows else 0
    blocks = _take_means(rows, columns)
    low = min((value for row in blocks for value in row), default=0.0)
    high = max((value for row in blocks for value in row), default=1.0)
    left = LABEL if labels else 0.0
    across = len(blocks[0]) if blocks else 1
    cell = min((SIDE - left) / across, 26.0)
    shapes: list[Markup] = []
    for i, row in enumerate(blocks):
        for j, value in enumerate(row):
            share = (value - low) / (high - low) if high > low else 1.0
            shapes.append(_draw_cell(left + j * cell, i * cell, cell, share, f"{i}, {j}: {value:.4g}"))
    if labels and len(blocks) == len(rows):
        for i, label in enumerate(labels[: len(rows)]):
            text = cut_text(clean_text(label), LABEL - 8, 11)
            shapes.append(element("text", text, x=left - 6, y=(i + 0.5) * cell + 4, font_size=11, text_anchor="end"))
    label = f"a matrix of {len(rows)} × {columns} values from {low:.4g} to {high:.4g}"
    height = max(len(blocks), 1) * cell
    picture = draw_picture(*shapes, width=left + across * cell, height=height, label=label, kind="rk-map")
    note = f"{label}, light to dark"
    if len(blocks) < len(rows) or across < columns:
        note += f"; a cell is the mean of a block of about {len(rows) // len(blocks)} × {columns // across}"
    return frame_figure(picture, element("figcaption", element("small", note)), style=style)


def _take_means(rows: list[list[float]], columns: int) -> list[list[float]]:
    """Return the matrix, or the means of its blocks if it is large."""
    down, across = min(len(rows), MOST_CELLS), min(columns, MOST_CELLS)
    if (down, across) == (len(rows), columns):
        return rows
    means = []
    for i in range(down):
        part = rows[i * len(rows) // down : (i + 1) * len(rows) // down]
        bounds = [j * columns // across for j in range(across + 1)]
        means.append(
            [
                sum(sum(row[first:last]) for row in part) / (len(part) * (last - first))
                for first, last in pairwise(bounds)
            ]
        )
    return means


def _draw_cell(x: float, y: float, size: float, share: float, title: str) -> Markup:
    opacity = write_number(0.04 + 0.96 * share, 2)
    place = {"x": x, "y": y, "width": size, "height": size}
    return element("rect", element("title", title), class_="rk-cell", fill_opacity=opacity, **place)
