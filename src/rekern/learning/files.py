"""Model files: a zip of JSON and plain arrays. Nothing is unpickled, so a model from a stranger cannot run code."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from rekern.errors import ModelFileError
from rekern.files import atomic_path, readable
from rekern.kernels.base import Gaussian, Kernel, Normalized, Product, Scaled, Sum
from rekern.kernels.rewriting import Rewriting
from rekern.kernels.strings import Spectrum, Wildcard
from rekern.kernels.subsequence import Subsequence
from rekern.learning.base import PairModel
from rekern.learning.classifier import PairClassifier
from rekern.learning.ranker import PairRanker
from rekern.learning.regressor import PairRegressor
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures.tokens import Tokenizer

FORMAT = "rekern model"
VERSION = 1
LARGEST_MEMBER = 1 << 31

KERNELS = (
    Rewriting,
    Spectrum,
    Wildcard,
    Subsequence,
    PrecisionRecall,
    Similarities,
    Sum,
    Product,
    Scaled,
    Normalized,
    Gaussian,
)
OBJECTS: dict[str, type] = {kind.__name__: kind for kind in (*KERNELS, Tokenizer)}
MODELS: dict[str, type[PairModel]] = {kind.__name__: kind for kind in (PairClassifier, PairRegressor, PairRanker)}


def describe(value: Any) -> Any:
    """A kernel, a tokenizer or a plain parameter as JSON.

    >>> describe(Spectrum(2))
    {'type': 'Spectrum', 'k': 2, 'normalize': True, 'tokenizer': None}
    """
    if type(value) in OBJECTS.values():
        parameters = value.get_params(deep=False)
        return {"type": type(value).__name__, **{name: describe(parameter) for name, parameter in parameters.items()}}
    if isinstance(value, tuple):
        return {"type": "tuple", "items": [describe(item) for item in value]}
    if isinstance(value, list):
        return [describe(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"a model with {value!r} in its kernel cannot be saved; give the kernel ready-made tokens instead")


def build(description: Any) -> Any:
    """The kernel, tokenizer or parameter that `describe` wrote down."""
    if isinstance(description, list):
        return [build(item) for item in description]
    if not isinstance(description, dict):
        return description
    kind = description.get("type")
    if kind == "tuple":
        return tuple(build(item) for item in description.get("items", []))
    if kind not in OBJECTS:
        raise ModelFileError(f"it uses {kind!r}, which this Rekern does not know")
    return OBJECTS[kind](**{name: build(value) for name, value in description.items() if name != "type"})


def save_model(model: PairModel, path: str | Path) -> None:
    """Write a trained model; the file appears only when it is complete."""
    from rekern import __version__

    parameters = {
        name: value for name, value in model.get_params(deep=False).items() if name not in ("kernel", "n_jobs")
    }
    header = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": __version__,
        "model": type(model).__name__,
        "parameters": {name: describe_parameter(value) for name, value in parameters.items()},
        "kernel": describe(model.kernel_),
        "solver": model.solver_,
        "labels": [label.item() for label in model.labels_],
    }
    arrays = {"coefficients": model.coefficients_, "intercept": model.intercept_}
    if getattr(model, "calibration_", None) is not None:
        arrays["calibration"] = model.calibration_
    pairs = [[_side(source), _side(target)] for source, target in model.pairs_]
    with atomic_path(Path(path)) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(header, ensure_ascii=True, indent=1))
        archive.writestr("pairs.json", json.dumps(pairs, ensure_ascii=True))
        for name, array in arrays.items():
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
            return _read(archive)
    except ModelFileError as error:
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
    kind = MODELS.get(header["model"])
    if kind is None:
        raise ModelFileError(f"it holds a {header['model']!r}, which this Rekern does not know")
    kernel = build(header["kernel"])
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
    model = kind(kernel=kernel, **parameters)
    model.kernel_ = kernel
    model.pairs_, model.labels_, model._scorer = pairs, labels, None
    model.coefficients_, model.intercept_ = coefficients, intercept
    model.solver_ = str(header["solver"])
    if isinstance(model, PairClassifier):
        model.classes_ = np.unique(labels)
        outputs = 1 if len(model.classes_) == 2 else len(model.classes_)
        model.calibration_ = _array(archive, "calibration", 2) if "calibration.npy" in names else None
        if model.calibration_ is not None and model.calibration_.shape != (outputs, 2):
            raise ModelFileError("its calibration does not fit its classes")
        if len(intercept) != outputs or len(model.classes_) < 2:
            raise ModelFileError("its classes do not fit its coefficients")
    elif len(intercept) != 1:
        raise ModelFileError("its parts do not fit together")
    if isinstance(model, PairRegressor):
        model.levels_ = np.unique(labels)
    kernel.fit(pairs)
    kernel.diag([("a b", "a")])  # a kernel with impossible parameters says so now, not at the first prediction
    return model


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, unless it would unpack to more than any model of ours has."""
    size = archive.getinfo(name).file_size
    if size > LARGEST_MEMBER:
        raise ModelFileError(f"its {name} would unpack to {size:,} bytes; no model has more than {LARGEST_MEMBER:,}")
    return archive.read(name)


def _array(archive: zipfile.ZipFile, name: str, dimensions: int) -> np.ndarray:
    stream = io.BytesIO(_member(archive, f"{name}.npy"))
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ModelFileError(f"its {name} are not a table of numbers")
    shape, by_column, kind = np.lib.format.read_array_header_1_0(stream)
    content = stream.read()
    # Checked before an array is made: a header may claim any size.
    if by_column or kind != np.float64 or len(shape) != dimensions or math.prod(shape) * 8 != len(content):
        raise ModelFileError(f"its {name} are not a table of numbers")
    array = np.frombuffer(content, dtype=np.float64).reshape(shape)
    if not np.isfinite(array).all():
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
