"""Taggers: what decides which words of a question are function words."""

from __future__ import annotations

import logging
from functools import cache

from rekern.core.messages import show_value
from rekern.core.spacy_pipelines import load_pipeline
from rekern.errors import InputError, ModelFileError, missing_extra
from rekern.questions.question_units import Tagger

CONTENT_TAGS = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "PRON"})  # of Universal Dependencies
CONTENT_FLAGS = "nvadmrtsfilj"  # first letters of jieba's tags: nouns, verbs, adjectives, adverbs, numerals, pronouns …


def find_tagger(name: str | Tagger | None) -> Tagger | None:
    """Find a tagger by its name: ``words`` (the lists, None), ``spacy``, ``spacy:MODEL`` or ``jieba``.

    A function is returned as it is.

    >>> find_tagger("words") is None
    True
    >>> find_tagger("brill")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: tagger='brill': give 'words', 'spacy', 'spacy:MODEL', 'jieba' or a function
    """
    if name is None or name == "words":
        return None
    if callable(name) and not hasattr(name, "gram"):  # a kernel is no tagger
        return name
    kind, _, model = str(name).partition(":")
    if kind == "spacy":
        return load_spacy_tagger(model or "en_core_web_sm")
    if name == "jieba":
        return load_jieba_tagger()
    raise InputError(f"tagger={show_value(name)}: give 'words', 'spacy', 'spacy:MODEL', 'jieba' or a function")


def choose_tagger(named: object, given: object) -> Tagger | None:
    """Return the tagger of a model: the given one, or the lists of words; what a file names is not loaded.

    >>> choose_tagger("words", None) is None
    True
    >>> choose_tagger("spacy", None)
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: it needs the tagger 'spacy': give it to load_model(path, tagger=…), or with --tagger
    """
    if given is not None:
        return find_tagger(given if callable(given) else str(given))
    if named == "words":
        return None
    shown = " ".join(str(named)[:60].split())
    raise ModelFileError(f"it needs the tagger {shown!r}: give it to load_model(path, tagger=…), or with --tagger")


@cache
def load_spacy_tagger(model: str = "en_core_web_sm") -> Tagger:
    """Load a spaCy pipeline as a tagger: nouns, verbs, adjectives, adverbs, numerals, pronouns are content words."""
    pipeline = load_pipeline(model)
    pipeline.select_pipes(disable=[name for name in ("parser", "ner") if name in pipeline.pipe_names])
    return lambda text: [(token.text, token.pos_ not in CONTENT_TAGS) for token in pipeline(text)]


@cache
def load_jieba_tagger() -> Tagger:
    """Load jieba.posseg as a tagger for Chinese."""
    try:
        import jieba

        jieba.setLogLevel(logging.WARNING)
        import jieba.posseg as posseg
    except ImportError:
        raise missing_extra("jieba", "chinese") from None

    def tag(text: str) -> list[tuple[str, bool]]:
        return [(pair.word, pair.flag[:1] not in CONTENT_FLAGS) for pair in posseg.cut(text)]

    return tag
