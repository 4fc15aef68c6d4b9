"""The parts of a decision as they are drawn: which are shown, which get a number, and how they add up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rekern.drawing.markup import shorten

Values = Mapping[str, Any]  # what `to_dict` of an explanation returns, or JSON that says the same

SHOWN_PARTS = 12
SHOWN_LINKS = 6  # rules that are drawn as links, and have a number
LONGEST_TEXT = 400  # characters of the name of a part
MOST_TRIES = 40  # parts that are looked for in texts or trees
STRONGEST = 120  # parts of a drawing beyond those in its waterfall: those that are looked for, and scores before them


class HasValues(Protocol):
    """An object that can be written as plain values, such as an explanation."""

    def to_dict(self) -> Values:
        """Return plain values."""
        ...


class HasParts(Protocol):
    """An explanation: it can be written as plain values with only its strongest parts."""

    def to_dict(self, n: int | None = None) -> Values:
        """Return plain values; with ``n`` only the first parts, and what the others add up to."""
        ...


class DrawnPart(NamedTuple):
    """A part of a decision; ``number`` is its number among the rules that are drawn as links, or 0."""

    kind: str
    name: str
    text: str  # the part in words
    contribution: float
    source: str
    target: str
    score: float | None
    number: int = 0
    other: float | None = None  # the value of the second score of a pair


class Step(NamedTuple):
    """A step of a waterfall: from ``start`` to ``end``. A total starts at 0."""

    text: str
    start: float
    end: float
    part: DrawnPart | None = None
    is_total: bool = False

    @property
    def height(self) -> float:
        """What the step adds."""
        return self.end - self.start


def read_values(explanation: Values | HasValues) -> Values:
    """Return an explanation as plain values.

    >>> read_values({"decision": 1.0})
    {'decision': 1.0}
    """
    return explanation if isinstance(explanation, Mapping) else explanation.to_dict()


def read_strongest(explanation: Values | HasParts, n: int) -> Values:
    """Return an explanation as plain values, of which a waterfall shows ``n`` parts; very weak parts are summed up.

    >>> read_strongest({"decision": 1.0}, 12)
    {'decision': 1.0}
    """
    return explanation if isinstance(explanation, Mapping) else explanation.to_dict(n + STRONGEST)


def read_parts(values: Values) -> list[DrawnPart]:
    """Return the parts of an explanation, the strongest first."""
    parts = [_read_part(part) for part in values.get("parts", ())]
    return sorted(parts, key=lambda part: (-abs(part.contribution), part.name))


def _read_part(part: Values) -> DrawnPart:
    score, other = part.get("score"), part.get("other")
    words = str(part.get("description") or part["name"])
    values = "" if score is None else f": {score:.2f}" if other is None else f": {score:.2f} × {other:.2f}"
    return DrawnPart(
        str(part.get("kind", "")),
        str(part["name"]),
        words + values,
        float(part.get("contribution", part.get("value", 0.0) * part.get("weight", 1.0))),
        str(part.get("source", "")),
        str(part.get("target", "")),
        None if score is None else float(score),
        other=None if other is None else float(other),
    )


def choose_parts(parts: Sequence[DrawnPart], n: int = SHOWN_PARTS) -> list[DrawnPart]:
    """Return the ``n`` strongest parts and the rules that are drawn as links, the strongest first."""
    return [part for place, part in enumerate(parts) if place < n or part.number]


def list_steps(values: Values, n: int = SHOWN_PARTS, parts: Sequence[DrawnPart] | None = None) -> list[Step]:
    """Return the steps from the intercept to the decision; each begins where the one before it ends.

    ``parts`` are the parts of the explanation with numbers, if some of them are drawn as links.

    >>> part = {"kind": "rule", "name": "a → b", "contribution": 1.0}
    >>> for step in list_steps({"decision": 1.25, "intercept": 0.5, "parts": [part]}):
    ...     print(step.text, step.start, step.end)
    intercept 0.0 0.5
    a → b 0.5 1.5
    parts that are not listed 1.5 1.25
    value 0.0 1.25
    """
    parts = read_parts(values) if parts is None else parts
    shown = choose_parts(parts, n)
    decision, intercept = float(values["decision"]), float(values.get("intercept", 0.0))
    steps = [Step("intercept", 0.0, intercept)] if intercept else []
    level = intercept
    for part in shown:
        steps.append(Step(shorten(part.text, LONGEST_TEXT), level, level + part.contribution, part))
        level += part.contribution
    others = values.get("other_parts", {})
    count = len(parts) - len(shown) + int(others.get("count", 0))
    if count:
        rest = math.fsum(part.contribution for part in parts) - math.fsum(part.contribution for part in shown)
        rest += float(others.get("contribution", 0.0))
        steps.append(Step("1 other part" if count == 1 else f"{count:,} other parts", level, level + rest))
        level += rest
    if abs(decision - level) > 1e-6 * max(1.0, abs(decision), *(abs(part.contribution) for part in parts)):
        steps.append(Step("parts that are not listed", level, decision))
    return [*steps, Step("decision" if "prediction" in values else "value", 0.0, decision, is_total=True)]


def name_side(value: float) -> str:
    """Return the class of the style for what counts for or against.

    >>> name_side(0.5), name_side(-0.5)
    ('rk-for', 'rk-against')
    """
    return "rk-for" if value >= 0 else "rk-against"
