"""Labels of tree nodes that hold a word: ``LEX##lemma::pos`` or ``lemma::pos``."""

from __future__ import annotations

from typing import NamedTuple

MARK = "LEX##"  # of KeLP's labels; other marks, such as POS##, stand before what is no word


class LexicalLabel(NamedTuple):
    """The parts of a label that holds a word."""

    prefix: str  # "LEX##" or nothing
    lemma: str
    part_of_speech: str


def split_lexical_label(label: str) -> LexicalLabel | None:
    """Return the prefix, lemma and part of speech of a label that holds a word; None for any other label.

    >>> split_lexical_label("LEX##dog::n")
    LexicalLabel(prefix='LEX##', lemma='dog', part_of_speech='n')
    >>> split_lexical_label("dog::n").prefix, split_lexical_label("POS##NN")
    ('', None)
    >>> split_lexical_label("COMP##root<*::*,be::v>") is None
    True
    """
    marked, _, part_of_speech = label.rpartition("::")
    prefix = MARK if marked.startswith(MARK) else ""
    lemma = marked[len(prefix) :]
    if not lemma or not part_of_speech or ":" in part_of_speech or (not prefix and "##" in label):
        return None
    return LexicalLabel(prefix, lemma, part_of_speech)
