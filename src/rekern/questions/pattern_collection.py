"""All patterns of a model, of every kind, as the columns of one matrix, and how they are extracted from questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from scipy.sparse import csr_array

from rekern.core.arrays import Ints
from rekern.core.messages import show_value
from rekern.errors import InputError
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.pattern_index import join_columns
from rekern.questions.pattern_settings import PatternSettings
from rekern.questions.question_units import Units, cut
from rekern.questions.regular_expressions import RegularExpressions, read_expressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.strict_patterns import StrictPatterns, extract_patterns, select_keywords

PATTERN_METHODS = ("mss", "msb", "mb")
Patterns = StrictPatterns | NGramPatterns | SoftPatterns | RegularExpressions
KINDS: dict[type[Patterns], str] = {
    StrictPatterns: "strict",
    NGramPatterns: "n-gram",
    SoftPatterns: "soft",
    RegularExpressions: "expression",
}


class PatternCollection:
    """Patterns of several kinds, numbered in one row of columns.

    >>> from rekern.questions.question_units import cut
    >>> patterns = PatternCollection([StrictPatterns([("why", None)]), RegularExpressions(["why not.*"])])
    >>> patterns.match(["Why not me?", "Why?"], cut).toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    >>> patterns.names()
    [('strict', 'why .*'), ('expression', 'why not.*')]
    """

    def __init__(self, parts: Sequence[Patterns]):
        self.parts = list(parts)

    def match(
        self, questions: Sequence[str], cut: Callable[[str], Units], units: Sequence[Units] | None = None
    ) -> csr_array:
        """Return how surely each question matches each pattern: a sparse matrix, questions × patterns.

        ``units`` are the questions as ``cut`` splits them, if that is done already.
        """
        listed = list(map(cut, questions)) if units is None else units
        matrices = [
            part.match_texts(questions) if isinstance(part, RegularExpressions) else part.match(listed)
            for part in self.parts
        ]
        return join_columns(matrices, len(questions))

    def names(self) -> list[tuple[str, str]]:
        """Return the kind and the text of every pattern."""
        return [(KINDS[type(part)], name) for part in self.parts for name in part.names()]

    def select(self, columns: Ints) -> PatternCollection:
        """Keep the patterns with these numbers, in order; a part without any of them is left out."""
        chosen: list[Patterns] = []
        first = 0
        for part in self.parts:
            last = first + len(part.names())
            own = columns[(columns >= first) & (columns < last)] - first
            if len(own):
                chosen.append(part.select(own.tolist()))
            first = last
        return PatternCollection(chosen)


class TrainingPatterns(NamedTuple):
    """Patterns, and how surely the training questions match them: a sparse matrix, questions × patterns."""

    patterns: PatternCollection
    confidences: csr_array


def extract_method_patterns(
    method: str,
    settings: PatternSettings,
    expressions: object,
    questions: Sequence[str],
    units: Sequence[Units],
    types: Ints,
) -> TrainingPatterns:
    """Extract the patterns of a method: ``mss``, ``msb`` or ``mb``.

    ``expressions`` are regular expressions of the user, see `make_expressions`. ``units`` are the questions, split,
    and ``types`` their types as numbers from 0.

    >>> import numpy as np
    >>> asked = ["why is it", "why not", "how to go", "how to swim"]
    >>> units = [cut(question) for question in asked]
    >>> found = extract_method_patterns("mb", PatternSettings(), None, asked, units, np.array([0, 0, 1, 1]))
    >>> found.patterns.names()
    [('n-gram', 'how to')]
    """
    parts: list[Patterns] = []
    if method == "mb":
        parts = [NGramPatterns.from_questions(units, (2,), "words", min_count=settings.min_count)]
    else:
        sizes = (settings.shortest, settings.longest, settings.top, settings.min_count)
        keywords = select_keywords(units, types, settings.keywords)
        parts.append(extract_patterns(units, types, *sizes, keywords))
        if settings.shapes:
            parts.append(extract_patterns(units, types, *sizes, of="shapes"))
        own = make_expressions(expressions)
        if own is not None:
            parts.append(own)
        if method == "msb":
            ngrams = NGramPatterns.from_questions(units, settings.orders, "content", settings.stems, settings.min_count)
            parts.append(ngrams)
    patterns = PatternCollection(parts)
    confidences = patterns.match(questions, cut, units)
    if method == "mss":
        soft = SoftPatterns.cluster(units, settings.orders, settings.near, settings.floor, settings.idf, settings.stems)
        patterns.parts.append(soft)
        confidences = join_columns([confidences, soft.match_training(units)], len(questions))
    return TrainingPatterns(patterns, confidences)


def make_expressions(given: object) -> RegularExpressions | None:
    """Compile the regular expressions of a user: a list, or the name of a file with one per line; None if none.

    >>> make_expressions([]) is None
    True
    """
    if given is None:
        return None
    if isinstance(given, str | Path):
        made = read_expressions(given)
    elif isinstance(given, Iterable):
        made = RegularExpressions(given)
    else:
        raise InputError(f"expressions={show_value(given)}: give a list of regular expressions, or the name of a file")
    return made if made.expressions else None
