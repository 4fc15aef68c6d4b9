"""A grammar and the database that it asks: names are read from the database, and every SQL template is tried."""

from __future__ import annotations

import re
import warnings

from rekern.errors import InputError
from rekern.krisp.answering.database import Database
from rekern.krisp.answering.sql_compiler import Query, check_templates, compile_sql, list_examples
from rekern.krisp.grammar import Grammar
from rekern.krisp.productions import Derivation, Production, shorten

NAMES = 100_000  # the most names of one non-terminal


def connect_grammar(grammar: Grammar, database: Database) -> Grammar:
    """Add the names that the queries of a grammar find in a database, and check every template against the database.

    >>> import sqlite3
    >>> from rekern.krisp import read_grammar
    >>> from rekern.krisp.answering.sqlite_database import SQLiteDatabase
    >>> grammar = read_grammar([
    ...     "Query -> length({River})  := SELECT km FROM rivers WHERE name = {1}",
    ...     "River -> '{name}'",
    ...     "names River = rhine",
    ... ])
    >>> connect_grammar(grammar, SQLiteDatabase("rivers.db", sqlite3.connect(":memory:")))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: Query -> length({River}): its SQL does not fit rivers.db: no such table: rivers
    """
    check_templates(grammar)
    names = {}
    for left, sql in grammar.name_queries.items():
        try:
            found = database.run(Query(sql, {}), NAMES)
        except InputError as error:
            raise InputError(f"names {shorten(left)}: its SQL does not fit {error}") from None
        if found.cut:
            reason = f"its SQL finds more than {NAMES:,} names; select those that are asked for"
            raise InputError(f"names {shorten(left)}: {reason}")
        names[left] = [str(row[0]) for row in found.rows if row[0] is not None]
    for production in grammar.productions:
        if len(production.phrases) > 1 and production.value not in names.get(production.left, [production.value]):
            warnings.warn(f"also {production.left} {production.value}: {database.name} has no such name", stacklevel=2)
    grammar = grammar.with_names(names)
    fits: set[Production] = set()
    for production, derivation in sorted(list_examples(grammar), key=lambda example: len(example[1].productions())):
        query = compile_sql(derivation)
        try:
            database.prepare(query)
            fits.update(derivation.productions())
        except InputError as error:
            culprit = _find_culprit(str(error), derivation, fits) or production
            raise InputError(f"{shorten(culprit)}: its SQL does not fit {error}") from None
    return grammar


def _find_culprit(message: str, derivation: Derivation, fits: set[Production]) -> Production | None:
    """Of the productions that have not worked yet, the one whose SQL has most words of the error message."""
    words = set(re.findall(r"\w+", message.partition(": ")[2]))

    def count_shared(production: Production) -> int:
        return len(words & set(re.findall(r"\w+", production.sql or "")))

    doubtful = [production for production in derivation.productions() if production not in fits and production.sql]
    return max(doubtful, key=count_shared, default=None)
