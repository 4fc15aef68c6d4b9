"""What every parser adapter is: texts go in, and for each text its sentences come out."""

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rekern.core.messages import name_value
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.structures.pairs import as_texts
from rekern.structures.sentences import Sentence

# what a tree in brackets could not hold apart, and what parsers take for a word: control characters are blanks, too
_BLANKS = re.compile(r"[\s\x00-\x20\x7f-\x9f]+")
DAY = 86400
_BATCH = 512  # texts that an adapter sees at once


class Parse(NamedTuple):
    """What a parser found in one text: its sentences as dependencies, as constituent trees, or both.

    ``None`` where the parser gives no such thing. ``fault`` says why there is no parse at all, where that is so.

    >>> Parse(constituents=("(ROOT (S (NP (NN rain)) (VP (VBZ falls))))",)).sentences[0].words
    ('rain', 'falls')
    """

    dependencies: tuple[Sentence, ...] | None = None
    constituents: tuple[str, ...] | None = None
    fault: str = ""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The dependencies: the parser's own, or by the head rules from its constituents."""
        if self.dependencies is None and self.constituents:
            from rekern.structures.head_rules import to_dependencies

            return tuple(to_dependencies(list(self.constituents)))
        return self.dependencies or ()


class Parser(ABC):
    """A parser; adapters say what they give and implement ``_parses``.

    ``identity`` holds all that the result depends on besides the text (name, version, model, options): what was
    parsed once is known again by it.

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
        """The parse of each text; no text is empty, and blanks are single."""

    @property
    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """All that the result depends on besides the text, as plain values."""

    def parse(self, texts: Any, progress: str = "parsing") -> Iterator[Parse]:
        """The parse of each text, as they come; an empty text has no sentences.

        White space is collapsed first. Lemmas are in lower case, as stems are, those of names too. A text that cannot
        be parsed has a ``fault`` instead, and a warning tells it; the others are parsed all the same. ``progress`` is
        the label of the bar that long work shows where bars are shown.
        """
        given = check_texts(texts)
        yield from track(self._in_batches(given), len(given), progress)

    def _in_batches(self, texts: list[str]) -> Iterator[Parse]:
        empty = Parse(*(() if kind in self.gives else None for kind in Parse._fields[:2]))  # type: ignore[arg-type]
        for start in range(0, len(texts), _BATCH):
            clean = [collapse(text) for text in texts[start : start + _BATCH]]
            wanted = [text for text in clean if text]
            found = iter(self._parses(wanted) if wanted else ())
            for text in clean:
                parse = next(found, None) if text else empty
                if parse is None:
                    raise InputError(f"the parser {self.name} gives fewer parses than texts; it is at fault")
                if parse.fault:
                    warnings.warn(f"no tree for {shortened(text)!r}: {parse.fault}", stacklevel=2)
                yield parse

    def close(self) -> None:  # noqa: B027 (most adapters have nothing to end)
        """End what runs for this parser; it starts again when it is needed."""

    def __enter__(self) -> "Parser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def collapse(text: str) -> str:
    """The text with every run of white space and control characters as one blank.

    >>> collapse(" He\\t left.\\x00\\n")
    'He left.'
    """
    return _BLANKS.sub(" ", text).strip()


def time_limit(seconds: Any) -> float:
    """A time limit that is a number of seconds, up to a day.

    >>> time_limit("fast")
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


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text, for messages.

    >>> shortened("a long sentence", 9)
    'a long...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def check_texts(texts: Any) -> list[str]:
    """The texts as a list, each of them a string that can be written down.

    >>> check_texts(["He left.", None])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: text 1 is None; give it a text, or "" for none
    """
    if isinstance(texts, str | bytes):
        raise InputError("a list of texts is needed, got one text; write [text]")
    given = list(as_texts(texts))
    for number, text in enumerate(given):
        if not isinstance(text, str):
            raise InputError(f'text {number} is {name_value(text)}; give it a text, or "" for none')
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"text {number} holds half of a character; mend the text")
    return given
