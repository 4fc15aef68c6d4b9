"""Classes of English words for scores of contexts: negations, modal words, reports, quantities, numbers, times.

Words are compared by their stems. Within a class, words of one meaning have one number: five is 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from rekern.core.arrays import Ints
from rekern.similarity.token_traits import NEGATIONS
from rekern.structures.stemmer import stem


def split_words(text: str) -> list[str]:
    """Return the words of a text.

    >>> split_words("may might")
    ['may', 'might']
    """
    return text.split()


MODALS = split_words("may might can could shall should will would must ought need")
REPORTS = split_words(
    "say said tell told claim allege report accord believe think thought expect plan hope want intend suggest deny "
    "announce state warn predict accuse suspect"
)
QUANTITIES = split_words("all some every each few many most several any only both half none almost about least")
FUNCTION_WORDS = split_words(
    "a an the of in on at to for and or but is are was were be been being am by with from as that this these those it "
    "its he she they them his her their we you i my your our me him us do does did has have had will would can could "
    "may might shall should not no n't 's 'd 'll 're 've there here what which who whom whose when where why how if "
    "then than so also just more most some any all each into about over after before between out up down off again"
)
FUNCTION_STEMS = frozenset(map(stem, FUNCTION_WORDS))
UNITS = split_words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
TENS = split_words("twenty thirty forty fifty sixty seventy eighty ninety")
DAYS = split_words("monday tuesday wednesday thursday friday saturday sunday")
# May is a modal word.
MONTHS = split_words("january february march april june july august september october november december")
NUMBER_WORDS = {
    **{stem(word): str(value) for value, word in enumerate(UNITS)},
    **{stem(word): str(10 * value) for value, word in enumerate(TENS, 2)},
    stem("hundred"): "100",
    stem("thousand"): "1000",
    stem("million"): "1000000",
    stem("billion"): "1000000000",
}
DIGITS = re.compile(r"[+$€£-]?\d[\d,]*(\.\d+)?%?", re.ASCII)
YEAR = re.compile(r"1[1-9]\d\d|20\d\d", re.ASCII)

CLASSES = ("negations", "modals", "reports", "quantities", "numbers", "times")


def find_number(word: str) -> str | None:
    """Return the number that a stem stands for, without signs; None if it is none.

    >>> find_number("five"), find_number("$1,000"), find_number("dog")
    ('5', '1000', None)
    """
    if DIGITS.fullmatch(word):
        return word.replace(",", "").lstrip("+$€£").rstrip("%")
    return NUMBER_WORDS.get(word)


def _find_in(words: Sequence[str]) -> Callable[[str], str | None]:
    known = {stem(word) for word in words}
    return lambda word: word if word in known else None


_is_time = _find_in(DAYS + MONTHS)
_MEANINGS: tuple[Callable[[str], str | None], ...] = (
    lambda word: "not" if word in NEGATIONS or word == "nobodi" or word == "noth" else None,
    _find_in(MODALS),
    _find_in(REPORTS),
    _find_in(QUANTITIES),
    find_number,
    lambda word: word if YEAR.fullmatch(word) else _is_time(word),
)


def number_classes(vocabulary: Sequence[str]) -> Ints:
    """Return a row for each class: the number of the meaning of each word in it, from 0 up; -1 for other words.

    >>> number_classes(["not", "five", "dog", "5", "1,000", "1000"])[[0, 4]].tolist()
    [[0, -1, -1, -1, -1, -1], [-1, 0, -1, 0, 1, 1]]
    """
    found = np.full((len(CLASSES), len(vocabulary)), -1, np.int64)
    for row, find in enumerate(_MEANINGS):
        known: dict[str, int] = {}
        for place, word in enumerate(vocabulary):
            meaning = find(word.casefold())
            if meaning is not None:
                found[row, place] = known.setdefault(meaning, len(known))
    return found
