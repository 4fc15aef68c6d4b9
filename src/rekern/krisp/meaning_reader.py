"""Reading meanings: all derivations of a text by a meaning grammar (Earley's algorithm)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from rekern.errors import InputError
from rekern.krisp.productions import (
    AGAIN,
    VALUES,
    Derivation,
    Production,
    Symbol,
    find_tokens,
    is_value,
    shorten,
    split_meaning,
)

DEEPEST = 100  # levels of a derivation
MOST_STEPS = 5_000_000  # of reading a meaning; more are only needed if it can be read in very many ways


class ProductionChoices(NamedTuple):
    """The productions of one non-terminal: those without slots by their tokens, the others by their first symbol."""

    fixed: dict[tuple[str, ...], list[Production]]  # a dictionary, because there may be very many names
    lengths: set[int]
    free: list[Production]  # those that begin with a slot
    anchored: dict[str, list[Production]]


ProductionIndex = Mapping[str, ProductionChoices]

_NOTHING = ProductionChoices({}, set(), [], {})  # for a non-terminal whose names are in a database


def index_productions(productions: Iterable[Production]) -> ProductionIndex:
    """Sort productions by their left sides, so that those that fit a text are found at once.

    >>> index_productions([Production(0, "State", ("state(all)",))])["State"].lengths
    {4}
    """
    found: dict[str, ProductionChoices] = {}
    for production in productions:
        if production.kind == AGAIN:  # a meaning does not show that its sentence had a pronoun
            continue
        choices = found.setdefault(production.left, ProductionChoices({}, set(), [], {}))
        first = production.symbols[0]
        if any(symbol.is_slot for symbol in production.symbols):
            (choices.free if first.is_slot else choices.anchored.setdefault(first.text, [])).append(production)
        else:
            choices.fixed.setdefault(tuple(symbol.text for symbol in production.symbols), []).append(production)
            choices.lengths.add(len(production.symbols))
    return found


def check_steps(steps: int) -> int:
    """Return the number of steps, if there are not too many.

    >>> check_steps(10**9)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: reading this meaning takes over 5,000,000 steps; shorten it, or raise ...
    """
    if steps > MOST_STEPS:
        limit = f"over {MOST_STEPS:,} steps"
        raise InputError(f"reading this meaning takes {limit}; shorten it, or raise meaning_reader.MOST_STEPS")
    return steps


class MeaningReader:
    """Reads one meaning; the derivations of each (non-terminal, span) that is needed are computed once.

    >>> index = index_productions([Production(0, "State", ("state(all)",))])
    >>> [found.meaning() for found in MeaningReader(index, "State", "state( all )").derive_all()]
    ['state(all)']
    """

    def __init__(self, index: ProductionIndex, start: str, meaning: str, limit: int = 1000):
        self._index, self._start, self._limit = index, start, limit
        self._meaning = meaning
        self._tokens = split_meaning(meaning)
        self._known: dict[tuple[str, int, int], list[Derivation]] = {}
        self._steps = 0
        self._recognition = _recognize(index, start, self._tokens)

    def derive_all(self) -> list[Derivation]:
        """All derivations, at most ``limit`` of each part, sorted by the order of the grammar.

        A meaning that is nested more deeply than `DEEPEST` levels raises ``RecursionError``.
        """
        return self._derive(self._start, 0, len(self._tokens), 0)

    def find_obstacle(self) -> str:
        """Where the reading of a meaning without derivation ended, for a message.

        >>> index = index_productions([Production(0, "State", ("state(all)",))])
        >>> MeaningReader(index, "State", "state(some)").find_obstacle()
        "no production goes on at 'some' (character 7)"
        """
        if not self._tokens:
            return "it is empty"
        reached = self._recognition.reached
        for left, place in self._recognition.waiting:  # the beginning of a name may fit
            choices = self._index.get(left, _NOTHING)
            if place + max(choices.lengths, default=0) <= reached:
                continue
            for key in choices.fixed:
                reached = max(reached, place + self._count_equal(key, place))
        if reached == len(self._tokens):
            return "it ends too early"
        start = find_tokens(self._meaning)[reached].start()
        return f"no production goes on at {shorten(self._tokens[reached])!r} (character {start + 1})"

    def _count_equal(self, key: tuple[str, ...], place: int) -> int:
        """How many tokens at the beginning of a name stand at this place; 0 if all do, or if the meaning ends."""
        for number, word in enumerate(key[: len(self._tokens) - place]):
            if word != self._tokens[place + number]:
                return number
        return 0

    def _derive(self, left: str, first: int, last: int, depth: int) -> list[Derivation]:
        if last not in self._recognition.ends.get((left, first), ()):
            return []
        if depth >= DEEPEST:
            raise RecursionError
        key = (left, first, last)
        if key not in self._known:
            choices = self._index[left]
            found = [Derivation(production) for production in choices.fixed.get(tuple(self._tokens[first:last]), [])]
            for production in [*choices.free, *choices.anchored.get(self._tokens[first], [])]:
                end = production.symbols[-1]
                if end.is_slot or end.text == self._tokens[last - 1]:
                    found += self._apply(production, first, last, depth)
            self._known[key] = sorted(found, key=lambda one: one.production.number)[: self._limit]
        return self._known[key]

    def _apply(self, production: Production, first: int, last: int, depth: int) -> list[Derivation]:
        """The derivations of a span that begin with this production."""
        if production.kind in VALUES:
            before = len(split_meaning(production.parts[0]))
            value = self._tokens[first + before] if first + before < last else ""
            whole = [value if symbol.is_slot else symbol.text for symbol in production.symbols]
            fits = whole == self._tokens[first:last] and is_value(value, production.kind)
            return [Derivation(production, (), value)] if fits else []
        found = self._derive_sequence(production.symbols, 0, first, last, depth + 1)
        return [Derivation(production, children) for children in found]

    def _derive_sequence(
        self, symbols: tuple[Symbol, ...], place: int, first: int, last: int, depth: int
    ) -> list[tuple[Derivation, ...]]:
        """The ways to read the symbols from ``place`` on over a span."""
        while place < len(symbols) and not symbols[place].is_slot:
            if first >= last or symbols[place].text != self._tokens[first]:
                return []
            place, first = place + 1, first + 1
        if place == len(symbols):
            return [()] if first == last else []
        left = symbols[place].text
        if place == len(symbols) - 1:
            return [(child,) for child in self._derive(left, first, last, depth)]
        rest = len(symbols) - place - 1  # every symbol takes at least one token
        after = symbols[place + 1]
        found: list[tuple[Derivation, ...]] = []
        for end in sorted(self._recognition.ends.get((left, first), ())):
            if end > last - rest or (not after.is_slot and self._tokens[end] != after.text):
                continue
            tails = self._derive_sequence(symbols, place + 1, end, last, depth)
            children = self._derive(left, first, end, depth) if tails else []
            joined = ((child, *tail) for child in children for tail in tails)
            found += islice(joined, self._limit - len(found))
            self._steps = check_steps(self._steps + 1 + len(found))
            if len(found) >= self._limit:
                break
        return found


class _State(NamedTuple):
    """A production of which the symbols before ``dot`` are read, from token ``origin`` on."""

    production: Production
    dot: int
    origin: int


class _Recognition(NamedTuple):
    """What the recogniser found.

    ``ends`` holds where the parts that begin at a token as a non-terminal may end, ``waiting`` what was looked for at
    each token, ``reached`` the last token that something led to.
    """

    ends: dict[tuple[str, int], set[int]]
    waiting: dict[tuple[str, int], list[_State]]
    reached: int


def _recognize(index: ProductionIndex, start: str, tokens: Sequence[str]) -> _Recognition:
    """Earley's recogniser: its time is linear in the length of a meaning that is not ambiguous."""
    ends: dict[tuple[str, int], set[int]] = {}
    waiting: dict[tuple[str, int], list[_State]] = {(start, 0): []} if tokens else {}
    agenda: list[list[_State]] = [[] for _ in range(len(tokens) + 1)]

    def predict(left: str, place: int) -> None:
        fixed, lengths, free, anchored = index.get(left, _NOTHING)
        for length in lengths:
            names = fixed.get(tuple(tokens[place : place + length]))
            if names and place + length <= len(tokens):
                agenda[place + length].append(_State(names[0], length, place))
        agenda[place] += [_State(production, 0, place) for production in [*free, *anchored.get(tokens[place], [])]]

    if tokens:
        predict(start, 0)
    steps = 0
    for place, states in enumerate(agenda):
        steps = check_steps(steps + len(states))
        seen: set[tuple[int, int, int]] = set()
        for production, dot, origin in states:  # grows during the loop
            if (production.number, dot, origin) in seen:
                continue
            seen.add((production.number, dot, origin))
            if dot == len(production.symbols):  # every symbol takes a token, so all that waits for it waits already
                key = (production.left, origin)
                if place not in ends.setdefault(key, set()):
                    ends[key].add(place)
                    steps = check_steps(steps + len(waiting.get(key, ())))
                    states += [_State(other, at + 1, begin) for other, at, begin in waiting.get(key, ())]
                continue
            symbol, is_slot = production.symbols[dot]
            if place == len(tokens):
                continue
            if is_slot and production.kind == "rule":
                if (symbol, place) not in waiting:
                    waiting[symbol, place] = []
                    predict(symbol, place)
                waiting[symbol, place].append(_State(production, dot, origin))
            elif is_value(tokens[place], symbol) if is_slot else tokens[place] == symbol:
                agenda[place + 1].append(_State(production, dot + 1, origin))
    return _Recognition(ends, waiting, max(place for place, states in enumerate(agenda) if states or not place))
