"""The format of a text file of trees or sentences, guessed from its text, and reading with that guess in the error.

>>> looks_like("(S (NP he) (VP runs))"), looks_like("-1 |BT| (S he) |ET| 1:0.5 |EV|")
('trees in brackets', 'SVM-LIGHT-TK lines')
"""

import os
import re
from collections.abc import Callable
from typing import TypeVar

from rekern.core.files import show_path
from rekern.core.text_files import read_text
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
T = TypeVar("T")


def looks_like(text: str) -> str:
    """Guess the format of a file from its text and name it in words, for messages.

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


def parse_file(path: str | os.PathLike[str], expected: str, parse: Callable[[str], T]) -> T:
    """Read a text file and call ``parse`` on its text; an error names the file and, if it is another, its format.

    >>> parse_file("nowhere.mrg", BRACKETS, len)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file nowhere.mrg: check the path
    """
    text = read_text(path)
    try:
        return parse(text)
    except InputError as error:
        found = looks_like(text)
        if found != expected:
            remedy = _REMEDIES.get(found, f"give a file with {expected}")
            name = show_path(path)
            reason = f"{name} looks like {found}, not like {expected}: {remedy}"
            raise InputError(reason, file=name, names_file=True) from None
        raise error.at(file=show_path(path)) from None
