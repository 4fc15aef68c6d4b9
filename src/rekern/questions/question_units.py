"""A question as a sequence of units, each of which belongs to a function word or to a content word.

A unit is a word in languages that put spaces between words, and a character in Chinese. Punctuation is dropped.
Small lists decide what a function word is (`rekern.questions.function_words`), or a tagger does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from rekern.errors import InputError
from rekern.questions.function_words import CHINESE, CHINESE_CONTENT, ENGLISH, INTERROGATIVES

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"

HAN_SIGN = re.compile(f"[{HAN}]")
NUMBER, CAPITALS, NAME, WORD = "⟨number⟩", "⟨CAPITALS⟩", "⟨Name⟩", "⟨word⟩"
ENDINGS = ("ing", "ed", "est", "ly", "s")

Tagger = Callable[[str], Sequence[tuple[str, bool]]]  # a text -> its words, each with whether it is a function word


class Units(NamedTuple):
    """The units of a question; for each, whether it belongs to a function word, and its shape.

    The shape of a function word is the word itself. The shape of a content word is its kind of spelling. A Chinese
    character of a content word has the shape None.

    >>> found = cut("What's the capital of Peru?")
    >>> found.words
    ('what', "'s", 'the', 'capital', 'of', 'peru')
    >>> found.function
    (True, True, True, False, True, False)
    >>> found.shapes
    ('what', "'s", 'the', '⟨word⟩', 'of', '⟨Name⟩')
    """

    words: tuple[str, ...]
    function: tuple[bool, ...]
    shapes: tuple[str | None, ...]

    @property
    def content(self) -> list[str]:
        """The units of content words."""
        return [word for word, function in zip(self.words, self.function) if not function]


def cut(question: str, tagger: Tagger | None = None) -> Units:
    """Split a question into units.

    A ``tagger`` takes the question and returns its words in order, each with whether it is a function word. Without
    one the lists of function words decide.

    >>> cut("怎么做宫保鸡丁？").words
    ('怎', '么', '做', '宫', '保', '鸡', '丁')
    >>> cut("怎么做宫保鸡丁？").content
    ['做', '宫', '保', '鸡', '丁']
    >>> cut("fly high", lambda text: [("fly", False), ("high", True)]).function
    (False, True)
    """
    if tagger is not None:
        return _split_tagged(tagger(question))
    text = question.replace("’", "'")
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters, such as İ, have a longer lower case: ignore the case
        text = lowered
    found: list[str] = []
    function: list[bool] = []
    shapes: list[str | None] = []
    for match in _compile_scanner().finditer(lowered):
        word = match.group()
        if match.lastgroup == "word":
            is_function = word in _FUNCTION
            found.append(word)
            function.append(is_function)
            shapes.append(word if is_function else _describe_shape(text, match.start(), match.end(), bool(shapes)))
        else:
            is_function = match.lastgroup == "function"
            found += word
            function += [is_function] * len(word)
            shapes += word if is_function else [None] * len(word)
    return Units(tuple(found), tuple(function), tuple(shapes))


def _describe_shape(text: str, start: int, end: int, inside: bool) -> str:
    """Describe the spelling of a content word; a capital says nothing at the beginning of a question."""
    if text[start].isdigit():
        return NUMBER
    if text[start].isupper():
        if end > start + 1 and text[start:end].isupper():
            return CAPITALS
        if inside:
            return NAME
    return _describe_ending(text[start:end].lower())


@lru_cache(maxsize=2**16)
def _describe_ending(word: str) -> str:
    """Describe a plain word by its ending, which hints at plurals, verb forms, superlatives and adverbs."""
    for ending in ENDINGS if len(word) > 4 else ("s",) if len(word) == 4 else ():
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            return f"⟨-{ending}⟩"
    return WORD


def _split_tagged(pairs: object) -> Units:
    """Split the words that a tagger returned into units."""
    found: list[str] = []
    function: list[bool] = []
    shapes: list[str | None] = []
    for text, is_function in _check_tagged(pairs):
        for unit in split_words(text):
            found.append(unit)
            function.append(is_function or unit in INTERROGATIVES)
            shapes.append(
                None if HAN_SIGN.match(unit) else _describe_shape(text.strip(), 0, len(text.strip()), bool(shapes))
            )
    _mark_interrogatives(found, function)
    for place, is_function in enumerate(function):
        if is_function:
            shapes[place] = found[place]
    return Units(tuple(found), tuple(function), tuple(shapes))


def _check_tagged(pairs: object) -> list[tuple[str, bool]]:
    listed: list[tuple[str, bool]] = []
    try:
        for text, is_function in pairs:  # type: ignore[attr-defined]
            if not isinstance(text, str) or isinstance(is_function, str):
                raise TypeError
            listed.append((text, bool(is_function)))
    except (TypeError, ValueError):
        raise InputError("a tagger returns a list of pairs: a word, and whether it is a function word") from None
    return listed


def split_words(text: str) -> list[str]:
    """Split a text into words and Chinese characters in lower case, whatever kind of word they belong to.

    >>> split_words("iPhone 15 多少钱?")
    ['iphone', '15', '多', '少', '钱']
    """
    return _PLAIN.findall(text.lower().replace("’", "'"))


_WORD = rf"n't\b|'(?:s|re|m|ve|d|ll)\b|[^\W\d_{HAN}]+?(?=n't\b)|[^\W\d_{HAN}]+|\d+(?:[.,]\d+)*"
_PLAIN = re.compile(rf"[{HAN}]|{_WORD}")
_FUNCTION = ENGLISH | INTERROGATIVES


@cache
def _compile_scanner() -> re.Pattern[str]:
    """Compile one expression for all units; at each place the longest Chinese word of the lists wins."""

    def join_longest_first(entries: Iterable[str]) -> str:
        return "|".join(sorted((re.escape(entry) for entry in entries), key=len, reverse=True))

    han = re.compile(f"[{HAN}]+")
    function = {entry for entry in CHINESE | INTERROGATIVES if han.fullmatch(entry)}
    content = join_longest_first(CHINESE_CONTENT - function)
    return re.compile(
        rf"(?P<content>{content})|(?P<function>{join_longest_first(function)})|(?P<other>[{HAN}])|(?P<word>{_WORD})"
    )


def _mark_interrogatives(found: list[str], function: list[bool]) -> None:
    """Mark interrogatives (什么, 怎么) as function words, though a tagger calls them pronouns or adverbs."""
    text = "".join(unit if len(unit) == 1 else "\0" for unit in found)
    for match in _compile_interrogatives().finditer(text):
        function[match.start() : match.end()] = [True] * len(match.group())


@cache
def _compile_interrogatives() -> re.Pattern[str]:
    chinese = sorted((entry for entry in INTERROGATIVES if HAN_SIGN.match(entry)), key=len, reverse=True)
    return re.compile("|".join(chinese))
