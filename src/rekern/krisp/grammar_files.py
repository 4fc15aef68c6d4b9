"""Reading grammar files; `rekern.krisp.grammar` describes the format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from rekern.core.files import show_path
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.text_files import read_text
from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_checks import PlacedProduction, check_productions
from rekern.krisp.productions import CLASSES, Production, Symbol, fill_name, shorten

_SLOT = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NON_TERMINAL = re.compile(r"[A-Z]\w{0,99}")
LONGEST_SHOWN = 60  # characters of a line in a message


def read_grammar(
    source: str | Path | Iterable[str], start: str | None = None, limits: ModelLimits = DEFAULT_LIMITS
) -> Grammar:
    """Read and check the grammar in a file (given by its path) or in a list of lines.

    The grammar may come from a stranger: it is checked like that of a model file. ``limits`` are what it may ask for.

    >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)", "State -> next_to({State})"])
    >>> grammar.start, len(grammar.productions)
    ('Query', 3)
    >>> read_grammar(["Query -> answer({Stat})"])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1: no production defines Stat, which Query -> answer({Stat}) uses
    """
    if not isinstance(source, str | Path):
        return _read_lines(list(source), start, limits)
    name = show_path(source)
    lines = read_text(source).split("\n")  # not at a form feed, as editors do not
    try:
        return _read_lines(lines, start, limits)
    except InputError as error:
        raise error.at(file=name) from None


class _Names(NamedTuple):
    """A line ``names NonTerminal = a | b``."""

    line: int
    left: str
    values: list[str]


class _Query(NamedTuple):
    """A line ``names NonTerminal := SELECT …``."""

    line: int
    sql: str


class _Synonyms(NamedTuple):
    """A line ``also NonTerminal name = phrase | phrase``."""

    line: int
    left: str
    name: str
    phrases: list[str]


@dataclass
class _Content:
    """What the lines of a file say, before they are checked."""

    start: str | None = None
    start_line: int = 1
    productions: list[PlacedProduction] = field(default_factory=list)
    names: list[_Names] = field(default_factory=list)
    queries: dict[str, _Query] = field(default_factory=dict)
    synonyms: list[_Synonyms] = field(default_factory=list)


def _fail(reason: str, line: int) -> InputError:
    return InputError(reason, row=line, unit="line")


def _read_lines(lines: Sequence[str], start: str | None, limits: ModelLimits) -> Grammar:
    """The grammar in these lines; errors have the number of the line."""
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise _fail("a NUL character; the file is damaged, or no text", number)
    content = _read_content(lines)
    productions = [production for _, production in content.productions]
    if not productions:
        raise _fail("there are no productions in this grammar", 1)
    if start is None:
        start = content.start or productions[0].left
    return _build_grammar(content, start, limits)


def _read_content(lines: Sequence[str]) -> _Content:
    content = _Content()
    for number, line in _join_lines(lines):
        word, _, rest = line.partition(" ")
        if word == "start":
            if content.start is not None:
                raise _fail(f"the start symbol stands in line {content.start_line} already", number)
            content.start, content.start_line = _read_symbol(rest.strip(), number), number
        elif word == "names":
            _read_names(content, rest, number)
        elif word == "also":
            _read_synonyms(content, rest, number)
        elif "->" in line:
            left, _, right = line.partition("->")
            text, found, sql = right.partition(":=")
            production = _read_production(_read_symbol(left.strip(), number), text.strip(), number)
            if found and not sql.strip():
                raise _fail("after := there must be SQL", number)
            production = replace(production, sql=sql.strip() if found else None)
            content.productions.append(PlacedProduction(number, production))
        else:
            shown = repr(line[:LONGEST_SHOWN])
            raise _fail(f"this is neither a production (Left -> right) nor start, names or also: {shown}", number)
    return content


def _join_lines(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The lines with their numbers, without comments, and with continued lines joined."""
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0].isspace() and found:
            found[-1][1].append(line.strip())
        else:
            found.append((number, [line.strip()]))
    return [(number, " ".join(parts)) for number, parts in found]


def _read_symbol(text: str, line: int) -> str:
    if not _NON_TERMINAL.fullmatch(text):
        shown = repr(text[:LONGEST_SHOWN])
        raise _fail(f"{shown} is no non-terminal: a capital letter, then letters and digits", line)
    return text


