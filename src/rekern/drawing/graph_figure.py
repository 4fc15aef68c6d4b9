"""Graphs as lists of nodes with arcs between them, and the shared neighbourhoods marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.drawing.decision_steps import SHOWN_LINKS, DrawnPart, Values
from rekern.drawing.markup import Markup, clean_text, element, join
from rekern.drawing.text_widths import cut_text, measure_text
from rekern.drawing.word_links import draw_badge, group_shapes

SIZE = 13.5
LINE = 25.0
MOST_NODES = 200  # of a graph that is drawn
LEFT = 96.0  # where the labels of the nodes begin, right of the numbers and of the arcs


class MarkedGraph(NamedTuple):
    """The labels of the nodes of a graph, its edges, and the parts on it with their nodes."""

    nodes: list[str]
    edges: list[tuple[int, int, str]]
    marks: list[tuple[DrawnPart, list[int]]]


def mark_graphs(
    graphs: Sequence[Values], places: Sequence[Values], parts: Sequence[DrawnPart]
) -> tuple[list[DrawnPart], list[MarkedGraph]]:
    """Number the strongest parts, and return the graphs with these parts on them.

    A graph has "nodes" and "edges"; the place of a part has "nodes": for each graph the numbers of its nodes.
    """
    found = [
        MarkedGraph(
            [str(label) for label in graph["nodes"]],
            [(int(one), int(other), str(label)) for one, other, label in graph["edges"]],
            [],
        )
        for graph in graphs
    ]
    numbered = []
    for number, part in enumerate(parts, 1):
        nodes = places[number - 1].get("nodes", ()) if number <= len(places) else ()
        if number <= SHOWN_LINKS and len(nodes) == len(found):
            part = part._replace(number=number)
            for graph, own in zip(found, nodes):
                graph.marks.append((part, list(own)))
        numbered.append(part)
    return numbered, found


def draw_graphs(graphs: Sequence[MarkedGraph], width: float) -> tuple[Markup, float]:
    """Return the drawing of graphs, beside each other or one below the other, and its height."""
    columns = len(graphs) if width >= 600 else 1
    room = width / columns
    drawn: list[Markup] = []
    y, highest = 0.0, 0.0
    for place, graph in enumerate(graphs):
        shape, height = _draw_graph(graph, room - 10)
        drawn.append(element("g", shape, transform=f"translate({place % columns * room:.0f} {y:.0f})"))
        highest = max(highest, height)
        if place % columns == columns - 1:
            y, highest = y + highest + 20, 0.0
    return join(drawn), max(y - 20, highest)


def _draw_graph(graph: MarkedGraph, width: float) -> tuple[Markup, float]:
    shown = graph.nodes[:MOST_NODES]
    heights = [18.0 + LINE * number for number in range(len(shown))]
    shapes: list[Markup] = []
    for one, other, label in graph.edges:
        if max(one, other) >= len(shown):
            continue
        y, y2 = heights[one] - 4, heights[other] - 4
        out = min(14 + 9 * abs(one - other), 52)
        shared = any(one in own and other in own for _, own in graph.marks)
        path = f"M{LEFT - 8} {y:.0f}C{LEFT - 8 - out} {y:.0f} {LEFT - 8 - out} {y2:.0f} {LEFT - 8} {y2:.0f}"
        shapes.append(element("path", class_="rk-bracket rk-thin" if shared else "rk-axis", d=path))
        if label:
            x = LEFT - 10 - 0.75 * out
            text = cut_text(clean_text(label), 50, 10.5)
            style = {"x": x, "y": (y + y2) / 2 + 3, "font_size": 10.5, "text_anchor": "middle"}
            shapes.append(element("text", text, class_="rk-halo rk-soft", **style))
    right = [LEFT + 12 + measure_text(clean_text(label), SIZE) for label in shown]
    for part, own in graph.marks:
        marks = []
        for node in own:
            if node < len(shown):
                y, wide = heights[node], measure_text(clean_text(shown[node]), SIZE)
                marks.append(element("rect", class_="rk-chip", x=LEFT - 5, y=y - 14, width=wide + 9, height=19.0, rx=4))
                marks.append(draw_badge(min(right[node], width - 8), y - 5, part.number, part.contribution))
                right[node] += 17
        shapes.append(group_shapes(part, marks))
    for label, y in zip(shown, heights):
        shapes.append(element("text", cut_text(clean_text(label), width - LEFT, SIZE), x=LEFT, y=y, font_size=SIZE))
    height = 18.0 + LINE * len(shown)
    if len(graph.nodes) > len(shown):
        more = f"… {len(graph.nodes) - len(shown):,} more nodes"
        shapes.append(element("text", more, class_="rk-soft", x=LEFT, y=height, font_size=SIZE))
        height += LINE
    return element("g", *shapes, class_="rk-for"), height
