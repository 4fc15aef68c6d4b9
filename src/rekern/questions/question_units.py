"""A question as units, each a function word or a content word.

The unit is a word where a language has spaces between its words, and a character in Chinese. Punctuation is dropped.
Function words come from small lists (`rekern.questions.closed_class_words`), or a tagger decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from rekern.errors import InputError, missing_extra
from rekern.questions import closed_class_words as words

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
CONTENT_TAGS = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON"})  # of Universal Dependencies
CONTENT_FLAGS = "nvadmrtsfilj"  # first letters of jieba's tags: nouns, verbs, adjectives, adverbs, numerals, pronouns …

NUMBER, CAPITALS, NAME, WORD = "⟨number⟩", "⟨CAPITALS⟩", "⟨Name⟩", "⟨word⟩"
ENDINGS = ("ing", "ed", "est", "ly", "s")

Tagger = Callable[[str], Sequence[tuple[str, bool]]]


class Units(NamedTuple):
    """The units of a question, of each whether it belongs to a function word, and its shape.

    The shape of a function word is the word itself; of a content word its kind of spelling; of a Chinese character
    in a content word None.

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
        """The units of the content words."""
        return [word for word, function in zip(self.words, self.function) if not function]


def cut(question: str, tagger: Tagger | None = None) -> Units:
    """Cut a question into units; a tagger returns its words in order, each with whether it is a function word.

    >>> cut("怎么做宫保鸡丁？").words
    ('怎', '么', '做', '宫', '保', '鸡', '丁')
    >>> cut("怎么做宫保鸡丁？").content
    ['做', '宫', '保', '鸡', '丁']
    >>> cut("fly high", lambda text: [("fly", False), ("high", True)]).function
    (False, True)
    """
    if tagger is not None:
        return _tagged(tagger(question))
    text = question.replace("’", "'")
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters, such as İ, grow: then the case is not looked at
        text = lowered
    found: list[str] = []
    function: list[bool] = []
    shapes: list[str | None] = []
    for match in _scanner().finditer(lowered):
        word = match.group()
        if match.lastgroup == "word":
            is_function = word in _FUNCTION
            found.append(word)
            function.append(is_function)
            shapes.append(word if is_function else _shape(text, match.start(), match.end(), bool(shapes)))
        else:
            is_function = match.lastgroup == "function"
            found += word
            function += [is_function] * len(word)
            shapes += word if is_function else [None] * len(word)
    return Units(tuple(found), tuple(function), tuple(shapes))


def _shape(text: str, start: int, end: int, inside: bool) -> str:
    """The spelling of a content word; the first word of a question is written large whatever it is."""
    if text[start].isdigit():
        return NUMBER
    if text[start].isupper():
        if end > start + 1 and text[start:end].isupper():
            return CAPITALS
        if inside:
            return NAME
    return _ending(text[start:end].lower())


@lru_cache(maxsize=2**16)
def _ending(word: str) -> str:
    """A plain word by its ending: plurals, forms of verbs, superlatives and adverbs without a tagger."""
    for ending in ENDINGS if len(word) > 4 else ("s",) if len(word) == 4 else ():
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            return f"⟨-{ending}⟩"
    return WORD


def _tagged(pairs: Sequence[tuple[str, bool]]) -> Units:
    """The units of words that a tagger found."""
    found: list[str] = []
    function: list[bool] = []
    shapes: list[str | None] = []
    for text, is_function in _checked(pairs):
        for unit in plain_units(text):
            found.append(unit)
            function.append(bool(is_function) or unit in words.INTERROGATIVES)
            shapes.append(None if _HAN.match(unit) else _shape(text.strip(), 0, len(text.strip()), bool(shapes)))
    _mark_interrogatives(found, function)
    for place, is_function in enumerate(function):
        if is_function:
            shapes[place] = found[place]
    return Units(tuple(found), tuple(function), tuple(shapes))


