"""Model files: a zip of JSON and plain arrays. Nothing is unpickled, so a model from a stranger cannot run code.

`save_model` writes and `load_model` reads a model of any registered class. The class says what it keeps: its
``to_archive`` gives a `ModelContent`, its ``from_archive`` makes the model again from an `OpenArchive`.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.files import show_path, write_atomically
from rekern.core.json_values import Json, JsonMapping, JsonObject
from rekern.core.registry import find_class
from rekern.core.version import __version__
from rekern.errors import MissingDataError, MissingExtraError, ModelFileError

FORMAT = "rekern model"
VERSION = 3  # since the decision functions of pair models are stored, and training pairs only on request
BEFORE_DECISIONS = 2  # what other models are written as: older releases read them
LARGEST_MEMBER = 1 << 31
UNSUSPECTED = 1 << 26  # bytes that any file may unpack to
TIMES = 200  # its own size that a larger one may unpack to: zeros shrink to a thousandth, texts and trees to a tenth
LARGEST_NUMBER = 1e100  # sums and products of such numbers are finite
TABLE_TYPES = ("u1", "u4", "u8", "i4", "i8", "f4", "f8")
LONGEST_HEADER = 1 << 12  # bytes of the header of an array
SAMPLE = 1 << 14  # bytes of an array by which to see whether it shrinks


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

    def has(self, name: str) -> bool:
        """Whether there is a member of this name, such as ``pairs.json`` or ``weights.npy``."""
        return name in self.archive.namelist()

    def read_json(self, name: str) -> Json:
        """What a member says, as JSON."""
        return json.loads(_read_member(self.archive, name))

    def read_array(self, name: str, dimensions: int | None = None) -> Floats:
        """An array of finite numbers, with this number of dimensions."""
        array: Floats = _read_array(self.archive, name, ("f8",), dimensions)
        return array

    def read_table(self, name: str) -> AnyArray:
        """An array of one of the types of `TABLE_TYPES`; floating-point numbers in it are finite."""
        array: AnyArray = _read_array(self.archive, name, TABLE_TYPES)
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


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``save`` wrote.

    A file that is damaged, truncated, of another kind or written by a newer Rekern raises ``ModelFileError``.

    >>> load_model("no such file.rekern")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file
    """
    with open_archive(path) as archive:
        name = archive.header["model"]
        kind = find_class(name) if isinstance(name, str) else None
        if kind is None or not issubclass(kind, StorableModel):
            raise ModelFileError(f"it holds a {name!r}, which this Rekern does not know")
        return kind.from_archive(archive)


def write_archive(path: str | os.PathLike[str], header: JsonMapping, content: ModelContent) -> None:
    """Write a header, with the format and the version, and all else that a model file holds."""
    whole = {"format": FORMAT, "version": content.version, "written_by": __version__, **header}
    with write_atomically(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(whole, ensure_ascii=True, indent=1))
        for name, member in content.members.items():
            archive.writestr(name, json.dumps(member, ensure_ascii=True))
        for name, array in content.arrays.items():
            _write_array(archive, name, np.ascontiguousarray(array, dtype=np.float64))
        for name, array in content.tables.items():
            _write_array(archive, name, np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")))


def _write_array(archive: zipfile.ZipFile, name: str, array: AnyArray) -> None:
    if array.nbytes >= LARGEST_MEMBER:
        raise ValueError(f"a model with {array.size:,} numbers in an array could not be loaded; use fewer words")
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    content = buffer.getbuffer()
    # Keys are random bytes, which do not shrink: writing and reading them as they are is faster.
    middle = len(content) // 2
    sample = bytes(content[middle : middle + SAMPLE])
    shrinks = len(content) < SAMPLE or len(zlib.compress(sample, 1)) < 0.95 * len(sample)
    archive.writestr(f"{name}.npy", content, zipfile.ZIP_DEFLATED if shrinks else zipfile.ZIP_STORED)


@contextmanager
def open_archive(path: str | os.PathLike[str]) -> Iterator[OpenArchive]:
    """Open a model file and check its header.

    Whatever fails in the block is a ``ModelFileError`` that names the file.

    >>> with open_archive("no such file.rekern"):
    ...     pass
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file
    """
    name = show_path(path)
    try:
        if not Path(path).exists():
            raise ModelFileError("there is no such file")
        if Path(path).is_dir():
            raise ModelFileError("this is a folder, not a model file")
        with zipfile.ZipFile(path) as archive:
            _check_size(archive, Path(path).stat().st_size)
            yield OpenArchive(_read_header(archive), archive)
    except (ModelFileError, MissingDataError, MissingExtraError) as error:
        raise ModelFileError(f"{name}: {error}") from None
    except OSError as error:
        raise ModelFileError(f"{name}: it cannot be read ({error.strerror or error})") from None
    except zipfile.BadZipFile:
        raise ModelFileError(f"{name}: this is not a model file, or it is truncated; train and save it again") from None
    except MemoryError:
        raise
    except Exception as error:
        # Whatever a damaged or hostile file provokes in its readers, it means one thing to the caller.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(f"{name}: the model file is damaged ({reason}); train and save it again") from None


def _read_header(archive: zipfile.ZipFile) -> JsonObject:
    if "model.json" not in archive.namelist():
        raise ModelFileError("this is a zip file, but not a Rekern model")
    header = json.loads(_read_member(archive, "model.json"))
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


def _check_size(archive: zipfile.ZipFile, packed: int) -> None:
    """Refuse a small file that would fill the memory."""
    size = sum(member.file_size for member in archive.infolist())
    if size > max(UNSUSPECTED, TIMES * packed):
        raise ModelFileError(f"its {packed:,} bytes would unpack to {size:,}; no model is like that")


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, unless it would unpack to more than any model of ours has."""
    size = archive.getinfo(name).file_size
    if size > LARGEST_MEMBER:
        raise ModelFileError(f"its {name} would unpack to {size:,} bytes; no model has more than {LARGEST_MEMBER:,}")
    return archive.read(name)


def _read_array(archive: zipfile.ZipFile, name: str, types: tuple[str, ...], dimensions: int | None = None) -> Any:
    """An array of one of these types, with this number of dimensions; floating-point numbers must be finite."""
    member = _read_member(archive, f"{name}.npy")
    stream = io.BytesIO(member[:LONGEST_HEADER])
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ModelFileError(f"its {name} are not a table of numbers")
    shape, by_column, kind = np.lib.format.read_array_header_1_0(stream)
    content = memoryview(member)[stream.tell() :]
    fits = len(shape) == (dimensions or len(shape)) and math.prod(shape) * kind.itemsize == len(content)
    # Checked before an array is made: a header may claim any size.
    if by_column or kind.str[1:] not in types or not fits:
        raise ModelFileError(f"its {name} are not a table of numbers")
    array = np.frombuffer(content, dtype=kind).reshape(shape).astype(kind.newbyteorder("="))
    # NaN fails too; all finite numbers of 32 bits are small enough.
    if kind.kind == "f" and not (np.isfinite(array) if kind.itemsize < 8 else np.abs(array) <= LARGEST_NUMBER).all():
        raise ModelFileError(f"its {name} are not finite numbers")
    return array
