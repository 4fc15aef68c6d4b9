"""Model files: a zip of JSON and plain arrays. Nothing is unpickled, so a model from a stranger cannot run code.

`save_model` writes and `load_model` reads a model of any registered class. The class says what it keeps: its
``to_archive`` gives a `ModelContent`, its ``from_archive`` makes the model again from an `OpenArchive`.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from rekern.core.archive_members import (
    check_checksum,
    check_members,
    compute_checksum,
    read_array,
    read_json,
    write_array,
    write_member,
)
from rekern.core.arrays import AnyArray, Floats
from rekern.core.files import show_path, write_atomically
from rekern.core.json_values import Json, JsonMapping, JsonObject
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.object_descriptions import PLAIN_CONTEXT, BuildContext
from rekern.core.registry import find_class
from rekern.core.state_schema import find_schema
from rekern.core.version import __version__
from rekern.errors import MissingDataError, MissingExtraError, ModelFileError

FORMAT = "rekern model"
VERSION = 3  # since the decision functions of pair models are stored, and training pairs only on request
BEFORE_DECISIONS = 2  # what other models are written as: older releases read them
RESOURCES = ("wordnet", "thesaurus", "tagger", "parser")
LONGEST_REASON = 300  # characters
TABLE_TYPES = ("u1", "u4", "u8", "i4", "i8", "f4", "f8")


@dataclass(frozen=True)
class ModelContent:
    """What a model file holds: a header, more members as JSON, and arrays of numbers, each under a name.

    ``arrays`` are written as float64, ``tables`` with their own type, of `TABLE_TYPES`.
    """

    header: JsonMapping
    members: JsonMapping = field(default_factory=dict)
    arrays: Mapping[str, AnyArray] = field(default_factory=dict)
    tables: Mapping[str, AnyArray] = field(default_factory=dict)
    version: int = BEFORE_DECISIONS


@dataclass(frozen=True)
class OpenArchive:
    """A model file that is being read: its header, checked, and its members on request."""

    header: JsonObject
    archive: zipfile.ZipFile
    context: BuildContext = PLAIN_CONTEXT

    @property
    def limits(self) -> ModelLimits:
        """The limits of the one who reads the file."""
        return self.context.limits

    def has(self, name: str) -> bool:
        """Whether there is a member of this name, such as ``pairs.json`` or ``weights.npy``."""
        return name in self.archive.namelist()

    def read_json(self, name: str) -> Json:
        """What a member says, as JSON."""
        return read_json(self.archive, name, self.limits)

    def read_array(self, name: str, dimensions: int | None = None) -> Floats:
        """An array of finite numbers, with this number of dimensions."""
        array: Floats = read_array(self.archive, name, ("f8",), dimensions)
        return array

    def read_table(self, name: str) -> AnyArray:
        """An array of one of the types of `TABLE_TYPES`; floating-point numbers in it are finite."""
        array: AnyArray = read_array(self.archive, name, TABLE_TYPES)
        return array


@runtime_checkable
class StorableModel(Protocol):
    """A model that can be saved: what a class registered as a model must have."""

    def to_archive(self) -> ModelContent:
        """What prediction and explanation need, as plain data."""
        ...

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model that `to_archive` wrote down; anything wrong raises ``ModelFileError``."""
        ...


def save_model(model: StorableModel, path: str | os.PathLike[str], content: ModelContent | None = None) -> None:
    """Write a trained model; the file appears only when it is complete.

    ``content`` is what to write, by default what ``model.to_archive()`` returns.

    >>> from tempfile import TemporaryDirectory
    >>> from rekern import PairClassifier
    >>> model = PairClassifier(calibration=0).fit([("a b", "b a"), ("a b", "a c")], [1, 0])
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/m.rekern")
    ...     load_model(f"{folder}/m.rekern").predict([("a b", "b a")])
    array([1])
    """
    content = model.to_archive() if content is None else content
    write_archive(path, {"model": type(model).__name__, **content.header}, content)


