"""The words of a question, as the parser splits it."""

from __future__ import annotations

import re

from rekern.structures.treebank_tokenizer import tokenize


def split_question(text: str) -> tuple[str, ...]:
    """Split a question into words, without punctuation.

    >>> split_question("Which rivers run through New York's cities?")
    ('Which', 'rivers', 'run', 'through', 'New', 'York', "'s", 'cities')
    """
    return tuple(word for word in tokenize(text.strip().rstrip(" ?.!")) if re.search(r"\w", word))


def split_phrase(phrase: str) -> set[tuple[str, ...]]:
    """Split a phrase into words in lower case, in two ways: at blanks, and as a question is split.

    >>> sorted(split_phrase("St. John's"))
    [('st.', 'john', "'s"), ('st.', "john's")]
    """
    return {tuple(phrase.lower().split()), split_question(phrase.lower())}
