"""Regular expressions as automata that run in linear time.

An expression becomes an automaton without backtracking. However it is written, matching takes no longer than the number
of characters times the number of its states. Back references and look-around would need backtracking; they are refused.
"""

from __future__ import annotations

import re
import warnings
from typing import NamedTuple

from rekern.questions.question_units import HAN_SIGN

MAX_CHARACTERS = 1_000  # of an expression
MAX_STATES = 1_000  # of an expression, with its counted repetitions written out
MAX_DEPTH = 50  # of groups inside groups
MAX_CACHED = 500_000  # nodes and characters in the cached states of an automaton: some 50 MB

CHARACTER, SPLIT, ASSERTION, ACCEPT = range(4)
START, WORD, OTHER, END = range(4)  # what is before or after a place in a text


class Node(NamedTuple):
    """A node of an automaton: its kind, what it tests, the next node, and for SPLIT another next node."""

    kind: int
    test: str = ""
    following: int = -1
    other: int = -1


class ExpressionError(ValueError):
    """An expression that cannot be used; ``position`` is the character at which it fails, counted from 1."""

    def __init__(self, reason: str, position: int):
        super().__init__(reason)
        self.position = position


class _Decided(Exception):
    """Raised when the rest of a text no longer matters."""


class _State(dict[str, "_State"]):
    """A set of nodes between two characters; the state after a character is computed when it is first needed."""

    __slots__ = ("automaton", "before", "moves", "places", "verdict")

    def __init__(self, automaton: Automaton, places: frozenset[int], before: int):
        super().__init__()
        self.automaton = automaton
        self.places = places
        self.before = before
        self.verdict: bool | None = None  # whether a text that ends here matches, once that is known
        self.moves: dict[int, list[tuple[str, int]]] = {}  # what comes next -> its tests and the nodes after them

    def __missing__(self, character: str) -> _State:
        following = self[character] = self.automaton.step(self, character)
        return following


class _Final(_State):
    """A state from which every rest of a text matches, or none."""

    __slots__ = ()

    def __missing__(self, character: str) -> _State:
        raise _Decided


class Automaton:
    """One expression as an automaton; its states are sets of nodes, computed when they are first reached.

    >>> Automaton("(a+)+b").matches("a" * 10_000)
    False
    """

    def __init__(self, expression: str):
        self.nodes: list[Node] = []
        self.tests: dict[str, re.Pattern[str]] = {}
        self.start = _Compiler(expression, self.nodes, self.tests).compile()
        self.needs_chinese = not self._can_match_without_chinese()
        self.rest = self._find_accepting_nodes()
        self.always, self.never = _Final(self, frozenset(), START), _Final(self, frozenset(), START)
        self.always.verdict, self.never.verdict = True, False
        self._reset()

    def _reset(self) -> None:
        """Drop all cached states but the first."""
        self.passed: dict[str, frozenset[str]] = {}  # a character -> the tests that it passes
        self.states: dict[tuple[frozenset[int], int], _State] = {}
        self.cached = 0
        self.first = self._find_state(frozenset([self.start]), START)

    def matches(self, text: str) -> bool:
        """Whether the expression matches the whole text."""
        if self.cached >= MAX_CACHED:
            self._reset()
        state = self.first
        try:
            for character in text:
                state = state[character]
        except _Decided:
            pass
        if state.verdict is None:
            last = self._follow_empty_steps(state, END)
            state.verdict = any(self.nodes[node].kind == ACCEPT for node in last)
        return state.verdict

    def step(self, state: _State, character: str) -> _State:
        """Return the state after a character."""
        self.cached += 1
        kind = WORD if character.isalnum() or character == "_" else OTHER
        passed = self.passed.get(character)
        if passed is None:
            passed = frozenset(source for source, test in self.tests.items() if test.match(character))
            self.passed[character] = passed
        moves = state.moves.get(kind)
        if moves is None:
            nodes = [self.nodes[place] for place in self._follow_empty_steps(state, kind)]
            moves = state.moves[kind] = [(node.test, node.following) for node in nodes if node.kind == CHARACTER]
            self.cached += len(moves)
        found = {following for test, following in moves if test in passed}
        if not found:
            return self.never
        return self.always if found & self.rest else self._find_state(frozenset(found), kind)

    def _find_state(self, places: frozenset[int], before: int) -> _State:
        found = self.states.get((places, before))
        if found is None:
            if self.cached >= MAX_CACHED:
                self._reset()
            self.cached += len(places)
            found = self.states[places, before] = _State(self, places, before)
        return found

    def _find_accepting_nodes(self) -> set[int]:
        """Find the nodes from which every text is accepted: those of a final ``.*``."""
        found = set()
        for place, (kind, _, inside, after) in enumerate(self.nodes):
            loops = kind == SPLIT and self.nodes[inside] == Node(CHARACTER, ".", place)
            if loops and self.nodes[after].kind == ACCEPT:
                found.add(place)
        return found

    def _can_match_without_chinese(self) -> bool:
        """Whether a path through the nodes needs no Chinese character; if not, most texts can be skipped."""
        seen: set[int] = set()
        waiting = [self.start]
        while waiting:
            place = waiting.pop()
            kind, test, first, second = self.nodes[place]
            if kind == ACCEPT:
                return True
            if place in seen or (kind == CHARACTER and HAN_SIGN.fullmatch(test)):
                continue
            seen.add(place)
            waiting += (first, second) if kind == SPLIT else (first,)
        return False

    def _follow_empty_steps(self, state: _State, following: int) -> set[int]:
        """Return all nodes that are reached without reading a character; ``following`` is what comes next."""
        seen: set[int] = set()
        waiting = list(state.places)
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            kind, test, first, second = self.nodes[place]
            if kind == SPLIT:
                waiting += (first, second)
            elif kind == ASSERTION and _is_true(test, state.before, following):
                waiting.append(first)
        return seen


