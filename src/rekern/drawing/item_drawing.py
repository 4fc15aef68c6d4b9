"""Trees and graphs without parts, as a notebook shows a corpus of them: the first few."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rekern.drawing.decision_steps import Values
from rekern.drawing.explanation_drawing import write_figure
from rekern.drawing.figures import Figure
from rekern.drawing.graph_figure import draw_graphs, mark_graphs
from rekern.drawing.markup import Markup, element
from rekern.drawing.page import frame_figure
from rekern.drawing.tree_figure import draw_trees, mark_trees


def draw_tree_items(trees: Sequence[str], title: str = "", *, style: bool = True) -> Markup:
    """Return trees in brackets as a fragment of HTML, under a title.

    >>> "runs" in draw_tree_items(["(S (NP he) (VP runs))"])
    True
    """
    drawings = []
    for tree in trees:
        _, marked = mark_trees([tree], [])
        drawings += write_figure(Figure([], partial(draw_trees, marked), tree))
    return _wrap(drawings, title, style)


def draw_graph_items(graphs: Sequence[Values], title: str = "", *, style: bool = True) -> Markup:
    """Return graphs with "nodes" and "edges" as a fragment of HTML, under a title.

    >>> "cat" in draw_graph_items([{"nodes": ["the", "cat"], "edges": [[0, 1, "det"]]}])
    True
    """
    _, marked = mark_graphs(graphs, (), [])
    figure = Figure([], partial(draw_graphs, marked), f"{len(graphs)} graphs")
    return _wrap(write_figure(figure), title, style)


def _wrap(drawings: list[Markup], title: str, style: bool) -> Markup:
    caption = element("p", element("small", title)) if title else None
    return frame_figure(caption, *drawings, style=style)
