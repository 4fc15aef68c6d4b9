"""Rows of values that are separated by commas, or by semicolons, with fields of any length.

Python's ``csv`` module has one limit on the length of fields for the whole process, which is too small for documents.
It would have to be changed for all other code of the process as well, so it is not used for reading.
"""

import re
from collections.abc import Iterable, Iterator

from rekern.errors import InputError

TABS = "its fields are separated by tabs; name it .tsv, or give format='tsv' (--format)"
QUOTED = re.compile('"[^"]*"?')
REMEDY = "close every quoted field, and double the quotes inside it"


def choose_separator(header: str, file: str) -> str:
    """Return what separates the names of a header: a comma, or a semicolon, as spreadsheets write in many countries.

    What is in quotes does not count.

    >>> choose_separator("source;target;label", "a.csv"), choose_separator("source,target", "a.csv")
    (';', ',')
    """
    header = QUOTED.sub("", header)
    if "," in header:
        return ","
    if "\t" in header:
        raise InputError(TABS, file=file, row=1, unit="line")
    return ";" if ";" in header else ","


def iterate_csv(lines: Iterable[str], file: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line, from 1, and the fields of each row of separated values.

    A field in double quotes may hold separators, line ends and doubled quotes. The lines have their ends.

    >>> list(iterate_csv(["a,b\\n", '"c\\n', 'd",e\\n'], "a.csv"))
    [(1, ['a', 'b']), (2, ['c\\nd', 'e'])]
    """
    numbered = enumerate(lines, 1)
    for start, line in numbered:
        if '"' not in line:
            text = line.rstrip("\r\n")
            yield start, text.split(separator) if text else []
            continue
        row: list[str] = []
        at = 0
        while at >= 0:
            if line.startswith('"', at):
                field, line, at = _read_quoted(line, at + 1, numbered, file, start, separator)
            else:
                place = line.find(separator, at)
                end = len(line.rstrip("\r\n")) if place < 0 else place
                field, at = line[at:end], end
            row.append(field)
            at = at + 1 if line.startswith(separator, at) else -1
        yield start, row


def _read_quoted(
    line: str, at: int, numbered: Iterator[tuple[int, str]], file: str, start: int, separator: str
) -> tuple[str, str, int]:
    """Return a field in quotes, whose text begins at ``at``, the line on which it ends, and the place after it."""
    pieces: list[str] = []
    while True:
        quote = line.find('"', at)
        if quote < 0:
            pieces.append(line[at:])
            following = next(numbered, None)
            if following is None:
                raise InputError(f"unexpected end of data; {REMEDY}", file=file, row=start, unit="line")
            line, at = following[1], 0
        elif line.startswith('"', quote + 1):
            pieces.append(line[at : quote + 1])
            at = quote + 2
        else:
            pieces.append(line[at:quote])
            at = quote + 1
            if at < len(line) and line[at] not in separator + "\r\n":
                raise InputError(f"{separator!r} expected after '\"'; {REMEDY}", file=file, row=start, unit="line")
            return "".join(pieces), line, at
