"""SQL of derivations: the templates of their productions are nested, and all values become bound parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.productions import AGAIN, Derivation, Production, shorten

LONGEST_SQL = 1_000_000  # characters; a template that uses a slot twice grows without bound when it is nested
DEEPEST = 6  # levels of nested queries before one of them becomes a table of a WITH clause

_SLOT = re.compile(r"\{(\d{1,9})\}")
_STRING = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_PARAMETER = re.compile(r"(?<![:\w]):[A-Za-z_]\w*|[@$][A-Za-z_]\w*")
_COLON = re.compile(rf"\b[eE]'(?:[^'\\]|\\.|'')*'|{_STRING.pattern}|(?s:\$\$.*?\$\$)|(?<![:\w]):(\w+)|:")
_JOINS = re.compile(r"""[\w:@$/*'"{}-]""")  # what would become one with a slot beside it
_BEGIN = re.compile(r"\s*(SELECT|WITH(\s+RECURSIVE)?)\b", re.IGNORECASE)


class Query(NamedTuple):
    """SQL with named parameters, ``:v1`` and so on, and their values."""

    sql: str
    parameters: dict[str, str | int | float]


def compile_sql(derivation: Derivation) -> Query:
    """Compile a derivation to SQL; names, numbers and words of the meaning are parameters, never text of the SQL.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar([
    ...     "Query -> answer({State})      := SELECT DISTINCT name FROM ({1}) AS s",
    ...     "State -> next_to({StateName}) := SELECT b AS name FROM border WHERE a = {1}",
    ...     "StateName -> '{name}'",
    ...     "names StateName = texas | utah",
    ... ])
    >>> query = compile_sql(grammar.parse("answer(next_to('utah'))"))
    >>> query.sql
    'SELECT DISTINCT name FROM (SELECT b AS name FROM border WHERE a = :v1) AS s'
    >>> query.parameters
    {'v1': 'utah'}
    """
    parameters: dict[str, str | int | float] = {}
    parts: list[str] = []
    sql = _expand(derivation, parameters, parts).sql
    begin = _BEGIN.match(sql)
    if begin is None:
        raise InputError(f"{shorten(_find_first(derivation).production)}: its SQL must begin with SELECT or WITH")
    if parts:
        listed = ", ".join(f"q{number} AS ({part})" for number, part in enumerate(parts, 1))
        own = begin[1].upper() != "SELECT"
        sql = f"{begin[1]} {listed}, {sql[begin.end() :].lstrip()}" if own else f"WITH {listed} {sql}"
    return Query(sql, parameters)


def escape_for_sqlalchemy(query: Query) -> str:
    r"""The SQL of a query for SQLAlchemy's ``text``, with colons escaped that would be taken for parameters.

    >>> print(escape_for_sqlalchemy(Query("SELECT a::text FROM t WHERE b = :v1 AND c <> ':v1'", {"v1": "x"})))
    SELECT a\:\:text FROM t WHERE b = :v1 AND c <> '\:v1'
    """

    def escape(found: re.Match[str]) -> str:
        return found[0] if found[1] in query.parameters else found[0].replace(":", r"\:")

    return _COLON.sub(escape, query.sql)


def _find_first(derivation: Derivation) -> Derivation:
    """The part of a derivation whose SQL is the beginning of the whole."""
    slot = re.match(r"\s*\{(\d{1,9})\}", get_template(derivation.production))
    below = derivation.children[int(slot[1]) - 1] if slot and derivation.children else None
    return _find_first(below) if below is not None and below.production.kind == "rule" else derivation


class _NestedSQL(NamedTuple):
    """The SQL of a part of a derivation, and how deeply queries are nested in it."""

    sql: str
    depth: int


def _expand(derivation: Derivation, parameters: dict[str, str | int | float], parts: list[str]) -> _NestedSQL:
    """The SQL of a derivation.

    A query that is used twice, or that is deeply nested (SQLite reads only so many levels), becomes a table of the
    WITH clause, whose queries are ``parts``.
    """
    production = derivation.production
    if production.kind == "rule":
        slots = [_expand(child, parameters, parts) for child in derivation.children]
    else:
        value = production.value if production.kind == "name" else derivation.value
        name = f"v{len(parameters) + 1}"
        parameters[name] = _parse_number(value or "") if production.kind == "number" else value or ""
        slots = [_NestedSQL(f":{name}", 0)]
    text = get_template(production)
    for place, slot in enumerate(slots):
        whole = f"({{{place + 1}}})"
        deep = slot.depth >= DEEPEST or text.count(whole) > 1
        if deep and whole in text and _BEGIN.match(slot.sql):
            parts.append(slot.sql)
            slots[place] = _NestedSQL(f"SELECT * FROM q{len(parts)}", 1)
    sql = _fill(text, [slot.sql for slot in slots])
    if len(sql) > LONGEST_SQL:
        raise InputError(f"{shorten(production)}: the SQL of the query grows beyond {LONGEST_SQL:,} characters")
    return _NestedSQL(sql, 1 + max((slot.depth for slot in slots), default=0))


def _fill(template: str, slots: list[str]) -> str:
    """Put the SQL of the slots into a template, apart from what it would join: a word, a parameter or an operator.

    >>> _fill("SELECT -{1}", ["-:v1"]), _fill("SELECT a={1}", [":v1"]), _fill("SELECT {1}0", [":v1"])
    ('SELECT - -:v1', 'SELECT a=:v1', 'SELECT :v1 0')
    """

    def fill(found: re.Match[str]) -> str:
        before = " " if _JOINS.match(template[max(found.start() - 1, 0) : found.start()]) else ""
        after = " " if _JOINS.match(template[found.end() : found.end() + 1]) else ""
        return before + slots[int(found[1]) - 1] + after

    return _SLOT.sub(fill, template)


def get_template(production: Production) -> str:
    """The SQL template of a production; one that names an entity is the parameter itself if it has none.

    >>> get_template(Production(0, "State", ("state(all)",)))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: State -> state(all) has no SQL: write := SELECT ... behind it
    """
    if production.sql is not None:
        return production.sql
    if production.kind != "rule":
        return "{1}"
    if len(production.slots) == 1 and not production.predicate:
        return "{1}"  # a production that only leads on, as Query -> {State}
    raise InputError(f"{shorten(production)} has no SQL: write := SELECT ... behind it")


def check_templates(grammar: Grammar) -> None:
    """Refuse templates that name a slot that is not there, or that hold several statements.

    >>> from rekern.krisp import read_grammar
    >>> check_templates(read_grammar(["Query -> answer({X}) := SELECT {2}", "X -> x := SELECT 1"]))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: Query -> answer({X}): its SQL has {2}, but there is 1 slot
    """
    for left, sql in grammar.name_queries.items():
        _check_sql(sql, f"names {shorten(left)}")
        if _SLOT.search(_STRING.sub("", sql)):
            raise InputError(f"names {shorten(left)}: its SQL has a slot, but there is nothing to fill it with")
        if not _BEGIN.match(sql):
            raise InputError(f"names {shorten(left)}: its SQL must begin with SELECT or WITH")
    for production in _list_templates(grammar):
        sql = get_template(production)
        _check_sql(sql, shorten(production))
        slots = len(production.slots) if production.kind == "rule" else 1
        for number in _SLOT.findall(sql):
            if not 1 <= int(number) <= slots:
                count = f"there {'is' if slots == 1 else 'are'} {slots or 'no'} slot{'' if slots == 1 else 's'}"
                raise InputError(f"{shorten(production)}: its SQL has {{{number}}}, but {count}")


def _check_sql(sql: str, where: str) -> None:
    """Refuse SQL that is not one query, or that would change its meaning inside another query.

    >>> _check_sql("SELECT name FROM river WHERE name LIKE '%{1}%'", "Query -> like({Name})")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: Query -> like({Name}): {1} stands in quotes; write it outside, as in '%' || {1} || '%'
    """
    outside = _STRING.sub("", sql)
    for text in _STRING.findall(sql):
        slot = _SLOT.search(text)
        if slot:
            raise InputError(f"{where}: {slot[0]} stands in quotes; write it outside, as in '%' || {slot[0]} || '%'")
    if ";" in outside:
        raise InputError(f"{where}: its SQL must be one statement, without a semicolon")
    if "--" in outside or "/*" in outside:
        raise InputError(f"{where}: its SQL has a comment, which would hide what follows; put it on a line with #")
    if _PARAMETER.search(outside):
        raise InputError(f"{where}: its SQL has a parameter of its own; only {{1}}, {{2}} … are filled in")
    if len(sql) > LONGEST_SQL:
        raise InputError(f"{where}: its SQL has more than {LONGEST_SQL:,} characters")


def _list_templates(grammar: Grammar) -> Iterator[Production]:
    """The productions, with those that differ only in the name of an entity once."""
    seen = set()
    for production in [*grammar.productions, *grammar.name_templates.values()]:
        key = (production.left, production.kind, production.sql)
        if production.kind == AGAIN:  # it has the SQL of what it repeats
            continue
        if production.kind == "rule" or key not in seen:
            seen.add(key)
            yield production


def list_examples(grammar: Grammar) -> list[tuple[Production, Derivation]]:
    """For each production with a template of its own, a short derivation of a whole query that uses it.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> answer({X})", "X -> both({X},{X})", "X -> x"])
    >>> [derivation.meaning() for _, derivation in list_examples(grammar)]
    ['answer(x)', 'answer(both(x,x))', 'answer(x)']
    """
    shortest = _find_shortest(grammar)
    around = _find_ways_up(grammar)
    found = []
    for production in _list_templates(grammar):
        if production.kind == "name" and production.value is None:
            continue  # a template of names: its names are productions of their own
        if any(slot not in shortest for slot in production.slots):
            continue  # of names that are not known yet
        tree = _derive_shortest(production, shortest)
        while tree.production.left != grammar.start:
            parent, place = around[tree.production.left]
            children = [shortest.get(slot) for slot in parent.slots]
            children[place] = tree
            if None in children:
                break
            tree = Derivation(parent, tuple(child for child in children if child is not None))
        else:
            found.append((production, tree))
    return found


def _derive_shortest(production: Production, shortest: dict[str, Derivation]) -> Derivation:
    if production.kind == "rule":
        return Derivation(production, tuple(shortest[slot] for slot in production.slots))
    return Derivation(production, (), None if production.kind == "name" else "0")


def _find_shortest(grammar: Grammar) -> dict[str, Derivation]:
    """A derivation of least height for every non-terminal that has one."""
    found: dict[str, Derivation] = {}
    while True:
        ready = {
            left: production
            for left, productions in grammar.by_left.items()
            if left not in found
            for production in reversed(productions)
            if production.kind != AGAIN and all(slot in found for slot in production.slots)
        }
        if not ready:
            return found
        found.update({left: _derive_shortest(production, found) for left, production in ready.items()})


def _find_ways_up(grammar: Grammar) -> dict[str, tuple[Production, int]]:
    """For each non-terminal, the production and the slot by which it is reached from the start in the fewest steps."""
    found: dict[str, tuple[Production, int]] = {}
    waiting = [grammar.start]
    for left in waiting:
        for production in grammar.by_left.get(left, []):
            for place, slot in enumerate(production.slots):
                if slot not in found and slot != grammar.start:
                    found[slot] = (production, place)
                    waiting.append(slot)
    return found


def _parse_number(text: str) -> int | float:
    try:
        whole = int(text)
    except ValueError:  # it has a point, or more digits than Python reads
        return float(text)
    return whole if abs(whole) < 2**63 else float(text)  # databases have integers of 64 bits