def load_model(path: str | os.PathLike[str], *, limits: ModelLimits = DEFAULT_LIMITS, **resources: object) -> Any:
    """Read a model that ``save`` wrote.

    A file that is damaged, truncated, of another kind, written by a newer Rekern, or that exceeds the limits raises
    ``ModelFileError``. The file may come from a stranger: it is data, runs no code, and opens nothing.

    Parameters
    ----------
    path : str or path
        The model file.
    limits : ModelLimits
        What the file may ask for.
    wordnet, thesaurus, tagger, parser : optional
        What a model may need but does not contain: the folder of WordNet (or ``"wn:"`` and a lexicon, or a `WordNet`),
        a file of word pairs, the name of a tagger of questions, a function from texts to trees for a semantic parser.
        A file that needs one says which.

    Examples
    --------

    >>> load_model("no such file.rekern")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file: check the path
    """
    for resource in resources:
        if resource not in RESOURCES:
            raise TypeError(f"load_model has no parameter {resource!r}; it has limits, {', '.join(RESOURCES)}")
    with open_archive(path, limits, resources) as archive:
        name = archive.header["model"]
        kind = find_class(name) if isinstance(name, str) else None
        if kind is None or not issubclass(kind, StorableModel):
            raise ModelFileError(f"it holds a {name!r}, which this Rekern does not know")
        schema = find_schema(kind)
        if schema is not None and schema.header is not None:
            schema.header.check(archive.header, "model.json")
        return kind.from_archive(archive)


def write_archive(path: str | os.PathLike[str], header: JsonMapping, content: ModelContent) -> None:
    """Write a header, with the format and the version, all else that a model file holds, and a checksum.

    The same content gives the same bytes.
    """
    whole = {"format": FORMAT, "version": content.version, "written_by": __version__, **header}
    with write_atomically(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        write_member(archive, "model.json", json.dumps(whole, ensure_ascii=True, indent=1).encode())
        for name, member in content.members.items():
            write_member(archive, name, json.dumps(member, ensure_ascii=True).encode())
        for name, array in content.arrays.items():
            write_array(archive, name, np.ascontiguousarray(array, dtype=np.float64))
        for name, array in content.tables.items():
            write_array(archive, name, np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")))
        archive.comment = compute_checksum(archive)


@contextmanager
def open_archive(
    path: str | os.PathLike[str],
    limits: ModelLimits = DEFAULT_LIMITS,
    resources: Mapping[str, object] | None = None,
) -> Iterator[OpenArchive]:
    """Open a model file and check its header.

    Whatever fails in the block is a ``ModelFileError`` that names the file.

    >>> with open_archive("no such file.rekern"):
    ...     pass
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file: check the path
    """
    name = show_path(path)
    try:
        if not Path(path).exists():
            raise ModelFileError("there is no such file: check the path")
        if Path(path).is_dir():
            raise ModelFileError("this is a folder, not a model file")
        with zipfile.ZipFile(path) as archive:
            check_members(archive, Path(path).stat().st_size, limits)
            check_checksum(archive)
            given = {name: value for name, value in (resources or {}).items() if value is not None}
            yield OpenArchive(_read_header(archive, limits), archive, BuildContext(limits, given))
    except (ModelFileError, MissingDataError, MissingExtraError) as error:
        raise ModelFileError(f"{name}: {_shorten(error)}") from None
    except OSError as error:
        raise ModelFileError(f"{name}: it cannot be read ({error.strerror or error})") from None
    except zipfile.BadZipFile:
        raise ModelFileError(f"{name}: this is not a model file, or it is truncated; train and save it again") from None
    except MemoryError:
        raise ModelFileError(f"{name}: it needs more memory than there is") from None
    except Exception as error:
        # Whatever a damaged or hostile file provokes in its readers, it means one thing to the caller.
        raise ModelFileError(
            f"{name}: the model file is damaged ({_shorten(error)}); train and save it again"
        ) from None


def _shorten(error: Exception) -> str:
    """Return the message of an error in one line; it may quote what a file says, which may be long."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…"


def _read_header(archive: zipfile.ZipFile, limits: ModelLimits) -> JsonObject:
    if "model.json" not in archive.namelist():
        raise ModelFileError("this is a zip file, but not a Rekern model")
    header = read_json(archive, "model.json", limits)
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
    return header
