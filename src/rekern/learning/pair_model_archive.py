"""Writing of a model of pairs to the content of a model file, and reading of the model from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from rekern.core.json_values import Json, JsonObject
from rekern.core.model_archive import VERSION, WORDS_ONLY, ModelContent, OpenArchive
from rekern.core.object_descriptions import Arrays, build, describe
from rekern.errors import ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.learning.kernel_choice import KernelChoice
from rekern.learning.pair_input import Pair, Side
from rekern.structures.graphs import Graphs
from rekern.structures.representation_columns import Column
from rekern.structures.representations import Representations
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

if TYPE_CHECKING:
    from rekern.learning.pair_model import PairModel

Model = TypeVar("Model", bound="PairModel")


def pack_model(model: PairModel, more: Arrays) -> ModelContent:
    """Return the content of the file of a fitted model; ``more`` are arrays of its class, such as a calibration."""
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
    if model.how_chosen_ is not None:
        header["how_chosen"] = model.how_chosen_.to_dict()
    version = WORDS_ONLY if model.items_ is None and not arrays else VERSION
    arrays |= {"coefficients": model.coefficients_, "intercept": model.intercept_, **more}
    members: dict[str, Json] = {
        "pairs.json": [[_describe_side(source), _describe_side(target)] for source, target in model.pairs_]
    }
    if model.items_ is not None:
        columns = {name: _describe_column(model.items_[name]) for name in model.items_.columns}
        members["representations.json"] = columns
    return ModelContent(header, members, arrays, version)


def unpack_model(kind: type[Model], archive: OpenArchive) -> Model:
    """Build the model from a file, and check that its parts fit together."""
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
    if "n_jobs" in parameters:  # n_jobs is not saved: the user who loads the model chooses it
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
    model.how_chosen_ = KernelChoice.from_dict(header["how_chosen"]) if "how_chosen" in header else None
    kernel.adapt(pairs if model.items_ is None else model.items_)
    # Bad parameters of the kernel and missing representations raise an error here, not at the first prediction.
    kernel.diag([("a b", "a")] if model.items_ is None else model.items_.take([0]))
    return model


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
        "texts": list(column) if isinstance(column, Tokens) else [_describe_value(v) for v in column],
    }


def _describe_value(value: object) -> Json:
    """Return a text, a list of tokens, or a graph as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(name): _describe_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_describe_value(part) for part in value]
    if isinstance(value, bool | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    raise ValueError(f"a model with {value!r} in a training pair cannot be saved; give texts, trees or graphs")


def _build_column(description: JsonObject) -> Column:
    """Build a column from the result of `_describe_column`."""
    kind = description["kind"]
    if kind == "graphs":
        return Graphs.from_items([(nodes, edges) for nodes, edges in description["graphs"]])
    if kind == "texts" and isinstance(description["texts"], list):
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
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    # `Trees.from_parents` checks that the parents form trees.
    return Trees.from_parents(
        np.where(parents < 0, -1, parents + np.repeat(offsets[:-1], sizes)), nodes, offsets, labels
    )


def _describe_parameter(value: object) -> Json:
    """Return a parameter of a model as JSON; dicts are lists of items, because keys of class weights may be numbers."""
    if isinstance(value, dict):
        return {"type": "dict", "items": [[describe(key), describe(item)] for key, item in value.items()]}
    return describe(value)


def _build_parameter(description: object) -> object:
    """Build a parameter from the result of `_describe_parameter`."""
    if isinstance(description, dict) and description.get("type") == "dict":
        return {build(key): build(item) for key, item in description["items"]}
    return build(description)