def _checked(pairs: Any) -> list[tuple[str, bool]]:
    try:
        listed = [(text, is_function) for text, is_function in pairs]
    except (TypeError, ValueError):
        listed = [(None, None)]
    if not all(isinstance(text, str) and not isinstance(is_function, str) for text, is_function in listed):
        raise InputError("a tagger returns a list of pairs: a word, and whether it is a function word")
    return listed


def plain_units(text: str) -> list[str]:
    """Words and Chinese characters, in lower case, without deciding what they are.

    >>> plain_units("iPhone 15 多少钱?")
    ['iphone', '15', '多', '少', '钱']
    """
    return _PLAIN.findall(text.lower().replace("’", "'"))


_WORD = rf"n't\b|'(?:s|re|m|ve|d|ll)\b|[^\W\d_{HAN}]+?(?=n't\b)|[^\W\d_{HAN}]+|\d+(?:[.,]\d+)*"
_HAN = re.compile(f"[{HAN}]")
_PLAIN = re.compile(rf"[{HAN}]|{_WORD}")
_FUNCTION = words.ENGLISH | words.INTERROGATIVES


@cache
def _scanner() -> re.Pattern[str]:
    """One expression for all: at each place the longest Chinese word of the lists wins."""

    def longest_first(entries: Iterable[str]) -> str:
        return "|".join(sorted((re.escape(entry) for entry in entries), key=len, reverse=True))

    han = re.compile(f"[{HAN}]+")
    function = {entry for entry in words.CHINESE | words.INTERROGATIVES if han.fullmatch(entry)}
    content = longest_first(words.CHINESE_CONTENT - function)
    return re.compile(
        rf"(?P<content>{content})|(?P<function>{longest_first(function)})|(?P<other>[{HAN}])|(?P<word>{_WORD})"
    )


def _mark_interrogatives(found: list[str], function: list[bool]) -> None:
    """What a tagger calls a pronoun or an adverb (什么, 怎么) is a function word if it is an interrogative."""
    text = "".join(unit if len(unit) == 1 else "\0" for unit in found)
    for match in _interrogatives().finditer(text):
        function[match.start() : match.end()] = [True] * len(match.group())


@cache
def _interrogatives() -> re.Pattern[str]:
    chinese = sorted((entry for entry in words.INTERROGATIVES if re.match(f"[{HAN}]", entry)), key=len, reverse=True)
    return re.compile("|".join(chinese))


def named_tagger(name: str | Tagger | None) -> Tagger | None:
    """The tagger of a name, ``words`` (the lists), ``spacy``, ``spacy:MODEL`` or ``jieba``; or the function itself.

    >>> named_tagger("words") is None
    True
    >>> named_tagger("brill")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: tagger='brill': give 'words', 'spacy', 'spacy:MODEL', 'jieba' or a function
    """
    if name is None or name == "words":
        return None
    if callable(name):
        return name
    kind, _, model = str(name).partition(":")
    if kind == "spacy":
        return spacy_tagger(model or "en_core_web_sm")
    if name == "jieba":
        return jieba_tagger()
    raise InputError(f"tagger={name!r}: give 'words', 'spacy', 'spacy:MODEL', 'jieba' or a function")


@cache
def spacy_tagger(model: str = "en_core_web_sm") -> Tagger:
    """A tagger by a spaCy pipeline: nouns, verbs, adjectives, adverbs, numerals and pronouns are content words."""
    from rekern.core.spacy_pipelines import load_pipeline

    pipeline = load_pipeline(model)
    pipeline.select_pipes(disable=[name for name in ("parser", "ner") if name in pipeline.pipe_names])
    return lambda text: [(token.text, token.pos_ not in CONTENT_TAGS) for token in pipeline(text)]


@cache
def jieba_tagger() -> Tagger:
    """A tagger by jieba.posseg, for Chinese."""
    try:
        import logging

        import jieba

        jieba.setLogLevel(logging.WARNING)
        import jieba.posseg as posseg
    except ImportError:
        raise missing_extra("jieba", "chinese") from None

    def tagged(text: str) -> list[tuple[str, bool]]:
        pairs: Any = posseg.cut(text)
        return [(pair.word, pair.flag[:1] not in CONTENT_FLAGS) for pair in pairs]

    return tagged
