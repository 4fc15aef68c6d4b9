"""Why a model decided as it did: the parts of a decision value, and the training pairs most alike."""

from dataclasses import dataclass, field
from typing import Any

from rekern.kernels.decision_functions import Part


@dataclass(frozen=True)
class Neighbor:
    """A training pair and how alike it is."""

    index: int
    similarity: float
    source: str
    target: str
    label: Any


@dataclass(frozen=True)
class Explanation:
    """The exact decomposition of one decision value: ``intercept`` plus the parts' contributions.

    Parts are ordered by the size of their contribution; those of kind "rule" name the words that they lie on.
    """

    source: str
    target: str
    prediction: Any
    explained: Any  # the class whose decision value is taken apart; None for a regression or a ranking
    decision: float
    intercept: float
    parts: list[Part]
    probability: float | None = None
    neighbors: list[Neighbor] = field(default_factory=list)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Plain values for JSON; ``top`` limits the number of parts and says what the others add up to."""
        shown = self.parts if top is None else self.parts[:top]
        rest = self.parts[len(shown) :]
        return {
            "source": self.source,
            "target": self.target,
            "prediction": self.prediction,
            "explained": self.explained,
            "probability": self.probability,
            "decision": self.decision,
            "intercept": self.intercept,
            "parts": [
                {
                    "kind": part.kind,
                    "name": part.name,
                    "value": part.value,
                    "weight": part.weight,
                    "contribution": part.contribution,
                    "source": part.source,
                    "target": part.target,
                }
                for part in shown
            ],
            "other_parts": {"count": len(rest), "contribution": sum(part.contribution for part in rest)},
            "neighbors": [
                {
                    "pair": neighbor.index,
                    "similarity": neighbor.similarity,
                    "source": neighbor.source,
                    "target": neighbor.target,
                    "label": neighbor.label,
                }
                for neighbor in self.neighbors
            ],
        }

    def to_text(self, top: int = 12) -> str:
        """The explanation to read: the largest parts, the rest in one line, the sum, the training pairs most alike."""
        lines = [f"source      {self.source}", f"target      {self.target}"]
        of = "" if self.explained is None else f" (for {self.explained!s})"
        chance = "" if self.probability is None else f", probability {self.probability:.3f}"
        lines += [f"prediction  {self.prediction!s}{chance}", f"decision    {self.decision:+.4f}{of}, the sum of:", ""]
        for part in self.parts[:top]:
            words = f"    on: {part.source} | {part.target}" if part.kind == "rule" else ""
            lines.append(f"  {part.contribution:+.4f}  {part.name}{words}")
        rest = self.parts[top:]
        if rest:
            lines.append(f"  {sum(part.contribution for part in rest):+.4f}  {len(rest)} other parts")
        lines.append(f"  {self.intercept:+.4f}  intercept")
        if self.neighbors:
            lines += ["", "training pairs most alike:"]
            lines += [f"  {n.similarity:.3f}  [{n.label!s}] {n.source} | {n.target}" for n in self.neighbors]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()