def _is_true(assertion: str, before: int, following: int) -> bool:
    if assertion in ("^", r"\A"):
        return before == START
    if assertion in ("$", r"\Z"):
        return following == END
    boundary = (before == WORD) != (following == WORD)
    return boundary if assertion == r"\b" else not boundary


class _Compiler:
    """Builds the nodes of an automaton from an expression (Thompson, 1968), from its end to its beginning."""

    def __init__(self, expression: str, nodes: list[Node], tests: dict[str, re.Pattern[str]]):
        self.text = expression
        self.nodes = nodes
        self.tests = tests
        self.n_left = MAX_STATES  # how many more atoms and nodes are allowed; an empty group has no node

    def compile(self) -> int:
        """Build all nodes; return the first."""
        if len(self.text) > MAX_CHARACTERS:
            raise ExpressionError(
                f"the expression has more than {MAX_CHARACTERS:,} characters; split it", MAX_CHARACTERS + 1
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(self.text)
        except re.error as error:
            raise ExpressionError(error.msg, (error.pos or 0) + 1) from None
        except (RecursionError, OverflowError, MemoryError):
            raise ExpressionError("the expression is too large; split it", 1) from None
        end = self._add(Node(ACCEPT), 0)
        first, place = self._build_alternatives(0, end, 0)
        if place < len(self.text):
            raise ExpressionError("unbalanced parenthesis", place + 1)
        return first

    def _add(self, node: Node, place: int) -> int:
        self._count_state(place)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _count_state(self, place: int) -> None:
        self.n_left -= 1
        if self.n_left < 0:
            remedy = f"it needs more than {MAX_STATES:,} states; use smaller repetition counts"
            raise ExpressionError(f"the expression is too large: {remedy}", place + 1)

    def _build_alternatives(self, place: int, following: int, depth: int) -> tuple[int, int]:
        """Build nodes for ``a|b|…`` before the following node; return the first node and the end of the text."""
        if depth > MAX_DEPTH:
            raise ExpressionError(f"more than {MAX_DEPTH} groups inside one another; simplify it", place + 1)
        first, place = self._build_sequence(place, following, depth)
        while self.text[place : place + 1] == "|":
            other, after = self._build_sequence(place + 1, following, depth)
            first, place = self._add(Node(SPLIT, "", first, other), place), after
        return first, place

    def _build_sequence(self, place: int, following: int, depth: int) -> tuple[int, int]:
        pieces = []
        while place < len(self.text) and self.text[place] not in "|)":
            end = self._find_atom_end(place, depth)
            least, most, after = self._read_repetition(end)
            pieces.append((place, least, most))
            place = after
        for start, least, most in reversed(pieces):
            following = self._build_repetition(start, least, most, following, depth)
        return following, place

    def _build_repetition(self, start: int, least: int, most: int | None, following: int, depth: int) -> int:
        """Build nodes for an atom that is repeated; each repetition has its own nodes."""
        if most is None:
            loop = self._add(Node(SPLIT, "", following, following), start)
            self.nodes[loop] = Node(SPLIT, "", self._build_atom(start, loop, depth), following)
            following = loop
        else:
            end = following
            for _ in range(most - least):
                following = self._add(Node(SPLIT, "", self._build_atom(start, following, depth), end), start)
        for _ in range(least):
            following = self._build_atom(start, following, depth)
        return following

    def _build_atom(self, place: int, following: int, depth: int) -> int:
        """Build nodes for the atom at a place; return the first."""
        text = self.text
        if text[place] == "(":
            self._count_state(place)
            inside = place + (3 if text.startswith("(?:", place) else 1)
            return self._build_alternatives(inside, following, depth + 1)[0]
        source = text[place : self._find_atom_end(place, depth)]
        if source in ("^", "$", r"\b", r"\B", r"\A", r"\Z"):
            return self._add(Node(ASSERTION, source, following), place)
        if source not in self.tests:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "possible nested set" announces a change of a later Python
                self.tests[source] = re.compile(source, re.IGNORECASE | re.DOTALL)
        return self._add(Node(CHARACTER, source, following), place)

    def _find_atom_end(self, place: int, depth: int) -> int:
        text = self.text
        if text[place] == "(":
            if text.startswith("(?", place) and not text.startswith("(?:", place):
                raise ExpressionError(
                    "look-around, flags and named groups are not supported; use (…) or (?:…)", place + 1
                )
            return self._find_group_end(place, depth)
        if text[place] == "[":
            end = place + 1 + (text[place + 1 : place + 2] == "^")
            end += text[end : end + 1] == "]"
            while text[end] != "]":
                end += 2 if text[end] == "\\" else 1
            return end + 1
        if text[place] != "\\":
            return place + 1
        mark = text[place + 1]
        if mark.isdigit() and mark != "0":
            raise ExpressionError("back references are not supported; write the text out", place + 1)
        if mark == "0":  # an octal number of up to two more digits
            return place + 2 + len(_OCTAL.match(text, place + 2).group())  # type: ignore[union-attr]
        if mark == "N":
            return text.index("}", place) + 1
        return place + 2 + {"x": 2, "u": 4, "U": 8}.get(mark, 0)

    def _find_group_end(self, place: int, depth: int) -> int:
        """Find the place after the closing parenthesis, group inside group."""
        if depth > MAX_DEPTH:
            raise ExpressionError(f"more than {MAX_DEPTH} groups inside one another; simplify it", place + 1)
        place += 3 if self.text.startswith("(?:", place) else 1
        while self.text[place] != ")":
            place = place + 1 if self.text[place] == "|" else self._find_atom_end(place, depth + 1)
            place = self._read_repetition(place)[2]
        return place + 1

    def _read_repetition(self, place: int) -> tuple[int, int | None, int]:
        """Read how often the atom before a place occurs: at least, at most, and the place after the quantifier."""
        found = _QUANTIFIER.match(self.text, place)
        if not found or not found.group():
            return 1, 1, place
        if found.group("possessive"):
            raise ExpressionError("possessive repetition is not supported; leave out the second +", found.end())
        mark = found.group("mark")
        if mark:
            return int(mark == "+"), 1 if mark == "?" else None, found.end()
        least = int(found.group("least") or 0)
        most = found.group("most") if found.group("comma") else found.group("least")
        if max(least, int(most or 0)) > MAX_STATES:
            raise ExpressionError(f"a repetition of more than {MAX_STATES:,} times; use a smaller count", place + 1)
        return least, int(most) if most else None, found.end()


_OCTAL = re.compile("[0-7]{0,2}")
_QUANTIFIER = re.compile(
    r"(?:(?P<mark>[*+?])|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)(?<!\{)\})(?:\?|(?P<possessive>\+))?|"
)
