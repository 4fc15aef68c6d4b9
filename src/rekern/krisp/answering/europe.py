"""A domain to try the parser on: the geography of Europe, with its database, its grammar and its questions.

Populations are of about 2021 and rounded, areas are in square kilometres, lengths in kilometres, heights in metres.
Borders, coasts and rivers are those in Europe; Russia and Turkey are counted whole.
"""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from functools import cache
from importlib.resources import files
from typing import Any

from rekern.krisp.answering.database import SECONDS, Database, with_database
from rekern.krisp.code_fingerprint import LEARNER, READER, fingerprint
from rekern.krisp.grammar import Grammar, read_grammar

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


def europe_database(seconds: float = SECONDS) -> Database:
    """The facts, in an SQLite database in memory.

    >>> from rekern.krisp.answering.sql import Query
    >>> europe_database().run(Query("SELECT capital FROM country WHERE name = :v1", {"v1": "Austria"})).rows
    [('Vienna',)]
    """
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    fill_europe(connection)
    return Database("europe", connection, seconds)


def fill_europe(connection: sqlite3.Connection) -> None:
    """Make the tables of the facts and fill them, in a database of one's own.

    >>> connection = sqlite3.connect(":memory:")
    >>> fill_europe(connection)
    >>> connection.execute("SELECT COUNT(*) FROM border WHERE country = 'Austria'").fetchone()
    (8,)
    """
    connection.executescript(SCHEMA)
    for row in _table("countries.tsv"):
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
            pairs = [(country, other) for other in _listed(row[column])]
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", pairs)
    for row in _table("cities.tsv"):
        values = [row["name"], row["country"], float(row["population"])]
        connection.execute("INSERT INTO city VALUES (?, ?, ?)", values)
    for table, measure, file in (
        ("river", "length", "rivers.tsv"),
        ("mountain", "height", "mountains.tsv"),
        ("lake", "area", "lakes.tsv"),
    ):
        for row in _table(file):
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", [row["name"], float(row[measure])])
            pairs = [(row["name"], country) for country in _listed(row["countries"])]
            connection.executemany(f"INSERT INTO {table}_country VALUES (?, ?)", pairs)
    connection.commit()


def europe_grammar() -> Grammar:
    """The grammar, with the names in the database.

    >>> europe_grammar().parse("longest(rivers('Austria'))").meaning()
    "longest(rivers('Austria'))"
    """
    return _named_grammar()


@cache
def _named_grammar() -> Grammar:
    return with_database(read_grammar(_read("grammar.txt").splitlines()), europe_database())


def europe_questions(part: str = "train") -> tuple[list[str], list[str]]:
    """Questions and their meanings: ``train``, or ``heldout``, which asks in other words.

    >>> questions, meanings = europe_questions("heldout")
    >>> questions[0], meanings[0]
    ("I'd like to know the capital of Denmark", "capital('Denmark')")
    """
    rows = _table({"train": "train.tsv", "heldout": "heldout.tsv"}[part])
    return [row["question"] for row in rows], [row["meaning"] for row in rows]


def europe_fingerprint() -> str:
    """What changes whenever a fact, the grammar, a question for training, or the code that learns from them changes.

    >>> len(europe_fingerprint())
    16
    """
    names = ("countries.tsv", "cities.tsv", "rivers.tsv", "mountains.tsv", "lakes.tsv", "grammar.txt", "train.tsv")
    return fingerprint([*LEARNER, *READER], map(_read, names))


def europe_notes() -> dict[str, Any] | None:
    """What cross-validation on the training questions found, if that was done with these facts, questions and code.

    ``python -m rekern.krisp.answering.europe FILE`` does it again and writes the file
    (here ``data/europe/confidence.json``).

    >>> (europe_notes() or {"asked": 803})["asked"]
    803
    """
    notes = json.loads(_read("confidence.json"))
    return notes if notes.pop("fingerprint") == europe_fingerprint() else None


def _write_notes(path: str) -> None:
    from rekern.krisp.answering.asker import Questions, cross_validate

    questions = Questions(*europe_questions("train"))
    notes = cross_validate(questions, europe_grammar(), europe_database(), status=print, folds=5)
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"fingerprint": europe_fingerprint(), **notes}, indent=2) + "\n")


def _read(name: str) -> str:
    return files("rekern.krisp.answering").joinpath(f"data/europe/{name}").read_text(encoding="utf-8")


def _table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_read(name).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


if __name__ == "__main__":
    _write_notes(sys.argv[1])
