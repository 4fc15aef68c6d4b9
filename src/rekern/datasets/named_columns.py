"""The columns of a file as they are, before their meaning is known, with the place of every row in the file."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rekern.core.messages import list_names
from rekern.datasets.column_values import check_texts
from rekern.errors import InputError
from rekern.structures.data_frames import SIDES
from rekern.structures.known_columns import find_label, find_name, find_sides, find_text

ColumnName = str | int

# the names that two public corpora, which are formats of their own, give to the three columns of a table of pairs
CORPUS_COLUMNS = {
    "msrp": (
        {"source": "s1", "target": "s2", "label": "quality"},
        {"source": "#1 String", "target": "#2 String", "label": "Quality"},
    ),
    "rte": ({"source": "text", "target": "hypothesis", "label": "entailment"},),
}


@dataclass(frozen=True)
class NamedColumns:
    """Named columns; ``column(i)`` returns the values of one, and ``lines[r]`` is the place of row r in the file.

    >>> columns = NamedColumns(["id", "text"], lambda index: [["7"], ["Who left?"]][index], [2], file="a.tsv")
    >>> columns.texts("text")
    ['Who left?']
    """

    names: Sequence[object]
    column: Callable[[int], list[Any]]
    lines: list[int]
    unit: str = "line"
    file: str | None = None
    types: Mapping[object, object] | None = None  # the Arrow types of the columns, if the file has them
    remedy: str | None = None  # how the user names columns, where it is not by arguments and options

    def locate(self, error: InputError) -> InputError:
        """Return an error, whose row is counted from 0, with the file and the line."""
        row = None if error.row is None else self.lines[error.row]
        return error.at(file=self.file, row=row, unit=self.unit)

    def select(self, rows: Sequence[int]) -> "NamedColumns":
        """Return the columns with these rows only.

        >>> NamedColumns(["id"], lambda index: ["7", "8"], [2, 3]).select([1]).column(0)
        ['8']
        """

        def column(index: int) -> list[object]:
            values = self.column(index)
            return [values[row] for row in rows]

        return replace(self, column=column, lines=[self.lines[row] for row in rows])

    def texts(self, column: ColumnName, option: str = "column=") -> list[str]:
        """Return the texts of one column, given by its name or its number; ``option`` is how the user chooses another.

        The columns of MSRP and RTE files, and other common names, are found as ``source``, ``target`` and ``label``.

        >>> NamedColumns(["s1", "s2"], lambda index: [["He left."], ["He went."]][index], [2]).texts("source")
        ['He left.']
        """
        index = self.find(str(column), column, by_number=True, option=option)
        try:
            return check_texts(self.column(index), str(column))
        except InputError as error:
            raise self.locate(error) from None

    def find(self, role: str, column: ColumnName, by_number: bool, option: str = "") -> int:
        """Return the place of the column with this name or number; ``role`` is ``source``, ``target``, ``label`` …"""
        found = self._seek(role, column, by_number, option)
        if found is None:
            raise self._refuse_missing({role: column}, option)
        return found

    def find_all(self, roles: Mapping[str, ColumnName], by_number: bool) -> dict[str, int]:
        """Return the places of the columns with these roles; one error names all that are missing.

        >>> NamedColumns(["Text A", "Text B"], list, []).find_all({"source": "source", "target": "target"}, True)
        {'source': 0, 'target': 1}
        """
        found = {role: self._seek(role, column, by_number) for role, column in roles.items()}
        if set(SIDES) <= set(roles):
            self._match_sides(roles, found)
            place = found["source"]
            if roles["source"] == roles["target"] or (place is not None and place == found["target"]):
                own = roles["source"] if place is None else self.names[place]
                reason = f"{self.file or 'the table'}: {own!r} is named as the first text and as the second"
                raise InputError(f"{reason}; name two columns (--source, --target)", file=self.file, names_file=True)
        missing = {role: column for role, column in roles.items() if found[role] is None}
        if missing:
            raise self._refuse_missing(missing)
        return {role: place for role, place in found.items() if place is not None}

    def _seek(self, role: str, column: ColumnName, by_number: bool, option: str = "") -> int | None:
        """Return the place of a column, or None: by its name, by a known name, by its number."""
        same = [index for index, name in enumerate(self.names) if isinstance(name, ColumnName) and name == column]
        if len(same) == 1:
            return same[0]
        if same:
            remedy = f"rename one, or give its number with {option or role + '='}"
            reason = f"{self.file or 'the table'}: {len(same)} columns are called {column!r}; {remedy}"
            raise InputError(reason, file=self.file, names_file=True)
        found = find_name(self.names, column)
        if found is None and column == role:
            found = _find_known(self.names, role)
        if found is None and by_number and str(column).isdecimal() and 1 <= int(column) <= len(self.names):
            found = int(column) - 1
        return found

    def _match_sides(self, roles: Mapping[str, ColumnName], found: dict[str, int | None]) -> None:
        """Mend the places of two sides that do not belong together.

        ``source`` beside ``question1`` and ``question2`` says where a pair comes from. And where the user names only
        one side, that column is not the other side as well.
        """
        known = find_sides(self.names)
        by_default = [role for role in SIDES if roles[role] == role]
        if known is not None and len(by_default) == len(SIDES):
            found.update(zip(SIDES, known))
        elif by_default and found["source"] == found["target"]:
            found[by_default[0]] = None

    def _refuse_missing(self, missing: Mapping[str, ColumnName], option: str = "") -> InputError:
        """Return the error that names the columns which are not there, those which are, and what to do."""
        arguments, options = [f"{role}=" for role in missing], [f"--{role}" for role in missing]
        by = option or f"{_join_words(arguments)} ({', '.join(options)})"
        remedy = self.remedy or f"name {'one' if len(missing) == 1 else 'them'} with {by}"
        if self.remedy is None and not option and list(missing) == ["label"]:
            remedy += "; label=None reads without labels"
        if option in ("--text", "--query-text") and len(self.names) == 1:
            remedy += ", or give --no-header if this is a text"
        if not self.remedy and not option and self.file is not None and list(missing)[:2] == list(SIDES):
            guess = self._guess_options("label" in missing)
            remedy += f", perhaps {guess}" * bool(guess)
        wanted = list(missing.values())
        other_format = _suggest_format(self.names)
        if other_format is not None:
            remedy, wanted = other_format, wanted[:1]
        has_no = f"has no column{'' if len(wanted) == 1 else 's'} {_join_words([repr(name) for name in wanted])}"
        reason = f"{self.file or 'the table'} {has_no}; it has {list_names(self.names)}: {remedy}"
        return InputError(reason, file=self.file, names_file=True)

    def _guess_options(self, with_label: bool) -> str:
        """Return options to copy, such as ``--source asked --target meant``, or nothing if the values do not tell.

        There must be two columns of texts, which have several words on average. A label has few values that recur.
        """
        texts, labels = [], []
        for place, name in enumerate(self.names):
            values = [str(value) for value in self.column(place)[:200] if value not in (None, "")]
            if not values or not name or not str(name).isprintable() or list(self.names).count(name) > 1:
                continue
            if sum(len(value.split()) for value in values) >= 2.5 * len(values):
                texts.append(name)
            elif 2 <= len(set(values)) <= min(10, len(values) // 2):
                labels.append(name)
        if len(texts) != 2:
            return ""
        found = dict(zip(("source", "target", "label"), texts + (labels if with_label and len(labels) == 1 else [])))
        return " ".join(f"--{role} {shlex.quote(str(name))}" for role, name in found.items())

    def has_corpus_columns(self, format: str) -> bool:
        """Whether the columns have the names of a public corpus, ``"msrp"`` or ``"rte"``.

        >>> NamedColumns(["s1", "s2"], list, []).has_corpus_columns("msrp")
        True
        """
        return any({own["source"], own["target"]} <= set(self.names) for own in CORPUS_COLUMNS[format])


def _find_known(names: Sequence[object], role: str) -> int | None:
    """Return the place of the column that has a common name for this role, or None."""
    if role in SIDES:
        sides = find_sides(names)
        return None if sides is None else sides[SIDES.index(role)]
    if role == "label":
        return find_label(names)
    return find_text(names) if role == "text" else None


def _join_words(words: Sequence[str]) -> str:
    """Join words: ``a, b and c``."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def _suggest_format(names: Sequence[object]) -> str | None:
    """Say what to do about a header that was not split, if it was not."""
    if len(names) != 1:
        return None
    name = str(names[0])
    if ";" in name and "\t" not in name and "," not in name:
        return "are its fields separated by semicolons? Name it .csv, or give format='csv' (--format)"
    guess = "tsv" if "\t" in name else "csv" if "," in name else None
    return guess and f"is it {guess}? Give format={guess!r} (--format)"


