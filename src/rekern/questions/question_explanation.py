"""Why a question got its type: the patterns that it matched and their weights."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass

from rekern.core.explanations import Explanation, Part
from rekern.core.json_values import JsonObject


@dataclass(frozen=True)
class MatchedPattern:
    """A pattern that a question matched: the degree of the match, and the weight of the pattern for each type.

    ``kind`` is ``strict``, ``soft``, ``n-gram`` or ``expression``, ``name`` the pattern as text. Types for which the
    pattern has no weight are left out.

    >>> MatchedPattern("strict", "why .*", 1.0, {"Reason": 2.0}).strength
    2.0
    """

    kind: str
    name: str
    value: float
    weights: dict[Hashable, float]

    @property
    def strength(self) -> float:
        """The most that the pattern adds to or takes from any type."""
        return max((abs(self.value * weight) for weight in self.weights.values()), default=0.0)

    @property
    def pattern(self) -> str:
        """The pattern as text, the same as ``name``."""
        return self.name

    @property
    def confidence(self) -> float:
        """The degree of the match, the same as ``value``."""
        return self.value


@dataclass(frozen=True, kw_only=True, repr=False)
class QuestionExplanation(Explanation):
    """The decomposition of the score of the predicted type, and all patterns that the question matched.

    ``parts`` are the patterns that have a weight for the predicted type, ``intercept`` is the weight of its prior.
    ``patterns`` are all patterns that matched, the strongest first, with their weights for every type, and ``prior``
    has the weights of the types themselves. ``probabilities`` has every type.

    >>> matched = MatchedPattern("strict", "why .*", 1.0, {"Reason": 2.0})
    >>> why = QuestionExplanation.from_patterns("why?", {"Reason": 0.88, "Fact": 0.12}, {"Fact": 0.2}, [matched])
    >>> print(why)
    question    why?
    type        Reason  88.0 %  (Fact 12.0 %)
    score       +2.0000, the sum of:
    <BLANKLINE>
      +2.0000  why .*
    """

    question: str
    prediction: Hashable
    probabilities: dict[Hashable, float]
    prior: dict[Hashable, float]
    patterns: list[MatchedPattern]

    @classmethod
    def from_patterns(
        cls,
        question: str,
        probabilities: dict[Hashable, float],
        prior: dict[Hashable, float],
        patterns: list[MatchedPattern],
        n: int | None = None,
    ) -> QuestionExplanation:
        """Explain the most probable type by the ``n`` strongest of these patterns."""
        prediction = max(probabilities, key=probabilities.__getitem__)
        ordered = sorted(patterns, key=lambda pattern: -pattern.strength)
        shown = ordered[:n]
        parts = [Part(p.kind, p.name, p.value, p.weights[prediction]) for p in shown if prediction in p.weights]
        missing = sum(pattern.value * pattern.weights.get(prediction, 0.0) for pattern in ordered[len(shown) :])
        intercept = prior.get(prediction, 0.0)
        return cls(
            decision=intercept + sum(part.contribution for part in parts) + missing,
            parts=sorted(parts, key=lambda part: -abs(part.contribution)),
            intercept=intercept,
            complete=len(shown) == len(ordered),
            question=question,
            prediction=prediction,
            probabilities=probabilities,
            prior=prior,
            patterns=shown,
        )

    @property
    def type(self) -> Hashable:
        """The predicted type, the same as ``prediction``."""
        return self.prediction

    def to_dict(self, n: int | None = None) -> JsonObject:
        """Return plain values for JSON; with ``n`` only the first parts and patterns.

        >>> why = QuestionExplanation.from_patterns("why?", {"Reason": 1.0}, {}, [])
        >>> why.to_dict()["prediction"]
        'Reason'
        """
        return {
            "question": self.question,
            "prediction": self.prediction,
            "probabilities": self.probabilities,
            **super().to_dict(n),
            "prior": self.prior,
            "patterns": [asdict(pattern) for pattern in self.patterns[:n]],
        }

    def heading(self) -> list[str]:
        """The question, the probabilities, and the score that is explained."""
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])
        others = ", ".join(f"{name} {100 * share:.1f} %" for name, share in ranked[1:4])
        return [
            f"question    {self.question}",
            f"type        {self.prediction}  {100 * ranked[0][1]:.1f} %" + (f"  ({others})" if others else ""),
            f"score       {self.decision:+.4f}, the sum of:",
            "",
        ]
