"""Model files: a zip of JSON and plain arrays. Nothing is unpickled, so a model from a stranger cannot run code.

A reader trusts nothing that a file says about itself: sizes are checked before anything is unpacked.

`save_model` writes and `load_model` reads a model of any registered class. The class says what it keeps: its
``to_archive`` gives a `ModelContent`, its ``from_archive`` makes the model again from an `OpenArchive`.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, Self, runtime_checkable

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.core.files import show_path, write_atomically
from rekern.core.json_values import Json, JsonMapping, JsonObject
from rekern.core.model_limits import DEFAULT_LIMITS, LARGEST_NUMBER, ModelLimits
from rekern.core.object_descriptions import PLAIN_CONTEXT, BuildContext
from rekern.core.registry import find_class
from rekern.core.state_schema import find_schema
from rekern.core.version import __version__
from rekern.errors import MissingDataError, MissingExtraError, ModelFileError

FORMAT = "rekern model"
VERSION = 2
RESOURCES = ("wordnet", "thesaurus", "tagger", "parser")
LONGEST_REASON = 300  # characters
TABLE_TYPES = ("u1", "u4", "u8", "i4", "i8", "f4", "f8")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # readers of other methods unpack without a bound
LARGEST_ARRAY = 1 << 31  # bytes
LONGEST_ARRAY_HEADER = 1000  # characters; NumPy parses it
FAST_LEVEL = 1  # of the compression of arrays: others take much longer for a file that is hardly smaller


@dataclass(frozen=True)
class ModelContent:
    """What a model file holds: a header, more members as JSON, and arrays of numbers, each under a name.

    ``arrays`` are written as float64, ``tables`` with their own type, of `TABLE_TYPES`.
    """

    header: JsonMapping
    members: JsonMapping = field(default_factory=dict)
    arrays: Mapping[str, AnyArray] = field(default_factory=dict)
    tables: Mapping[str, AnyArray] = field(default_factory=dict)


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
        return read_json(self.archive, name)

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
    """Write a header, with the format and the version, and all else that a model file holds.

    The same content gives the same bytes.
    """
    whole = {"format": FORMAT, "version": VERSION, "written_by": __version__, **header}
    with write_atomically(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        write_member(archive, "model.json", json.dumps(whole, ensure_ascii=True, indent=1).encode())
        for name, member in content.members.items():
            write_member(archive, name, json.dumps(member, ensure_ascii=True).encode())
        for name, array in content.arrays.items():
            write_array(archive, name, np.ascontiguousarray(array, dtype=np.float64))
        for name, array in content.tables.items():
            write_array(archive, name, np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")))


def write_member(archive: zipfile.ZipFile, name: str, content: bytes | memoryview, level: int | None = None) -> None:
    """Write a member without a time stamp, so that equal contents give equal bytes; at level 0 as it is."""
    member = zipfile.ZipInfo(name)  # of the first day of 1980
    member.compress_type = zipfile.ZIP_STORED if level == 0 else zipfile.ZIP_DEFLATED
    member.create_system, member.external_attr = 3, 0o644 << 16
    archive.writestr(member, content, compresslevel=level)


def write_array(archive: zipfile.ZipFile, name: str, array: AnyArray) -> None:
    """Write an array as a member; hash keys, which are random bits, are not compressed."""
    if array.nbytes >= LARGEST_ARRAY:
        raise ValueError(f"a model with {array.size:,} numbers in an array could not be loaded; use fewer words")
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    write_member(archive, f"{name}.npy", buffer.getbuffer(), 0 if array.dtype == np.uint64 else FAST_LEVEL)


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
            given = {name: value for name, value in (resources or {}).items() if value is not None}
            yield OpenArchive(_read_header(archive), archive, BuildContext(limits, given))
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


def _read_header(archive: zipfile.ZipFile) -> JsonObject:
    if "model.json" not in archive.namelist():
        raise ModelFileError("this is a zip file, but not a Rekern model")
    header = read_json(archive, "model.json")
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError("this is a zip file, but not a Rekern model")
    version = header.get("version")
    if version != VERSION:
        raise ModelFileError(
            f"it is of format version {version}, written by Rekern {header.get('written_by')!r}, and this Rekern "
            f"reads version {VERSION}: upgrade Rekern, or train and save the model again"
        )
    return header


def check_members(archive: zipfile.ZipFile, packed: int, limits: ModelLimits) -> None:
    """Refuse an archive with too many members, with members that unpack to too much, or of another method."""
    members = archive.infolist()
    limits.check("members", len(members), f"it has {len(members):,} parts")
    for member in members:
        if member.compress_type not in METHODS or member.flag_bits & 1:
            raise ModelFileError("one of its parts is encrypted, or compressed in a way that no model file is")
        limits.check("member_bytes", member.file_size, f"its part would unpack to {member.file_size:,} bytes")
    size = sum(member.file_size for member in members)
    if size > limits.unpacked_times * packed:
        limits.check("unpacked_bytes", size, f"its {packed:,} bytes would unpack to {size:,}")
    if len({member.filename for member in members}) < len(members):
        raise ModelFileError("two of its parts have the same name")


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member; it is never more than its declared size, which `check_members` has checked."""
    try:
        member = archive.getinfo(name)
    except KeyError:
        raise ModelFileError(f"it lacks {name}") from None
    with archive.open(member) as stream:
        content = stream.read(member.file_size)
    if len(content) != member.file_size:
        raise ModelFileError(f"its {name} is truncated")
    return content


def read_json(archive: zipfile.ZipFile, name: str) -> Json:
    """Return a member as JSON, whose numbers are finite."""
    return json.loads(read_member(archive, name), parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> float:
    raise ModelFileError(f"it has {name} where a finite number should be")


def read_array(archive: zipfile.ZipFile, name: str, types: tuple[str, ...], dimensions: int | None = None) -> Any:
    """Return an array of one of these types, with this number of dimensions; floating-point numbers must be finite."""
    content = read_member(archive, f"{name}.npy")
    stream = io.BytesIO(content)
    try:
        shape, kind = read_array_header(stream)
    except ValueError:
        raise ModelFileError(f"its {name} are not a table of numbers") from None
    # Checked before an array is made: a header may claim any size.
    fits = math.prod(shape) * kind.itemsize == len(content) - stream.tell()
    if not fits or kind.str[1:] not in types or (dimensions is not None and len(shape) != dimensions):
        raise ModelFileError(f"its {name} are not a table of numbers")
    array = np.frombuffer(content, kind, offset=stream.tell()).reshape(shape).astype(kind.newbyteorder("="))
    # NaN fails too; all finite numbers of 32 bits are small enough.
    is_small = array.dtype.itemsize < 8
    if array.dtype.kind == "f" and not (np.isfinite(array) if is_small else np.abs(array) <= LARGEST_NUMBER).all():
        raise ModelFileError(f"its {name} are not finite numbers")
    return array


def read_array_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read what ``numpy.save`` writes before the numbers: the shape and the type; anything else is a ValueError."""
    try:
        version = np.lib.format.read_magic(stream)
        shape, by_columns, kind = np.lib.format.read_array_header_1_0(stream, max_header_size=LONGEST_ARRAY_HEADER)
    except Exception as error:  # also what Python's parser says of the header, such as SyntaxError
        raise ValueError("not an array") from error
    if version != (1, 0) or by_columns or min(shape, default=0) < 0:
        raise ValueError("an array of another form")
    return shape, kind
