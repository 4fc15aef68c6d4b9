"""Meaning grammars: which meanings there are, how each is written, and (optionally) its SQL.

A grammar file is plain text, one production a line; a line that begins with a blank continues the one before::

    # a comment
    start Query
    Query -> answer({State})                  := SELECT DISTINCT name FROM ({1})
    State -> next_to({State})                 := SELECT b AS name FROM border WHERE a IN ({1})
    State -> both({State}, {State})           := {1} INTERSECT {2}
    State -> state(all)                       := SELECT name FROM state
    State -> stateid({StateName})             := SELECT name FROM state WHERE name = {1}
    StateName -> '{name}'
    names StateName = texas | new york | united states of america
    names StateName := SELECT name FROM state
    also StateName united states of america = usa | the u. s.

- ``start`` names the start symbol. Without the line it is the left side of the first production.
- The right side of a production is the text of the meaning. ``{State}`` is a slot for a meaning of the non-terminal
  ``State``; ``{{`` and ``}}`` stand for braces. Blanks do not matter when a meaning is read; it is printed as here.
- After ``:=`` stands an SQL template: ``{1}``, ``{2}`` … are the SQL of the slots, in their order. The value of a name
  is a bound parameter, so ``{1}`` for a slot of names stands for a question mark, never for text.
- ``{name}`` (only in a production without other slots) makes one production for each name of the non-terminal: those
  of its ``names NonTerminal = a | b`` lines, and those that its ``names NonTerminal := SELECT …`` line finds in the
  database (`Grammar.name_queries`, `Grammar.with_names`). ``also NonTerminal name = phrase | phrase`` lists other words
  for a name. ``{number}`` stands for any number that the sentence mentions, ``{word}`` for any of its words,
  ``{identifier}`` for those that are written as in programs (R2, left_wing, ourHalf).

WASP's files (``*n:State -> ({ next_to_1 ( *n:State ) })``) are read by the same function.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from rekern.core.files import show_path
from rekern.core.text_files import read_text
from rekern.errors import InputError

_TOKEN = re.compile(r"[^\s(){}\[\],'\"]+|[(){}\[\],'\"]")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")
VALUES = ("number", "word", "identifier")  # kinds of productions that take their value from the sentence
CLASSES = ("name", *VALUES)
DEEPEST = 100  # levels of a derivation


@dataclass(frozen=True)
class Production:
    """One production: ``left`` is written as ``parts`` with the meanings of the ``slots`` between them.

    ``kind`` is "rule"; "name" for a production that only names an entity, which ``value`` holds and ``phrases`` may
    call in a sentence; "number", "word" or "identifier" for one that takes its value from the sentence, or has the
    ``value`` that other words may express ("the goalie" for player 1). ``silent`` says that no words of a sentence
    stand for it (WASP's mark ``zero-fertility``).

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
        written = [part.replace("{", "{{").replace("}", "}}") for part in self.parts]
        if self.kind in VALUES or (self.kind == "name" and self.value is None):
            inner = f"{{{self.kind}}}" if self.value is None else self.value
            return f"{self.left} -> {written[0]}{inner}{written[1]}"
        between = [f"{{{slot}}}" for slot in self.slots] + [""]
        return f"{self.left} -> {''.join(part + slot for part, slot in zip(written, between))}"

    @property
    def predicate(self) -> str:
        """The words of the right side that are not slots, joined by blanks; "" if there are only signs."""
        return " ".join(token for part in self.parts for token in tokens(part) if re.search(r"\w", token))

    @property
    def learned(self) -> bool:
        """Whether it is learned which words express it, as no name, number or word of a sentence does."""
        return self.kind == "rule" or (self.kind != "name" and self.value is not None)

    @cached_property
    def symbols(self) -> tuple[tuple[str, bool], ...]:
        """The right side as (token, False) and (non-terminal or class, True)."""
        inner = self.slots if self.kind in ("rule", "name") else (self.kind,)
        found: list[tuple[str, bool]] = []
        for place, part in enumerate(self.parts):
            found += [(token, False) for token in tokens(part)]
            if place < len(inner):
                found.append((inner[place], True))
        return tuple(found)


@dataclass(frozen=True)
class Derivation:
    """A parse tree of a meaning; ``value`` is the number or word that a production of a class took."""

    production: Production
    children: tuple[Derivation, ...] = ()
    value: str | None = None

    def meaning(self) -> str:
        """The meaning as text.

        >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)"])
        >>> grammar.parse("answer( state( all ) )").meaning()
        'answer(state(all))'
        """
        inner = [child.meaning() for child in self.children] or ([] if self.value is None else [self.value])
        return "".join(part + text for part, text in zip(self.production.parts, [*inner, ""]))

    def productions(self) -> list[Production]:
        """The productions from the top, each before those of its slots."""
        return [self.production, *(production for child in self.children for production in child.productions())]


@dataclass(frozen=True, repr=False)
class Grammar:
    """A checked context-free grammar of meanings; `read_grammar` makes one.

    ``name_queries`` holds the SQL that finds the names of a non-terminal, ``name_templates`` its ``{name}`` production.
    """

    start: str
    productions: tuple[Production, ...]
    name_queries: Mapping[str, str] = field(default_factory=dict)
    name_templates: Mapping[str, Production] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Grammar({self.start}, {len(self.productions)} productions)"

    @cached_property
    def by_left(self) -> dict[str, list[Production]]:
        """The productions of each non-terminal, in the order of the file."""
        found: dict[str, list[Production]] = {}
        for production in self.productions:
            found.setdefault(production.left, []).append(production)
        return found

    @cached_property
    def entities(self) -> frozenset[str]:
        """The non-terminals whose productions only name something: names, numbers, words.

        >>> sorted(read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah"]).entities)
        ['State']
        """
        return frozenset(
            [left for left, found in self.by_left.items() if all(p.kind != "rule" for p in found)]
            + list(self.name_templates)
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its rules."""
        return frozenset(word for p in self.productions if p.kind == "rule" for word in p.predicate.split())

    def derivations(self, meaning: str, limit: int = 1000) -> list[Derivation]:
        """All derivations of a meaning (at most ``limit`` of each part of it), the first in grammar order first."""
        found = _Reader(self, meaning, limit)
        try:
            return found.derive(self.start, 0, len(found.tokens))
        except RecursionError:
            raise InputError(f"the meaning {short(meaning)} is nested too deeply: beyond {DEEPEST} levels") from None

    def parse(self, meaning: str, productions: Iterable[str] | None = None) -> Derivation:
        """The derivation of a meaning: of several, the one with these productions (as in the data), else the first.

        ``productions`` lists them from the top, as `Production` prints them or as WASP writes them.

        >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)"])
        >>> [str(production) for production in grammar.parse("answer(state(all))").productions()]
        ['Query -> answer({State})', 'State -> state(all)']
        >>> grammar.parse("answer(some)")
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: the grammar cannot derive answer(some): no production goes on at 'some' (character 8)
        """
        found = self.derivations(meaning)
        if not found:
            raise InputError(f"the grammar cannot derive {short(meaning)}: {_obstacle(self, meaning)}")
        if productions is not None:
            wanted = [_canonical(line) for line in productions]
            for derivation in found:
                if _agrees(derivation, wanted):
                    return derivation
            raise InputError(f"the productions given for {short(meaning)} are not a derivation of it")
        if len(found) > 1:
            warnings.warn(f"{short(meaning)} has several derivations; the first in grammar order is used", stacklevel=2)
        return found[0]

    def with_names(self, names: Mapping[str, Iterable[Any]]) -> Grammar:
        """The grammar with further names for its ``{name}`` productions, say from a database.

        >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State := SELECT name FROM state"])
        >>> grammar.with_names({"State": ["new york", "utah"]}).parse("'utah'").meaning()
        "'utah'"
        """
        productions = list(self.productions)
        seen = {(p.left, p.value) for p in productions if p.kind == "name"}
        for left, values in names.items():
            if left not in self.name_templates:
                raise InputError(f"{left} has no production with {{name}}, so it takes no names")
            for value in map(str, values):
                if (left, value) not in seen and value.strip():
                    seen.add((left, value))
                    productions.append(named(self.name_templates[left], value))
        return replace(self, productions=tuple(replace(p, number=i) for i, p in enumerate(productions)))


def tokens(text: str) -> list[str]:
    """The tokens of a meaning: signs of punctuation one by one, and what stands between them and blanks.

    >>> tokens("cityid('new york', _)")
    ['cityid', '(', "'", 'new', 'york', "'", ',', '_', ')']
    """
    return _TOKEN.findall(text)


def named(template: Production, value: str, phrases: Sequence[str] = ()) -> Production:
    """The production that names one entity, made from a production with ``{name}``."""
    text = f"{template.parts[0]}{value}{template.parts[1]}"
    return replace(template, parts=(text,), kind="name", value=value, phrases=(value, *phrases))


class _Reader:
    """Reads one meaning: the derivations of every (non-terminal, span) that is asked for, each computed once."""

    def __init__(self, grammar: Grammar, meaning: str, limit: int):
        self.tokens, self.limit = tokens(meaning), limit
        self.known: dict[tuple[str, int, int], list[Derivation]] = {}
        self.choices = _choices(grammar)
        self.ends, *_ = _recognised(grammar, self.tokens)

    def derive(self, left: str, first: int, last: int, depth: int = 0) -> list[Derivation]:
        if last not in self.ends.get((left, first), ()):
            return []
        if depth >= DEEPEST:
            raise RecursionError
        key = (left, first, last)
        if key not in self.known:
            choice = self.choices[left]
            found = [Derivation(production) for production in choice.fixed.get(tuple(self.tokens[first:last]), [])]
            for production in [*choice.free, *choice.anchored.get(self.tokens[first], [])]:
                end, slot = production.symbols[-1]
                if slot or end == self.tokens[last - 1]:
                    found += self._apply(production, first, last, depth)
            self.known[key] = sorted(found, key=lambda one: one.production.number)[: self.limit]
        return self.known[key]

    def _apply(self, production: Production, first: int, last: int, depth: int) -> list[Derivation]:
        """The derivations of a span that begin with this production."""
        if production.kind in VALUES:
            before = len(tokens(production.parts[0]))
            value = self.tokens[first + before] if first + before < last else ""
            whole = [value if slot else token for token, slot in production.symbols]
            fits = whole == self.tokens[first:last] and _is_of_class(value, production.kind)
            return [Derivation(production, (), value)] if fits else []
        found = self._sequences(production.symbols, 0, first, last, depth + 1)
        return [Derivation(production, children) for children in found]

    def _sequences(
        self, symbols: tuple[tuple[str, bool], ...], place: int, first: int, last: int, depth: int
    ) -> list[tuple[Derivation, ...]]:
        """The ways to read symbols from ``place`` on over a span."""
        while place < len(symbols) and not symbols[place][1]:
            if first >= last or symbols[place][0] != self.tokens[first]:
                return []
            place, first = place + 1, first + 1
        if place == len(symbols):
            return [()] if first == last else []
        left = symbols[place][0]
        if place == len(symbols) - 1:
            return [(child,) for child in self.derive(left, first, last, depth)]
        rest = len(symbols) - place - 1  # every symbol takes a token at least
        after, slot = symbols[place + 1]
        found: list[tuple[Derivation, ...]] = []
        for end in sorted(self.ends.get((left, first), ())):
            if end > last - rest or (not slot and self.tokens[end] != after):
                continue
            tails = self._sequences(symbols, place + 1, end, last, depth)
            children = self.derive(left, first, end, depth) if tails else []
            found += [(child, *tail) for child in children for tail in tails]
            if len(found) >= self.limit:
                break
        return found[: self.limit]


class _Choice(NamedTuple):
    """The productions of a non-terminal: those without slots by their tokens, the others by how they begin."""

    fixed: dict[tuple[str, ...], list[Production]]  # there may be very many names, so they are found at once
    lengths: set[int]
    free: list[Production]  # that begin with a slot
    anchored: dict[str, list[Production]]


_NOTHING = _Choice({}, set(), [], {})  # of a non-terminal whose names are in a database


def _choices(grammar: Grammar) -> dict[str, _Choice]:
    cached = grammar.__dict__.get("_choices")
    if cached is None:
        cached = {}
        for production in grammar.productions:
            fixed, lengths, free, anchored = cached.setdefault(production.left, _Choice({}, set(), [], {}))
            token, slot = production.symbols[0]
            if any(inner for _, inner in production.symbols):
                (free if slot else anchored.setdefault(token, [])).append(production)
            else:
                fixed.setdefault(tuple(word for word, _ in production.symbols), []).append(production)
                lengths.add(len(production.symbols))
        grammar.__dict__["_choices"] = cached  # a frozen dataclass still has a dictionary for cached values
    return cached


_Spans = dict[tuple[str, int], set[int]]
_Waiting = dict[tuple[str, int], list[tuple[Production, int, int]]]


def _recognised(grammar: Grammar, found: Sequence[str]) -> tuple[_Spans, _Waiting, int]:
    """Where parts of a meaning that begin at some token as some non-terminal may end; what was looked for; how far.

    Earley's recogniser: its time grows with the length of a meaning, as long as this is not ambiguous.
    """
    choices = _choices(grammar)
    ends: _Spans = {}
    waiting: _Waiting = {(grammar.start, 0): []} if found else {}
    agenda: list[list[tuple[Production, int, int]]] = [[] for _ in range(len(found) + 1)]

    def predict(left: str, place: int) -> None:
        fixed, lengths, free, anchored = choices.get(left, _NOTHING)
        for length in lengths:
            names = fixed.get(tuple(found[place : place + length]))
            if names and place + length <= len(found):
                agenda[place + length].append((names[0], length, place))
        agenda[place] += [(production, 0, place) for production in [*free, *anchored.get(found[place], [])]]

    if found:
        predict(grammar.start, 0)
    for place, tasks in enumerate(agenda):
        seen: set[tuple[int, int, int]] = set()
        for production, dot, origin in tasks:  # grows meanwhile
            if (production.number, dot, origin) in seen:
                continue
            seen.add((production.number, dot, origin))
            if dot == len(production.symbols):  # as every symbol takes a token, all that waits for it waits already
                key = (production.left, origin)
                if place not in ends.setdefault(key, set()):
                    ends[key].add(place)
                    tasks += [(other, at + 1, start) for other, at, start in waiting.get(key, ())]
                continue
            symbol, slot = production.symbols[dot]
            if place == len(found):
                continue
            if slot and production.kind == "rule":
                if (symbol, place) not in waiting:
                    waiting[symbol, place] = []
                    predict(symbol, place)
                waiting[symbol, place].append((production, dot, origin))
            elif _is_of_class(found[place], symbol) if slot else found[place] == symbol:
                agenda[place + 1].append((production, dot + 1, origin))
    return ends, waiting, max(place for place, tasks in enumerate(agenda) if tasks or not place)


def _obstacle(grammar: Grammar, meaning: str) -> str:
    """Where the reading of a meaning that cannot be derived ended."""
    found = tokens(meaning)
    if not found:
        return "it is empty"
    _, waiting, reached = _recognised(grammar, found)
    for left, place in waiting:  # a name may have begun well
        for key in _choices(grammar).get(left, _NOTHING).fixed:
            same = next((n for n, (word, other) in enumerate(zip(key, found[place:])) if word != other), 0)
            reached = max(reached, place + same)
    if reached == len(found):
        return "it ends too early"
    start = list(_TOKEN.finditer(meaning))[reached].start()
    return f"no production goes on at {short(found[reached])!r} (character {start + 1})"


def _is_of_class(token: str, kind: str) -> bool:
    if kind == "number":
        return _NUMBER.fullmatch(token) is not None
    return kind in ("word", "identifier") and re.search(r"\w", token) is not None


def _agrees(derivation: Derivation, wanted: list[str]) -> bool:
    """Whether a derivation has these productions; a back-reference of WASP stands for any derivation of its symbol."""
    place = 0
    stack = [derivation]
    while stack:
        node = stack.pop()
        if place == len(wanted):
            return False
        line, place = wanted[place], place + 1
        if line == f"{node.production.left} -> *^":
            continue
        if line not in (_canonical(str(node.production)), _canonical(f"{node.production.left} -> {node.meaning()}")):
            return False
        stack.extend(reversed(node.children))
    return place == len(wanted)


def _canonical(line: str) -> str:
    """A production's text, ours or WASP's, without the differences of spacing."""
    left, _, right = line.partition("->")
    wasp = left.strip().startswith("*n:")
    left, right = left.strip().removeprefix("*n:"), right.strip()
    if wasp and right.startswith("({") and "})" in right:
        right = right[2 : right.rindex("})")].strip()
        if right.startswith("*^:"):
            return f"{left} -> *^"
        right = re.sub(r"\*n:(\w+)", r"\1", right)
    else:
        right = re.sub(r"\{([A-Z]\w*)\}", r"\1", right).replace("{{", "{").replace("}}", "}")
    return f"{left} -> {' '.join(tokens(right))}"


def short(value: object) -> str:
    """A meaning or a production for a message: its beginning, if it is long.

    >>> short("next_to(" * 100)
    'next_to(next_to(next_to(next_to(next_to(next_to(next_to(next_to(next_to(next_...'
    """
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def read_grammar(source: str | Path | Iterable[str], start: str | None = None) -> Grammar:
    """The grammar of a file (a path) or of a list of lines, in our format or in WASP's, checked.

    >>> grammar = read_grammar(["Query -> answer({State})", "State -> state(all)", "State -> next_to({State})"])
    >>> grammar.start, len(grammar.productions)
    ('Query', 3)
    >>> read_grammar(["Query -> answer({Stat})"])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 1: no production defines Stat, which Query -> answer({Stat}) uses
    """
    from rekern.krisp.grammar_files import read_lines

    if isinstance(source, str | Path):
        name = show_path(source)
        lines = read_text(source).split("\n")  # not at a form feed, as editors do not
        try:
            return read_lines(lines, start)
        except InputError as error:
            raise InputError(f"{name}, {error}") from None
    return read_lines(list(source), start)
