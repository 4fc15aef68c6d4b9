"""Model files: a zip of JSON and plain arrays. Nothing is unpickled, so a model from a stranger cannot run code."""

from __future__ import annotations

import io
import json
import math
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rekern.errors import MissingDataError, MissingExtraError, ModelFileError
from rekern.files import atomic_path, readable
from rekern.kernels.base import Kernel
from rekern.learning.base import PairModel
from rekern.learning.classifier import PairClassifier
from rekern.learning.descriptions import Arrays, build, describe
from rekern.learning.ranker import PairRanker
from rekern.learning.regressor import PairRegressor
from rekern.structures.graphs import Graphs
from rekern.structures.representations import Column, Representations
from rekern.structures.tokens import Tokens
from rekern.structures.trees import Trees

FORMAT = "rekern model"
VERSION = 2  # since trees, graphs and other representations of the training pairs are stored beside their words
WORDS_ONLY = 1  # what a model of words alone is written as: older releases read it
LARGEST_MEMBER = 1 << 31
UNSUSPECTED = 1 << 26  # bytes that any file may unpack to
TIMES = 200  # its own size that a larger one may unpack to: zeros shrink to a thousandth, texts and trees to a tenth
LARGEST_NUMBER = 1e100  # sums and products of such numbers are finite

MODELS: dict[str, type[PairModel]] = {kind.__name__: kind for kind in (PairClassifier, PairRegressor, PairRanker)}

# Models that are not of pairs: the module whose ``read(header, archive)`` makes one; loaded only when a file needs it.
READERS = {"QuestionClassifier": "rekern.questions.files", "SemanticParser": "rekern.krisp.files"}


def save_model(model: PairModel, path: str | Path) -> None:
    """Write a trained model; the file appears only when it is complete."""
    from rekern import __version__

    parameters = {
        name: value for name, value in model.get_params(deep=False).items() if name not in ("kernel", "n_jobs")
    }
    arrays: Arrays = {}
    kernel = describe(model.kernel_, arrays)
    header = {
        "format": FORMAT,
        "version": WORDS_ONLY if model.items_ is None and not arrays else VERSION,
        "written_by": __version__,
        "model": type(model).__name__,
        "parameters": {name: describe_parameter(value) for name, value in parameters.items()},
        "kernel": kernel,
        "kernel_arrays": len(arrays),
        "solver": model.solver_,
        "labels": [label.item() for label in model.labels_],
    }
    arrays |= {"coefficients": model.coefficients_, "intercept": model.intercept_}
    if getattr(model, "calibration_", None) is not None:
        arrays["calibration"] = model.calibration_
    pairs = [[_side(source), _side(target)] for source, target in model.pairs_]
    with atomic_path(Path(path)) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(header, ensure_ascii=True, indent=1))
        archive.writestr("pairs.json", json.dumps(pairs, ensure_ascii=True))
        if model.items_ is not None:
            columns = {name: _described_column(model.items_[name]) for name in model.items_.columns}
            archive.writestr("representations.json", json.dumps(columns, ensure_ascii=True))
        for name, array in arrays.items():
            if 8 * array.size >= LARGEST_MEMBER:
                raise ValueError(
                    f"a model with {array.size:,} numbers in an array could not be loaded; use fewer words"
                )
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array, dtype=np.float64), allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


def load_model(path: str | Path) -> Any:
    """Read a model that ``save`` wrote.

    A file that is damaged, truncated, of another kind or written by a newer Rekern raises ``ModelFileError``.

    >>> load_model("no such file.rekern")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file
    """
    name = readable(path)
    try:
        if not Path(path).exists():
            raise ModelFileError("there is no such file")
        if Path(path).is_dir():
            raise ModelFileError("this is a folder, not a model file")
        with zipfile.ZipFile(path) as archive:
            _check_size(archive, Path(path).stat().st_size)
            return _read(archive)
    except (ModelFileError, MissingDataError, MissingExtraError) as error:
        raise ModelFileError(f"{name}: {error}") from None
    except OSError as error:
        raise ModelFileError(f"{name}: it cannot be read ({error.strerror or error})") from None
    except zipfile.BadZipFile:
        raise ModelFileError(f"{name}: this is not a model file, or it is truncated; train and save it again") from None
    except MemoryError:
        raise
    except Exception as error:
        # Whatever a damaged or hostile file provokes in the readers below, it means one thing to the caller.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(f"{name}: the model file is damaged ({reason}); train and save it again") from None


