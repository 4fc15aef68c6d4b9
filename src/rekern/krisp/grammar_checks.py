"""Checks of a meaning grammar, in a file or in a model: its size, every production can be used, every meaning ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.errors import InputError
from rekern.krisp.meaning_reader import DEEPEST
from rekern.krisp.productions import AGAIN, Production, shorten, split_meaning

MOST_SLOTS = 8  # of a production: the search tries all orders in which a sentence may fill them


class PlacedProduction(NamedTuple):
    """A production and the line of the file that it stands in."""

    line: int
    production: Production


def check_productions(
    productions: Sequence[PlacedProduction],
    start: str,
    limits: ModelLimits = DEFAULT_LIMITS,
    function: str = "read_grammar",
) -> None:
    """Refuse productions beyond the limits, that use undefined non-terminals, that are never used, or that never end.

    The error has the line of the production as its ``row``. ``function`` is the one that takes other limits.

    >>> check_productions([PlacedProduction(7, Production(0, "Query", ("f(", ")"), ("State",)))], "Query")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: line 7: no production defines State, which Query -> f({State}) uses
    """
    _check_sizes(productions, limits, function)
    defined = {production.left for _, production in productions}
    if start not in defined:
        line = productions[0].line if productions else 1
        raise InputError(f"no production defines the start symbol {shorten(start)}", row=line, unit="line")
    for line, production in productions:
        for slot in production.slots:
            if slot not in defined:
                reason = f"no production defines {shorten(slot)}, which {shorten(production)} uses"
                raise InputError(reason, row=line, unit="line")
        if not production.symbols:
            raise InputError(f"the right side of {shorten(production)} is empty", row=line, unit="line")
        if len(production.slots) > MOST_SLOTS:
            reason = f"a production of {shorten(production.left)} has more than {MOST_SLOTS} slots; split it"
            raise InputError(reason, row=line, unit="line")
    _check_reachable(productions, start)
    _check_cycles(productions)
    _check_finite(productions)


def _check_sizes(productions: Sequence[PlacedProduction], limits: ModelLimits, function: str) -> None:
    """Refuse more productions, and longer ones, than the limits allow."""
    message = f"there are {len(productions):,} productions"
    if reason := limits.find_excess("productions", len(productions), message, function):
        raise InputError(reason)
    for line, production in productions:
        for what, size in _measure_production(production):
            message = f"{what} has {size:,} characters"
            if reason := limits.find_excess("production_size", size, message, function):
                raise InputError(reason, row=line, unit="line")


def _measure_production(production: Production) -> Iterator[tuple[str, int]]:
    """Yield the parts of a production whose length is limited, in words, and their lengths."""
    texts = (production.left, *production.parts, *production.slots, production.value or "")
    yield "a production", sum(map(len, texts))
    yield "the SQL of a production", len(production.sql or "")
    yield "a phrase for a name", max(map(len, production.phrases), default=0)


def _check_reachable(productions: Sequence[PlacedProduction], start: str) -> None:
    """Every production must be part of some meaning that is not too deep."""
    slots: dict[str, set[str]] = {}
    for _, production in productions:
        slots.setdefault(production.left, set()).update(production.slots)
    reached = {start}
    waiting = reached
    for _ in range(DEEPEST):
        waiting = {slot for left in waiting for slot in slots[left]} - reached
        reached = reached | waiting
    for line, production in productions:
        if production.left not in reached:
            why = f"nothing that {shorten(start)} leads to in {DEEPEST} steps uses it"
            raise InputError(f"{shorten(production)} can never be used: {why}", row=line, unit="line")


def _check_cycles(productions: Sequence[PlacedProduction]) -> None:
    """No non-terminal may derive itself alone: its meanings would have infinitely many derivations."""
    chains: dict[tuple[str, str], PlacedProduction] = {}
    below: dict[str, list[str]] = {}
    for line, production in productions:
        if len(production.slots) == 1 and not any(split_meaning(part) for part in production.parts):
            chains[production.left, production.slots[0]] = PlacedProduction(line, production)
            below.setdefault(production.left, []).append(production.slots[0])
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        cycle = error.args[1]
        line, production = max((chains[left, slot] for slot, left in pairwise(cycle)), key=lambda placed: placed[0])
        reason = f"{shorten(production)} closes a cycle: {shorten(production.slots[0])} would derive itself"
        raise InputError(reason, row=line, unit="line") from None


def _check_finite(productions: Sequence[PlacedProduction]) -> None:
    """Every non-terminal must derive something finite that is not too deep."""
    finite: set[str] = set()
    own = [placed for placed in productions if placed.production.kind != AGAIN]  # the others repeat a meaning
    for _ in range(DEEPEST):
        more = {p.left for _, p in own if p.left not in finite and all(slot in finite for slot in p.slots)}
        if not more:
            break
        finite |= more
    for line, production in productions:
        if production.left not in finite:
            remedy = f"{shorten(production.left)} needs a production without itself"
            reason = f"{shorten(production)} never ends, or not within {DEEPEST} levels: {remedy}"
            raise InputError(reason, row=line, unit="line")
