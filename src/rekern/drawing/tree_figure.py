"""Trees with the parts that lie on them: from the root down if there is room, else as an outline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.drawing.decision_steps import MOST_TRIES, SHOWN_LINKS, DrawnPart
from rekern.drawing.markup import Markup, clean_text, element, join
from rekern.drawing.text_widths import cut_text, measure_text
from rekern.drawing.tree_places import MOST_NODES, Tree, find_nodes, read_tree
from rekern.drawing.word_links import draw_badge, group_shapes

SIZE = 13.5
LEVEL = 44.0  # height of a level
LINE = 21.0  # height of a line of an outline
INDENT = 15.0
APART = (34.0, 24.0)  # distances of two leaves, the first with which a tree fits
MARGIN = 52.0  # left of a tree, for the numbers of its parts
BELOW = 26.0  # distance of two trees


class TreeMark(NamedTuple):
    """A part on a tree, and its nodes, the top node first."""

    part: DrawnPart
    nodes: list[int]


class MarkedTree(NamedTuple):
    """A tree and the parts on it."""

    nodes: Tree
    marks: list[TreeMark]


def mark_trees(texts: Sequence[str], parts: Sequence[DrawnPart]) -> tuple[list[DrawnPart], list[MarkedTree]]:
    """Number the strongest parts that lie on all trees, and return the trees with these parts on them."""
    trees = [MarkedTree(read_tree(text), []) for text in texts]
    are_drawn = all(len(tree.nodes) <= MOST_NODES for tree in trees)
    numbered, links, tries = [], 0, 0
    for part in parts:
        wanted = are_drawn and part.contribution and part.kind in ("fragment", "path")
        if wanted and links < SHOWN_LINKS and tries < MOST_TRIES:
            tries += 1
            places = [find_nodes(tree.nodes, part.kind, part.name) for tree in trees]
            if all(places):
                links += 1
                part = part._replace(number=links)
                for tree, nodes in zip(trees, places):
                    tree.marks.append(TreeMark(part, nodes))
        numbered.append(part)
    return numbered, trees


def draw_trees(trees: Sequence[MarkedTree], width: float) -> tuple[Markup, float]:
    """Return the drawing of trees, beside each other or one below the other, and its height."""
    beside = [_draw_from_root(tree, width / len(trees)) for tree in trees]
    whole = [drawing for drawing in beside if drawing is not None]
    if len(whole) == len(trees):
        places = [(place * width / len(trees), 0.0) for place in range(len(trees))]
        return join([_move(shape, *place) for (shape, _), place in zip(whole, places)]), max(high for _, high in whole)
    drawn: list[Markup] = []
    y = 0.0
    for tree in trees:
        shape, height = _draw_tree(tree, width)
        drawn.append(_move(shape, 0.0, y))
        y += height + BELOW
    return join(drawn), max(y - BELOW, 0.0)


def _move(shape: Markup, x: float, y: float) -> Markup:
    return element("g", shape, transform=f"translate({x:.0f} {y:.0f})")


def _draw_tree(tree: MarkedTree, width: float) -> tuple[Markup, float]:
    if len(tree.nodes) > MOST_NODES:
        text = f"a tree of {len(tree.nodes):,} nodes, too large to draw"
        return element("text", text, class_="rk-soft", x=0.0, y=16.0, font_size=SIZE), LINE
    return _draw_from_root(tree, width) or _draw_outline(tree, width)


def _draw_from_root(tree: MarkedTree, width: float) -> tuple[Markup, float] | None:
    """Draw a tree with its root at the top; None if it is wider than there is room."""
    leaves = sum(measure_text(clean_text(node.label), SIZE) for node in tree.nodes if not node.children)
    count = sum(1 for node in tree.nodes if not node.children)
    apart = next((gap for gap in APART if MARGIN + leaves + gap * count <= width), None)
    places = None if apart is None or len(tree.nodes) > MOST_NODES else _place_nodes(tree, apart)
    if places is None:
        return None
    lines = [
        element("line", class_="rk-axis", x1=places[node.parent][0], y1=places[node.parent][1] + 5, x2=x, y2=y - 13)
        for node, (x, y) in zip(tree.nodes, places)
        if node.parent >= 0
    ]
    marks = [_draw_mark(mark, tree, places, number, is_outline=False) for number, mark in enumerate(tree.marks)]
    labels = [
        element("text", node.label, class_="rk-halo", x=x, y=y, font_size=SIZE, text_anchor="middle")
        for node, (x, y) in zip(tree.nodes, places)
    ]
    return join([*lines, *marks, *labels]), max((y for _, y in places), default=0.0) + 12


def _place_nodes(tree: MarkedTree, apart: float) -> list[tuple[float, float]] | None:
    """Return the place of each node, the middle of its label; None if labels overlap."""
    left: dict[int, float] = {}
    depth: dict[int, int] = {}
    x = MARGIN
    for number, node in enumerate(tree.nodes):
        depth[number] = 0 if node.parent < 0 else depth[node.parent] + 1
        if not node.children:
            wide = measure_text(clean_text(node.label), SIZE)
            left[number] = x + wide / 2
            x += wide + apart
    for number in range(len(tree.nodes) - 1, -1, -1):
        children = tree.nodes[number].children
        if children:
            left[number] = (left[children[0]] + left[children[-1]]) / 2
    places = [(left[number], 18.0 + LEVEL * depth[number]) for number in range(len(tree.nodes))]
    return None if _has_overlap(tree, places) else places


def _has_overlap(tree: MarkedTree, places: list[tuple[float, float]]) -> bool:
    rows: dict[float, list[tuple[float, float]]] = {}
    for node, (x, y) in zip(tree.nodes, places):
        half = measure_text(clean_text(node.label), SIZE) / 2
        rows.setdefault(y, []).append((x - half, x + half))
    return any(other[0] < one[1] + 3 for row in rows.values() for one, other in zip(sorted(row), sorted(row)[1:]))


def _draw_outline(tree: MarkedTree, width: float) -> tuple[Markup, float]:
    """Draw a tree as an outline: a node below its parent, further to the right; a word beside the node above it."""
    places: list[tuple[float, float]] = []
    depth: list[int] = []
    y = 16.0
    shapes: list[Markup] = []
    labels: list[Markup] = []
    for number, node in enumerate(tree.nodes):
        depth.append(0 if node.parent < 0 else depth[node.parent] + 1)
        beside = node.parent >= 0 and not node.children and tree.nodes[node.parent].children == [number]
        if beside:
            x, y = places[node.parent]
            x += measure_text(clean_text(tree.nodes[node.parent].label), SIZE) + 12
        else:
            x = 22.0 + INDENT * min(depth[number], 12)
            y = y + LINE if number else y
            if node.parent >= 0:
                above = places[node.parent]
                path = f"M{above[0] + 3:.0f} {above[1] + 4:.0f}V{y - 5:.0f}H{x - 2:.0f}"
                shapes.append(element("path", class_="rk-grid", d=path))
        places.append((x, y))
        style = "rk-halo" if node.children else "rk-halo rk-strong"
        text = cut_text(clean_text(node.label), max(width - x, 40), SIZE)
        labels.append(element("text", text, class_=style, x=x, y=y, font_size=SIZE))
    marks = [_draw_mark(mark, tree, places, number, is_outline=True) for number, mark in enumerate(tree.marks)]
    return join([*shapes, *marks, *labels]), y + 10


def _draw_mark(
    mark: TreeMark, tree: MarkedTree, places: list[tuple[float, float]], number: int, is_outline: bool
) -> Markup:
    """Draw a part: its nodes have a ground, its edges are thick, and its number is at the top node."""
    nodes = set(mark.nodes)
    shapes: list[Markup] = []
    top = min(mark.nodes, key=lambda node: places[node][1])
    for node in mark.nodes:
        x, y = places[node]
        wide = measure_text(clean_text(tree.nodes[node].label), SIZE)
        parent = tree.nodes[node].parent
        if parent in nodes and not is_outline:
            px, py = places[parent]
            shapes.append(element("line", class_="rk-bracket", x1=px, y1=py + 5, x2=x, y2=y - 13))
        left = x if is_outline else x - wide / 2
        shapes.append(element("rect", class_="rk-chip", x=left - 4, y=y - 14, width=wide + 8, height=19.0, rx=4))
    x, y = places[top]
    wide = measure_text(clean_text(tree.nodes[top].label), SIZE)
    shift = sum(1 for other in tree.marks[:number] if top == min(other.nodes, key=lambda node: places[node][1]))
    left = x + wide + 14 if is_outline and len(nodes) == 1 else (x - 12 if is_outline else x - wide / 2 - 12)
    shapes.append(draw_badge(left + (15 * shift if is_outline else -15 * shift), y - 5, mark.part.number, 1.0))
    return group_shapes(mark.part, shapes)
