"""A waterfall from the intercept to the decision: in HTML as a table with bars, in SVG as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rekern.drawing.decision_steps import Step, name_side
from rekern.drawing.markup import Markup, element, join, shorten, write_number, write_signed
from rekern.drawing.text_widths import cut_text, wrap_text
from rekern.drawing.word_links import draw_badge

LINE = 17.0
SIZE = 13.5
LONGEST_WORDS = 200  # characters of the words that a rule lies on


def find_range(steps: Sequence[Step]) -> tuple[float, float]:
    """Return the lowest and the highest level of a waterfall, 0 among them.

    >>> find_range([Step("a", 0.0, 2.0), Step("b", 2.0, -1.0)])
    (-1.0, 2.0)
    """
    levels = [0.0, *(step.start for step in steps), *(step.end for step in steps)]
    low, high = min(levels), max(levels)
    return (low, high) if high > low else (low, low + 1.0)


def name_step(step: Step) -> str:
    """Return the class of the style of a step."""
    side = name_side(step.height)
    link = f" rk-r{step.part.number}" if step.part is not None and step.part.number else ""
    return f"{side}{link}{' rk-sum' if step.is_total else ''}"


def list_words(step: Step) -> str:
    """Return the words that a rule lies on, or nothing."""
    part = step.part
    if part is None or not (part.source or part.target):
        return ""
    return f"{shorten(part.source, LONGEST_WORDS)} | {shorten(part.target, LONGEST_WORDS)}"


def write_waterfall(steps: Sequence[Step]) -> Markup:
    """Return the steps as an HTML table, with a bar in each row that begins where the one above it ends."""
    low, high = find_range(steps)
    rows = [_write_row(step, low, high) for step in steps]
    return element("div", element("table", element("tbody", *rows), class_="rk-fall"), class_="rk-clip")


def _write_row(step: Step, low: float, high: float) -> Markup:
    number = step.part.number if step.part is not None else 0
    badge = (
        element("svg", draw_badge(8.0, 8.0, number, step.height), class_="rk-svg", width=16, height=16)
        if step.part is not None and number
        else None
    )
    words = list_words(step)
    text = [element("bdi", step.text), element("small", Markup(" on "), element("bdi", words)) if words else None]
    return element(
        "tr",
        element("td", badge, class_="rk-cell-badge"),
        element("td", *text, class_="rk-cell-text"),
        element("td", _draw_bar(step, low, high), class_="rk-cell-bar"),
        element("td", write_signed(step.height), class_="rk-value"),
        class_=name_step(step),
    )


def _draw_bar(step: Step, low: float, high: float) -> Markup:
    def place(level: float) -> float:
        return 100 * (level - low) / (high - low)

    def percent(value: float) -> str:
        return f"{write_number(value, 2)}%"

    zero, start, end = place(0.0), place(step.start), place(step.end)
    return element(
        "svg",
        element("line", class_="rk-grid", x1=percent(zero), x2=percent(zero), y1=-40, y2=60),
        element(
            "rect",
            class_=f"rk-fill {name_side(step.height)}",
            x=percent(min(start, end)),
            width=percent(max(abs(end - start), 0.3)),
            y=3,
            height=12,
        ),
        class_="rk-svg rk-bar",
        aria_hidden="true",
    )


def draw_share(share: float) -> Markup:
    """Return a bar for a share from 0 to 1, for a cell of an HTML table."""
    width = f"{write_number(100 * min(max(share, 0.0), 1.0), 2)}%"
    track = element("rect", class_="rk-panel", x="0", y=3, width="100%", height=12)
    bar = element("rect", class_="rk-fill rk-for", x="0", y=3, width=width, height=12)
    return element("svg", track, bar, class_="rk-svg rk-bar", aria_hidden="true")


def write_shares(shares: Iterable[tuple[Markup, float, str]]) -> Markup:
    """Return a table with a row for each share from 0 to 1: its name, a bar, and the share in words."""
    rows = [
        element(
            "tr",
            element("td", name),
            element("td", draw_share(share), class_="rk-cell-bar"),
            element("td", text, class_="rk-value"),
        )
        for name, share, text in shares
    ]
    return element("table", element("tbody", *rows), class_="rk-shares")


def draw_waterfall(steps: Sequence[Step], width: float, top: float) -> tuple[Markup, float]:
    """Return the steps as rows of an SVG from the height ``top`` on, and where they end.

    On a narrow drawing the bar is below the text.
    """
    is_narrow = width < 600
    left, bar = (26.0, 26.0) if is_narrow else (26.0, width * 0.56)
    room, right = (width - left - 66 if is_narrow else bar - left - 12), width - 62
    low, high = find_range(steps)
    shapes: list[Markup] = []
    y = top

    def place(level: float) -> float:
        return bar + (right - bar) * (level - low) / (high - low)

    for step in steps:
        lines = wrap_text(step.text, room, SIZE)[:3] or [""]
        words = list_words(step)
        height = LINE * len(lines) + (LINE - 2 if words else 0) + (18 if is_narrow else 0) + 4
        side = name_side(step.height)
        row: list[Markup] = []
        if step.part is not None and step.part.number:
            row.append(draw_badge(10.0, y + 9, step.part.number, step.height))
        for number, line in enumerate(lines):
            strong = "rk-strong" if step.is_total else None
            row.append(element("text", line, class_=strong, x=left, y=y + 13.5 + LINE * number, font_size=SIZE))
        if words:
            text = cut_text(f"on {words}", room, 12)
            row.append(element("text", text, class_="rk-soft", x=left, y=y + 12.5 + LINE * len(lines), font_size=12))
        level = y + height - 21 if is_narrow else y + 2
        start, end = place(step.start), place(step.end)
        if is_narrow:
            row.append(element("line", class_="rk-grid", x1=place(0.0), x2=place(0.0), y1=level - 2, y2=level + 16))
        row.append(
            element(
                "rect", class_="rk-fill", x=min(start, end), y=level + 1, width=max(abs(end - start), 1.0), height=12.0
            )
        )
        number_class = "rk-strong" if step.is_total else None
        text = write_signed(step.height)
        row.append(
            element("text", text, class_=number_class, x=width - 4, y=y + 13.5, font_size=SIZE, text_anchor="end")
        )
        shapes.append(element("g", *row, class_=side))
        y += height
        shapes.append(element("line", class_="rk-grid", x1=0.0, x2=width, y1=y, y2=y))
        y += 2
    if not is_narrow:
        shapes.insert(0, element("line", class_="rk-grid", x1=place(0.0), x2=place(0.0), y1=top, y2=y - 2))
    return join(shapes), y
