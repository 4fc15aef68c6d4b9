"""Hand-written regular expressions, run in linear time.

An expression becomes an automaton without backtracking, so none, however it is written, can take longer than the number
of characters times the number of its states. Back references and look-around, which need backtracking, are
refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rekern.core.files import explain_read_errors, show_path
from rekern.errors import InputError
from rekern.questions.question_units import HAN

LONGEST = 1_000  # characters of an expression
MOST_STATES = 1_000  # of one expression, its counted repetitions written out
DEEPEST = 50  # groups inside groups
MOST_KEPT = 500_000  # nodes and characters in the states of an automaton before it is begun anew: some 50 MB

CHARACTER, SPLIT, ASSERTION, ACCEPT = range(4)
CHINESE = re.compile(f"[{HAN}]")
START, WORD, OTHER, END = range(4)  # what stands before a place, or behind it
Node = tuple[int, Any, int, int]  # kind, what it tests, the next node, for SPLIT another next node


class ExpressionError(ValueError):
    """What is wrong with an expression, and at which character, counted from 1."""

    def __init__(self, reason: str, position: int):
        super().__init__(reason)
        self.position = position


class Expressions:
    """Regular expressions in Python's notation; each must match a whole question, in upper or lower case.

    >>> found = Expressions([r"how (do|can) (i|you|we) .*", r".*\\bmean(s|ing)?\\b.*"])
    >>> found.match_texts(["How can I swim", "what does it mean?"]).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> Expressions(["a(b"])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: expression 1, position 2: missing ), unterminated subpattern
    """

    def __init__(self, expressions: Iterable[str], places: Sequence[str] | None = None):
        self.expressions = list(expressions)
        self.automata: list[Automaton] = []
        for number, expression in enumerate(self.expressions):
            if not isinstance(expression, str):
                raise InputError(f"expression {number + 1} is {expression!r}: give a str")
            try:
                self.automata.append(Automaton(expression))
            except ExpressionError as error:
                place = places[number] if places else f"expression {number + 1}"
                raise InputError(f"{place}, position {error.position}: {error}") from None

    def names(self) -> list[str]:
        """The expressions as they were written."""
        return self.expressions

    def select(self, columns: Sequence[int]) -> Expressions:
        """The expressions of these numbers."""
        chosen = Expressions([])
        chosen.expressions = [self.expressions[number] for number in columns]
        chosen.automata = [self.automata[number] for number in columns]
        return chosen

    def match_texts(self, questions: Iterable[str]) -> Any:
        """A sparse matrix, questions × expressions, with 1 where an expression matches."""
        from scipy.sparse import csr_array

        rows = []
        for question in questions:
            text = question.strip().lower()  # fewer characters to know; the expressions ignore case
            chinese = CHINESE.search(text) is not None
            rows.append(
                [
                    number
                    for number, automaton in enumerate(self.automata)
                    if (chinese or not automaton.needs_chinese) and automaton.matches(text)
                ]
            )
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        columns = np.array([number for row in rows for number in row], dtype=np.int32)
        return csr_array((np.ones(len(columns)), columns, offsets), shape=(len(rows), len(self.expressions)))


class _Decided(Exception):
    """Raised where the rest of a text no longer matters."""


class _State(dict[str, "_State"]):
    """A set of nodes between two characters; what follows on a character is worked out when it is first asked for."""

    __slots__ = ("automaton", "before", "places", "verdict")

    def __init__(self, automaton: Automaton, places: frozenset[int], before: int):
        super().__init__()
        self.automaton = automaton
        self.places = places
        self.before = before
        self.verdict: bool | None = None  # whether a text that ends here matches, when it is known

    def __missing__(self, character: str) -> _State:
        following = self[character] = self.automaton.step(self, character)
        return following


class _Final(_State):
    """From here on everything matches, or nothing."""

    __slots__ = ()

    def __missing__(self, character: str) -> _State:
        raise _Decided


class Automaton:
    """One expression as an automaton whose states, sets of nodes, are worked out when they are first met.

    >>> Automaton("(a+)+b").matches("a" * 10_000)
    False
    """

    def __init__(self, expression: str):
        self.nodes: list[Node] = []
        self.tests: dict[str, re.Pattern[str]] = {}
        self.start = _Compiler(expression, self.nodes, self.tests).compile()
        self.needs_chinese = not self._accepts_without_chinese()
        self.rest = self._accepts_any_rest()
        self.always, self.never = _Final(self, frozenset(), START), _Final(self, frozenset(), START)
        self.always.verdict, self.never.verdict = True, False
        self._begin()

    def _begin(self) -> None:
        """Forget all states but the first."""
        self.passed: dict[str, frozenset[str]] = {}  # a character -> the tests that it passes
        self.states: dict[tuple[frozenset[int], int], _State] = {}
        self.kept = 0
        self.first = self._state(frozenset([self.start]), START)

    def matches(self, text: str) -> bool:
        """Whether the expression matches the whole text."""
        if self.kept >= MOST_KEPT:
            self._begin()
        state = self.first
        try:
            for character in text:
                state = state[character]
        except _Decided:
            pass
        if state.verdict is None:
            last = self._closure(state, END)
            state.verdict = any(self.nodes[node][0] == ACCEPT for node in last)
        return state.verdict

    def step(self, state: _State, character: str) -> _State:
        """The state behind a character."""
        self.kept += 1
        kind = WORD if character.isalnum() or character == "_" else OTHER
        passed = self.passed.get(character)
        if passed is None:
            passed = frozenset(source for source, test in self.tests.items() if test.match(character))
            self.passed[character] = passed
        found = set()
        for place in self._closure(state, kind):
            node = self.nodes[place]
            if node[0] == CHARACTER and node[1] in passed:
                found.add(node[2])
        if not found:
            return self.never
        return self.always if found & self.rest else self._state(frozenset(found), kind)

    def _state(self, places: frozenset[int], before: int) -> _State:
        found = self.states.get((places, before))
        if found is None:
            if self.kept >= MOST_KEPT:
                self._begin()
            self.kept += len(places)
            found = self.states[places, before] = _State(self, places, before)
        return found

    def _accepts_any_rest(self) -> set[int]:
        """The nodes from which everything is accepted: a last ``.*``."""
        found = set()
        for place, (kind, _, inside, after) in enumerate(self.nodes):
            loops = kind == SPLIT and self.nodes[inside][:3] == (CHARACTER, ".", place)
            if loops and self.nodes[after][0] == ACCEPT:
                found.add(place)
        return found

    def _accepts_without_chinese(self) -> bool:
        """Whether a way through the nodes needs no Chinese character; if not, most texts need not be looked at."""
        seen: set[int] = set()
        waiting = [self.start]
        while waiting:
            place = waiting.pop()
            kind, test, first, second = self.nodes[place]
            if kind == ACCEPT:
                return True
            if place in seen or (kind == CHARACTER and CHINESE.fullmatch(test)):
                continue
            seen.add(place)
            waiting += (first, second) if kind == SPLIT else (first,)
        return False

    def _closure(self, state: _State, following: int) -> set[int]:
        """All nodes that are reached without reading a character, between what stands before and behind."""
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
            elif kind == ASSERTION and _holds(test, state.before, following):
                waiting.append(first)
        return seen


def _holds(assertion: str, before: int, following: int) -> bool:
    if assertion in ("^", r"\A"):
        return before == START
    if assertion in ("$", r"\Z"):
        return following == END
    boundary = (before == WORD) != (following == WORD)
    return boundary if assertion == r"\b" else not boundary


class _Compiler:
    """One expression as nodes of the automaton (Thompson, 1968), built from the end to the beginning."""

    def __init__(self, expression: str, nodes: list[Node], tests: dict[str, re.Pattern[str]]):
        self.text = expression
        self.nodes = nodes
        self.tests = tests
        self.left = MOST_STATES  # how many atoms and nodes may still be made; an empty group makes no node

    def compile(self) -> int:
        """The first node of the expression."""
        if len(self.text) > LONGEST:
            raise ExpressionError(f"the expression has more than {LONGEST:,} characters; split it", LONGEST + 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(self.text)
        except re.error as error:
            raise ExpressionError(error.msg, (error.pos or 0) + 1) from None
        except (RecursionError, OverflowError, MemoryError):
            raise ExpressionError("the expression is too large; split it", 1) from None
        end = self._add((ACCEPT, None, -1, -1), 0)
        first, place = self._alternatives(0, end, 0)
        if place < len(self.text):
            raise ExpressionError("unbalanced parenthesis", place + 1)
        return first

    def _add(self, node: Node, place: int) -> int:
        self._count(place)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _count(self, place: int) -> None:
        self.left -= 1
        if self.left < 0:
            remedy = f"it needs more than {MOST_STATES:,} states; use smaller repetition counts"
            raise ExpressionError(f"the expression is too large: {remedy}", place + 1)

    def _alternatives(self, place: int, following: int, depth: int) -> tuple[int, int]:
        """Nodes for ``a|b|…`` from a place on, leading to the following node; the first node, and where it ends."""
        if depth > DEEPEST:
            raise ExpressionError(f"more than {DEEPEST} groups inside one another; simplify it", place + 1)
        first, place = self._sequence(place, following, depth)
        while self.text[place : place + 1] == "|":
            other, after = self._sequence(place + 1, following, depth)
            first, place = self._add((SPLIT, None, first, other), place), after
        return first, place

    def _sequence(self, place: int, following: int, depth: int) -> tuple[int, int]:
        pieces = []
        while place < len(self.text) and self.text[place] not in "|)":
            end = self._atom_end(place, depth)
            least, most, after = self._repetition(end)
            pieces.append((place, least, most))
            place = after
        for start, least, most in reversed(pieces):
            following = self._repeated(start, least, most, following, depth)
        return following, place

    def _repeated(self, start: int, least: int, most: int | None, following: int, depth: int) -> int:
        """Nodes for an atom so many times; each time it is built anew."""
        if most is None:
            loop = self._add((SPLIT, None, following, following), start)
            self.nodes[loop] = (SPLIT, None, self._atom(start, loop, depth), following)
            following = loop
        else:
            end = following
            for _ in range(most - least):
                following = self._add((SPLIT, None, self._atom(start, following, depth), end), start)
        for _ in range(least):
            following = self._atom(start, following, depth)
        return following

    def _atom(self, place: int, following: int, depth: int) -> int:
        """Nodes for the atom at a place."""
        text = self.text
        if text[place] == "(":
            self._count(place)
            inside = place + (3 if text.startswith("(?:", place) else 1)
            return self._alternatives(inside, following, depth + 1)[0]
        source = text[place : self._atom_end(place, depth)]
        if source in ("^", "$", r"\b", r"\B", r"\A", r"\Z"):
            return self._add((ASSERTION, source, following, -1), place)
        if source not in self.tests:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "possible nested set": it may become one in some later Python
                self.tests[source] = re.compile(source, re.IGNORECASE | re.DOTALL)
        return self._add((CHARACTER, source, following, -1), place)

    def _atom_end(self, place: int, depth: int) -> int:
        text = self.text
        if text[place] == "(":
            if text.startswith("(?", place) and not text.startswith("(?:", place):
                raise ExpressionError(
                    "look-around, flags and named groups are not supported; use (…) or (?:…)", place + 1
                )
            return self._group_end(place, depth)
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
        if mark == "0":  # a number in base 8, of up to two digits more
            return place + 2 + len(_OCTAL.match(text, place + 2).group())  # type: ignore[union-attr]
        if mark == "N":
            return text.index("}", place) + 1
        return place + 2 + {"x": 2, "u": 4, "U": 8}.get(mark, 0)

    def _group_end(self, place: int, depth: int) -> int:
        """The place behind the closing parenthesis; nested groups are stepped over one by one."""
        if depth > DEEPEST:
            raise ExpressionError(f"more than {DEEPEST} groups inside one another; simplify it", place + 1)
        place += 3 if self.text.startswith("(?:", place) else 1
        while self.text[place] != ")":
            place = place + 1 if self.text[place] == "|" else self._atom_end(place, depth + 1)
            place = self._repetition(place)[2]
        return place + 1

    def _repetition(self, place: int) -> tuple[int, int | None, int]:
        """How often the atom before a place occurs, at least and at most, and where that is said."""
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
        if max(least, int(most or 0)) > MOST_STATES:
            raise ExpressionError(f"a repetition of more than {MOST_STATES:,} times; use a smaller count", place + 1)
        return least, int(most) if most else None, found.end()


_OCTAL = re.compile("[0-7]{0,2}")
_QUANTIFIER = re.compile(
    r"(?:(?P<mark>[*+?])|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)(?<!\{)\})(?:\?|(?P<possessive>\+))?|"
)


def read_expressions(path: str | Path) -> Expressions:
    """The expressions in a text file, one a line; empty lines and lines that begin with ``#`` are skipped.

    >>> read_expressions("no such file.txt")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file no such file.txt: check the path
    """
    name = show_path(path)
    try:
        with explain_read_errors(path):
            text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text: save it as UTF-8") from None
    numbered = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    kept = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    return Expressions([line for _, line in kept], [f"{name}, line {number}" for number, _ in kept])
