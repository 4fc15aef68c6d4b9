"""The questions that come with this package, in English and Chinese."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple

from rekern.errors import InputError

LANGUAGES = ("english", "chinese")
PARTS = ("train", "heldout")
TYPES = ("Fact", "List", "Reason", "Solution", "Definition", "Navigation")


class CorpusRow(NamedTuple):
    """A question, its type, and its part."""

    question: str
    type: str
    part: str


def load_questions(part: str = "train", language: str | None = None) -> tuple[list[str], list[str]]:
    """Load questions and their types, of the six types: the part ``train`` or ``heldout``, of one language or both.

    >>> questions, types = load_questions("train", "english")
    >>> len(questions) == len(types), sorted(set(types))
    (True, ['Definition', 'Fact', 'List', 'Navigation', 'Reason', 'Solution'])
    """
    if part not in PARTS:
        raise InputError(f"there is no part {part!r}: choose {' or '.join(PARTS)}")
    if language is not None and language not in LANGUAGES:
        raise InputError(f"there are no questions in {language!r}: choose {' or '.join(LANGUAGES)}")
    rows = [row for name in LANGUAGES if language in (None, name) for row in _read_rows(name) if row.part == part]
    return [row.question for row in rows], [row.type for row in rows]


def _read_rows(language: str) -> list[CorpusRow]:
    file = resources.files("rekern.questions").joinpath("data", f"{language}.tsv")
    return [CorpusRow(*line.split("\t")) for line in file.read_text(encoding="utf-8").splitlines()[1:] if line]
