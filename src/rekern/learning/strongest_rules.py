"""The rules with the largest weights of a model, as lists, as data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rekern.errors import missing_extra
from rekern.kernels.rewriting.strong_rules import WeightedRule

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 6  # rules of each side in a repr
WIDTH = 120  # the most characters in a line of a repr


class StrongestRules(NamedTuple):
    """The strongest rules for a class (or a higher number), and those against it; what ``rules`` of a model returns.

    It unpacks into the two lists.

    >>> rule = WeightedRule("⟨1⟩ ate → ⟨1⟩ eats", 0.5, 12, 0, "she ate", "she eats")
    >>> rules = StrongestRules([rule], [])
    >>> favoring, opposing = rules
    >>> rules
    <StrongestRules: 1 for, 0 against>
      +0.5000  ⟨1⟩ ate → ⟨1⟩ eats    as in: she ate | she eats    (12 pairs)
    >>> rules.to_dict()["for"][0]["weight"]
    0.5
    """

    favoring: list[WeightedRule]
    opposing: list[WeightedRule]

    def to_dict(self) -> dict[str, list[dict[str, str | float | int]]]:
        """Plain values for JSON: the rules under the keys "for" and "against"."""
        return {
            name: [dict(rule._asdict()) for rule in rules]
            for name, rules in (("for", self.favoring), ("against", self.opposing))
        }

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each rule; the column "side" says "for" or "against".

        >>> StrongestRules([], []).to_frame().columns.tolist()
        ['side', 'rule', 'weight', 'support', 'pair', 'source', 'target']
        """
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("pandas", "frames") from None
        rows = [{"side": side, **rule} for side, rules in self.to_dict().items() for rule in rules]
        return pd.DataFrame(rows, columns=["side", *WeightedRule._fields])

    def __repr__(self) -> str:
        """The number of rules and the first of each side, at most 15 lines."""
        lines = [f"<StrongestRules: {len(self.favoring)} for, {len(self.opposing)} against>"]
        for rules in self:
            lines += [_shorten(f"  {rule.weight:+.4f}  {_describe(rule)}") for rule in rules[:SHOWN]]
            if len(rules) > SHOWN:
                lines.append(f"  … {len(rules) - SHOWN} more")
        return "\n".join(lines)


def _describe(rule: WeightedRule) -> str:
    return f"{rule.rule}    as in: {rule.source} | {rule.target}    ({rule.support} pairs)"


def _shorten(line: str) -> str:
    line = "".join(character if character.isprintable() else " " for character in line[: WIDTH + 1])
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