# The columns that a model was trained on, as defaults for the tables that it is used on

LONGEST_NAME = 1000  # characters of a name that a model file may have
ROLES = (*SIDES, "text", "label", "group")


class RememberedName(str):
    """The name of a column of the training table. A table that lacks it is read as if nobody had named a column.

    >>> RememberedName("Customer asks")
    'Customer asks'
    """

    __slots__ = ()


def remember_columns(roles: Mapping[str, str]) -> dict[str, str] | None:
    """Return the columns that a model keeps: those with these roles, or None if all have their usual names.

    >>> remember_columns({"source": "asked", "target": "meant", "label": "label"})
    {'source': 'asked', 'target': 'meant', 'label': 'label'}
    >>> remember_columns({"source": "source", "target": "target"}) is None
    True
    """
    is_usual = all(role == name for role, name in roles.items())
    return None if is_usual or not all(map(_can_keep, roles.values())) else dict(roles)


def recall_columns(
    names: Sequence[object], roles: Mapping[str, str | int | None], text: str | int | None
) -> tuple[dict[str, str | int | None], str | int | None]:
    """Return the columns of a table with these ``names``: remembered ones that it lacks have their usual names.

    The two sides are remembered together.

    >>> roles = {"source": RememberedName("asked"), "target": RememberedName("meant"), "label": None, "group": None}
    >>> recall_columns(["id", "asked", "meant"], roles, None)[0]["source"]
    'asked'
    >>> recall_columns(["id", "asked", "target"], roles, None)[0]["source"]
    'source'
    """

    def lacks(name: object) -> bool:
        return isinstance(name, RememberedName) and name not in names

    used = dict(roles)
    lost = any(lacks(roles.get(side)) for side in SIDES)
    for role, name in roles.items():
        if isinstance(name, RememberedName) and (lost if role in SIDES else lacks(name)):
            used[role] = None if role == "group" else role
    return used, None if lacks(text) else text


def _can_keep(name: str) -> bool:
    """Whether a model file can have a name."""
    return len(name) <= LONGEST_NAME and not any("\ud800" <= character <= "\udfff" for character in name)
