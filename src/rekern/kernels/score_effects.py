"""What a score does in a trained model: a line or a curve, as points, as data and as a small text plot."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.json_values import JsonObject
from rekern.drawing import draw_curves

WIDTH = 48  # columns of a plot
HEIGHT = 7  # rows of a plot
BARS = "▁▂▃▄▅▆▇█"


class ScoreEffect(NamedTuple):
    """The effect of one score on a decision value: what it adds, as a function of the value of the score.

    Between two points the function is straight, beyond the first and the last one it is flat if it is a curve.

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

    name: str  # the name of the score
    kind: str  # "line" or "curve"
    description: str  # the score in words
    spread: float  # the standard deviation of what it adds to the decision values of the training items
    points: tuple[tuple[float, float], ...]  # values of the score, and what is added there

    def find_height(self, score: float) -> float:
        """Return what a value of the score adds."""
        (left, low), *_ = self.points
        if score <= left:
            return low
        for (left, low), (right, high) in zip(self.points, self.points[1:]):
            if score <= right and right > left:
                return low + (score - left) / (right - left) * (high - low)
        return self.points[-1][1]

    def flip(self) -> ScoreEffect:
        """Return the effect on the decision value with the opposite sign, that of the other class."""
        return self._replace(points=tuple((x, -y) for x, y in self.points))

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
        """Plain values for JSON."""
        return {**self._asdict(), "points": [list(point) for point in self.points]}

    def _repr_html_(self) -> str:
        return draw_curves([self.to_dict()])

    def draw(self, width: int = WIDTH, height: int = HEIGHT, mark: float | None = None) -> str:
        """Return a plot in characters: ● for the points, · between them, ◆ for the value ``mark`` of the score."""
        first, last = self.points[0][0], self.points[-1][0]
        heights = [y for _, y in self.points]
        low, high = min(*heights, 0.0), max(*heights, 0.0)
        rows = [[" "] * width for _ in range(height)]

        def put(x: float, y: float, sign: str) -> None:
            column = round((x - first) / (last - first) * (width - 1)) if last > first else 0
            row = round((high - y) / (high - low) * (height - 1)) if high > low else height - 1
            rows[row][min(max(column, 0), width - 1)] = sign

        for column in range(width):
            x = first + (last - first) * column / (width - 1)
            put(x, self.find_height(x), "·")
        for x, y in self.points:
            put(x, y, "●")
        if mark is not None:
            put(min(max(mark, first), last), self.find_height(mark), "◆")
        labels = {0: high, height - 1: low}
        zero = round(high / (high - low) * (height - 1)) if high > low else height - 1
        labels[zero] = 0.0
        numbers = [f"{labels[row]:+.2f}" if row in labels else "" for row in range(height)]
        edge = max(map(len, numbers))
        lines = [self.description]
        lines += [f"{number:>{edge}} │{''.join(row)}".rstrip() for number, row in zip(numbers, rows)]
        lines.append(f"{'':>{edge}} └{'─' * width}")
        left, right = f"{first:.2f}", f"{last:.2f}"
        lines.append(f"{'':>{edge}}  {left}{right:>{width - len(left)}}")
        return "\n".join(lines)


class ScoreEffects(list[ScoreEffect]):
    """The effects of the scores of a model; notebooks show their curves side by side.

    >>> effect = ScoreEffect("recall", "line", "shared words", 0.5, ((0.0, -1.0), (1.0, 1.0)))
    >>> ScoreEffects([effect, effect._replace(name="precision")])._repr_html_().count("<polyline")
    2
    """

    def _repr_html_(self) -> str:
        return draw_curves([effect.to_dict() for effect in self])
