"""GeoQuery: its facts as an SQL database, its functional query language as SQL, and the answers of its queries."""

from __future__ import annotations

import json
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from rekern.core.files import show_path
from rekern.errors import InputError
from rekern.krisp.answering.sql import Query, compile_sql
from rekern.krisp.answering.sqlite_database import SQLiteDatabase
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_files import read_grammar
from rekern.krisp.productions import Production

COUNTRY = "countryid(usa)"
MAJOR = {"city": ("population", 150_000), "river": ("length", 750), "lake": ("area", 750)}  # what is more is major
DIGITS = 9  # to which numbers of two answers must agree

SCHEMA = """
CREATE TABLE thing (id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, abbreviation TEXT,
                    population REAL, area REAL, length REAL, density REAL, size REAL);
CREATE INDEX thing_name ON thing (name, kind);
CREATE INDEX thing_kind ON thing (kind);
CREATE TABLE place_name (name TEXT, place TEXT, PRIMARY KEY (name, place));
CREATE TABLE elevation (place TEXT, metres REAL, PRIMARY KEY (place, metres));
CREATE TABLE lake (place TEXT PRIMARY KEY);
CREATE TABLE mountain (place TEXT PRIMARY KEY);
CREATE TABLE major (id TEXT PRIMARY KEY);
CREATE TABLE capital (city TEXT, state TEXT, PRIMARY KEY (city, state));
CREATE INDEX capital_state ON capital (state);
CREATE TABLE located (part TEXT, whole TEXT, PRIMARY KEY (part, whole));
CREATE INDEX located_whole ON located (whole);
CREATE TABLE traverses (river TEXT, region TEXT, PRIMARY KEY (river, region));
CREATE INDEX traverses_region ON traverses (region);
CREATE TABLE borders (state TEXT, neighbour TEXT, PRIMARY KEY (state, neighbour));
CREATE INDEX borders_neighbour ON borders (neighbour);
CREATE TABLE high_point (state TEXT, place TEXT, PRIMARY KEY (state, place));
CREATE INDEX high_point_place ON high_point (place);
CREATE TABLE low_point (state TEXT, place TEXT, PRIMARY KEY (state, place));
CREATE INDEX low_point_place ON low_point (place);
"""


