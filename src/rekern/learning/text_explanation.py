"""Why a model of texts decided as it did: the parts of a decision value, and the most similar training texts."""

from __future__ import annotations

from dataclasses import dataclass

from rekern.core.json_values import JsonObject
from rekern.core.messages import shorten_text
from rekern.learning.pair_explanation import PairExplanation


@dataclass(frozen=True, kw_only=True, repr=False)
class TextExplanation(PairExplanation):
    """The exact decomposition of one decision value of a text, tree or graph.

    >>> from rekern.core.explanations import Part
    >>> why = TextExplanation(text="He left.", prediction=1, decision=0.5, parts=[Part("ngram", "left", 1.0, 0.5)])
    >>> print(why)
    text        He left.
    prediction  1
    decision    +0.5000, the sum of:
    <BLANKLINE>
      +0.5000  left
    """

    text: str
    source: str = ""  # of an explanation of a pair
    target: str = ""

    def to_dict(self, n: int | None = None) -> JsonObject:
        """Plain values for JSON; with ``n`` only the first parts, and what the others add up to."""
        found = super().to_dict(n)
        for side in ("source", "target"):
            del found[side]
        neighbors = [
            {"text" if name == "source" else name: value for name, value in near.items() if name != "target"}
            for near in found["neighbors"]
        ]
        return {"text": self.text, **found, "neighbors": neighbors}

    def heading(self) -> list[str]:
        """The text, the prediction, and the value that is explained."""
        return [f"text        {self.text}", *super().heading()[2:]]

    def footer(self) -> list[str]:
        """The most similar training texts."""
        if not self.neighbors:
            return super().footer()
        lines = [f"  {near.similarity:.3f}  [{near.label!s}] {shorten_text(near.source)}" for near in self.neighbors]
        return ["", "most similar training texts:", *lines]
