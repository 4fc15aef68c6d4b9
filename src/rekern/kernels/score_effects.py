"""What a score, or a pair of scores, does in a trained model: as points, as data and as a small text plot."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from rekern.core.json_values import JsonObject
from rekern.drawing import draw_curves

WIDTH = 48  # columns of a plot
HEIGHT = 7  # rows of a plot
BARS = "▁▂▃▄▅▆▇█"


Points = tuple[tuple[float, float], ...]  # values of a score, and what is added there


class PartnerScore(NamedTuple):
    """The second score of a pair: in words, its smallest and largest value, and what the pair adds at the smallest."""

    description: str
    low: float
    high: float
    points: Points


class ScoreEffect(NamedTuple):
    """The effect of one score on a decision value: what it adds, as a function of the value of the score.

    Between two points the function is straight, beyond the first and the last one it is flat if it is a curve. The
    effect of a pair of scores is a line, too, which turns with the value of the second score, the partner: ``points``
    are what is added where the partner has its largest value in training, ``partner.points`` where it has its smallest.

    >>> effect = ScoreEffect("recall", "curve", "shared words", 0.5, ((0.0, -1.0), (0.5, 0.5), (1.0, 1.0)))
    >>> effect.find_height(0.25)
    -0.25
    >>> print(effect.draw(width=21, height=5))
    shared words
    +1.00 │               ·····●
          │         ·●····
    +0.00 │     ····
          │  ···
    -1.00 │●·
          └─────────────────────
           0.00             1.00
    """

    name: str  # the name of the score, or of the pair of scores
    kind: str  # "line", "curve" or "pair"
    description: str  # the score in words
    spread: float  # the standard deviation of what it adds to the decision values of the training items
    points: Points
    partner: PartnerScore | None = None  # of a pair

    def find_height(self, score: float, other: float | None = None) -> float:
        """Return what a value of the score adds; in a pair, together with a value of the other score.

        >>> partner = PartnerScore("length", 10.0, 20.0, ((0.0, 1.0), (1.0, -1.0)))
        >>> pair = ScoreEffect("a × b", "pair", "shared words × length", 0.5, ((0.0, -1.0), (1.0, 1.0)), partner)
        >>> pair.find_height(1.0), pair.find_height(1.0, 10.0), pair.find_height(1.0, 15.0)
        (1.0, -1.0, 0.0)
        """
        height = _follow(self.points, score)
        if self.partner is None or other is None:
            return height
        _, low, high, points = self.partner
        return _follow(((low, _follow(points, score)), (high, height)), other)

    def list_heights(self) -> list[float]:
        """Return what is added at all points."""
        return [height for _, height in (*self.points, *(self.partner.points if self.partner else ()))]

    def flip(self) -> ScoreEffect:
        """Return the effect on the decision value with the opposite sign, that of the other class."""
        partner = None if self.partner is None else self.partner._replace(points=_flip(self.partner.points))
        return self._replace(points=_flip(self.points), partner=partner)

    def sketch(self, width: int = 12) -> str:
        """Return the function in one line, from the smallest to the largest value of the score.

        >>> ScoreEffect("recall", "curve", "shared words", 0.5, ((0.0, -1.0), (0.5, 0.5), (1.0, 1.0))).sketch(8)
        '▁▃▄▅▇▇▇█'
        """
        first, last = self.points[0][0], self.points[-1][0]
        found = [self.find_height(first + (last - first) * place / (width - 1)) for place in range(width)]
        low, high = min(found), max(found)
        scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
        return "".join(BARS[round((height - low) * scale)] for height in found)

    def to_dict(self) -> JsonObject:
        """Plain values for JSON; only a pair has a partner."""
        values = {**self._asdict(), "points": [list(point) for point in self.points]}
        del values["partner"]
        if self.partner is not None:
            points = [list(point) for point in self.partner.points]
            values["partner"] = {**self.partner._asdict(), "points": points}
        return values

    def _repr_html_(self) -> str:
        return draw_curves([self.to_dict()])

    def draw(
        self, width: int = WIDTH, height: int = HEIGHT, mark: float | None = None, other: float | None = None
    ) -> str:
        """Return a plot in characters: ● for the points, · between them, ◆ for the value ``mark`` of the score.

        A pair has two lines, with ● where its second score is largest and with ○ where it is smallest; ``other`` is the
        value of that score at the mark.
        """
        first, last = self.points[0][0], self.points[-1][0]
        heights = self.list_heights()
        low, high = min(*heights, 0.0), max(*heights, 0.0)
        rows = [[" "] * width for _ in range(height)]

        def put(x: float, y: float, sign: str) -> None:
            column = round((x - first) / (last - first) * (width - 1)) if last > first else 0
            row = round((high - y) / (high - low) * (height - 1)) if high > low else height - 1
            rows[row][min(max(column, 0), width - 1)] = sign

        lines = [(self.points, "●")] if self.partner is None else [(self.partner.points, "○"), (self.points, "●")]
        for points, _ in lines:
            for column in range(width):
                x = first + (last - first) * column / (width - 1)
                put(x, _follow(points, x), "·")
        for points, sign in lines:
            for x, y in points:
                put(x, y, sign)
        if mark is not None:
            put(min(max(mark, first), last), self.find_height(mark, other), "◆")
        labels = {0: high, height - 1: low}
        zero = round(high / (high - low) * (height - 1)) if high > low else height - 1
        labels[zero] = 0.0
        numbers = [f"{labels[row]:+.2f}" if row in labels else "" for row in range(height)]
        edge = max(map(len, numbers))
        text = [self.description]
        if self.partner is not None:
            text.append(f"● if the second is {self.partner.high:.2f}, ○ if it is {self.partner.low:.2f}")
        text += [f"{number:>{edge}} │{''.join(row)}".rstrip() for number, row in zip(numbers, rows)]
        text.append(f"{'':>{edge}} └{'─' * width}")
        left, right = f"{first:.2f}", f"{last:.2f}"
        text.append(f"{'':>{edge}}  {left}{right:>{width - len(left)}}")
        return "\n".join(text)


class ScoreEffects(list[ScoreEffect]):
    """The effects of the scores of a model; notebooks show their curves side by side.

    >>> effect = ScoreEffect("recall", "line", "shared words", 0.5, ((0.0, -1.0), (1.0, 1.0)))
    >>> ScoreEffects([effect, effect._replace(name="precision")])._repr_html_().count("<polyline")
    2
    """

    def _repr_html_(self) -> str:
        return draw_curves([effect.to_dict() for effect in self])


def _follow(points: Points, score: float) -> float:
    """Return the height of straight pieces between points; it is flat before the first and after the last."""
    (left, low), *_ = points
    if score <= left:
        return low
    for (left, low), (right, high) in pairwise(points):
        if score <= right and right > left:
            return low + (score - left) / (right - left) * (high - low)
    return points[-1][1]


def _flip(points: Points) -> Points:
    return tuple((x, -y) for x, y in points)
