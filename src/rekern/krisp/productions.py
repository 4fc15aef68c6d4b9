"""Productions of a meaning grammar, and derivations, the trees that they form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

_TOKEN = re.compile(r"[^\s(){}\[\],'\"]+|[(){}\[\],'\"]")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")
_BETWEEN = "(){}[],'\" "  # a blank is written between characters that are not among these, nor other space
VALUES = ("number", "word", "identifier")  # kinds of productions that take their value from the sentence
AGAIN = "again"  # the kind of a production that repeats a meaning of the same sentence
CLASSES = ("name", *VALUES, AGAIN)
LONGEST_SHOWN = 80  # characters of a meaning or a production in a message


class Symbol(NamedTuple):
    """One symbol of the right side of a production: a token, or (``is_slot``) a non-terminal or a class."""

    text: str
    is_slot: bool


@dataclass(frozen=True)
class Production:
    """One production: ``left`` is written as ``parts`` with the meanings of the ``slots`` between them.

    ``kind`` is one of:

    - "rule": an ordinary production.
    - "name": a production that only names an entity. ``value`` is the name of the entity, ``phrases`` are the words
      that a sentence may use for it.
    - "number", "word" or "identifier": a production that takes its value from the sentence. If ``value`` is set, other
      words may express that value ("the goalie" for player 1).
    - "again": a production for pronouns. It repeats another meaning of the same non-terminal in the same sentence.

    ``silent`` marks a production that no words of a sentence express.

    >>> production = Production(0, "State", ("next_to(", ")"), ("State",))
    >>> str(production), production.predicate
    ('State -> next_to({State})', 'next_to')
    """

    number: int
    left: str
    parts: tuple[str, ...]
    slots: tuple[str, ...] = ()
    sql: str | None = None
    kind: str = "rule"
    value: str | None = None
    phrases: tuple[str, ...] = ()
    silent: bool = False

    def __str__(self) -> str:
        return self._shown

    @cached_property
    def _shown(self) -> str:  # kept, because readings show the productions of all their nodes
        parts = [part.replace("{", "{{").replace("}", "}}") for part in self.parts]
        if self.kind in (*VALUES, AGAIN) or (self.kind == "name" and self.value is None):
            inner = f"{{{self.kind}}}" if self.value is None else self.value
            return f"{self.left} -> {parts[0]}{inner}{parts[1]}"
        between = [f"{{{slot}}}" for slot in self.slots] + [""]
        return f"{self.left} -> {''.join(part + slot for part, slot in zip(parts, between))}"

    @cached_property
    def predicate(self) -> str:
        """The words of the right side that are not slots, joined by blanks; "" if there is only punctuation."""
        return " ".join(token for part in self.parts for token in split_meaning(part) if re.search(r"\w", token))

    @property
    def is_learned(self) -> bool:
        """Whether the parser learns which words express it; names, numbers and words are found in the sentence."""
        return self.kind in ("rule", AGAIN) or (self.kind != "name" and self.value is not None)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The right side as tokens and slots."""
        slots = self.slots if self.kind in ("rule", "name") else (self.kind,)
        found: list[Symbol] = []
        for place, part in enumerate(self.parts):
            found += [Symbol(token, False) for token in split_meaning(part)]
            if place < len(slots):
                found.append(Symbol(slots[place], True))
        return tuple(found)


@dataclass(frozen=True)
class Derivation:
    """A parse tree of a meaning; ``value`` is the number or word that the production took from the sentence.

    The child of a production of the kind "again" is the meaning that it repeats.

    >>> all_states = Derivation(Production(1, "State", ("state(all)",)))
    >>> Derivation(Production(0, "Query", ("answer(", ")"), ("State",)), (all_states,)).meaning()
    'answer(state(all))'
    """

    production: Production
    children: tuple[Derivation, ...] = ()
    value: str | None = None

    def meaning(self) -> str:
        """The meaning as text.

        >>> Derivation(Production(0, "State", ("state(all)",))).meaning()
        'state(all)'
        """
        # Kept, because readings of a sentence share most of their parts; a cached property would lock for each of them.
        text: str | None = self.__dict__.get("_text")
        if text is None:
            text = self.__dict__["_text"] = self._write()
        return text

    def _write(self) -> str:
        if self.value is not None:
            return "".join(part + text for part, text in zip(self.production.parts, (self.value, "")))
        written = self.production.parts[0]
        for child, part in zip(self.children, self.production.parts[1:]):
            for piece in (child.meaning(), part):
                glues = written and piece and written[-1] not in _BETWEEN and piece[0] not in _BETWEEN
                written += f" {piece}" if glues and not (written[-1].isspace() or piece[0].isspace()) else piece
        return written

    def productions(self) -> list[Production]:
        """The productions from the top down, each before those of its slots.

        >>> len(Derivation(Production(0, "State", ("state(all)",))).productions())
        1
        """
        return list(self._list_productions())

    def _list_productions(self) -> tuple[Production, ...]:
        found: tuple[Production, ...] | None = self.__dict__.get("_productions")  # kept, as the text
        if found is None:
            below = [production for child in self.children for production in child._list_productions()]
            found = self.__dict__["_productions"] = (self.production, *below)
        return found


def split_meaning(text: str) -> list[str]:
    """Split a meaning into tokens: each punctuation sign is a token, and so is the text between signs and blanks.

    >>> split_meaning("cityid('new york', _)")
    ['cityid', '(', "'", 'new', 'york', "'", ',', '_', ')']
    """
    return _TOKEN.findall(text)


def find_tokens(text: str) -> list[re.Match[str]]:
    """The tokens of `split_meaning` as matches, which know their places.

    >>> [match.start() for match in find_tokens("f( x )")]
    [0, 1, 3, 5]
    """
    return list(_TOKEN.finditer(text))


def is_value(text: str, kind: str) -> bool:
    """Whether a production of this kind may take a token as its value: a number, or else a word.

    >>> is_value("-1.5", "number"), is_value("five", "number"), is_value("five", "word"), is_value("(", "word")
    (True, False, True, False)
    """
    return bool(_NUMBER.fullmatch(text) if kind == "number" else re.search(r"\w", text))


def fill_name(template: Production, value: str, phrases: Sequence[str] = ()) -> Production:
    """Make the production that names one entity from a production with ``{name}``.

    >>> str(fill_name(Production(0, "State", ("'", "'"), kind="name"), "utah"))
    "State -> 'utah'"
    """
    text = f"{template.parts[0]}{value}{template.parts[1]}"
    return replace(template, parts=(text,), kind="name", value=value, phrases=(value, *phrases))


def shorten(value: object) -> str:
    """Shorten a meaning or a production for a message, if it is long.

    >>> shorten("next_to(" * 100)
    'next_to(next_to(next_to(next_to(next_to(next_to(next_to(next_to(next_to(next_...'
    """
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."
