"""Why a question got its type."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class FiredPattern:
    """A pattern that a question matched: how surely, and the weight of its formula for each type that has one.

    >>> FiredPattern("strict", "why .*", 1.0, {"Reason": 2.0}).strength
    2.0
    """

    kind: str
    pattern: str
    confidence: float
    weights: dict[str, float]

    @property
    def strength(self) -> float:
        """The most that it adds to, or takes from, any type."""
        return max((abs(self.confidence * weight) for weight in self.weights.values()), default=0.0)


@dataclass(frozen=True)
class QuestionExplanation:
    """A question's type, the probabilities, the prior's weights, and the patterns that fired, the strongest first.

    >>> fired = FiredPattern("strict", "why .*", 1.0, {"Reason": 2.0})
    >>> print(QuestionExplanation("why?", "Reason", {"Reason": 0.9, "Fact": 0.1}, {"Fact": 0.2}, [fired]))
    Reason  90.0 %  (Fact 10.0 %)
      strict  why .*  1.00  Reason +2.00
    """

    question: str
    type: Any
    probabilities: dict[Any, float]
    prior: dict[Any, float]
    patterns: list[FiredPattern]

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])
        others = ", ".join(f"{name} {100 * share:.1f} %" for name, share in ranked[1:4])
        lines = [f"{self.type}  {100 * ranked[0][1]:.1f} %" + (f"  ({others})" if others else "")]
        for fired in self.patterns:
            weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in fired.weights.items())
            lines.append(f"  {fired.kind}  {fired.pattern}  {fired.confidence:.2f}  {weights}")
        return "\n".join(lines)
