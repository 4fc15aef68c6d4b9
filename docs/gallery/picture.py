"""Small SVG pictures from plain functions: texts, bars, lines, dots. No library is needed.

Every script of the gallery has a function ``draw`` that returns a picture. ``python docs/gallery/NAME.py`` writes it to
``NAME.svg``, and ``python docs/make_pictures.py`` writes all pictures.
"""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

BLUE = "#1f6fb2"  # counts for, or the first series
ORANGE = "#c8571b"  # counts against, or the second series
GREEN = "#3c8a4e"
GREY = "#8a8f98"
LIGHT = "#e8ebef"
INK = "#1d2127"
SANS = "font-family='Helvetica, Arial, sans-serif'"
MONO = "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace'"


class Picture:
    """A picture that grows by its methods; ``str(picture)`` is the SVG.

    >>> picture = Picture(100, 40, "a dot")
    >>> picture.dot(50, 20)
    >>> "<circle" in str(picture)
    True
    """

    def __init__(self, width: float, height: float, title: str):
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []

    def text(
        self, x: float, y: float, words: str, size: float = 14, anchor: str = "start", color: str = INK, **style: object
    ) -> None:
        """Write a text. Its baseline is at ``y``. ``bold=True`` and ``mono=True`` change the letters."""
        weight = " font-weight='bold'" if style.get("bold") else ""
        family = MONO if style.get("mono") else SANS
        place = f"x='{x:.1f}' y='{y:.1f}' font-size='{size:g}' text-anchor='{anchor}' fill='{color}'"
        self.parts.append(f"<text {place} {family}{weight} xml:space='preserve'>{escape(words)}</text>")

    def box(self, x: float, y: float, width: float, height: float, color: str = LIGHT, corner: float = 2) -> None:
        """Draw a filled box. A negative width goes to the left."""
        left = min(x, x + width)
        place = f"x='{left:.1f}' y='{y:.1f}' width='{abs(width):.1f}' height='{height:.1f}' rx='{corner:g}'"
        self.parts.append(f"<rect {place} fill='{color}'/>")

    def line(self, points: Sequence[tuple[float, float]], color: str = GREY, width: float = 1, dash: str = "") -> None:
        """Draw a line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f" stroke-dasharray='{dash}'" if dash else ""
        self.parts.append(f"<polyline points='{path}' fill='none' stroke='{color}' stroke-width='{width:g}'{dashes}/>")

    def dot(self, x: float, y: float, radius: float = 4, color: str = BLUE) -> None:
        """Draw a dot."""
        self.parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius:g}' fill='{color}' fill-opacity='0.8'/>")

    def __str__(self) -> str:
        size = f"width='{self.width:g}' height='{self.height:g}' viewBox='0 0 {self.width:g} {self.height:g}'"
        head = f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img'>"
        paper = f"<rect width='{self.width:g}' height='{self.height:g}' rx='6' fill='#ffffff'/>"
        return "\n".join([head, f"<title>{escape(self.title)}</title>", paper, *self.parts, "</svg>"]) + "\n"


class Axes:
    """A frame with two scales; turns data into places on a picture."""

    def __init__(
        self,
        picture: Picture,
        frame: tuple[float, float, float, float],  # left, top, right, bottom
        x_range: tuple[float, float],
        y_range: tuple[float, float],
    ):
        self.picture, self.frame, self.x_range, self.y_range = picture, frame, x_range, y_range

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point of the data."""
        left, top, right, bottom = self.frame
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return left + across * (right - left), bottom - up * (bottom - top)

    def draw(self, x_ticks: dict[float, str], y_ticks: dict[float, str], x_label: str, y_label: str) -> None:
        """Draw grid lines with their labels. The label of y stands above the axis."""
        left, top, right, bottom = self.frame
        for value, name in y_ticks.items():
            y = self.place(0, value)[1]
            self.picture.line([(left, y), (right, y)], LIGHT)
            self.picture.text(left - 8, y + 4, name, 12, "end", GREY)
        for value, name in x_ticks.items():
            x = self.place(value, 0)[0]
            self.picture.line([(x, bottom), (x, bottom + 5)], GREY)
            self.picture.text(x, bottom + 19, name, 12, "middle", GREY)
        self.picture.line([(left, bottom), (right, bottom)], GREY)
        self.picture.text((left + right) / 2, bottom + 40, x_label, 13, "middle")
        self.picture.text(left - 8, top - 12, y_label, 13)


def save(picture: object, script: str) -> None:
    """Write the picture of a script beside it."""
    path = Path(script).with_suffix(".svg")
    path.write_text(str(picture), encoding="utf-8")
    print(f"wrote {path.name}")
