"""The facts of Geobase, GeoQuery's database, as tables of SQL."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from rekern.core.files import show_path
from rekern.errors import InputError

COUNTRY = "countryid(usa)"
MAJOR = {
    "city": ("population", 150_000),
    "river": ("length", 750),
    "lake": ("area", 750),
}  # larger ones are major

SQLValue: TypeAlias = str | float | None

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


class Fact(NamedTuple):
    """A fact: the name of its predicate, and its arguments as JSON has them."""

    predicate: str
    arguments: list[Any]


def write_term(functor: str, *names: str) -> str:
    """Write a thing as Prolog does.

    >>> write_term("cityid", "new york", "ny"), write_term("stateid", "utah")
    ("cityid('new york',ny)", 'stateid(utah)')
    """
    return f"{functor}({','.join(name if re.fullmatch('[a-z][a-z0-9_]*', name) else repr(name) for name in names)})"


def read_facts(path: str | Path) -> list[Fact]:
    """Read the facts in a file."""
    found = []
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    fact = json.loads(line)
                    found.append(Fact(str(fact["pred"]), list(fact["args"])))
                except (ValueError, KeyError, TypeError):
                    reason = "this is no fact with pred and args"
                    raise InputError(reason, file=show_path(path), row=number, unit="line") from None
    except FileNotFoundError:
        raise InputError("there is no such file of facts", file=show_path(path)) from None
    return found


def load_facts(connection: sqlite3.Connection, facts: Iterable[Fact]) -> None:
    """Create the tables of GeoQuery and fill them.

    >>> connection = sqlite3.connect(":memory:")
    >>> load_facts(connection, [Fact("river", ["gila", 805, ["arizona", "new mexico"]])])
    >>> connection.execute("SELECT * FROM traverses ORDER BY region").fetchall()[1:]
    [('riverid(gila)', "stateid('new mexico')"), ('riverid(gila)', 'stateid(arizona)')]
    """
    connection.executescript(SCHEMA)
    # Mountains come last: as high points they are known by their longer names.
    facts = sorted(facts, key=lambda fact: fact.predicate == "mountain")
    for predicate, arguments in facts:
        if predicate in _LOADERS:
            _LOADERS[predicate](connection, *arguments)
    for kind, (measure, least) in MAJOR.items():
        among = "id IN (SELECT place FROM lake)" if kind == "lake" else f"kind = '{kind}'"
        connection.execute(f"INSERT INTO major SELECT id FROM thing WHERE {among} AND {measure} > ?", [least])
    connection.commit()


def _insert_thing(connection: sqlite3.Connection, identity: str, kind: str, name: str, **columns: SQLValue) -> None:
    columns = {"id": identity, "kind": kind, "name": name, **columns}
    marks = ", ".join("?" * len(columns))
    update = ", ".join(f"{column} = COALESCE(excluded.{column}, {column})" for column in columns if column != "id")
    connection.execute(
        f"INSERT INTO thing ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {update}",
        list(columns.values()),
    )


def _insert_row(connection: sqlite3.Connection, table: str, *row: SQLValue) -> None:
    connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def _insert_place(connection: sqlite3.Connection, name: str, regions: list[str], metres: float | None = None) -> str:
    place = write_term("placeid", name)
    _insert_thing(connection, place, "place", name)
    _insert_row(connection, "place_name", name, place)
    for region in [COUNTRY, *(write_term("stateid", state) for state in regions)]:
        _insert_row(connection, "located", place, region)
    if metres is not None:
        _insert_row(connection, "elevation", place, metres)
    return place


def _load_state(
    connection: sqlite3.Connection,
    name: str,
    abbreviation: str,
    capital: str,
    population: float,
    area: float,
    *_: object,
) -> None:
    state, city = write_term("stateid", name), write_term("cityid", capital, abbreviation)
    measures = {"population": population, "area": area, "density": population / area, "size": area}
    _insert_thing(connection, state, "state", name, abbreviation=abbreviation, **measures)
    _insert_row(connection, "located", state, COUNTRY)
    if connection.execute("SELECT 1 FROM thing WHERE id = ?", [city]).fetchone() is None:
        # It is not a city unless a city fact says so.
        _insert_thing(connection, city, "capital", capital, abbreviation=abbreviation)
    _insert_row(connection, "capital", city, state)
    _insert_row(connection, "located", city, state)
    _insert_row(connection, "located", city, COUNTRY)


def _load_city(connection: sqlite3.Connection, state: str, abbreviation: str, name: str, population: float) -> None:
    city = write_term("cityid", name, abbreviation)
    _insert_thing(connection, city, "city", name, abbreviation=abbreviation, population=population, size=population)
    _insert_row(connection, "located", city, write_term("stateid", state))
    _insert_row(connection, "located", city, COUNTRY)


def _load_river(connection: sqlite3.Connection, name: str, length: float, states: list[str]) -> None:
    river = write_term("riverid", name)
    _insert_thing(connection, river, "river", name, length=length, size=length)
    for region in [COUNTRY, *(write_term("stateid", state) for state in states)]:
        _insert_row(connection, "located", river, region)
        _insert_row(connection, "traverses", river, region)


def _load_border(connection: sqlite3.Connection, state: str, _: str, neighbours: list[str]) -> None:
    for neighbour in neighbours:
        _insert_row(connection, "borders", write_term("stateid", state), write_term("stateid", neighbour))


def _load_highlow(
    connection: sqlite3.Connection, state: str, _: str, high: str, highest: float, low: str, lowest: float
) -> None:
    top = _insert_place(connection, high, [state], highest)
    _insert_row(connection, "mountain", top)
    _insert_row(connection, "high_point", write_term("stateid", state), top)
    _insert_row(connection, "low_point", write_term("stateid", state), _insert_place(connection, low, [state], lowest))


def _load_mountain(connection: sqlite3.Connection, state: str, _: str, name: str, metres: float) -> None:
    same = connection.execute(
        "SELECT place FROM high_point JOIN elevation USING (place) WHERE state = ? AND place = ? AND metres = ?",
        [write_term("stateid", state), write_term("placeid", f"mount {name}"), metres],
    ).fetchone()
    if same:  # the facts call it mckinley here and mount mckinley there
        _insert_row(connection, "place_name", name, same[0])
    else:
        _insert_row(connection, "mountain", _insert_place(connection, name, [state], metres))


def _load_lake(connection: sqlite3.Connection, name: str, area: float, states: list[str]) -> None:
    lake = _insert_place(connection, name, states)
    _insert_thing(connection, lake, "place", name, area=area, size=area)
    _insert_row(connection, "lake", lake)
    if not name.startswith("lake ") and not name.endswith((" lake", " sea")):
        _insert_row(connection, "place_name", f"lake {name}", lake)


def _load_country(connection: sqlite3.Connection, name: str, population: float, area: float) -> None:
    measures = {"population": population, "area": area, "density": population / area, "size": area}
    _insert_thing(connection, write_term("countryid", name), "country", name, **measures)


_LOADERS: dict[str, Callable[..., None]] = {
    "state": _load_state,
    "city": _load_city,
    "river": _load_river,
    "border": _load_border,
    "highlow": _load_highlow,
    "mountain": _load_mountain,
    "lake": _load_lake,
    "country": _load_country,
}
