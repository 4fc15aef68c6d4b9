"""Two texts one above the other, word by word, and rules as links between their words, in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.drawing.decision_steps import DrawnPart, name_side
from rekern.drawing.markup import Markup, element, join, write_signed
from rekern.drawing.part_places import Mark, MarkedText
from rekern.drawing.text_widths import is_right_to_left, measure_text
from rekern.drawing.word_places import Piece, Span

SIZE = 16.0  # of the letters
BLANK = 4.6  # least distance of two words
WIDEST_BLANK = 48.0  # in short texts, so that the links are apart
MARGIN = 20.0  # left and right, where the number of a rule may stand
LINE = 24.0  # height of a row of words
LANE = 17.0  # height of the place of one rule above or below a row
PAD = 7.0  # below the last lane of a row
GAP = 36.0  # least distance of the two texts
LINK = 6.0  # and more of it for each link


class PlacedWord(NamedTuple):
    """A piece of a text with its place in the drawing."""

    text: str
    row: int
    left: float
    width: float


class Side(NamedTuple):
    """One text: its words in rows, the rules on it, the lane of each rule in each row, and the number of lanes."""

    words: list[PlacedWord]
    marks: list[Mark]
    lanes: dict[tuple[int, int], int]  # by the number of the rule and the row
    depths: list[int]  # the number of lanes of each row
    has_more: bool  # whether there are words that are not drawn


def draw_texts(texts: Sequence[MarkedText], width: float) -> tuple[Markup, float]:
    """Return the drawing of a text, or of two texts with links between them, and its height."""
    blank = min(_choose_blank(text.pieces, width) for text in texts)
    sides = [lay_out_side(text, width, blank) for text in texts]
    top = _find_baselines(sides[0], start=SIZE + 2, below=True)
    end = top[-1] + sides[0].depths[-1] * LANE if top else 0.0
    baselines = [top]
    for side in sides[1:]:
        start = end + GAP + LINK * len(side.marks)
        baselines.append(_find_baselines(side, start, below=False))
        end = baselines[-1][-1] if baselines[-1] else end
    numbers = {mark.part.number: mark.part for side in sides for mark in side.marks}
    links = [_draw_link(numbers[number], sides, baselines) for number in sorted(numbers)]
    words = [word for side, rows in zip(sides, baselines) for word in _draw_words(side, rows)]
    return join([join(links), join(words)]), end + 8


def _choose_blank(pieces: list[Piece], width: float) -> float:
    """Return the distance of words with which a short text fills most of a row."""
    taken = sum(measure_text(piece.text, SIZE) for piece in pieces)
    blanks = sum(piece.is_apart for piece in pieces[1:])
    return min(max((0.75 * width - taken) / max(blanks, 1), BLANK), WIDEST_BLANK)


def lay_out_side(text: MarkedText, width: float, blank: float = BLANK) -> Side:
    """Lay out a text with the parts on it."""
    is_mirrored = is_right_to_left(" ".join(piece.text for piece in text.pieces))
    words = _place_words(text.pieces, width, blank, is_mirrored)
    lanes, depths = _choose_lanes(words, text.marks)
    return Side(words, text.marks, lanes, depths, text.has_more)


def _place_words(pieces: list[Piece], width: float, blank: float, is_mirrored: bool) -> list[PlacedWord]:
    """Place pieces in rows; signs stay with the word before them."""
    found: list[PlacedWord] = []
    row, x = 0, MARGIN
    for place, piece in enumerate(pieces):
        wide = measure_text(piece.text, SIZE)
        glued = wide
        for following in pieces[place + 1 : place + 3]:
            if following.is_apart or following.text[0].isalnum():
                break
            glued += measure_text(following.text, SIZE)
        x += blank if piece.is_apart and x > MARGIN else 0.0
        if x + glued > width - MARGIN / 2 and x > MARGIN:
            row, x = row + 1, MARGIN
        found.append(PlacedWord(piece.text, row, width - x - wide if is_mirrored else x, wide))
        x += wide
    return found


def _split_rows(words: list[PlacedWord], span: Span) -> dict[int, tuple[float, float]]:
    """Return the left and right end of a span in each row that it touches."""
    found: dict[int, tuple[float, float]] = {}
    for word in words[span.first : span.last + 1]:
        left, right = found.get(word.row, (word.left, word.left))
        found[word.row] = min(left, word.left), max(right, word.left + word.width)
    return found


def _choose_lanes(words: list[PlacedWord], marks: list[Mark]) -> tuple[dict[tuple[int, int], int], list[int]]:
    """Choose for each rule and row the first lane where it meets no other rule."""
    rows = words[-1].row + 1 if words else 0
    used: list[list[tuple[int, float, float]]] = [[] for _ in range(rows)]
    lanes: dict[tuple[int, int], int] = {}
    for mark in marks:
        for row, (left, right) in _split_rows(words, _join_spans(mark)).items():
            left, right = left - MARGIN, max(right, left + 8) + 3
            lane = 0
            while any(lane == other and left < end and start < right for other, start, end in used[row]):
                lane += 1
            used[row].append((lane, left, right))
            lanes[mark.part.number, row] = lane
    return lanes, [max((lane + 1 for lane, _, _ in row), default=0) for row in used]


def _join_spans(mark: Mark) -> Span:
    return Span(min(one.span.first for one in mark.elements), max(one.span.last for one in mark.elements))


def _find_baselines(side: Side, start: float, below: bool) -> list[float]:
    """Return the baseline of each row; the lanes are below the words of the source, and above those of the target."""
    found: list[float] = []
    y = start
    for depth in side.depths:
        if not below and depth:
            y += depth * LANE + (PAD if found else 0)
        found.append(y)
        y += LINE + (depth * LANE + PAD if below and depth else 0)
    return found


def _draw_words(side: Side, baselines: list[float]) -> list[Markup]:
    drawn = [
        element(
            "text",
            word.text,
            class_="rk-word",
            x=word.left,
            y=baselines[word.row],
            font_size=SIZE,
            textLength=word.width if len(word.text) > 1 else None,
            lengthAdjust="spacingAndGlyphs" if len(word.text) > 1 else None,
        )
        for word in side.words
    ]
    if side.has_more:
        last = side.words[-1]
        more = "… and more words"
        drawn.append(element("text", more, class_="rk-soft", x=last.left, y=baselines[-1] + SIZE, font_size=12))
    return drawn


def _draw_link(part: DrawnPart, sides: Sequence[Side], baselines: Sequence[list[float]]) -> Markup:
    """Draw one part: a bracket on its words in each text, the chips of its wildcards, and curves between the texts."""
    directions = (1, -1)
    marks = [next((mark for mark in side.marks if mark.part.number == part.number), None) for side in sides]
    placed = [
        (mark, side, rows, direction)
        for mark, side, rows, direction in zip(marks, sides, baselines, directions)
        if mark is not None
    ]
    shapes: list[Markup] = []
    if len(placed) == 2:
        starts, ends = (_list_ends(*one) for one in placed)
        shared = [number for number in starts if number in ends]
        for number in [number for number in shared if number] or shared[:1]:
            (x, y), (x2, y2) = starts[number], ends[number]
            middle = (y + y2) / 2
            path = f"M{x:.0f} {y:.0f}C{x:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2:.0f}"
            shapes.append(element("path", class_="rk-curve", d=path, stroke_width=1.6))
    for one in placed:
        shapes += _draw_mark(*one)
    return group_shapes(part, shapes)


def _find_height(mark: Mark, row: int, side: Side, baselines: list[float], direction: int) -> float:
    """Return the middle of the lane of a rule in a row."""
    lane = side.lanes[mark.part.number, row]
    if direction > 0:
        return baselines[row] + 13 + lane * LANE
    return baselines[row] - SIZE - 7 - (side.depths[row] - 1 - lane) * LANE


def _list_ends(mark: Mark, side: Side, baselines: list[float], direction: int) -> dict[int, tuple[float, float]]:
    """Return where the curves of a rule begin: at each wildcard by its number, and for 0 at the middle of the rule."""
    found = {}
    for number, span in [(0, _join_spans(mark)), *((one.number, one.span) for one in mark.elements if one.number)]:
        row, (left, right) = next(iter(_split_rows(side.words, span).items()))
        y = _find_height(mark, row, side, baselines, direction) + direction * (7 if number else 1)
        found[number] = ((left + right) / 2, y)
    return found


def _draw_mark(mark: Mark, side: Side, baselines: list[float], direction: int) -> list[Markup]:
    """Draw a bracket on the words of a rule, its number at the left end, and a chip for each wildcard."""
    shapes: list[Markup] = []
    first, whole = True, _join_spans(mark)
    is_sparse = whole.last - whole.first + 1 > sum(one.span.last - one.span.first + 1 for one in mark.elements)
    for row, (left, right) in _split_rows(side.words, whole).items():
        y = _find_height(mark, row, side, baselines, direction)
        tip = y - direction * 4
        path = f"M{left:.1f} {tip:.1f}V{y:.1f}H{max(right, left + 6):.1f}V{tip:.1f}"
        shapes.append(element("path", class_="rk-bracket rk-thin" if is_sparse else "rk-bracket", d=path))
        if first:
            shapes.append(draw_badge(left - 9, y, mark.part.number, mark.part.contribution))
            first = False
    for one in mark.elements:
        if is_sparse and not one.number:
            row, (left, right) = next(iter(_split_rows(side.words, one.span).items()))
            y = _find_height(mark, row, side, baselines, direction)
            shapes.append(element("path", class_="rk-bracket rk-thick", d=f"M{left:.1f} {y:.1f}H{right:.1f}"))
        if one.number:
            row, (left, right) = next(iter(_split_rows(side.words, one.span).items()))
            y, x = _find_height(mark, row, side, baselines, direction), (left + right) / 2
            shapes.append(element("rect", class_="rk-chip", x=x - 9, y=y - 7, width=18, height=13, rx=3))
            shapes.append(element("text", f"⟨{one.number}⟩", x=x, y=y + 3.5, font_size=11, text_anchor="middle"))
    return shapes


def draw_badge(x: float, y: float, number: int, contribution: float) -> Markup:
    """Draw the number of a rule: in a filled circle if it counts for, in an outlined square if against."""
    if contribution >= 0:
        shape = element("circle", class_="rk-badge", cx=x, cy=y, r=7)
    else:
        shape = element("rect", class_="rk-badge", x=x - 6.5, y=y - 6.5, width=13, height=13, rx=2)
    text = element("text", str(number), class_="rk-number", x=x, y=y + 3.7, font_size=10.5, text_anchor="middle")
    return join([shape, text])


def group_shapes(part: DrawnPart, shapes: Sequence[Markup]) -> Markup:
    """Return the shapes of a part as a group with a title, which can be followed with the mouse."""
    title = element("title", f"{part.number}: {part.name}  {write_signed(part.contribution)}")
    return element("g", title, *shapes, class_=f"rk-link {name_side(part.contribution)} rk-r{part.number}")
