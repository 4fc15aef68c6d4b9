"""What a model of pairs keeps in its file, and the model made again from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from rekern.core.model_archive import VERSION, WORDS_ONLY, ModelContent, OpenArchive
from rekern.core.object_descriptions import Arrays, build, describe
from rekern.errors import ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.learning.pair_input import Pair, Side
from rekern.structures.graphs import Graphs
from rekern.structures.representation_columns import Column
from rekern.structures.representations import Representations
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

if TYPE_CHECKING:
    from rekern.learning.pair_model import PairModel

Model = TypeVar("Model", bound="PairModel")
Json: TypeAlias = Any  # what json.dumps takes


def pack_model(model: PairModel, more: Arrays) -> ModelContent:
    """The content of a model's file; ``more`` are arrays of its class, such as a calibration."""
    parameters = {
        name: value for name, value in model.get_params(deep=False).items() if name not in ("kernel", "n_jobs")
    }
    arrays: Arrays = {}
    kernel = describe(model.kernel_, arrays)
    header = {
        "parameters": {name: _describe_parameter(value) for name, value in parameters.items()},
        "kernel": kernel,
        "kernel_arrays": len(arrays),
        "solver": model.solver_,
        "labels": [label.item() for label in model.labels_],
    }
    version = WORDS_ONLY if model.items_ is None and not arrays else VERSION
    arrays |= {"coefficients": model.coefficients_, "intercept": model.intercept_, **more}
    members: dict[str, Any] = {
        "pairs.json": [[_write_side(source), _write_side(target)] for source, target in model.pairs_]
    }
    if model.items_ is not None:
        columns = {name: _describe_column(model.items_[name]) for name in model.items_.columns}
        members["representations.json"] = columns
    return ModelContent(header, members, arrays, version)


def unpack_model(kind: type[Model], archive: OpenArchive) -> Model:
    """The model of a file, its parts checked to fit together."""
    header = archive.header
    stored: Arrays = {
        f"array-{number}": archive.read_array(f"array-{number}") for number in range(header.get("kernel_arrays", 0))
    }
    kernel = build(header["kernel"], stored)
    if not isinstance(kernel, Kernel):
        raise ModelFileError("it has no kernel")
    pairs = [_check_pair(pair) for pair in archive.read_json("pairs.json")]
    labels = np.array(header["labels"])
    coefficients = archive.read_array("coefficients", 2)
    intercept = archive.read_array("intercept", 1)
    if labels.ndim != 1 or labels.dtype.kind not in "iufbU" or coefficients.shape != (len(pairs), len(intercept)):
        raise ModelFileError("its parts do not fit together")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ModelFileError("one of its labels is not a finite number")
    if len(labels) != len(pairs):
        raise ModelFileError(f"it has {len(pairs)} training pairs but {len(labels)} labels")
    parameters = {name: _build_parameter(value) for name, value in header["parameters"].items()}
    if "n_jobs" in parameters:  # the reader's own choice
        raise ModelFileError("it says how many threads to use")
    model = kind(kernel=kernel, **parameters)
    model.kernel_ = kernel
    model.items_ = None
    if archive.has("representations.json"):
        columns = archive.read_json("representations.json")
        model.items_ = Representations({name: _build_column(column) for name, column in columns.items()})
        if len(model.items_) != len(pairs):
            raise ModelFileError("its training pairs and their representations differ in number")
    model.pairs_, model.labels_ = pairs, labels
    model.coefficients_, model.intercept_ = coefficients, intercept
    model.solver_ = str(header["solver"])
    kernel.adapt(pairs if model.items_ is None else model.items_)
    # A kernel with impossible parameters, or without what it reads, says so now, not at the first prediction.
    kernel.diag([("a b", "a")] if model.items_ is None else model.items_.take([0]))
    return model


def _write_side(side: Side) -> str | list[str]:
    return side if isinstance(side, str) else [str(token) for token in side]


def _check_pair(pair: object) -> Pair:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelFileError("one of its training pairs is not a pair")
    return _check_side(pair[0]), _check_side(pair[1])


def _check_side(side: object) -> Side:
    if isinstance(side, str) or (isinstance(side, list) and all(isinstance(token, str) for token in side)):
        return side
    raise ModelFileError("one of its training pairs is not text")


def _describe_column(column: Column) -> dict[str, Json]:
    """A column of a table of representations as JSON; trees by their parents, so that any label will do."""
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
    return {"kind": "texts", "texts": list(column) if isinstance(column, Tokens) else [_write_value(v) for v in column]}


def _write_value(value: object) -> Json:
    """A text, a list of tokens, or a graph, as it was given."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(name): _write_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_write_value(part) for part in value]
    if isinstance(value, bool | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    raise ValueError(f"a model with {value!r} in a training pair cannot be saved; give texts, trees or graphs")


def _build_column(described: dict[str, Any]) -> Column:
    kind = described["kind"]
    if kind == "graphs":
        return Graphs.from_items([(nodes, edges) for nodes, edges in described["graphs"]])
    if kind == "texts" and isinstance(described["texts"], list):
        return described["texts"]
    if kind != "trees":
        raise ModelFileError(f"it has a representation of an unknown kind {kind!r}")
    numbers = [np.array(described[name], dtype=np.int64).reshape(-1) for name in ("nodes", "parents", "sizes")]
    nodes, parents, sizes = numbers
    labels = [str(label) for label in described["labels"]]
    possible = bool(((sizes >= 0) & (sizes <= len(nodes))).all())  # huge ones might add up to anything
    fits = possible and len(nodes) == len(parents) == sizes.sum()
    if not fits or (len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(labels))):
        raise ModelFileError("its trees do not fit together")
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    # Which parents make a tree is checked where trees are made.
    return Trees.from_parents(
        np.where(parents < 0, -1, parents + np.repeat(offsets[:-1], sizes)), nodes, offsets, labels
    )


def _describe_parameter(value: object) -> Json:
    """A parameter of a model as JSON; class weights have keys that need not be strings."""
    if isinstance(value, dict):
        return {"type": "dict", "items": [[describe(key), describe(item)] for key, item in value.items()]}
    return describe(value)


def _build_parameter(description: object) -> object:
    """The parameter that `_describe_parameter` wrote down."""
    if isinstance(description, dict) and description.get("type") == "dict":
        return {build(key): build(item) for key, item in description["items"]}
    return build(description)
