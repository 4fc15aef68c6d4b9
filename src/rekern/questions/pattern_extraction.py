"""The patterns of a method, extracted from training questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from scipy.sparse import csr_array

from rekern.core.arrays import Ints
from rekern.core.messages import show_value
from rekern.errors import InputError
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.pattern_collection import PatternCollection, Patterns
from rekern.questions.pattern_matrices import join_columns
from rekern.questions.pattern_settings import PatternSettings
from rekern.questions.question_units import Units, cut
from rekern.questions.regular_expressions import RegularExpressions, read_expressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.strict_patterns import extract_patterns, select_keywords

PATTERN_METHODS = ("mss", "msb", "mb")


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
