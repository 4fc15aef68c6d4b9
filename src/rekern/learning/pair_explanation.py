"""Why a model of pairs decided as it did: the parts of a decision value, and the most similar training pairs."""

from __future__ import annotations

from dataclasses import dataclass, field

from rekern.core.explanations import Explanation, Neighbor
from rekern.core.json_values import JsonObject
from rekern.core.messages import shorten_text
from rekern.kernels.score_effects import ScoreEffect


@dataclass(frozen=True, kw_only=True, repr=False)
class PairExplanation(Explanation):
    """The exact decomposition of one decision value of a pair.

    Parts of kind "rule" name the words of the source and the target that they lie on. ``explained`` is the class whose
    decision value is taken apart, None for a regression or a ranking. ``curves`` is what the scores of the model do,
    for drawings.
    """

    source: str
    target: str
    prediction: object
    explained: object = None
    probability: float | None = None
    neighbors: list[Neighbor] = field(default_factory=list)
    remark: str = field(default="", compare=False)  # why there are no neighbors, though they were asked for
    curves: list[ScoreEffect] = field(default_factory=list, compare=False)

    def to_dict(self, n: int | None = None) -> JsonObject:
        """Plain values for JSON; with ``n`` only the first parts, and what the others add up to."""
        return {
            "source": self.source,
            "target": self.target,
            "prediction": self.prediction,
            "explained": self.explained,
            "probability": self.probability,
            **super().to_dict(n),
            "neighbors": [neighbor.to_dict() for neighbor in self.neighbors],
        }

    def heading(self) -> list[str]:
        """The pair, the prediction, and the value that is explained."""
        of = "" if self.explained is None else f" (for {self.explained!s})"
        chance = "" if self.probability is None else f", probability {self.probability:.3f}"
        return [
            f"source      {self.source}",
            f"target      {self.target}",
            f"prediction  {self.prediction!s}{chance}",
            f"decision    {self.decision:+.4f}{of}, the sum of:",
            "",
        ]

    def footer(self) -> list[str]:
        """The most similar training pairs."""
        if not self.neighbors:
            return ["", f"({self.remark})"] if self.remark else []
        lines = [
            f"  {n.similarity:.3f}  [{n.label!s}] {shorten_text(n.source)} | {shorten_text(n.target)}"
            for n in self.neighbors
        ]
        return ["", "most similar training pairs:", *lines]
