"""Paths, folders and atomic writes, with one clear error line where a file cannot be used."""

import gzip
import os
import platform
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from rekern.errors import InputError

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

# The name of the machine is part of the name, because folders are shared: the same number may be another process there.
_PREFIX = f".rekern-{zlib.crc32(platform.node().encode()):08x}-"


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the folder of ``path``; the temporary file replaces ``path`` when the block ends.

    After any exception, including Ctrl-C, the temporary file is removed and an existing file at ``path`` is unchanged.
    What a process leaves behind that was killed is removed by the next one that writes into the folder.
    The temporary name has the same extension, because ``numpy.save`` and ``savefig`` depend on it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with write_atomically(Path(folder) / "model.txt") as temporary:
    ...         _ = temporary.write_text("complete")
    ...     (Path(folder) / "model.txt").read_text(), len(os.listdir(folder))
    ('complete', 1)
    """
    check_writable(path)
    if is_stream(path):  # renaming onto /dev/null or a pipe would replace it by a plain file
        yield Path(path)
        return
    # realpath: writing to a symbolic link changes the file it points to and keeps the link
    target = Path(os.path.realpath(path))
    # not mkstemp: its files are private, but the new file should have the permissions that the user's umask gives
    temporary = target.with_name(
        f"{_PREFIX}{os.getpid()}.{_find_start(os.getpid())}-{secrets.token_hex(8)}{target.suffix}"
    )
    _remove_abandoned(target.parent)
    try:
        yield temporary
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def open_locked(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading and writing, and lock it for this run, where files can be locked.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_locked(Path(folder) / "new") as file:
    ...     file.write(b"mine")
    4
    """
    while True:
        with _open_or_make(path) as file:
            try:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    f"another run is writing {show_path(path)}; wait for it or choose another name"
                ) from None
            if fcntl is None or _is_at(path, file):
                yield file
                return
        # Else another run has removed it in between, and the next one would lock a new file of this name.


def _open_or_make(path: Path) -> IO[bytes]:
    name = show_path(path)
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError as error:
        reason = f"cannot write {name}: {error.strerror}; choose another place"
        raise InputError(reason, file=name, names_file=True) from None


def _is_at(path: Path, file: IO[bytes]) -> bool:
    """Return whether an open file is still the one of this name."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except OSError:
        return False


def remove_locked(path: Path, file: IO[bytes]) -> None:
    """Remove a file that `open_locked` has opened, before another run can lock it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_locked(Path(folder) / "new") as file:
    ...     remove_locked(Path(folder) / "new", file)
    ...     os.listdir(folder)
    []
    """
    if fcntl is None:  # Windows removes no open files
        file.close()
    path.unlink(missing_ok=True)


@cache
def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of processes of this machine that have ended; once in a process for each folder."""
    if os.name != "posix":
        return
    with suppress(OSError):
        for name in os.listdir(folder):
            number, _, start = name.removeprefix(_PREFIX).partition("-")[0].partition(".")
            if name.startswith(_PREFIX) and number.isdigit() and not _is_running(int(number), start):
                with suppress(OSError):
                    os.unlink(folder / name)


def _is_running(process: int, start: str) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user
        pass
    now = _find_start(process)
    return not start or not now or start == now  # another start: the number was given again to another process


def _find_start(process: int) -> str:
    """Return when a process started, in ticks since the machine did; an empty text where the system does not tell."""
    try:
        return (
            Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
        )
    except (OSError, IndexError):
        return ""


def make_folder(path: str | os.PathLike[str], what: str) -> Path:
    """Create the folder if it does not exist, and return it; ``what`` names its contents in the error message.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     make_folder(Path(folder) / "new" / "figures", "the figures").is_dir()
    True
    """
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        name = show_path(folder)
        raise InputError(f"{name} is a file: give a folder for {what}", file=name, names_file=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def explain_read_errors(path: object) -> Iterator[None]:
    """Turn the errors of opening, reading and decompressing a file in this block into one `InputError`.

    >>> with explain_read_errors("nowhere.txt"):
    ...     open("nowhere.txt")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file nowhere.txt: check the path
    """
    name = show_path(path)
    try:
        yield
    except (InputError, UnicodeError):
        raise
    except FileNotFoundError:
        raise InputError(f"there is no file {name}: check the path", file=name, names_file=True) from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder: give a file in it", file=name, names_file=True) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        remedy = "fetch it again, or rename it if it is not compressed"
        raise InputError(f"{name} is not a whole gzip file: {remedy}", file=name, names_file=True) from None
    except (OSError, ValueError) as error:  # a name with a NUL character is a ValueError
        reason = getattr(error, "strerror", None) or error
        problem = f"cannot read {name}: {reason}; check the path and its permissions"
        raise InputError(problem, file=name, names_file=True) from None


def show_path(path: object) -> str:
    """Return a file name as messages show it: unchanged, or quoted if it is empty or cannot be printed on one line.

    >>> show_path("pairs.tsv"), show_path("two\\nlines")
    ('pairs.tsv', "'two\\\\nlines'")
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else str(path)
    return name if isinstance(name, str) and name.isprintable() and name else repr(name)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an `InputError` if no file can be written at this path, before any work is done for it.

    >>> check_writable("no such folder/model.rekern")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: cannot write no such folder/model.rekern: there is no folder ...
    """
    name = show_path(path)
    if "\0" in os.fspath(path):
        raise InputError(f"{name} is not a file name: it holds a NUL character", file=name, names_file=True)
    folder = os.path.dirname(os.path.realpath(path)) if os.fspath(path) else ""
    if os.path.isdir(path) or not os.path.basename(path):
        raise InputError(f"{name} is a folder: give the name of a file", file=name, names_file=True)
    if is_stream(path):
        return
    if not os.path.isdir(folder):
        reason = f"cannot write {name}: there is no folder {show_path(folder)}; make it first"
        raise InputError(reason, file=name, names_file=True)
    if not os.access(folder, os.W_OK):
        reason = f"cannot write {name}: the folder {show_path(folder)} is read-only; choose another"
        raise InputError(reason, file=name, names_file=True)


def refuse_to_replace(path: str | os.PathLike[str], *read: str | os.PathLike[str] | None) -> None:
    """Raise an `InputError` if a file to be written is one of those that are read, which it would replace.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     refuse_to_replace("other.tsv", file.name, None)
    ...     refuse_to_replace(file.name, file.name)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: ... is read by this command, and would be replaced: write to another file
    """
    for other in read:
        if other is not None and os.path.isfile(path) and os.path.exists(other) and os.path.samefile(path, other):
            name = show_path(path)
            reason = f"{name} is read by this command, and would be replaced: write to another file"
            raise InputError(reason, file=name, names_file=True)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether the path exists and is no plain file, such as a pipe, which can be read only once.

    >>> is_stream(os.devnull), is_stream("no such file")
    (True, False)
    """
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False