def _read_production(left: str, text: str, line: int) -> Production:
    """A production of our format from its right side."""
    pieces: list[list[str]] = [[]]
    slots: list[str] = []
    place = 0
    for match in _SLOT.finditer(text):
        pieces[-1].append(text[place : match.start()])
        place = match.end()
        if match[0] in ("{{", "}}"):
            pieces[-1].append(match[0][0])
        elif match[0] in ("{", "}"):
            raise _fail(f"a single {match[0]!r}; write {match[0] * 2!r} for the sign itself", line)
        else:
            if match[1] not in CLASSES:
                _read_symbol(match[1], line)
            slots.append(match[1])
            pieces.append([])
    pieces[-1].append(text[place:])
    parts = tuple(map("".join, pieces))
    if not text:
        raise _fail(f"the right side of {shorten(left)} is empty", line)
    kinds = [slot for slot in slots if slot in CLASSES]
    if kinds and len(slots) > 1:
        raise _fail(f"{{{kinds[0]}}} must be the only slot of its production", line)
    if kinds:
        return Production(0, left, parts, (), kind=kinds[0])
    return Production(0, left, parts, tuple(slots))


def _read_names(content: _Content, rest: str, line: int) -> None:
    left, equals, listed = rest.partition("=")
    if not equals:
        raise _fail("names needs '= a | b' or ':= SELECT ...'", line)
    if left.endswith(":"):
        symbol = _read_symbol(left[:-1].strip(), line)
        if symbol in content.queries:
            raise _fail(f"{shorten(symbol)} has a query for its names in line {content.queries[symbol].line}", line)
        content.queries[symbol] = _Query(line, listed.strip())
    else:
        content.names.append(_Names(line, _read_symbol(left.strip(), line), _split_alternatives(listed)))


def _read_synonyms(content: _Content, rest: str, line: int) -> None:
    head, equals, listed = rest.partition("=")
    left, _, name = head.strip().partition(" ")
    if not equals or not name.strip():
        raise _fail("write 'also NonTerminal name = phrase | phrase'", line)
    symbol = _read_symbol(left, line)
    content.synonyms.append(_Synonyms(line, symbol, " ".join(name.split()), _split_alternatives(listed)))


def _split_alternatives(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("|") if part.strip()]


def _build_grammar(content: _Content, start: str, limits: ModelLimits) -> Grammar:
    """The grammar, after all checks."""
    templates = _find_templates(content)
    productions = _expand_names(content, _collect_names(content, templates))
    if not any(production.left == start for _, production in productions):
        raise _fail(f"no production defines the start symbol {shorten(start)}", content.start_line)
    check_productions(productions, start, limits)
    seen: dict[tuple[str, tuple[Symbol, ...]], int] = {}
    for line, production in productions:
        first = seen.setdefault((production.left, production.symbols), line)
        if first != line:
            raise _fail(f"{shorten(production)} stands in line {first} already", line)
    used = [production for _, production in productions if production.kind != "name" or production.value is not None]
    numbered = tuple(replace(production, number=number) for number, production in enumerate(used))
    return Grammar(start, numbered, {left: query.sql for left, query in content.queries.items()}, templates)


def _find_templates(content: _Content) -> dict[str, Production]:
    """The ``{name}`` production of each non-terminal that has one."""
    templates: dict[str, Production] = {}
    for line, production in content.productions:
        if production.kind == "name" and production.value is None:
            if production.left in templates:
                raise _fail(f"{shorten(production.left)} has a production with {{name}} already", line)
            templates[production.left] = production
    return templates


def _collect_names(content: _Content, templates: dict[str, Production]) -> dict[str, dict[str, list[str]]]:
    """The names in the file, by non-terminal, each with its other phrases."""
    names: dict[str, dict[str, list[str]]] = {left: {} for left in templates}
    used = [(found.line, found.left) for found in content.names]
    for line, left in used + [(query.line, left) for left, query in content.queries.items()]:
        if left not in templates:
            raise _fail(f"{shorten(left)} has no production with {{name}}", line)
    for _, left, listed in content.names:
        for name in listed:
            names[left].setdefault(name, [])
    for line, left, name, phrases in content.synonyms:
        if left not in templates:
            raise _fail(f"{shorten(left)} has no production with {{name}}", line)
        if name not in names[left] and left not in content.queries:
            shown = shorten(left)
            raise _fail(f"{name[:LONGEST_SHOWN]!r} is no name of {shown}; add it to 'names {shown} = ...'", line)
        names[left].setdefault(name, []).extend(phrases)
    return names


def _expand_names(content: _Content, names: dict[str, dict[str, list[str]]]) -> list[PlacedProduction]:
    """The productions, with each ``{name}`` production replaced by one for each name in the file.

    A production whose names are all in a database is kept, so that it is checked with the others.
    """
    expanded: list[PlacedProduction] = []
    for line, production in content.productions:
        found = [production]
        if production.kind == "name" and production.value is None:
            left = production.left
            found = [fill_name(production, name, phrases) for name, phrases in names[left].items()]
            if not found and left not in content.queries:
                raise _fail(f"{shorten(left)} has no names; add 'names {shorten(left)} = ...'", line)
            found = found or [production]
        expanded += [PlacedProduction(line, one) for one in found]
    return expanded
