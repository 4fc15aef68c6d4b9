"""What a question gives as evidence: which patterns it matches, and how surely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from rekern.questions.question_units import Units
from rekern.questions.regular_expressions import Expressions
from rekern.questions.soft_patterns import SoftPatterns, terms_of
from rekern.questions.strict_patterns import StrictPatterns


class NGrams:
    """The n-grams of a question's content words, or with ``of="words"`` of all its words, as patterns of their own.

    >>> from rekern.questions.question_units import cut
    >>> found = NGrams(["how to"], (2,), of="words")
    >>> found.match([cut("how to swim"), cut("swim")]).toarray().tolist()
    [[1.0], [0.0]]
    """

    def __init__(self, terms: Sequence[str], orders: Sequence[int], of: str = "content", stems: bool = False):
        self.terms = list(terms)
        self.orders = tuple(orders)
        self.of = of
        self.stems = stems
        self.number = {term: place for place, term in enumerate(self.terms)}

    @classmethod
    def of_questions(
        cls,
        questions: Sequence[Units],
        orders: Sequence[int] = (2,),
        of: str = "content",
        stems: bool = False,
        min_count: int = 2,
    ) -> NGrams:
        """The n-grams that at least ``min_count`` questions have."""
        empty = cls([], orders, of, stems)
        counts = Counter(term for units in questions for term in dict.fromkeys(empty.listed(units)))
        return cls([term for term, count in counts.items() if count >= min_count], orders, of, stems)

    def listed(self, units: Units) -> list[str]:
        """All n-grams of a question."""
        if self.of == "words":
            units = Units(units.words, (False,) * len(units.words), units.shapes)
        return terms_of(units, self.orders, self.stems)

    def match(self, questions: Iterable[Units]) -> Any:
        """A sparse matrix, questions × n-grams, with 1 where a question has it."""
        from scipy.sparse import csr_array

        rows = [sorted({self.number[term] for term in self.listed(u) if term in self.number}) for u in questions]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        columns = np.array([number for row in rows for number in row], dtype=np.int32)
        return csr_array((np.ones(len(columns)), columns, offsets), shape=(len(rows), len(self.terms)))

    def names(self) -> list[str]:
        """The n-grams."""
        return self.terms

    def select(self, columns: Sequence[int]) -> NGrams:
        """The n-grams of these numbers."""
        return NGrams([self.terms[number] for number in columns], self.orders, self.of, self.stems)


Part = StrictPatterns | NGrams | SoftPatterns | Expressions
KINDS: dict[type, str] = {StrictPatterns: "strict", NGrams: "n-gram", SoftPatterns: "soft", Expressions: "expression"}


class Evidence:
    """All patterns of a model, of whatever kind, in one row of columns.

    >>> from rekern.questions.question_units import cut
    >>> evidence = Evidence([StrictPatterns([("why", None)]), Expressions(["why not.*"])])
    >>> evidence.match(["Why not me?", "Why?"], cut).toarray().tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    >>> evidence.names()
    [('strict', 'why .*'), ('expression', 'why not.*')]
    """

    def __init__(self, parts: Sequence[Part]):
        self.parts = list(parts)

    def match(self, questions: Sequence[str], cut: Callable[[str], Units], units: Sequence[Units] | None = None) -> Any:
        """The confidences, a sparse matrix, questions × patterns."""
        listed = list(map(cut, questions)) if units is None else units
        return joined([self._of(part, questions, listed) for part in self.parts], len(questions))

    @staticmethod
    def _of(part: Part, questions: Sequence[str], units: Sequence[Units]) -> Any:
        return part.match_texts(questions) if isinstance(part, Expressions) else part.match(units)

    def names(self) -> list[tuple[str, str]]:
        """The kind and the text of every pattern."""
        return [(KINDS[type(part)], name) for part in self.parts for name in part.names()]

    def select(self, columns: np.ndarray) -> Evidence:
        """The patterns of these numbers, in order; parts that lose all theirs are left out."""
        chosen, first = [], 0
        for part in self.parts:
            last = first + len(part.names())
            mine = columns[(columns >= first) & (columns < last)] - first
            if len(mine):
                chosen.append(part.select(mine.tolist()))
            first = last
        return Evidence(chosen)


def joined(matrices: Sequence[Any], rows: int) -> Any:
    """Sparse matrices side by side, with 32-bit indices."""
    from scipy.sparse import csr_array, hstack

    if not matrices:
        return csr_array((rows, 0))
    whole = matrices[0] if len(matrices) == 1 else hstack(matrices)
    whole = whole.tocsr()
    return csr_array((whole.data, whole.indices.astype(np.int32), whole.indptr.astype(np.int32)), shape=whole.shape)
