"""Tables of questions and their meanings, and checks of single questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.core.text_files import show_source
from rekern.datasets.table_formats import read_columns
from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.productions import Derivation
from rekern.krisp.question_words import split_question

WORDS = 100  # of the longest question


class Questions(NamedTuple):
    """Questions, their meanings, and (for messages) the place of each.

    >>> Questions(["who wrote emma?"], ["writer('Emma')"]).name_place(0)
    'question 1'
    """

    questions: Sequence[str]
    meanings: Sequence[str]
    places: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.questions)

    def name_place(self, row: int) -> str:
        """The place of a question, for messages."""
        return self.places[row] if self.places else f"question {row + 1}"

    def take(self, rows: Sequence[int]) -> Questions:
        """Some of the questions.

        >>> Questions(["a", "b", "c"], ["x", "y", "z"]).take([2]).meanings
        ['z']
        """
        places = None if self.places is None else [self.places[row] for row in rows]
        return Questions([self.questions[row] for row in rows], [self.meanings[row] for row in rows], places)


def read_questions(path: str, encoding: str = "utf-8") -> Questions:
    """Read the questions of a table with the columns ``question`` and ``meaning`` (TSV, CSV, JSONL …).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/questions.tsv", "w") as file:
    ...         _ = file.write("question\\tmeaning\\nwho wrote emma?\\twriter('Emma')\\n")
    ...     read_questions(f"{folder}/questions.tsv").meanings
    ["writer('Emma')"]
    """
    rows = read_columns(path, encoding=encoding)
    questions, meanings = (rows.texts(kind, "a header line") for kind in ("question", "meaning"))
    places = [f"{show_source(path)}, {rows.unit} {line}" for line in rows.lines]
    for place, *texts in zip(places, questions, meanings):
        for kind, text in zip(("question", "meaning"), texts):
            if not text.strip():
                raise InputError(f"{place}: the {kind} is empty; drop the row or fill it in")
    return Questions(questions, meanings, places)


def parse_meanings(questions: Questions, grammar: Grammar) -> list[Derivation]:
    """The derivations of the meanings of questions, after a check of the questions."""
    if not len(questions):
        raise InputError("there are no questions to learn from")
    found = []
    for row, (question, meaning) in enumerate(zip(questions.questions, questions.meanings)):
        try:
            check_question(question)
            found.append(grammar.parse(meaning))
        except InputError as error:
            raise InputError(f"{questions.name_place(row)}: {error}") from None
    return found


def check_question(question: str) -> None:
    """Refuse a text that is no question.

    >>> check_question("who wrote emma?")
    >>> check_question(" ?")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the question is empty: ask something
    """
    words = len(split_question(question))
    if not words:
        raise InputError("the question is empty: ask something")
    if words > WORDS:
        raise InputError(f"the question has {words} words: ask in at most {WORDS}")
    if not question.isascii() and any("\ud800" <= sign <= "\udfff" for sign in question):
        raise InputError("the question is not all text: it has bytes that are no UTF-8")
    if "\0" in question:
        raise InputError("the question has a NUL character: leave it out")
