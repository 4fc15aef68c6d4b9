"""Formulas of fuzzy logic: how they are read, and how true they are.

¬ is 1 − c, ∧ the minimum and ∨ the maximum of confidences from 0 to 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rekern.core.arrays import Floats
from rekern.errors import InputError


@dataclass(frozen=True)
class Atom:
    """A name: a piece of evidence, or a query atom."""

    name: str


@dataclass(frozen=True)
class Not:
    """The negation of a formula."""

    part: Formula


@dataclass(frozen=True)
class And:
    """The conjunction of formulas."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Or:
    """The disjunction of formulas."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Atom | Not | And | Or
Value: TypeAlias = float | Floats  # the confidence of one item, or of many


def parse_formula(text: str, queries: Sequence[str] = ()) -> Formula:
    """Parse a formula: names, ``!`` or ``¬``, ``&`` or ``∧``, ``|`` or ``∨``, parentheses.

    ``only(t)`` says that of all query atoms exactly t is true.

    >>> parse_formula("rain & !umbrella | wet")
    Or(parts=(And(parts=(Atom(name='rain'), Not(part=Atom(name='umbrella')))), Atom(name='wet')))
    >>> parse_formula("rain & (wet")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: formula 'rain & (wet': a ) is missing at position 12
    """
    parser = _FormulaParser(text, queries)
    try:
        return parser.parse()
    except RecursionError:
        raise InputError(f"a formula of {len(text)} characters is nested too deeply; simplify it") from None


class _FormulaParser:
    """A recursive descent over the tokens of a formula."""

    def __init__(self, text: str, queries: Sequence[str]):
        self.text = text
        self.queries = queries
        self.tokens = [(match.group(), match.start()) for match in re.finditer(r"[&|!()∧∨¬]|[^\s&|!()∧∨¬]+", text)]
        self.place = 0

    def parse(self) -> Formula:
        """Parse the whole text."""
        found = self._parse_or()
        if self.place < len(self.tokens):
            raise self._make_error(f"{self._find_token()!r} is too much")
        return found

    def _find_token(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def _make_error(self, reason: str) -> InputError:
        inside = self.place < len(self.tokens)
        position = self.tokens[self.place][1] + 1 if inside else len(self.text) + 1
        return InputError(f"formula {self.text!r}: {reason} at position {position}")

    def _parse_parts(self, signs: str, parse_part: Callable[[], Formula]) -> tuple[Formula, ...]:
        parts = [parse_part()]
        while self._find_token() and self._find_token() in signs:
            self.place += 1
            parts.append(parse_part())
        return tuple(parts)

    def _parse_or(self) -> Formula:
        parts = self._parse_parts("|∨", self._parse_and)
        return parts[0] if len(parts) == 1 else Or(parts)

    def _parse_and(self) -> Formula:
        parts = self._parse_parts("&∧", self._parse_literal)
        return parts[0] if len(parts) == 1 else And(parts)

    def _parse_literal(self) -> Formula:
        token = self._find_token()
        if token and token in "!¬":
            self.place += 1
            return Not(self._parse_literal())
        if token == "(":
            self.place += 1
            inside = self._parse_or()
            self._close_parenthesis()
            return inside
        if not token or token in "&|)∧∨":
            raise self._make_error("a name is missing")
        self.place += 1
        return self._parse_only() if token == "only" and self._find_token() == "(" else Atom(token)

    def _parse_only(self) -> Formula:
        self.place += 1
        name = self._find_token()
        if name not in self.queries:
            raise self._make_error(f"only(…) takes a query atom, one of {', '.join(self.queries)},")
        self.place += 1
        self._close_parenthesis()
        others = [Not(Atom(other)) for other in self.queries if other != name]
        return And((Atom(name), *others)) if others else Atom(name)

    def _close_parenthesis(self) -> None:
        if self._find_token() != ")":
            raise self._make_error("a ) is missing")
        self.place += 1


def compute_truth(formula: Formula, values: Mapping[str, Value]) -> Value:
    """Compute the fuzzy truth of a formula from the confidences of its names; a name without one is false.

    >>> compute_truth(parse_formula("a & !b | c"), {"a": 0.8, "b": 0.3})
    0.7
    """
    if isinstance(formula, Atom):
        return values.get(formula.name, 0.0)
    if isinstance(formula, Not):
        return 1.0 - compute_truth(formula.part, values)
    combine = np.minimum if isinstance(formula, And) else np.maximum
    parts = [compute_truth(part, values) for part in formula.parts]
    result = parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return float(result) if np.ndim(result) == 0 else result


def list_names(formula: Formula) -> set[str]:
    """List the names in a formula.

    >>> sorted(list_names(parse_formula("a & !b | a")))
    ['a', 'b']
    """
    if isinstance(formula, Atom):
        return {formula.name}
    if isinstance(formula, Not):
        return list_names(formula.part)
    return set().union(*map(list_names, formula.parts))


def iterate_conjuncts(formula: Formula) -> Iterator[Formula]:
    """Iterate over the parts of a conjunction, those of nested conjunctions included; another formula is one part.

    >>> list(iterate_conjuncts(parse_formula("a & (b & c)")))
    [Atom(name='a'), Atom(name='b'), Atom(name='c')]
    """
    if isinstance(formula, And):
        for part in formula.parts:
            yield from iterate_conjuncts(part)
    else:
        yield formula