def _read(archive: zipfile.ZipFile) -> PairModel:
    names = set(archive.namelist())
    if "model.json" not in names:
        raise ModelFileError("this is a zip file, but not a Rekern model")
    header = json.loads(_member(archive, "model.json"))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError("this is a zip file, but not a Rekern model")
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"it has no valid version ({version!r})")
    if version > VERSION:
        raise ModelFileError(
            f"it is of format version {version}, written by Rekern {header.get('written_by')!r}; "
            f"this Rekern reads up to version {VERSION}: upgrade it"
        )
    if header["model"] in READERS:
        return import_module(READERS[header["model"]]).read(header, archive)
    kind = MODELS.get(header["model"])
    if kind is None:
        raise ModelFileError(f"it holds a {header['model']!r}, which this Rekern does not know")
    stored = {f"array-{number}": _array(archive, f"array-{number}") for number in range(header.get("kernel_arrays", 0))}
    kernel = build(header["kernel"], stored)
    if not isinstance(kernel, Kernel):
        raise ModelFileError("it has no kernel")
    pairs = [_checked_pair(pair) for pair in json.loads(_member(archive, "pairs.json"))]
    labels = np.array(header["labels"])
    coefficients = _array(archive, "coefficients", 2)
    intercept = _array(archive, "intercept", 1)
    if labels.ndim != 1 or labels.dtype.kind not in "iufbU" or coefficients.shape != (len(pairs), len(intercept)):
        raise ModelFileError("its parts do not fit together")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ModelFileError("one of its labels is not a finite number")
    if len(labels) != len(pairs):
        raise ModelFileError(f"it has {len(pairs)} training pairs but {len(labels)} labels")
    parameters = {name: build_parameter(value) for name, value in header["parameters"].items()}
    if "n_jobs" in parameters:  # the reader's own choice
        raise ModelFileError("it says how many threads to use")
    model = kind(kernel=kernel, **parameters)
    model.kernel_ = kernel
    model.items_ = None
    if "representations.json" in names:
        columns = json.loads(_member(archive, "representations.json"))
        model.items_ = Representations({name: _built_column(column) for name, column in columns.items()})
        if len(model.items_) != len(pairs):
            raise ModelFileError("its training pairs and their representations differ in number")
    model.pairs_, model.labels_, model._scorer = pairs, labels, None
    model.coefficients_, model.intercept_ = coefficients, intercept
    model.solver_ = str(header["solver"])
    if isinstance(model, PairClassifier):
        model.classes_ = np.unique(labels)
        outputs = 1 if len(model.classes_) == 2 else len(model.classes_)
        model.calibration_ = _array(archive, "calibration", 2) if "calibration.npy" in names else None
        if (model.calibration_ is None) != (not model.calibration):
            raise ModelFileError("it lacks its calibration")
        if model.calibration_ is not None and model.calibration_.shape != (outputs, 2):
            raise ModelFileError("its calibration does not fit its classes")
        if len(intercept) != outputs or len(model.classes_) < 2:
            raise ModelFileError("its classes do not fit its coefficients")
    elif len(intercept) != 1:
        raise ModelFileError("its parts do not fit together")
    if isinstance(model, PairRegressor):
        model.levels_ = np.unique(labels)
    kernel.fit(pairs if model.items_ is None else model.items_)
    # A kernel with impossible parameters, or without what it reads, says so now, not at the first prediction.
    kernel.diag([("a b", "a")] if model.items_ is None else model.items_.take([0]))
    return model


def _check_size(archive: zipfile.ZipFile, packed: int) -> None:
    """Refuse a small file that would fill the memory."""
    size = sum(member.file_size for member in archive.infolist())
    if size > max(UNSUSPECTED, TIMES * packed):
        raise ModelFileError(f"its {packed:,} bytes would unpack to {size:,}; no model is like that")


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, unless it would unpack to more than any model of ours has."""
    size = archive.getinfo(name).file_size
    if size > LARGEST_MEMBER:
        raise ModelFileError(f"its {name} would unpack to {size:,} bytes; no model has more than {LARGEST_MEMBER:,}")
    return archive.read(name)


def _array(archive: zipfile.ZipFile, name: str, dimensions: int | None = None) -> np.ndarray:
    stream = io.BytesIO(_member(archive, f"{name}.npy"))
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ModelFileError(f"its {name} are not a table of numbers")
    shape, by_column, kind = np.lib.format.read_array_header_1_0(stream)
    content = stream.read()
    # Checked before an array is made: a header may claim any size.
    if (
        by_column
        or kind != np.float64
        or len(shape) != (dimensions or len(shape))
        or math.prod(shape) * 8 != len(content)
    ):
        raise ModelFileError(f"its {name} are not a table of numbers")
    array = np.frombuffer(content, dtype=np.float64).reshape(shape)
    if not (np.abs(array) <= LARGEST_NUMBER).all():
        raise ModelFileError(f"its {name} are not finite numbers")
    return array


def _side(side: Any) -> Any:
    return side if isinstance(side, str) else [str(token) for token in side]


def _checked_pair(pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ModelFileError("one of its training pairs is not a pair")
    return _checked_side(pair[0]), _checked_side(pair[1])


def _checked_side(side: Any) -> Any:
    if isinstance(side, str) or (isinstance(side, list) and all(isinstance(token, str) for token in side)):
        return side
    raise ModelFileError("one of its training pairs is not text")


def _described_column(column: Column) -> dict[str, Any]:
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
    return {"kind": "texts", "texts": list(column) if isinstance(column, Tokens) else [_value(v) for v in column]}


def _value(value: Any) -> Any:
    """A text, a list of tokens, or a graph, as it was given."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(name): _value(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_value(part) for part in value]
    if isinstance(value, bool | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    raise ValueError(f"a model with {value!r} in a training pair cannot be saved; give texts, trees or graphs")


def _built_column(described: Any) -> Column:
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


def describe_parameter(value: Any) -> Any:
    """A parameter of a model as JSON; class weights have keys that need not be strings."""
    if isinstance(value, dict):
        return {"type": "dict", "items": [[describe(key), describe(item)] for key, item in value.items()]}
    return describe(value)


def build_parameter(description: Any) -> Any:
    """The parameter that `describe_parameter` wrote down."""
    if isinstance(description, dict) and description.get("type") == "dict":
        return {build(key): build(item) for key, item in description["items"]}
    return build(description)
