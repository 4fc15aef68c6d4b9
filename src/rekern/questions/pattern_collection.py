"""All patterns of a model, of every kind, as the columns of one matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scipy.sparse import csr_array

from rekern.core.arrays import Ints
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.pattern_matrices import join_columns
from rekern.questions.question_units import Units
from rekern.questions.regular_expressions import RegularExpressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.strict_patterns import StrictPatterns

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
