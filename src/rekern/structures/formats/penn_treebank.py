"""Files of trees in brackets, and the conventions of the Penn Treebank: empty nodes, function tags, escapes.

>>> trees = Trees.from_items(["(S (NP-SBJ-1 (-NONE- *)) (VP (VB Stop) (-LRB- -LRB-)))"])
>>> unescaped(without_function_tags(without_empty_nodes(trees))).written(0)
'(S (VP (VB Stop) (-LRB- -LRB-)))'
"""

import os
import re
from collections.abc import Iterable

import numpy as np

from rekern.core.text_files import write_lines
from rekern.structures.formats.format_detection import BRACKETS, parse_file
from rekern.structures.trees import Trees

__all__ = [
    "from_brackets",
    "read_brackets",
    "unescaped",
    "without_empty_nodes",
    "without_function_tags",
    "write_brackets",
]

EMPTY = "-NONE-"
_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "\\(": "(",
    "\\)": ")",
    "\\/": "/",
    "\\*": "*",
}
_ESCAPED = re.compile("|".join(map(re.escape, _ESCAPES)))


def read_brackets(
    path: str | os.PathLike[str],
    empty_nodes: bool = True,
    function_tags: bool = True,
    unescape: bool = False,
) -> Trees:
    """Read the trees of a file in brackets, one a line or each over several lines; it may be gzip-compressed.

    Labels are used literally. ``empty_nodes=False`` removes nodes with the label ``-NONE-`` and phrases without other
    words; ``function_tags=False`` shortens ``NP-SBJ-1`` to ``NP``; ``unescape=True`` replaces ``-LRB-``, ``-RRB-`` and
    the like in words by brackets, and reads a bracket after a backslash as part of a word.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_brackets(f"{folder}/trees.mrg", ["(S (NP-SBJ (PRP he)) (VP (VBZ runs)))"], pretty=True)
    ...     read_brackets(f"{folder}/trees.mrg", function_tags=False)[0]
    '(S (NP (PRP he)) (VP (VBZ runs)))'
    """
    return parse_file(path, BRACKETS, lambda text: from_brackets(text, empty_nodes, function_tags, unescape))


def from_brackets(
    text: str | Iterable[str], empty_nodes: bool = True, function_tags: bool = True, unescape: bool = False
) -> Trees:
    """Read the trees in a text or in its lines, with the options of ``read_brackets``.

    >>> trees = from_brackets("(NP-TMP (-LRB- \\\\() (NN noon))\\n", function_tags=False, unescape=True)
    >>> trees[0], trees.vocabulary
    ('(NP (-LRB- -LRB-) (NN noon))', ['NP', '-LRB-', 'NN', '(', 'noon'])
    """
    trees = Trees.from_brackets(text, backslashes=unescape)
    if not empty_nodes:
        trees = without_empty_nodes(trees)
    if not function_tags:
        trees = without_function_tags(trees)
    return unescaped(trees) if unescape else trees


def write_brackets(path: str | os.PathLike[str], trees: Iterable[str] | Trees, pretty: bool = False) -> None:
    """Write trees in brackets, one a line, or with ``pretty`` indented; a name that ends in ``.gz`` is compressed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_brackets(f"{folder}/trees.mrg", ["(S (NP he) (VP runs))", "(S (VP stop))"])
    ...     print(open(f"{folder}/trees.mrg").read(), end="")
    (S (NP he) (VP runs))
    (S (VP stop))
    """
    corpus = Trees.from_items(trees)
    style = "pretty" if pretty else "penn"
    write_lines(path, (corpus.written(tree, style) for tree in range(len(corpus))))


def strip_function_tags(label: str) -> str:
    """Return a Penn label without its function tags and index; ``-LRB-``, ``-NONE-`` and the like are complete labels.

    >>> [strip_function_tags(label) for label in ("NP-SBJ-1", "NP=2", "ADVP|PRT", "-LRB-", "-")]
    ['NP', 'NP', 'ADVP', '-LRB-', '-']
    """
    return re.split("[-=|]", label, maxsplit=1)[0] or label


def without_empty_nodes(trees: Trees) -> Trees:
    """Remove the nodes with the label ``-NONE-``, and phrases without other words.

    >>> list(without_empty_nodes(Trees.from_items(["(S (NP (-NONE- *)) (VP go))", "(S (-NONE- 0))"])))
    ['(S (VP go))', '()']
    """
    if EMPTY not in trees.vocabulary:
        return trees
    return trees.without(trees.labels == np.int32(trees.vocabulary.index(EMPTY)))


def without_function_tags(trees: Trees) -> Trees:
    """Shorten labels such as ``NP-SBJ-1`` to ``NP``; words keep their hyphens.

    >>> without_function_tags(Trees.from_items(["(NP-SBJ=2 (JJ well-known))"]))[0]
    '(NP (JJ well-known))'
    """
    return trees.relabelled(inner=strip_function_tags)


def unescaped(trees: Trees) -> Trees:
    """Replace ``-LRB-``, ``-RRB-`` and the like in words by brackets, and remove backslashes before brackets, ``/`` and
    ``*``; labels above words are not changed.

    >>> unescaped(Trees.from_items(["(NP (-LRB- -LRB-) (CD 1\\\\/2))"])).vocabulary
    ['NP', '-LRB-', 'CD', '(', '1/2']
    """
    return trees.relabelled(leaf=lambda word: _ESCAPED.sub(lambda found: _ESCAPES[found[0]], word))