class Geobase:
    """GeoQuery's grammar with SQL, and the database of its facts in memory.

    ``folder`` holds ``geobase.jsonl`` (one fact a line: ``{"pred": "river", "args": [...]}``) and ``mrl-grammar.txt``.
    """

    def __init__(self, folder: str | Path):
        folder = Path(folder)
        self.grammar = with_templates(read_grammar(folder / "mrl-grammar.txt"))
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        load_facts(connection, read_facts(folder / "geobase.jsonl"))
        self.database = SQLiteDatabase("geobase", connection)
        self._answers: dict[str, frozenset[str | float]] = {}

    def query(self, meaning: str) -> Query:
        """The SQL of a meaning; a meaning with several derivations has the same answer by all of them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about several derivations
            return compile_sql(self.grammar.parse(meaning))

    def answer(self, meaning: str) -> frozenset[str | float]:
        """What a query answers: things as Prolog writes them, and numbers to nine digits; equal sets, equal answers."""
        known = self._answers.get(meaning)
        if known is None:
            rows = self.database.run(self.query(meaning)).rows
            known = self._answers[meaning] = frozenset(comparable(row[0]) for row in rows)
        return known


def comparable(value: Any) -> str | float:
    """A value of an answer in a form in which equal values are equal.

    >>> comparable(3), comparable(0.1 + 0.2), comparable("stateid(utah)")
    (3.0, 0.3, 'stateid(utah)')
    """
    return float(f"{value:.{DIGITS}g}") if isinstance(value, int | float) else str(value)


def term(functor: str, *names: str) -> str:
    """A thing as Prolog writes it.

    >>> term("cityid", "new york", "ny"), term("stateid", "utah")
    ("cityid('new york',ny)", 'stateid(utah)')
    """
    return f"{functor}({','.join(name if re.fullmatch('[a-z][a-z0-9_]*', name) else repr(name) for name in names)})"


def read_facts(path: str | Path) -> list[tuple[str, list[Any]]]:
    """The facts in a file, each as the name of its predicate and its arguments."""
    found = []
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    fact = json.loads(line)
                    found.append((str(fact["pred"]), list(fact["args"])))
                except (ValueError, KeyError, TypeError):
                    raise InputError(f"{show_path(path)}, line {number}: this is no fact with pred and args") from None
    except FileNotFoundError:
        raise InputError(f"{show_path(path)}: there is no such file of facts") from None
    return found


def load_facts(connection: sqlite3.Connection, facts: Iterable[tuple[str, list[Any]]]) -> None:
    """Make the tables of GeoQuery and fill them.

    >>> connection = sqlite3.connect(":memory:")
    >>> load_facts(connection, [("river", ["gila", 805, ["arizona", "new mexico"]])])
    >>> connection.execute("SELECT * FROM traverses ORDER BY region").fetchall()[1:]
    [('riverid(gila)', "stateid('new mexico')"), ('riverid(gila)', 'stateid(arizona)')]
    """
    connection.executescript(SCHEMA)
    facts = sorted(facts, key=lambda fact: fact[0] == "mountain")  # known by their longer names as high points before
    for predicate, arguments in facts:
        if predicate in _LOADERS:
            _LOADERS[predicate](connection, *arguments)
    for kind, (measure, least) in MAJOR.items():
        among = "id IN (SELECT place FROM lake)" if kind == "lake" else f"kind = '{kind}'"
        connection.execute(f"INSERT INTO major SELECT id FROM thing WHERE {among} AND {measure} > ?", [least])
    connection.commit()


def _thing(connection: sqlite3.Connection, identity: str, kind: str, name: str, **columns: Any) -> None:
    columns = {"id": identity, "kind": kind, "name": name, **columns}
    marks = ", ".join("?" * len(columns))
    update = ", ".join(f"{column} = COALESCE(excluded.{column}, {column})" for column in columns if column != "id")
    connection.execute(
        f"INSERT INTO thing ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {update}",
        list(columns.values()),
    )


def _related(connection: sqlite3.Connection, table: str, *row: Any) -> None:
    connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def _place(connection: sqlite3.Connection, name: str, regions: list[str], metres: float | None = None) -> str:
    place = term("placeid", name)
    _thing(connection, place, "place", name)
    _related(connection, "place_name", name, place)
    for region in [COUNTRY, *(term("stateid", state) for state in regions)]:
        _related(connection, "located", place, region)
    if metres is not None:
        _related(connection, "elevation", place, metres)
    return place


def _state(
    connection: sqlite3.Connection,
    name: str,
    abbreviation: str,
    capital: str,
    population: float,
    area: float,
    *_: Any,
) -> None:
    state, city = term("stateid", name), term("cityid", capital, abbreviation)
    measures = {"population": population, "area": area, "density": population / area, "size": area}
    _thing(connection, state, "state", name, abbreviation=abbreviation, **measures)
    _related(connection, "located", state, COUNTRY)
    if connection.execute("SELECT 1 FROM thing WHERE id = ?", [city]).fetchone() is None:
        _thing(connection, city, "capital", capital, abbreviation=abbreviation)  # not a city unless a city fact says so
    _related(connection, "capital", city, state)
    _related(connection, "located", city, state)
    _related(connection, "located", city, COUNTRY)


def _city(connection: sqlite3.Connection, state: str, abbreviation: str, name: str, population: float) -> None:
    city = term("cityid", name, abbreviation)
    _thing(connection, city, "city", name, abbreviation=abbreviation, population=population, size=population)
    _related(connection, "located", city, term("stateid", state))
    _related(connection, "located", city, COUNTRY)


def _river(connection: sqlite3.Connection, name: str, length: float, states: list[str]) -> None:
    river = term("riverid", name)
    _thing(connection, river, "river", name, length=length, size=length)
    for region in [COUNTRY, *(term("stateid", state) for state in states)]:
        _related(connection, "located", river, region)
        _related(connection, "traverses", river, region)


def _border(connection: sqlite3.Connection, state: str, _: str, neighbours: list[str]) -> None:
    for neighbour in neighbours:
        _related(connection, "borders", term("stateid", state), term("stateid", neighbour))


def _highlow(
    connection: sqlite3.Connection, state: str, _: str, high: str, highest: float, low: str, lowest: float
) -> None:
    top = _place(connection, high, [state], highest)
    _related(connection, "mountain", top)
    _related(connection, "high_point", term("stateid", state), top)
    _related(connection, "low_point", term("stateid", state), _place(connection, low, [state], lowest))


def _mountain(connection: sqlite3.Connection, state: str, _: str, name: str, metres: float) -> None:
    same = connection.execute(
        "SELECT place FROM high_point JOIN elevation USING (place) WHERE state = ? AND place = ? AND metres = ?",
        [term("stateid", state), term("placeid", f"mount {name}"), metres],
    ).fetchone()
    if same:  # the facts call it mckinley here and mount mckinley there
        _related(connection, "place_name", name, same[0])
    else:
        _related(connection, "mountain", _place(connection, name, [state], metres))


def _lake(connection: sqlite3.Connection, name: str, area: float, states: list[str]) -> None:
    lake = _place(connection, name, states)
    _thing(connection, lake, "place", name, area=area, size=area)
    _related(connection, "lake", lake)
    if not name.startswith("lake ") and not name.endswith((" lake", " sea")):
        _related(connection, "place_name", f"lake {name}", lake)


def _country(connection: sqlite3.Connection, name: str, population: float, area: float) -> None:
    measures = {"population": population, "area": area, "density": population / area, "size": area}
    _thing(connection, term("countryid", name), "country", name, **measures)


_LOADERS: dict[str, Callable[..., None]] = {
    "state": _state,
    "city": _city,
    "river": _river,
    "border": _border,
    "highlow": _highlow,
    "mountain": _mountain,
    "lake": _lake,
    "country": _country,
}


def with_templates(grammar: Grammar) -> Grammar:
    """GeoQuery's grammar with the SQL of every production.

    >>> grammar = with_templates(read_grammar(["Query -> answer({State})", "State -> state(all)"]))
    >>> grammar.productions[1].sql
    "SELECT t.id AS x, t.id AS d FROM thing t WHERE t.kind = 'state'"
    """
    templates = _templates()
    return replace(grammar, productions=tuple(_with_template(p, templates) for p in grammar.productions))


def _with_template(production: Production, templates: dict[str, str]) -> Production:
    if production.kind == "name":
        return production
    if production.kind == "number":
        return replace(production, sql="SELECT {1} AS x, NULL AS d")
    for slots in (production.slots, ("",) * len(production.slots)):  # a line for this type, else one for all types
        form = "".join(
            re.sub(r"\s", "", part) + slot for part, slot in zip(production.parts, [*(f"{{{s}}}" for s in slots), ""])
        )
        if form in templates:
            return replace(production, sql=templates[form])
    raise InputError(f"{production} is no form of GeoQuery's query language: there is no SQL for it")


def _templates() -> dict[str, str]:
    """The SQL of each form, from the package's file."""
    text = files("rekern.krisp.answering").joinpath("data/geoquery.sql.txt").read_text(encoding="utf-8")
    lines = [line.partition(":=") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {re.sub(r"\s", "", form): sql.strip() for form, _, sql in lines}
