"""The words of a question, as the parser splits it."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from rekern.structures.treebank_tokenizer import tokenize

# lower-case letters that Unicode does not decompose
_SPECIAL_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def split_question(text: str) -> tuple[str, ...]:
    """Split a question into words, without punctuation.

    >>> split_question("Which rivers run through New York's cities?")
    ('Which', 'rivers', 'run', 'through', 'New', 'York', "'s", 'cities')
    """
    return tuple(word for word in tokenize(text.strip().rstrip(" ?.!")) if re.search(r"\w", word))


@cache
def fold_accents(word: str) -> str:
    """A word without the marks on its letters, and special letters as people write them on other keyboards.

    >>> fold_accents("misérables"), fold_accents("øresund"), fold_accents("łódź")
    ('miserables', 'oresund', 'lodz')
    """
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFKD", word.translate(_SPECIAL_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def split_phrase(phrase: str) -> set[tuple[str, ...]]:
    """Split a phrase into words in lower case, in two ways: at blanks, and as a question is split.

    >>> sorted(split_phrase("St. John's"))
    [('st.', 'john', "'s"), ('st.', "john's")]
    """
    return {tuple(phrase.lower().split()), split_question(phrase.lower())}
