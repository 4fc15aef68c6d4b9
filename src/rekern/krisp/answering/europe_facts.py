"""The geography of Europe: a database, a grammar and questions to try the parser on.

Populations are of about 2021 and rounded, areas are in square kilometres, lengths in kilometres, heights in metres.
Borders, coasts and rivers are those in Europe; Russia and Turkey are counted whole.
"""

from __future__ import annotations

import csv
import sqlite3
from functools import cache
from hashlib import sha256
from importlib.resources import files

from rekern.krisp.answering.database import SECONDS
from rekern.krisp.answering.database_grammar import connect_grammar
from rekern.krisp.answering.sqlite_database import SQLiteDatabase
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_files import read_grammar

SCHEMA = """
CREATE TABLE country (name TEXT PRIMARY KEY, capital TEXT NOT NULL, population REAL NOT NULL, area REAL NOT NULL,
                      currency TEXT NOT NULL, eu INTEGER NOT NULL);
CREATE TABLE border (country TEXT, neighbour TEXT, PRIMARY KEY (country, neighbour));
CREATE TABLE coast (country TEXT, sea TEXT, PRIMARY KEY (country, sea));
CREATE TABLE speaks (country TEXT, language TEXT, PRIMARY KEY (country, language));
CREATE TABLE city (name TEXT PRIMARY KEY, country TEXT NOT NULL, population REAL NOT NULL);
CREATE TABLE river (name TEXT PRIMARY KEY, length REAL NOT NULL);
CREATE TABLE river_country (river TEXT, country TEXT, PRIMARY KEY (river, country));
CREATE TABLE mountain (name TEXT PRIMARY KEY, height REAL NOT NULL);
CREATE TABLE mountain_country (mountain TEXT, country TEXT, PRIMARY KEY (mountain, country));
CREATE TABLE lake (name TEXT PRIMARY KEY, area REAL NOT NULL);
CREATE TABLE lake_country (lake TEXT, country TEXT, PRIMARY KEY (lake, country));
"""


def europe_database(seconds: float = SECONDS) -> SQLiteDatabase:
    """The facts, in an SQLite database in memory.

    >>> from rekern.krisp.answering.sql_compiler import Query
    >>> europe_database().run(Query("SELECT capital FROM country WHERE name = :v1", {"v1": "Austria"})).rows
    [('Vienna',)]
    """
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    fill_europe(connection)
    return SQLiteDatabase("europe", connection, seconds)


def fill_europe(connection: sqlite3.Connection) -> None:
    """Create the tables of the facts in a database of your own, and fill them.

    >>> connection = sqlite3.connect(":memory:")
    >>> fill_europe(connection)
    >>> connection.execute("SELECT COUNT(*) FROM border WHERE country = 'Austria'").fetchone()
    (8,)
    """
    connection.executescript(SCHEMA)
    for row in _read_table("countries.tsv"):
        country = row["name"]
        values = [
            country,
            row["capital"],
            float(row["population"]),
            float(row["area"]),
            row["currency"],
            int(row["eu"]),
        ]
        connection.execute("INSERT INTO country VALUES (?, ?, ?, ?, ?, ?)", values)
        for table, column in (("border", "neighbours"), ("coast", "seas"), ("speaks", "languages")):
            pairs = [(country, other) for other in _split_list(row[column])]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", pairs)
    for row in _read_table("cities.tsv"):
        values = [row["name"], row["country"], float(row["population"])]
        connection.execute("INSERT INTO city VALUES (?, ?, ?)", values)
    for table, measure, file in (
        ("river", "length", "rivers.tsv"),
        ("mountain", "height", "mountains.tsv"),
        ("lake", "area", "lakes.tsv"),
    ):
        for row in _read_table(file):
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", [row["name"], float(row[measure])])
            pairs = [(row["name"], country) for country in _split_list(row["countries"])]
            connection.executemany(f"INSERT INTO {table}_country VALUES (?, ?)", pairs)
    connection.commit()


@cache
def europe_grammar() -> Grammar:
    """The grammar, with the names in the database.

    >>> europe_grammar().parse("longest(rivers('Austria'))").meaning()
    "longest(rivers('Austria'))"
    """
    return connect_grammar(read_grammar(read_europe_file("grammar.txt").splitlines()), europe_database())


def europe_questions(part: str = "train") -> tuple[list[str], list[str]]:
    """Questions and their meanings: ``train``, or ``heldout``, which asks in other words.

    >>> questions, meanings = europe_questions("heldout")
    >>> questions[0], meanings[0]
    ("I'd like to know the capital of Denmark", "capital('Denmark')")
    """
    rows = _read_table({"train": "train.tsv", "heldout": "heldout.tsv"}[part])
    return [row["question"] for row in rows], [row["meaning"] for row in rows]


def europe_digest() -> str:
    """A short digest of the facts, the grammar and the training questions.

    >>> len(europe_digest())
    16
    """
    names = ("countries.tsv", "cities.tsv", "rivers.tsv", "mountains.tsv", "lakes.tsv", "grammar.txt", "train.tsv")
    return sha256("\0".join(map(read_europe_file, names)).encode()).hexdigest()[:16]


def read_europe_file(name: str) -> str:
    """The content of a file of ``data/europe``.

    >>> read_europe_file("countries.tsv").split("\\t")[0]
    'name'
    """
    return files("rekern.krisp.answering").joinpath(f"data/europe/{name}").read_text(encoding="utf-8")


def _read_table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(read_europe_file(name).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def _split_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
