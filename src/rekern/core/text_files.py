"""Reading of text files: bytes, gzip and encodings, with errors that carry the file and the line."""

import codecs
import gzip
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rekern.core.files import explain_read_errors, show_path, write_atomically
from rekern.errors import InputError

STANDARD_INPUT = "-"
UNPACKED = "REKERN_UNPACKED_MB"  # the environment variable that sets another limit than the following one
UNPACKED_MB = 256  # that any compressed file may unpack to, and the longest line of one
MOST_RATIO = 100  # of the sizes after and before; text has about 4
_GZIP = b"\x1f\x8b"


def show_source(path: str | os.PathLike[str]) -> str:
    """Return a file name as messages show it; ``-`` is standard input.

    >>> show_source("-"), show_source("pairs.tsv")
    ('standard input', 'pairs.tsv')
    """
    return "standard input" if os.fspath(path) == STANDARD_INPUT else show_path(path)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file, or standard input (``-``), and decompress it if it is gzip-compressed.

    >>> read_bytes("nowhere.tsv")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file nowhere.tsv: check the path
    """
    with explain_read_errors(show_source(path)):
        data = sys.stdin.buffer.read() if os.fspath(path) == STANDARD_INPUT else Path(path).read_bytes()
        if data and (data.startswith(_GZIP) or os.fspath(path).lower().endswith(".gz")):
            limit = limit_unpacked(len(data))
            with gzip.open(io.BytesIO(data)) as stream:
                data = stream.read(limit + 1)
            if len(data) > limit:
                raise refuse_unpacked(show_source(path), limit)
    return data


def limit_unpacked(packed: int) -> int:
    """Return how many bytes a compressed file of this size may unpack to: `UNPACKED_MB`, or a hundred times its size.

    The environment variable ``REKERN_UNPACKED_MB`` sets another number of megabytes.

    >>> limit_unpacked(1000), limit_unpacked(10_000_000)
    (256000000, 1000000000)
    """
    chosen = os.environ.get(UNPACKED, "")
    least = int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 12 else UNPACKED_MB
    return max(1_000_000 * least, MOST_RATIO * packed)


def refuse_unpacked(file: str, limit: int) -> InputError:
    """Return the error for a compressed file that unpacks to more than it may."""
    reason = f"{file} unpacks to more than {limit // 1_000_000:,} MB; if you trust it, set {UNPACKED} to more megabytes"
    return InputError(reason, file=file, names_file=True)


def read_text(path: str | os.PathLike[str], encoding: str | None = None) -> str:
    """Read a text file, or standard input (``-``); it may be gzip-compressed. The byte order mark is removed.

    ``encoding`` is the encoding that the user chose. Use None where the file must be UTF-8: the error message then asks
    to convert the file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "greeting.txt").write_bytes(b"\\xef\\xbb\\xbfGuten Tag")
    ...     read_text(Path(folder, "greeting.txt"))
    'Guten Tag'
    """
    return decode_text(read_bytes(path), show_source(path), encoding)


def decode_text(data: bytes, file: str | None = None, encoding: str | None = None) -> str:
    """Decode the bytes of a text file and remove the byte order mark; see `read_text` for ``encoding``.

    >>> decode_text(b"caf\\xe9", "menu.tsv", "latin-1")
    'café'
    >>> decode_text(b"tea\\ncaf\\xe9", "menu.tsv")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: menu.tsv, line 2: byte 0xe9 at offset 7 is not UTF-8; convert the file to UTF-8
    """
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    try:
        text = data[start:].decode(encoding or "utf-8")
    except LookupError:
        raise InputError(f"unknown encoding {encoding!r}: name one such as utf-8, latin-1 or utf-16") from None
    except UnicodeDecodeError as error:
        at = start + error.start
        byte = f"byte 0x{data[at]:02x} at offset {at} is " if at < len(data) else ""
        reason = f"{byte}not {encoding or 'UTF-8'}; {_suggest_encoding(encoding, data)}"
        raise InputError(reason, file=file, row=data.count(b"\n", 0, at) + 1, unit="line") from None
    except UnicodeError:
        remedy = "name the file's encoding with --encoding"
        raise InputError(f"{file or 'the text'} is not {encoding}: {remedy}", file=file, names_file=True) from None
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise refuse_nul(file, line, encoding)
    return text


def iterate_lines(path: str | os.PathLike[str], encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of a text file one at a time, without their ends; the file need not fit into memory.

    Only a line feed ends a line, with or without a carriage return before it. See `read_text` for ``encoding``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "words.txt").write_bytes(b"cat\\r\\ndog\\n")
    ...     list(iterate_lines(Path(folder, "words.txt")))
    ['cat', 'dog']
    """
    if not can_iterate(encoding):
        text = read_text(path, encoding)
        yield from (line.removesuffix("\r") for line in text.removesuffix("\n").split("\n"))
        return
    file = show_source(path)
    with explain_read_errors(file), open_binary(path) as stream:
        for number, data in enumerate(stream, 1):
            line = decode_line(data, file, number, encoding)
            yield (line.removeprefix("\ufeff") if number == 1 else line).removesuffix("\n").removesuffix("\r")


