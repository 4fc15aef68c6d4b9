"""The training pairs of a model as members of a model file, and their reading."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import AnyArray, offsets_of
from rekern.core.json_values import Json, JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.core.model_limits import ModelLimits
from rekern.errors import ModelFileError
from rekern.learning.pair_input import Pair, Side
from rekern.structures.graphs import Graphs
from rekern.structures.item_states import check_item_sizes, pack_value
from rekern.structures.representation_columns import Column
from rekern.structures.representations import Representations
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees


def describe_training(pairs: list[Pair], items: Representations | None) -> dict[str, Json]:
    """Return the members with the training pairs and their representations.

    >>> describe_training([("a b", "c")], None)
    {'pairs.json': [['a b', 'c']]}
    """
    members: dict[str, Json] = {"pairs.json": [[_describe_side(side) for side in pair] for pair in pairs]}
    if items is not None:
        members["representations.json"] = {name: _describe_column(items[name]) for name in items.columns}
    return members


def read_training(archive: OpenArchive) -> tuple[list[Pair], Representations | None]:
    """Return the training pairs of a file, and their representations, if the kernel reads more than words."""
    pairs = [_check_pair(pair) for pair in archive.read_json("pairs.json")]
    check_item_sizes([side for pair in pairs for side in pair], archive.limits)
    if not archive.has("representations.json"):
        return pairs, None
    columns = archive.read_json("representations.json")
    items = Representations({name: _build_column(column, archive.limits) for name, column in columns.items()})
    if len(items) != len(pairs):
        raise ModelFileError("its training pairs and their representations differ in number")
    return pairs, items


def read_labels(archive: OpenArchive, name: str = "labels") -> AnyArray:
    """Return the labels in the header of a file."""
    labels = np.array(archive.header[name])
    if labels.ndim != 1 or labels.dtype.kind not in "iufbU":
        raise ModelFileError("its labels are damaged")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ModelFileError("one of its labels is not a finite number")
    return labels


def _describe_side(side: Side) -> str | list[str]:
    return side if isinstance(side, str) else [str(token) for token in side]


def _check_pair(pair: object) -> Pair:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelFileError("one of its training pairs is not a pair")
    return _check_side(pair[0]), _check_side(pair[1])


def _check_side(side: object) -> Side:
    if isinstance(side, str) or (isinstance(side, list) and all(isinstance(token, str) for token in side)):
        return side
    raise ModelFileError("one of its training pairs is not text")


def _describe_column(column: Column) -> JsonObject:
    """Return a column of a table of representations as JSON.

    Trees are stored by the parents of their nodes, so that a label can be any text.
    """
    if isinstance(column, Trees):
        roots = np.repeat(column.offsets[:-1], np.diff(column.offsets))
        parents = np.where(column.parents < 0, -1, column.parents - roots)
        used, labels = np.unique(column.labels, return_inverse=True)
        return {
            "kind": "trees",
            "labels": [column.vocabulary[number] for number in used],
            "nodes": labels.tolist(),
            "parents": parents.tolist(),
            "sizes": np.diff(column.offsets).tolist(),
        }
    if isinstance(column, Graphs):
        return {"kind": "graphs", "graphs": list(column)}
    return {
        "kind": "texts",
        "texts": list(column) if isinstance(column, Tokens) else [pack_value(value) for value in column],
    }


def _build_column(description: JsonObject, limits: ModelLimits) -> Column:
    """Build a column from the result of `_describe_column`."""
    kind = description["kind"]
    if kind == "graphs":
        check_item_sizes(description["graphs"], limits)
        return Graphs.from_items([(nodes, edges) for nodes, edges in description["graphs"]])
    if kind == "texts" and isinstance(description["texts"], list):
        check_item_sizes(description["texts"], limits)
        return description["texts"]
    if kind != "trees":
        raise ModelFileError(f"it has a representation of an unknown kind {kind!r}")
    numbers = [np.array(description[name], dtype=np.int64).reshape(-1) for name in ("nodes", "parents", "sizes")]
    nodes, parents, sizes = numbers
    labels = [str(label) for label in description["labels"]]
    possible = bool(((sizes >= 0) & (sizes <= len(nodes))).all())  # the sum of huge numbers might overflow
    fits = possible and len(nodes) == len(parents) == sizes.sum()
    if not fits or (len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(labels))):
        raise ModelFileError("its trees do not fit together")
    largest = int(sizes.max(initial=0))
    limits.check("item_size", largest, f"it has a training tree of {largest:,} nodes")
    offsets = offsets_of(sizes)
    # `Trees.from_parents` checks that the parents form trees.
    return Trees.from_parents(
        np.where(parents < 0, -1, parents + np.repeat(offsets[:-1], sizes)), nodes, offsets, labels
    )
