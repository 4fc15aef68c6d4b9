"""Files: read with one clear line where that fails, written whole or not at all."""

import gzip
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rekern.errors import InputError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path in the folder of ``path``; what is written there becomes ``path`` when the block ends well.

    On any exception, Ctrl-C included, the temporary file is removed and a file that was at ``path`` stays as it was.
    The temporary name keeps the extension, because ``numpy.save`` and ``savefig`` look at it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_path(Path(folder) / "model.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     (Path(folder) / "model.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    _check(path)
    if _is_stream(path):  # renaming onto /dev/null or a pipe would replace it by a plain file
        yield Path(path)
        return
    # realpath: writing to a symbolic link changes the file it points to, and leaves the link
    whole = Path(os.path.realpath(path))
    # not mkstemp: its files are private, and the finished file should have the permissions the user's umask gives
    temporary = whole.with_name(f".rekern-{secrets.token_hex(8)}{whole.suffix}")
    try:
        yield temporary
        os.replace(temporary, whole)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def made_folder(path: str | os.PathLike[str], what: str) -> Path:
    """The folder for what is to be written, made if need be.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     made_folder(Path(folder) / "new" / "figures", "the figures").is_dir()
    True
    """
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{readable(folder)} is a file: give a folder for {what}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Say in one line why a file, which may be gzip-compressed, cannot be read in the block.

    >>> with reading("nowhere.txt"):
    ...     open("nowhere.txt")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file nowhere.txt: check the path
    """
    name = readable(path)
    try:
        yield
    except (InputError, UnicodeError):
        raise
    except FileNotFoundError:
        raise InputError(f"there is no file {name}: check the path") from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder: give a file in it") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        remedy = "fetch it again, or rename it if it is not compressed"
        raise InputError(f"{name} is not a whole gzip file: {remedy}") from None
    except (OSError, ValueError) as error:  # a name with a NUL character is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {name}: {reason}; check the path and its permissions") from None


def readable(path: object) -> str:
    """A file's name for a message: as it is, or quoted where it would break the line.

    >>> readable("pairs.tsv"), readable("two\\nlines")
    ('pairs.tsv', "'two\\\\nlines'")
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else str(path)
    return name if isinstance(name, str) and name.isprintable() and name else repr(name)


def _check(path: str | os.PathLike[str]) -> None:
    """Refuse a place where no file can be written, before any work is done for it."""
    name = readable(path)
    if "\0" in os.fspath(path):
        raise InputError(f"{name} is not a file name: it holds a NUL character")
    folder = os.path.dirname(os.path.realpath(path)) if os.fspath(path) else ""
    if os.path.isdir(path) or not os.path.basename(path):
        raise InputError(f"{name} is a folder: give the name of a file")
    if _is_stream(path):
        return
    if not os.path.isdir(folder):
        raise InputError(f"cannot write {name}: there is no folder {readable(folder)}; make it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write {name}: the folder {readable(folder)} is read-only; choose another")


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether the path exists and is a pipe or a device."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False
