"""Text files of structures: reading them whole, and telling what a file of the wrong format looks like.

>>> looks_like("(S (NP he) (VP runs))"), looks_like("-1 |BT| (S he) |ET| 1:0.5 |EV|")
('trees in brackets', 'SVM-LIGHT-TK lines')
"""

import codecs
import gzip
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from rekern.core.files import explain_read_errors, show_path, write_atomically
from rekern.errors import InputError

__all__ = ["looks_like"]

BRACKETS, CONLLU, KELP, SVMLIGHTTK = "trees in brackets", "CoNLL-U", "KeLP's .klp lines", "SVM-LIGHT-TK lines"
_REMEDIES = {
    BRACKETS: "read it with read_brackets",
    CONLLU: "read it with read_conllu",
    KELP: "read it with read_klp",
    SVMLIGHTTK: "read it with read_svmlighttk",
    "raw text": "parse it first",
    "nothing": "give a file with something in it",
}
_FEATURE = re.compile(r"\S+:[-+.\deE]+$")
_Parsed = TypeVar("_Parsed")


def looks_like(text: str) -> str:
    """What the text of a file looks like, in words: one of the formats that are read here, or something else.

    >>> looks_like("NUM |BT:lct| (LEX##be::v) |ET|"), looks_like('{"text": "he runs"}'), looks_like("He runs.")
    ("KeLP's .klp lines", 'JSON', 'raw text')
    >>> looks_like("1\\tGo\\tgo\\tVERB\\tVB\\t_\\t0\\troot\\t_\\t_\\n"), looks_like("a\\tb\\n"), looks_like("  ")
    ('CoNLL-U', 'a table', 'nothing')
    """
    begin = text[:100_000].lstrip("\ufeff \t\r\n")
    lines = begin.split("\n")[:100]
    bare = [line for line in lines if line.strip() and not line.startswith("#")]
    if not begin:
        return "nothing"
    if re.search(r"\|B[A-Z]+:[^|\n]*\||\|<\|", begin):
        return KELP
    if re.search(r"\|[BE][TV]\|", begin):
        return SVMLIGHTTK
    if bare and re.match(r"\d+([-.]\d+)?$", bare[0].split("\t")[0]) and bare[0].count("\t") == 9:
        return CONLLU
    if begin[0] == "(":
        return BRACKETS
    if begin[0] in "{[":
        return "JSON"
    if re.match(r"<[?!\w]", begin):
        return "XML or HTML"
    if bare and "\t" in bare[0]:
        return "a table"
    if bare and len(bare[0].split()) > 1 and all(map(_FEATURE.match, bare[0].split()[1:])):
        return "SVM-light vectors"
    return "raw text"


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file, unpacked where it is gzip-compressed, without its byte order mark.

    >>> read_text("nowhere.mrg")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file nowhere.mrg: check the path
    """
    name = show_path(path)
    with explain_read_errors(path):
        data = Path(path).read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise InputError(f"{name}: a binary file or one in UTF-16; give a text file in UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, line {line}: not UTF-8; convert the file to UTF-8") from None


def parsed(path: str | os.PathLike[str], wanted: str, parse: Callable[[str], _Parsed]) -> _Parsed:
    """What ``parse`` makes of a file's text; where it fails, the error names the file and what the file looks like."""
    text = read_text(path)
    try:
        return parse(text)
    except InputError as error:
        found = looks_like(text)
        if found != wanted:
            remedy = _REMEDIES.get(found, f"give a file with {wanted}")
            raise InputError(f"{show_path(path)} looks like {found}, not like {wanted}: {remedy}") from None
        raise InputError(f"{show_path(path)}, {error}") from None


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """A text file of these lines, compressed where its name ends in ``.gz``; it appears whole or not at all."""
    with write_atomically(path) as temporary:
        compressed = os.fspath(path).lower().endswith(".gz")
        with gzip.open(temporary, "wb") if compressed else open(temporary, "wb") as file:
            for line in lines:
                file.write(f"{line}\n".encode())
