"""Trees of NLTK and documents of spaCy as items: what kernels on texts, trees and graphs read of them.

Neither library is imported here: their objects are recognized by their attributes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard, TypeVar

from rekern.errors import InputError
from rekern.structures.formats.brackets import escape_label

__all__ = [
    "ForeignItem",
    "convert_trees",
    "is_document",
    "is_foreign",
    "is_tree",
    "list_graph",
    "list_words",
    "write_tree",
]

T = TypeVar("T")

ForeignItem = Any  # a tree of NLTK; a Doc, Span or Token of spaCy


def is_tree(item: object) -> TypeGuard[ForeignItem]:
    """Whether an item is a tree of NLTK: a list of children with a label.

    >>> is_tree(["S", "NP"])
    False
    """
    return isinstance(item, list) and callable(getattr(item, "label", None))


def is_document(item: object) -> TypeGuard[ForeignItem]:
    """Whether an item is a document of spaCy, or a part of one, such as a sentence.

    >>> is_document("a text")
    False
    """
    return all(hasattr(item, name) for name in ("vocab", "sents", "text", "__len__")) and not isinstance(item, str)


def is_foreign(item: object) -> TypeGuard[ForeignItem]:
    """Whether an item is a tree of NLTK or a document of spaCy.

    >>> is_foreign(["a", "b"])
    False
    """
    return not isinstance(item, str) and (is_tree(item) or is_document(item))


def list_words(item: ForeignItem) -> list[str]:
    """The words of an item: the leaves of a tree; the tokens of a document, without those that are only white space."""
    if is_tree(item):
        return [_get_word(leaf) for leaf in item.leaves()]
    return [token.text for token in item if token.text.strip()]


def write_tree(item: ForeignItem, row: int | None = None) -> str:
    """An item as a tree in brackets: a tree as it is, a document as the tree of its words and their dependents.

    A document of several sentences gets a common root, as in ``rekern parse``. ``row`` is for messages.
    """
    if is_tree(item):
        return _write_nodes(item, _list_children)
    heads = _find_heads(item, row)
    below: dict[int, list[int]] = {place: [] for place in heads}
    for place, head in heads.items():
        if head != place:
            below[head].append(place)
    words = {place: item.doc[place].text for place in heads}
    roots = [place for place, head in heads.items() if head == place]
    if not roots:
        return "()"
    if len(roots) == 1:
        return _write_nodes(roots[0], lambda place: (words[place], below[place]))
    return _write_nodes(-1, lambda place: ("ROOT", roots) if place < 0 else (words[place], below[place]))


def list_graph(item: ForeignItem, row: int | None = None) -> tuple[list[str], list[tuple[int, int, str]]]:
    """An item as a graph: its nodes are the words of a document and its edges the dependencies, or those of a tree."""
    if is_tree(item):
        return _list_tree_graph(item)
    heads = _find_heads(item, row)
    number = {place: node for node, place in enumerate(heads)}
    edges = [(number[head], number[place], item.doc[place].dep_) for place, head in heads.items() if head != place]
    return [item.doc[place].text for place in heads], edges


def _find_heads(item: ForeignItem, row: int | None) -> dict[int, int]:
    """The place of every word in its document, and that of its head; a root is its own head."""
    tokens = [token for token in item if token.text.strip()]
    if tokens and not item.doc.has_annotation("DEP"):
        remedy = "run a pipeline with a parser, such as en_core_web_sm, or use a kernel on words"
        raise InputError(f"the spaCy document has no dependencies; {remedy}", row=row)
    places = {token.i for token in tokens}
    return {token.i: _find_head(token, places) for token in tokens}


def _find_head(token: ForeignItem, places: set[int]) -> int:
    """The nearest word above a word that is one of these places, else the word itself."""
    head = token.head
    while head.i not in places and head.i != head.head.i:
        head = head.head
    return int(head.i) if head.i in places else int(token.i)


def _list_children(node: object) -> tuple[str, Sequence[object]]:
    """The label and the children of a node of NLTK; a leaf is a word, or in chunks a word and its tag."""
    if is_tree(node):
        return str(node.label()), node
    if isinstance(node, tuple) and len(node) == 2:
        return str(node[1]), (str(node[0]),)
    return str(node), ()


def _get_word(leaf: object) -> str:
    return str(leaf[0]) if isinstance(leaf, tuple) and leaf else str(leaf)


def _write_nodes(root: T, expand: Callable[[T], tuple[str, Sequence[T]]]) -> str:
    """Write a tree in brackets; ``expand`` returns the label and the children of a node. Any depth is possible."""
    pieces: list[str] = []
    todo: list[list[T]] = [[root]]  # the nodes that are still to be written, in each open bracket
    while todo:
        if not todo[-1]:
            todo.pop()
            pieces.append(")" if todo else "")
            continue
        label, children = expand(todo[-1].pop())
        pieces.append(f"{' ' if len(todo) > 1 else ''}({escape_label(label)}")
        todo.append(list(reversed(list(children))))
    return "".join(pieces)


def _list_tree_graph(item: ForeignItem) -> tuple[list[str], list[tuple[int, int, str]]]:
    nodes: list[str] = []
    edges: list[tuple[int, int, str]] = []
    todo: list[tuple[object, int]] = [(item, -1)]
    while todo:
        node, parent = todo.pop()
        label, children = _list_children(node)
        if parent >= 0:
            edges.append((parent, len(nodes), ""))
        todo += [(child, len(nodes)) for child in reversed(list(children))]
        nodes.append(label)
    return nodes, edges


def convert_trees(items: Iterable[object]) -> list[Any]:
    """The items, with those of NLTK and spaCy as trees in brackets; an error has the number of the item as its row.

    >>> convert_trees(["(A b)"])
    ['(A b)']
    """
    return [write_tree(item, row) if is_foreign(item) else item for row, item in enumerate(items)]
