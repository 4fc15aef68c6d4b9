"""Explanations: a number taken apart into named parts that add up to it.

All models and kernels explain with the classes of this module or with subclasses, so that every explanation has the
same fields and the same ways out: `to_dict` for JSON, `to_frame` for pandas, `to_text` for reading, `to_html` and
`to_svg` for looking, which notebooks do by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rekern.core.explanation_parts import Part, sum_contributions
from rekern.core.json_values import JsonObject
from rekern.drawing import draw_explanation, draw_svg, plot_steps
from rekern.drawing.decision_steps import list_steps
from rekern.errors import missing_extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Explanation", "Neighbor", "Part"]

LINES = 15  # the most that a repr takes
WIDTH = 160  # the most characters in a line of a repr


@dataclass(frozen=True, kw_only=True, repr=False)
class Explanation:
    """The exact decomposition of one number: ``decision`` is ``intercept`` plus the contributions of ``parts``.

    The number is a decision value of a model, or the value of a kernel. Parts stand in the order of the size of their
    contributions. An explanation that lists only the heaviest parts of many says so in ``complete``.

    >>> why = Explanation(decision=1.5, intercept=0.5, parts=[Part("score", "precision", 0.5, 2.0)])
    >>> print(why)
    decision    +1.5000, the sum of:
    <BLANKLINE>
      +1.0000  precision
      +0.5000  intercept
    >>> why.to_dict()["parts"][0]["contribution"]
    1.0
    """

    decision: float
    parts: Sequence[Part] = field(default_factory=list)
    intercept: float = 0.0
    complete: bool = True

    def to_dict(self, n: int | None = None) -> JsonObject:
        """Plain values for JSON; with ``n`` only the first parts, and what the others add up to."""
        shown = self.parts if n is None else self.parts[:n]
        rest = self.parts[len(shown) :]
        return {
            "decision": self.decision,
            "intercept": self.intercept,
            "parts": [part.to_dict() for part in shown],
            "other_parts": {"count": len(rest), "contribution": sum_contributions(rest)},
        }

    def to_frame(self) -> pd.DataFrame:
        """The parts as a pandas frame, a row for each, and a last row for the intercept if it is not 0.

        >>> Explanation(decision=1.0, parts=[Part("score", "recall", 0.5, 2.0)]).to_frame()["contribution"].tolist()
        [1.0]
        """
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("pandas", "frames") from None
        columns = [*Part._fields[:4], "contribution", *Part._fields[4:]]
        rows = [part.to_dict() for part in self.parts]
        if self.intercept:
            rows.append(Part("intercept", "intercept", 1.0, self.intercept).to_dict())
        return pd.DataFrame(rows, columns=columns)

    def to_text(self, n: int = 12) -> str:
        """The explanation to read: the ``n`` largest parts, the rest in one line, the intercept."""
        return "\n".join([*self.heading(), *self._list_part_lines(n), *self.footer()])

    def to_html(self, n: int = 12, style: bool = True) -> str:
        """The explanation as a drawing, a fragment of HTML; notebooks show it. See `rekern.drawing.draw_explanation`.

        >>> "<figure" in Explanation(decision=1.0).to_html()
        True
        """
        return draw_explanation(self, n, style=style)

    def to_svg(self, n: int = 12, width: float = 920) -> str:
        """The explanation as a drawing, one SVG of a width in pixels.

        >>> Explanation(decision=1.0).to_svg(width=400).startswith("<svg")
        True
        """
        return draw_svg(self, n, width=width)

    def plot(self, n: int = 12, ax: Axes | None = None) -> Axes:
        """The parts as a waterfall of matplotlib, on ``ax`` or on a new figure.

        >>> import matplotlib; matplotlib.use("agg")
        >>> Explanation(decision=1.5, intercept=0.5, parts=[Part("score", "recall", 0.5, 2.0)]).plot().get_xlabel()
        'decision value'
        """
        return plot_steps(list_steps(self.to_dict(), n), ax)

    def _repr_html_(self) -> str:
        return self.to_html()

    def heading(self) -> list[str]:
        """The lines above the parts; subclasses put what was explained there."""
        return [f"decision    {self.decision:+.4f}, the sum of:", ""]

    def footer(self) -> list[str]:
        """The lines below the parts."""
        return []

    def _list_part_lines(self, n: int) -> list[str]:
        lines = [f"  {part.to_text()}" for part in self.parts[:n]]
        rest = self.parts[n:]
        if rest:
            lines.append(f"  {sum_contributions(rest):+.4f}  {len(rest)} other parts")
        if not self.complete:
            missing = self.decision - self.intercept - sum_contributions(self.parts)
            lines.append(f"  {missing:+.4f}  parts that are not listed")
        if self.intercept:
            lines.append(f"  {self.intercept:+.4f}  intercept")
        return lines

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        """The name of the class and the beginning of the text, at most 15 lines."""
        heading = [f"<{type(self).__name__}>", *(line for line in self.heading() if line)]
        room = LINES - len(heading) - 3  # lines for the rest, for what is not listed, and for the intercept
        return "\n".join(map(_shorten, [*heading, *self._list_part_lines(max(room, 0))][:LINES]))


def _shorten(line: str) -> str:
    """A line that stays one line, however long the text in it and whatever characters it holds."""
    line = "".join(character if character.isprintable() else " " for character in line[:WIDTH])
    return line if len(line) < WIDTH else line[:-1] + "…"


@dataclass(frozen=True)
class Neighbor:
    """A training item and how similar it is to the one that is explained."""

    index: int
    similarity: float
    source: str
    target: str
    label: object

    def to_dict(self) -> JsonObject:
        """The fields, for JSON."""
        return {
            "pair": self.index,
            "similarity": self.similarity,
            "source": self.source,
            "target": self.target,
            "label": self.label,
        }
