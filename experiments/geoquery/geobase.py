"""GeoQuery: its functional query language as SQL, and the answers of its queries."""

from __future__ import annotations

import re
import sqlite3
import warnings
from dataclasses import replace
from pathlib import Path

from experiments.geoquery.geobase_facts import load_facts, read_facts
from experiments.geoquery.wasp_files import read_wasp_grammar
from rekern.errors import InputError
from rekern.krisp.answering.database import Value
from rekern.krisp.answering.sql_compiler import Query, compile_sql
from rekern.krisp.answering.sqlite_database import SQLiteDatabase
from rekern.krisp.grammar import Grammar
from rekern.krisp.productions import Production

DIGITS = 9  # to which numbers of two answers must agree


class Geobase:
    """GeoQuery's grammar with SQL, and the database of its facts in memory.

    ``folder`` holds ``geobase.jsonl`` (one fact a line: ``{"pred": "river", "args": [...]}``) and ``mrl-grammar.txt``.
    """

    def __init__(self, folder: str | Path):
        folder = Path(folder)
        self.grammar = add_templates(read_wasp_grammar(folder / "mrl-grammar.txt"))
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        load_facts(connection, read_facts(folder / "geobase.jsonl"))
        self.database = SQLiteDatabase("geobase", connection)
        self._answers: dict[str, frozenset[str | float]] = {}

    def compile(self, meaning: str) -> Query:
        """Compile a meaning to SQL; if it has several derivations, all of them have the same answer."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about several derivations
            return compile_sql(self.grammar.parse(meaning))

    def answer(self, meaning: str) -> frozenset[str | float]:
        """The answer of a query: things as Prolog writes them, and numbers rounded to nine digits.

        Two answers are equal if these sets are equal.
        """
        known = self._answers.get(meaning)
        if known is None:
            rows = self.database.run(self.compile(meaning)).rows
            known = self._answers[meaning] = frozenset(round_value(row[0]) for row in rows)
        return known


def round_value(value: Value) -> str | float:
    """Round a value of an answer, so that equal values are equal.

    >>> round_value(3), round_value(0.1 + 0.2), round_value("stateid(utah)")
    (3.0, 0.3, 'stateid(utah)')
    """
    return float(f"{value:.{DIGITS}g}") if isinstance(value, int | float) else str(value)


def add_templates(grammar: Grammar) -> Grammar:
    """Add the SQL of every production to GeoQuery's grammar.

    >>> from rekern.krisp import read_grammar
    >>> grammar = add_templates(read_grammar(["Query -> answer({State})", "State -> state(all)"]))
    >>> grammar.productions[1].sql
    "SELECT t.id AS x, t.id AS d FROM thing t WHERE t.kind = 'state'"
    """
    templates = _read_templates()
    return replace(grammar, productions=tuple(_add_template(p, templates) for p in grammar.productions))


def _add_template(production: Production, templates: dict[str, str]) -> Production:
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


def _read_templates() -> dict[str, str]:
    """The SQL of each form."""
    text = Path(__file__).with_name("geoquery.sql.txt").read_text(encoding="utf-8")
    lines = [line.partition(":=") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {re.sub(r"\s", "", form): sql.strip() for form, _, sql in lines}
