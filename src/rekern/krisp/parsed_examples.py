"""Training sentences with their meanings, and their division into folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from rekern.krisp.parser_input import SentenceInput, TreeInput
from rekern.krisp.productions import Derivation

Item = TypeVar("Item")


class ParsedExamples(NamedTuple):
    """Sentences, meanings, trees (or None), the productions that select derivations (or None), and derivations."""

    sentences: Sequence[SentenceInput]
    meanings: Sequence[str]
    trees: Sequence[TreeInput] | None
    productions: Sequence[Iterable[str] | None] | None
    derivations: Sequence[Derivation]

    def split(self, fold: int, folds: int) -> tuple[ParsedExamples, ParsedExamples]:
        """The examples of all other folds, and those of one fold: every ``folds``-th example, from ``fold`` on.

        >>> known, held_out = ParsedExamples("abcde", "12345", None, None, ()).split(1, 2)
        >>> known.sentences, held_out.sentences
        (['a', 'c', 'e'], ['b', 'd'])
        """

        def select(items: Sequence[Item], inside: bool) -> list[Item]:
            return [item for place, item in enumerate(items) if (place % folds == fold) == inside]

        def take(inside: bool) -> ParsedExamples:
            return ParsedExamples(
                select(self.sentences, inside),
                select(self.meanings, inside),
                None if self.trees is None else select(self.trees, inside),
                None if self.productions is None else select(self.productions, inside),
                select(self.derivations, inside),
            )

        return take(False), take(True)
