"""The interface of parsers: texts in, and for each text its sentences as dependencies, constituent trees, or both."""

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rekern.core.messages import name_value, shorten_text
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.structures.head_rules import to_dependencies
from rekern.structures.pairs import as_texts
from rekern.structures.sentences import Sentence

# white space and control characters, which break a tree in brackets and which some parsers take for words
_BLANKS = re.compile(r"[\s\x00-\x20\x7f-\x9f]+")
DAY = 86400
_BATCH = 512  # texts that an adapter parses at a time


class Parse(NamedTuple):
    """The parse of one text: its sentences as dependencies, as constituent trees, or both.

    A field is None if the parser does not give it. ``fault`` says why there is no parse; it is empty if there is one.

    >>> Parse(constituents=("(ROOT (S (NP (NN rain)) (VP (VBZ falls))))",)).sentences[0].words
    ('rain', 'falls')
    """

    dependencies: tuple[Sentence, ...] | None = None
    constituents: tuple[str, ...] | None = None
    fault: str = ""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The dependencies of the parser, or those that the head rules derive from its constituents."""
        if self.dependencies is None and self.constituents:
            return tuple(to_dependencies(list(self.constituents)))
        return self.dependencies or ()


class Parser(ABC):
    """The base class of parsers; a subclass has ``name``, ``gives``, ``identity`` and ``_parses``.

    ``gives`` names what it returns, ``"dependencies"`` and ``"constituents"``. ``identity`` is all that the result
    depends on apart from the text (name, version, model, options), as plain values: it is the key of the cache.

    >>> class Flat(Parser):
    ...     name, gives, identity = "flat", ("constituents",), {"parser": "flat"}
    ...     def _parses(self, texts):
    ...         return [Parse(constituents=(f"(S {text})",)) for text in texts]
    >>> [parse.constituents for parse in Flat().parse(["rain falls", ""])]
    [('(S rain falls)',), ()]
    """

    name = ""
    gives: tuple[str, ...] = ()  # "dependencies", "constituents"

    @abstractmethod
    def _parses(self, texts: list[str]) -> Iterable[Parse]:
        """Return the parse of each text; no text is empty, and white space is single blanks."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, object]:
        """All that the result depends on apart from the text, as plain values."""

    def parse(self, texts: object, progress: str = "parsing") -> Iterator[Parse]:
        """Yield the parse of each text, in order; an empty text has no sentences.

        White space is collapsed first. Lemmas are in lower case, also those of names. A text that cannot be parsed has
        a ``fault`` and causes a warning; the others are parsed. ``progress`` is the label of the progress bar.
        """
        given = check_texts(texts)
        yield from track(self._parse_batches(given), len(given), progress)

    def _parse_batches(self, texts: list[str]) -> Iterator[Parse]:
        empty = Parse(*(() if kind in self.gives else None for kind in Parse._fields[:2]))  # type: ignore[arg-type]
        for start in range(0, len(texts), _BATCH):
            clean = [collapse(text) for text in texts[start : start + _BATCH]]
            wanted = [text for text in clean if text]
            found = iter(self._parses(wanted) if wanted else ())
            for text in clean:
                parse = next(found, None) if text else empty
                if parse is None:
                    raise InputError(f"the parser {self.name} gives fewer parses than texts: correct its _parses")
                if parse.fault:
                    warnings.warn(f"no tree for {shorten_text(text, 60)!r}: {parse.fault}", stacklevel=2)
                yield parse

    def close(self) -> None:  # noqa: B027 (most adapters have nothing to end)
        """End the processes of this parser; they start again when they are needed."""

    def __enter__(self) -> "Parser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def collapse(text: str) -> str:
    """Replace every run of white space and control characters by one blank.

    >>> collapse(" He\\t left.\\x00\\n")
    'He left.'
    """
    return _BLANKS.sub(" ", text).strip()


def check_seconds(seconds: float) -> float:
    """Check a time limit: a number of seconds, up to a day.

    >>> check_seconds("fast")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: seconds='fast': give a number above 0, up to 86400
    """
    try:
        limit = float(seconds)
    except (TypeError, ValueError):
        limit = 0.0
    if not 0 < limit <= DAY:
        raise InputError(f"seconds={seconds!r}: give a number above 0, up to {DAY}")
    return limit


def check_texts(texts: object) -> list[str]:
    """Return the texts as a list, and check that each is a string that can be written as UTF-8.

    >>> check_texts(["He left.", None])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: text 1: None is no text; give a str, or "" for an empty text
    """
    if isinstance(texts, str | bytes):
        raise InputError("a list of texts is needed, got one text; write [text]")
    given = list(as_texts(texts))
    for number, text in enumerate(given):
        if not isinstance(text, str):
            reason = f'{name_value(text)} is no text; give a str, or "" for an empty text'
            raise InputError(reason, row=number, unit="text")
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError("the text holds half of a character; correct it", row=number, unit="text")
    return given
