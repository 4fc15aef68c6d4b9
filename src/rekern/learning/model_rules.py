"""The rules with the largest weights of a model, as lists, as data and as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Self

from rekern.core.json_values import JsonObject
from rekern.drawing import draw_rules
from rekern.errors import missing_extra
from rekern.kernels.rewriting.strong_rules import WeightedRule
from rekern.kernels.score_effects import ScoreEffect

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 5  # rules of each side in a repr
WIDTH = 120  # the most characters in a line of a repr


class _TwoLists(NamedTuple):
    """Rules for a class, and rules against it."""

    favoring: list[WeightedRule]
    opposing: list[WeightedRule]


class ModelRules(_TwoLists):
    """The strongest rules for a class (or a higher number), and those against it; what ``rules`` of a model returns.

    It unpacks into the two lists. ``scores`` are the scores of the model, those that move decisions most first.

    >>> rule = WeightedRule("⟨1⟩ ate → ⟨1⟩ eats", 0.5, 12, 0, "she ate", "she eats")
    >>> rules = ModelRules([rule], [])
    >>> favoring, opposing = rules
    >>> rules
    <ModelRules: 1 for, 0 against>
      +0.5000  ⟨1⟩ ate → ⟨1⟩ eats    as in: she ate | she eats    (12 pairs)
    >>> rules.to_dict()["for"][0]["weight"]
    0.5
    """

    scores: list[ScoreEffect]

    def __new__(
        cls, favoring: list[WeightedRule], opposing: list[WeightedRule], scores: Iterable[ScoreEffect] = ()
    ) -> Self:
        self = super().__new__(cls, favoring, opposing)
        self.scores = list(scores)
        return self

    def to_dict(self) -> dict[str, list[JsonObject]]:
        """Plain values for JSON: the rules under the keys "for" and "against", and the scores."""
        return {
            "for": [dict(rule._asdict()) for rule in self.favoring],
            "against": [dict(rule._asdict()) for rule in self.opposing],
            "scores": [effect.to_dict() for effect in self.scores],
        }

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each rule; the column "side" says "for" or "against".

        >>> ModelRules([], []).to_frame().columns.tolist()
        ['side', 'rule', 'weight', 'support', 'pair', 'source', 'target']
        """
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("pandas", "frames") from None
        listed = self.to_dict()
        rows = [{"side": side, **rule} for side in ("for", "against") for rule in listed[side]]
        return pd.DataFrame(rows, columns=["side", *WeightedRule._fields])

    def to_html(self, n: int = 20, style: bool = True) -> str:
        """The ``n`` strongest rules of each side with their weights, and the curves of the scores, as HTML.

        >>> "a → b" in ModelRules([WeightedRule("a → b", 0.5, 12, 0, "a", "b")], []).to_html()
        True
        """
        return draw_rules(self, n, style=style)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        """The number of rules and the first of each side, at most 15 lines."""
        lines = [f"<ModelRules: {len(self.favoring)} for, {len(self.opposing)} against>"]
        for rules in self:
            lines += [_shorten(f"  {rule.weight:+.4f}  {_describe(rule)}") for rule in rules[:SHOWN]]
            if len(rules) > SHOWN:
                lines.append(f"  … {len(rules) - SHOWN} more")
        if self.scores:
            lines.append(_shorten(f"  {len(self.scores)} scores; most important: {self.scores[0].description}"))
        return "\n".join(lines)


def _describe(rule: WeightedRule) -> str:
    return f"{rule.rule}    as in: {rule.source} | {rule.target}    ({rule.support} pairs)"


def _shorten(line: str) -> str:
    line = "".join(character if character.isprintable() else " " for character in line[: WIDTH + 1])
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
