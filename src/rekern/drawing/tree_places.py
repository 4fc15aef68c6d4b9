"""Trees in brackets, and where fragments and paths are in them."""

from __future__ import annotations

import re
from typing import NamedTuple

TOKENS = re.compile(r"[()]|[^()\s]+")
STEP = re.compile(r" ([→←]) ")
MOST_NODES = 400  # of a tree that is drawn
MOST_FRAGMENT_NODES = 60


class TreeNode(NamedTuple):
    """A node of a tree: its label, its parent (-1 for the root) and its children, numbered in the order of reading."""

    label: str
    parent: int
    children: list[int]


Tree = list[TreeNode]


def is_tree(text: str) -> bool:
    """Return whether a text is a tree in brackets.

    >>> is_tree("(S (NP he) (VP runs))"), is_tree("(see above) he runs"), is_tree("runs")
    (True, False, False)
    """
    return text.startswith("(") and text.endswith(")") and len(read_tree(text)) > 1


def read_tree(text: str) -> Tree:
    """Return the nodes of a tree in brackets, the root first; nothing if it is not one tree.

    >>> [(node.label, node.parent) for node in read_tree("(S (NP he) (VP))")]
    [('S', -1), ('NP', 0), ('he', 1), ('VP', 0)]
    """
    nodes: Tree = []
    path: list[int] = []  # the open nodes
    is_new = False  # whether a bracket was just opened
    for token in TOKENS.findall(text):
        if token == "(":
            if (nodes and not path) or is_new:
                return []
            is_new = True
        elif token == ")":
            if not path or is_new:
                return []
            path.pop()
        else:
            parent = path[-1] if path else -1
            if parent < 0 and nodes:
                return []
            nodes.append(TreeNode(token, parent, []))
            if parent >= 0:
                nodes[parent].children.append(len(nodes) - 1)
            if is_new:
                path.append(len(nodes) - 1)
                is_new = False
    return [] if path or is_new else nodes


def find_nodes(tree: Tree, kind: str, name: str) -> list[int]:
    """Return the nodes of a tree on which a fragment or a path lies, at the first place; the top node first.

    >>> find_nodes(read_tree("(S (NP he) (VP (V runs) (ADV now)))"), "fragment", "(VP V (ADV now))")
    [3, 4, 6, 7]
    >>> find_nodes(read_tree("(saw (Chip) (Dale))"), "path", "Chip → saw ← Dale")
    [1, 0, 2]
    """
    if kind == "path":
        return _find_path(tree, STEP.split(name))
    fragment = read_tree(name) or [TreeNode(name, -1, [])]
    if len(fragment) > MOST_FRAGMENT_NODES:
        return []
    for is_whole in (True, False):
        for start in range(len(tree)):
            found = _match(tree, start, fragment, 0, is_whole)
            if found:
                return found
    return []


def _match(tree: Tree, node: int, fragment: Tree, part: int, is_whole: bool) -> list[int]:
    """Match a fragment at a node; whole: the children of a node of the fragment are all children of the node."""
    if tree[node].label != fragment[part].label:
        return []
    wanted, children = fragment[part].children, tree[node].children
    if is_whole and wanted and len(wanted) != len(children):
        return []
    found, at = [node], 0
    for child in wanted:
        while at < len(children):
            below = _match(tree, children[at], fragment, child, is_whole)
            at += 1
            if below:
                found += below
                break
        else:
            return []
    return found


def _find_path(tree: Tree, steps: list[str]) -> list[int]:
    """Find a path that climbs with → and descends with ←."""
    labels, directions = steps[::2], steps[1::2]
    for start, node in enumerate(tree):
        if node.label != labels[0]:
            continue
        paths = [[start]]
        for direction, label in zip(directions, labels[1:]):
            longer = []
            for path in paths:
                at = tree[path[-1]]
                nexts = ([at.parent] if at.parent >= 0 else []) if direction == "→" else at.children
                longer += [[*path, one] for one in nexts if tree[one].label == label and one not in path]
            paths = longer
        if paths:
            return paths[0]
    return []
