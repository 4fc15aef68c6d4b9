"""Labels of tree nodes that hold a word: ``LEX##lemma::pos`` or ``lemma::pos``."""

from __future__ import annotations

MARK = "LEX##"  # of KeLP's labels; other marks, such as POS##, stand before what is no word


def split_lexical_label(label: str) -> tuple[str, str, str] | None:
    """Return prefix, lemma and part of speech of a label that holds a word; None for any other label.

    The prefix is ``LEX##`` or nothing.

    >>> split_lexical_label("LEX##dog::n")
    ('LEX##', 'dog', 'n')
    >>> split_lexical_label("dog::n"), split_lexical_label("POS##NN")
    (('', 'dog', 'n'), None)
    >>> split_lexical_label("COMP##root<*::*,be::v>") is None
    True
    """
    lemma, _, part_of_speech = label.rpartition("::")
    prefix = ""
    if "##" in label:
        if not lemma.startswith(MARK):
            return None
        prefix, lemma = MARK, lemma[len(MARK) :]
    if not lemma or not part_of_speech or ":" in part_of_speech:
        return None
    return prefix, lemma, part_of_speech
