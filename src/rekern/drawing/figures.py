"""Which figure stands above the waterfall of an explanation: texts with links, trees, or graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from rekern.drawing.decision_steps import DrawnPart, Values, read_parts
from rekern.drawing.graph_figure import draw_graphs, mark_graphs
from rekern.drawing.markup import Markup
from rekern.drawing.part_places import mark_texts
from rekern.drawing.tree_figure import draw_trees, mark_trees
from rekern.drawing.tree_places import is_tree
from rekern.drawing.word_links import draw_texts


class Figure(NamedTuple):
    """The parts of an explanation with their numbers, and what draws the figure in a width; None if there is none."""

    parts: list[DrawnPart]
    draw: Callable[[float], tuple[Markup, float]] | None = None
    label: str = ""  # the figure in words


def choose_figure(values: Values) -> Figure:
    """Return the figure of an explanation: by whether it is of a pair, a text, a question, two trees or two graphs.

    >>> choose_figure({"source": "a", "target": "b"}).label
    'source: a; target: b'
    >>> choose_figure({"decision": 1.0}).draw is None
    True
    """
    parts = read_parts(values)
    names = [name for name in ("source", "target", "text", "question", "left", "right") if name in values]
    items = [values[name] for name in names]
    if not items:
        return Figure(parts)
    if all(isinstance(item, Mapping) for item in items):
        parts, graphs = mark_graphs(items, values.get("places", ()), parts)
        return Figure(parts, partial(draw_graphs, graphs), "two graphs with what they share")
    texts = [str(item) for item in items]
    label = "; ".join(f"{name}: {text}" for name, text in zip(names, texts))
    if all(map(is_tree, texts)) and "source" not in values:
        parts, trees = mark_trees(texts, parts)
        return Figure(parts, partial(draw_trees, trees), label)
    parts, marked = mark_texts(texts, parts)
    return Figure(parts, partial(draw_texts, marked), label)
