"""From the words of a sentence to what the kernels see: names and rare words replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rekern.krisp.annotated_sentence import AnnotatedSentence
from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import Mention, find_mentions, replace_names
from rekern.krisp.rare_word_stems import Stems


class ParserInput(NamedTuple):
    """A sentence: its words as they are written, and the sentence that the kernels see."""

    words: tuple[str, ...]
    annotated: AnnotatedSentence


@dataclass(frozen=True)
class WordReader:
    """Turns the words of a sentence into those that the kernels see.

    ``names`` is "type" if the kernels see the type of a name instead of its words, else "word". ``stretch`` is the
    factor of a word that belongs to a name but is not part of it. ``stems`` replaces rare words.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah"])
    >>> WordReader(grammar, names="type", stretch=0.5, stems=None).normalize(["Where", "is", "Utah"])
    ('where', 'is', '<State>')
    """

    grammar: Grammar
    names: str
    stretch: float
    stems: Stems | None

    def normalize(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words that the kernels see: in lower case, names and rare words replaced."""
        if self.names == "type":
            found = replace_names(self.grammar, words)
        else:
            found = tuple(word.lower() for word in words)
        return found if self.stems is None else self.stems.replace_rare(found)

    def find_mentions(self, words: Sequence[str]) -> list[Mention]:
        """The names, numbers and words that the productions of the grammar may take."""
        return find_mentions(self.grammar, words, self.stretch)
