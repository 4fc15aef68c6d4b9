"""The answers of questions whose meanings are known, to compare readings with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rekern.errors import InputError
from rekern.krisp.answering.database import Database, Value
from rekern.krisp.answering.question_table import Questions
from rekern.krisp.answering.sql_compiler import compile_sql
from rekern.krisp.productions import Derivation

AnswerRows: TypeAlias = frozenset[tuple[Value, ...]]


def find_answers(database: Database, questions: Questions, derivations: Sequence[Derivation]) -> list[AnswerRows]:
    """The rows that the meanings of questions give; a meaning without answer is an error."""
    found = []
    for row, derivation in enumerate(derivations):
        try:
            found.append(frozenset(database.run(compile_sql(derivation)).rows))
        except InputError as error:
            raise InputError(f"{questions.name_place(row)}: its meaning has no answer: {error}") from None
    return found


def gives_answer(database: Database, derivation: Derivation, answer: AnswerRows) -> bool:
    """Whether a reading gives this answer; a query that fails or takes too long does not."""
    try:
        return frozenset(database.run(compile_sql(derivation)).rows) == answer
    except InputError:
        return False
