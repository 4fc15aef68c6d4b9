"""Model files: a zip of JSON and plain arrays. Nothing is unpickled, so a model from a stranger cannot run code."""

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rekern.core.files import show_path, write_atomically
from rekern.errors import MissingDataError, MissingExtraError, ModelFileError

FORMAT = "rekern model"
VERSION = 2  # since trees, graphs and other representations of the training pairs are stored beside their words
WORDS_ONLY = 1  # what a model of words alone is written as: older releases read it
LARGEST_MEMBER = 1 << 31
UNSUSPECTED = 1 << 26  # bytes that any file may unpack to
TIMES = 200  # its own size that a larger one may unpack to: zeros shrink to a thousandth, texts and trees to a tenth
LARGEST_NUMBER = 1e100  # sums and products of such numbers are finite


def write_archive(
    path: str | os.PathLike[str],
    header: Mapping[str, Any],
    members: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    version: int = VERSION,
) -> None:
    """Write a model: its header, more members as JSON, and its arrays; the file appears only when it is complete.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_archive(f"{folder}/m.rekern", {"model": "Mean"}, {}, {"weights": np.array([0.5])})
    ...     with opened_archive(f"{folder}/m.rekern") as (header, archive):
    ...         header["model"], read_array(archive, "weights", 1)
    ('Mean', array([0.5]))
    """
    from rekern import __version__

    whole = {"format": FORMAT, "version": version, "written_by": __version__, **header}
    with write_atomically(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(whole, ensure_ascii=True, indent=1))
        for name, content in members.items():
            archive.writestr(name, json.dumps(content, ensure_ascii=True))
        for name, array in arrays.items():
            if 8 * array.size >= LARGEST_MEMBER:
                raise ValueError(
                    f"a model with {array.size:,} numbers in an array could not be loaded; use fewer words"
                )
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array, dtype=np.float64), allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


@contextmanager
def opened_archive(path: str | os.PathLike[str]) -> Iterator[tuple[dict[str, Any], zipfile.ZipFile]]:
    """The header of a model file, checked, and the open file.

    Whatever fails in the block is a ``ModelFileError`` that names the file.

    >>> with opened_archive("no such file.rekern"):
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
            yield _header(archive), archive
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


def _header(archive: zipfile.ZipFile) -> dict[str, Any]:
    if "model.json" not in archive.namelist():
        raise ModelFileError("this is a zip file, but not a Rekern model")
    header = read_json(archive, "model.json")
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


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, unless it would unpack to more than any model of ours has."""
    size = archive.getinfo(name).file_size
    if size > LARGEST_MEMBER:
        raise ModelFileError(f"its {name} would unpack to {size:,} bytes; no model has more than {LARGEST_MEMBER:,}")
    return archive.read(name)


def read_json(archive: zipfile.ZipFile, name: str) -> Any:
    """What a member says, as JSON."""
    return json.loads(_member(archive, name))


def read_array(archive: zipfile.ZipFile, name: str, dimensions: int | None = None) -> np.ndarray:
    """An array of finite numbers, with this number of dimensions."""
    stream = io.BytesIO(_member(archive, f"{name}.npy"))
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ModelFileError(f"its {name} are not a table of numbers")
    shape, by_column, kind = np.lib.format.read_array_header_1_0(stream)
    content = stream.read()
    fits = len(shape) == (dimensions or len(shape)) and math.prod(shape) * 8 == len(content)
    # Checked before an array is made: a header may claim any size.
    if by_column or kind != np.float64 or not fits:
        raise ModelFileError(f"its {name} are not a table of numbers")
    array = np.frombuffer(content, dtype=np.float64).reshape(shape).copy()
    if not (np.abs(array) <= LARGEST_NUMBER).all():  # NaN fails too
        raise ModelFileError(f"its {name} are not finite numbers")
    return array
