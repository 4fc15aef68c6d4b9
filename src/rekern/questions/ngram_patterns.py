"""N-grams of a question's words as patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from scipy.sparse import csr_array

from rekern.questions.pattern_index import flatten_rows, mark_matches
from rekern.questions.question_units import Units
from rekern.questions.soft_patterns import list_terms


class NGramPatterns:
    """The n-grams of a question's content words, or of all its words with ``of="words"``, each a pattern.

    >>> from rekern.questions.question_units import cut
    >>> found = NGramPatterns(["how to"], (2,), of="words")
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
    def from_questions(
        cls,
        questions: Sequence[Units],
        orders: Sequence[int] = (2,),
        of: str = "content",
        stems: bool = False,
        min_count: int = 2,
    ) -> NGramPatterns:
        """Collect the n-grams that occur in at least ``min_count`` questions."""
        empty = cls([], orders, of, stems)
        counts = Counter(term for units in questions for term in dict.fromkeys(empty.list_ngrams(units)))
        return cls([term for term, count in counts.items() if count >= min_count], orders, of, stems)

    def list_ngrams(self, units: Units) -> list[str]:
        """Return all n-grams of a question."""
        if self.of == "words":
            units = Units(units.words, (False,) * len(units.words), units.shapes)
        return list_terms(units, self.orders, self.stems)

    def match(self, questions: Iterable[Units]) -> csr_array:
        """Return a sparse matrix, questions × n-grams, with 1 where a question has the n-gram."""
        number = self.number
        rows = [sorted({number[term] for term in self.list_ngrams(u) if term in number}) for u in questions]
        return mark_matches(*flatten_rows(rows), len(self.terms))

    def names(self) -> list[str]:
        """Return the n-grams."""
        return self.terms

    def select(self, columns: Sequence[int]) -> NGramPatterns:
        """Keep the n-grams with these numbers."""
        return NGramPatterns([self.terms[number] for number in columns], self.orders, self.of, self.stems)
