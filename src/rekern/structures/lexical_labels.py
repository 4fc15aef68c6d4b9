"""Labels of tree nodes that hold a word: ``LEX##lemma::pos`` or ``lemma::pos``."""

from __future__ import annotations

import re
from typing import NamedTuple

_LEXICAL = re.compile(r"(LEX##|(?!.*##))(.+)::([^:]+)", re.DOTALL)


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
    match = _LEXICAL.fullmatch(label)
    return None if match is None else LexicalLabel(match[1], match[2], match[3])
