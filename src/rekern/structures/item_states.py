"""Corpora as plain data and arrays: what a model file keeps of support items, and the corpora built from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rekern.core.arrays import Ints, offsets_of
from rekern.core.json_values import Json
from rekern.core.model_limits import ModelLimits
from rekern.core.object_descriptions import Raw, State, Verbatim
from rekern.core.state_schema import Array, Choice, InstanceOf, ListOf, Optional, Record, Texts
from rekern.errors import ModelFileError
from rekern.structures.graphs import Graphs
from rekern.structures.pairs import Pairs
from rekern.structures.representations import Representations
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

__all__ = ["check_item_sizes", "has_plain_lists", "pack_items", "pack_value", "unpack_items"]

_WORDS = Raw(Texts("words"))
TOKENS = Record(
    kind=Optional(Choice("pairs", "tokens")),
    words=_WORDS,
    ids=Array("i4", "ids", least=0, below="words"),
    lengths=Array("i8", "texts", lengths="ids"),
    forms=ListOf(InstanceOf(State), most=1),
)
TREES = Record(
    kind=Choice("trees"),
    words=_WORDS,
    nodes=Array("i4", "nodes", least=0, below="words"),
    parents=Array("i4", "nodes", least=-1),
    lengths=Array("i8", "trees", lengths="nodes"),
)

Corpus = Pairs | Tokens | Trees | Graphs | Representations | Sequence[object]


def pack_items(items: object) -> State:
    """Return a corpus as plain data and arrays.

    >>> state = pack_items(Pairs.from_items([("a b", "b")]))
    >>> state["kind"], state["ids"].tolist(), list(unpack_items(state))
    ('pairs', [0, 1, 1], [(['a', 'b'], ['b'])])
    """
    if isinstance(items, Pairs):
        return State(kind="pairs", **_pack_tokens(items.tokens))
    if isinstance(items, Tokens):
        return State(kind="tokens", **_pack_tokens(items))
    if isinstance(items, Trees):
        return State(kind="trees", **_pack_trees(items))
    if isinstance(items, Graphs):
        return State(kind="graphs", graphs=Verbatim(pack_value(list(items))))
    if isinstance(items, Representations):
        columns = [pack_items(items[name]) for name in items.columns]
        return State(kind="table", names=Verbatim(list(items.columns)), columns=columns)
    if isinstance(items, list | tuple):
        return State(kind="list", items=Verbatim([pack_value(item) for item in items]))
    raise ValueError(f"a model with {type(items).__name__} as training items cannot be saved; give it a list of pairs")


def unpack_items(state: State) -> Corpus:
    """Return the corpus that `pack_items` wrote, after checking it."""
    kind = state.get("kind")
    if kind == "pairs":
        return Pairs(_unpack_tokens(state))
    if kind == "tokens":
        return _unpack_tokens(state)
    if kind == "trees":
        return _unpack_trees(state)
    if kind == "graphs":
        graphs = _unpack_list(state, "graphs")
        check_item_sizes(graphs, state.limits)
        return Graphs.from_items([(nodes, edges) for nodes, edges in graphs])
    if kind == "table":
        names = _unpack_list(state, "names")
        columns = [unpack_items(column) for column in state.states("columns", len(names))]
        return Representations(dict(zip(map(str, names), columns)))
    if kind == "list":
        items = _unpack_list(state, "items")
        check_item_sizes(items, state.limits)
        return items
    raise ModelFileError(f"it has items of an unknown kind {kind!r}")


def check_item_sizes(items: Sequence[object], limits: ModelLimits) -> None:
    """Refuse items, as a model file has them, with a text of too many words or a list that is too long.

    >>> check_item_sizes(["a b", ["a", "b"], [["a"], [[0, 0, "next"]]]], ModelLimits(item_size=3))
    >>> check_item_sizes(["a b c d"], ModelLimits(item_size=3))
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: it has a training text or graph of 4 words or nodes; the limit is 3: \
load_model(path, limits=ModelLimits(item_size=4)), or --limit item_size=4
    """
    waiting = [item for item in items if not isinstance(item, str) or len(item) > limits.item_size]
    longest = 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            longest = max(longest, value.count(" ") + 1)
        elif isinstance(value, list):
            longest = max(longest, len(value))
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
    limits.check("item_size", longest, f"it has a training text or graph of {longest:,} words or nodes")


def has_plain_lists(items: Corpus) -> bool:
    """Return whether items, or a column of them, are a list, of which only a kernel can say whether it can be read.

    >>> has_plain_lists(["a b"]), has_plain_lists(Pairs.from_items([("a", "b")]))
    (True, False)
    """
    if isinstance(items, Representations):
        return any(has_plain_lists(items[name]) for name in items.columns)
    return isinstance(items, list | tuple)


def pack_value(value: object) -> Json:
    """Return a text, a list of tokens, a row of a table, or a graph as JSON.

    >>> pack_value(("a b", ["c", "d"]))
    ['a b', ['c', 'd']]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(name): pack_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [pack_value(part) for part in value]
    if isinstance(value, bool | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    raise ValueError(f"a model with {value!r} in a training pair cannot be saved; give texts, trees or graphs")


def _pack_tokens(tokens: Tokens) -> dict[str, object]:
    used, ids = np.unique(tokens.ids, return_inverse=True)
    words = Verbatim([tokens.vocabulary[number] for number in used])
    forms = [] if tokens.forms is None else [State(**_pack_tokens(tokens.forms))]
    return {"words": words, "ids": ids.astype(np.int32), "lengths": np.diff(tokens.offsets), "forms": forms}


def _unpack_tokens(state: State) -> Tokens:
    TOKENS.check(state, "tokens")
    ids, words = state["ids"], state["words"].value
    offsets = _unpack_offsets(state)
    forms = None
    if state.get("forms"):
        (inner,) = state.states("forms", 1)
        if inner.get("forms"):
            raise ModelFileError("its tokens are damaged")
        forms = _unpack_tokens(inner)
        if not np.array_equal(forms.offsets, offsets):
            raise ModelFileError("its tokens are damaged")
    return Tokens(ids, offsets, words, forms)


def _pack_trees(trees: Trees) -> dict[str, object]:
    """Trees are stored by the parents of their nodes, so that a label can be any text."""
    roots = np.repeat(trees.offsets[:-1], np.diff(trees.offsets))
    parents = np.where(trees.parents < 0, -1, trees.parents - roots)
    used, labels = np.unique(trees.labels, return_inverse=True)
    words = Verbatim([trees.vocabulary[number] for number in used])
    return {
        "words": words,
        "nodes": labels.astype(np.int32),
        "parents": parents.astype(np.int32),
        "lengths": np.diff(trees.offsets),
    }


def _unpack_trees(state: State) -> Trees:
    TREES.check(state, "trees")
    nodes, parents, words = state["nodes"], state["parents"].astype(np.int64), state["words"].value
    offsets = _unpack_offsets(state)
    roots = np.repeat(offsets[:-1], np.diff(offsets))
    if (parents >= np.repeat(state["lengths"], state["lengths"])).any():
        raise ModelFileError("its trees do not fit together")
    # `Trees.from_parents` checks that the parents form trees.
    return Trees.from_parents(np.where(parents < 0, -1, parents + roots), nodes, offsets, words)


def _unpack_offsets(state: State) -> Ints:
    """Return the offsets of texts or trees of these lengths, none of which may be too long to be compared."""
    lengths: Ints = state["lengths"]
    longest = int(lengths.max(initial=0))
    state.limits.check("item_size", longest, f"it has a training text or tree of {longest:,} words or nodes")
    return offsets_of(lengths)


def _unpack_list(state: State, name: str) -> list[Any]:
    value = state.get(name)
    if not isinstance(value, Verbatim) or not isinstance(value.value, list):
        raise ModelFileError(f"its {name} are damaged")
    return value.value