def decode_line(
    data: bytes, file: str | None = None, number: int | None = None, encoding: str | None = None, unit: str = "line"
) -> str:
    """Decode one line of a file, which is line ``number`` (or another unit); see `read_text` for ``encoding``.

    >>> decode_line(b"caf\\xe9", "menu.txt", 3)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: menu.txt, line 3: byte 0xe9 is not UTF-8; convert the file to UTF-8
    """
    try:
        return data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{data[error.start]:02x} is "
        reason = f"{byte}not {encoding or 'UTF-8'}; {_suggest_encoding(encoding, data)}"
        raise InputError(reason, file=file, row=number, unit=unit) from None


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write a UTF-8 text file of these lines, gzip-compressed if its name ends in ``.gz``, completely or not at all.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_lines(f"{folder}/words.txt.gz", ["cat", "dog"])
    ...     read_text(f"{folder}/words.txt.gz")
    'cat\\ndog\\n'
    """
    with write_atomically(path) as temporary, open(temporary, "wb") as plain:
        # no name and no time of day, so that equal lines give equal files
        compressed = os.fspath(path).lower().endswith(".gz")
        with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) if compressed else nullcontext(plain) as file:
            for line in lines:
                file.write(f"{line}\n".encode())


def _suggest_encoding(encoding: str | None, data: bytes) -> str:
    """Return the remedy for bytes that cannot be decoded.

    >>> _suggest_encoding("utf-8", b"\\x89PNG\\0")
    'it has NUL bytes, too: it is no text file, or one in UTF-16'
    """
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if b"\0" in data and not wide:
        return "it has NUL bytes, too: it is no text file, or one in UTF-16"
    if encoding is None:
        return "convert the file to UTF-8"
    likely = "utf-16" if wide else "latin-1"
    return f"name the file's encoding, for example --encoding {likely} (encoding={likely!r})"


def refuse_nul(file: str | None, line: int, encoding: str | None) -> InputError:
    """Return the error for a NUL character in a line of a text file.

    >>> print(refuse_nul("a.tsv", 3, "utf-8"))
    a.tsv, line 3: a NUL character; the file is damaged, or its encoding is another, such as --encoding utf-16
    """
    remedy = "the file is damaged, or its encoding is another, such as --encoding utf-16"
    if encoding is None:
        remedy = "give a text file in UTF-8; this one is binary, damaged or in UTF-16"
    return InputError(f"a NUL character; {remedy}", file=file, row=line, unit="line")


def can_iterate(encoding: str | None) -> bool:
    """Whether a file in this encoding can be read line by line: the encoding is known, and a line feed is one byte.

    >>> can_iterate("latin-1"), can_iterate("utf-16"), can_iterate("utf-1000")
    (True, False, False)
    """
    if encoding is None:
        return True
    try:
        return "a\n".encode(encoding) == b"a\n"
    except LookupError:
        return False


@contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[Iterable[bytes]]:
    """Open a file, or standard input (``-``), for reading of its lines as bytes; a gzip file is decompressed."""
    is_standard = os.fspath(path) == STANDARD_INPUT
    with nullcontext(sys.stdin.buffer) if is_standard else open(path, "rb") as stream:
        is_packed = isinstance(stream, io.BufferedReader) and stream.peek(2).startswith(_GZIP)
        if is_packed or os.fspath(path).lower().endswith(".gz"):
            with gzip.open(stream) as unpacked:
                yield _limit_lines(unpacked, show_source(path))
        else:
            yield stream


def _limit_lines(stream: gzip.GzipFile, file: str) -> Iterator[bytes]:
    """Yield the lines of a compressed file, which must not be longer than it may unpack to."""
    limit = limit_unpacked(0)
    while line := stream.readline(limit + 1):
        if len(line) > limit:
            raise refuse_unpacked(file, limit)
        yield line
