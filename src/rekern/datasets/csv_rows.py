"""Rows of comma separated values, with fields of any length.

Python's ``csv`` module has one limit on the length of fields for the whole process, which is too small for documents.
It would have to be changed for all other code of the process as well, so it is not used for reading.
"""

from collections.abc import Iterable, Iterator

from rekern.errors import InputError

SEMICOLONS = "its fields are separated by semicolons; separate them by commas, or by tabs in a .tsv file"
TABS = "its fields are separated by tabs; name it .tsv, or give format='tsv' (--format)"
REMEDY = "close every quoted field, and double the quotes inside it"


def iterate_csv(lines: Iterable[str], file: str, header: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line, from 1, and the fields of each row of comma separated values.

    A field in double quotes may hold commas, line ends and doubled quotes. The lines have their ends. A ``header`` that
    is separated by something else is refused.

    >>> list(iterate_csv(["a,b\\n", '"c\\n', 'd",e\\n'], "a.csv"))
    [(1, ['a', 'b']), (2, ['c\\nd', 'e'])]
    """
    numbered = enumerate(lines, 1)
    for start, line in numbered:
        if header and start == 1 and "," not in line and (";" in line or "\t" in line):
            raise InputError(TABS if "\t" in line else SEMICOLONS, file=file, row=1, unit="line")
        if '"' not in line:
            text = line.rstrip("\r\n")
            yield start, text.split(",") if text else []
            continue
        row: list[str] = []
        at = 0
        while at >= 0:
            if line.startswith('"', at):
                field, line, at = _read_quoted(line, at + 1, numbered, file, start)
            else:
                comma = line.find(",", at)
                end = len(line.rstrip("\r\n")) if comma < 0 else comma
                field, at = line[at:end], end
            row.append(field)
            at = at + 1 if line.startswith(",", at) else -1
        yield start, row


def _read_quoted(
    line: str, at: int, numbered: Iterator[tuple[int, str]], file: str, start: int
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
            if at < len(line) and line[at] not in ",\r\n":
                raise InputError(f"',' expected after '\"'; {REMEDY}", file=file, row=start, unit="line")
            return "".join(pieces), line, at
