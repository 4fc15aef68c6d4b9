"""The drawing of an answer to a question: the reading over the words, the SQL with its values, the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from rekern.drawing.decision_steps import HasValues, Values, read_values
from rekern.drawing.explanation_drawing import WIDE, write_figure
from rekern.drawing.figures import Figure
from rekern.drawing.markup import Markup, clean_text, element, escape, join
from rekern.drawing.page import frame_figure, frame_svg
from rekern.drawing.text_widths import cut_text, measure_text, wrap_text
from rekern.drawing.waterfall import write_shares

SIZE = 14.5
BLANK = 9.0
LINE = 24.0
SHOWN_ROWS = 20
SHOWN_READINGS = 4


class Node(NamedTuple):
    """A part of a meaning, the words that express it, and how deep it is in the meaning."""

    label: str
    start: int
    end: int
    depth: int


def draw_answer(answer: Values | HasValues, *, style: bool = True) -> str:
    """Return an answer of ``ask`` as a fragment of HTML that loads nothing and runs no script.

    ``answer`` is an answer or the result of its ``to_dict``. With ``style`` the fragment contains its style.

    >>> answer = {"question": "which <rivers>?", "confident": False, "why": "unknown words: rivers", "nearest": []}
    >>> "&lt;rivers&gt;" in draw_answer(answer)
    True
    """
    values = read_values(answer)
    content: list[Markup | None] = []
    pieces = split_question(clean_text(values["question"]), values.get("not_understood") or ())
    content.append(element("div", element("bdi", *map(_mark_piece, pieces), class_="rk-answer"), class_="rk-head"))
    if any(piece.is_missed for piece in pieces):
        content.append(element("p", element("small", "What was not understood is underlined.")))
    if values.get("confident"):
        content += [_write_rows(values), *_write_reading(values), _write_query(values)]
    else:
        content.append(element("p", element("bdi", _describe_failure(values))))
    content.append(_write_nearest(values))
    return frame_figure(*content, style=style)


def draw_answer_svg(answer: Values | HasValues, *, width: float = WIDE) -> str:
    """Return an answer of ``ask`` as one SVG of a width in pixels; ``answer`` as in `draw_answer`.

    >>> answer = {"question": "which rivers?", "confident": False, "why": "unknown words: rivers", "nearest": []}
    >>> draw_answer_svg(answer).startswith("<svg ")
    True
    """
    values = read_values(answer)
    shapes: list[Markup] = []
    y = 0.0

    def write(text: str, size: float, style: str | None = None, most: int = 6) -> None:
        nonlocal y
        for line in wrap_text(clean_text(text), width, size)[:most]:
            y += size * 1.4
            shapes.append(element("text", line, class_=style, x=0.0, y=y, font_size=size))

    write(str(values["question"]), 19, "rk-strong")
    missed = [str(word) for word in values.get("not_understood") or ()]
    if missed:
        write(f"not understood: {', '.join(missed)}", 14)
    y += 6
    if values.get("confident"):
        rows = [row if isinstance(row, list | tuple) else [row] for row in values.get("answer") or []]
        shown = ", ".join(" ".join(map(_write_value, row)) for row in rows[:SHOWN_ROWS])
        write(shown or "nothing in the database fits", 16, "rk-strong")
        y += 12
        words, nodes = _read_derivation(values)
        drawn, height = draw_reading(words, nodes, width)
        shapes.append(element("g", drawn, transform=f"translate(0 {y:.0f})"))
        y += height
        write(str(values.get("query", "")), 14)
        write(str(values.get("sql", "")), 13, "rk-soft")
        write(
            ", ".join(f":{name} = {value!r}" for name, value in (values.get("parameters") or {}).items()), 13, "rk-soft"
        )
        write(f"confidence {values['confidence']:.3f}", 13)
    else:
        write(_describe_failure(values), 15)
    for near in (values.get("nearest") or [])[:SHOWN_READINGS]:
        write(f"{near['confidence']:.3f}  {near['query']}", 13, "rk-soft", most=2)
    return frame_svg(str(values["question"]), shapes, width, y)


def _describe_failure(values: Values) -> str:
    why = str(values.get("why") or "")
    return f"no confident reading{': ' if why else ''}{why}"


class Piece(NamedTuple):
    """A piece of a question, and whether it was not understood."""

    text: str
    is_missed: bool


def split_question(question: str, missed: Sequence[object]) -> list[Piece]:
    """Return the pieces of a question; those in ``missed`` are the words and names that were not understood.

    >>> for piece in split_question("Which Flurb is in Norway?", ["flurb"]):
    ...     print(piece)
    Piece(text='Which ', is_missed=False)
    Piece(text='Flurb', is_missed=True)
    Piece(text=' is in Norway?', is_missed=False)
    """
    words = sorted((r"\s+".join(map(re.escape, str(word).split())) for word in missed if str(word).strip()), key=len)
    if not words:
        return [Piece(question, False)]
    pieces = re.split(rf"(?<!\w)({'|'.join(reversed(words))})(?!\w)", question, flags=re.IGNORECASE)
    return [Piece(text, bool(place % 2)) for place, text in enumerate(pieces) if text]


def _mark_piece(piece: Piece) -> Markup:
    """Return a piece of a question with the blanks around it, which an element loses."""
    if piece.is_missed:
        return element("mark", piece.text, class_="rk-missed")
    before, after = (" " if end == " " else "" for end in (piece.text[:1], piece.text[1:][-1:]))
    return join([Markup(before), piece.text.strip(" "), Markup(after)])


def _write_rows(values: Values) -> Markup:
    rows = values.get("answer") or []
    if not rows:
        return element("p", "nothing in the database fits")
    columns = [str(name) for name in values.get("columns") or ()]
    if len(columns) == 1:
        shown = ", ".join(_write_value(row) for row in rows[:SHOWN_ROWS])
        return element("p", element("bdi", shown), _write_more(rows), class_="rk-result")
    head = element("thead", element("tr", *(element("th", name) for name in columns)))
    body = [element("tr", *(element("td", _write_value(value)) for value in row)) for row in rows[:SHOWN_ROWS]]
    return join([element("table", head, element("tbody", *body)), element("p", _write_more(rows))])


def _write_more(rows: Sequence[object]) -> Markup | None:
    return element("small", f" … and {len(rows) - SHOWN_ROWS:,} more") if len(rows) > SHOWN_ROWS else None


def _write_value(value: object) -> str:
    """Return a value of a database as text.

    >>> _write_value(697000.0), _write_value(1.45), _write_value(None)
    ('697,000', '1.45', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _read_derivation(values: Values) -> tuple[list[str], list[Node]]:
    nodes = [
        Node(str(node["label"]), int(node["start"]), int(node["end"]), int(node["depth"]))
        for node in values.get("derivation") or ()
    ]
    return [str(word) for word in values.get("words") or _list_words(values.get("derivation") or ())], nodes


def _write_reading(values: Values) -> list[Markup]:
    words, nodes = _read_derivation(values)
    if not nodes:
        return []
    label = "; ".join(f"{node.label}: {' '.join(words[node.start : node.end])}" for node in nodes)
    figure = Figure([], partial(draw_reading, words, nodes), label)
    return [element("h4", "How the question was read"), *write_figure(figure)]


def _list_words(derivation: Sequence[Values]) -> list[str]:
    """Return the words of a question as far as the nodes of its derivation tell them."""
    end = max((int(node["end"]) for node in derivation), default=0)
    words = ["·"] * end
    for node in derivation:
        covered = str(node["words"]).split(" ")
        if len(covered) == int(node["end"]) - int(node["start"]):
            words[int(node["start"]) : int(node["end"])] = covered
    return words


def draw_reading(words: Sequence[str], nodes: Sequence[Node], width: float) -> tuple[Markup, float]:
    """Return the drawing of a reading, and its height: the words in a row, and a bar for each part of the meaning.

    Words that no part covers are grey. If there is no room for the words in a row, each part has its words below it.
    """
    cleaned = [clean_text(word) for word in words]
    lefts, x = [], 4.0
    for word in cleaned:
        lefts.append(x)
        x += measure_text(word, SIZE) + BLANK
    if x > width:
        return _list_reading(cleaned, nodes, width)
    ends = [left + measure_text(word, SIZE) for left, word in zip(lefts, cleaned)]
    known = {place for node in nodes for place in range(node.start, node.end)}
    shapes = [
        _write_exactly(word, SIZE, left, 18.0, None if place in known else "rk-soft")
        for place, (word, left) in enumerate(zip(cleaned, lefts))
    ]
    y = 30.0
    for node in nodes:
        start, end = lefts[node.start], ends[max(node.end - 1, node.start)]
        wide = measure_text(node.label, 13)
        after = end + 8 + wide <= width
        at = end + 8 if after else max(start, 4.0)
        shapes.append(element("rect", class_="rk-chip", x=start, y=y, width=max(end - start, 4.0), height=9.0, rx=3))
        text = cut_text(clean_text(node.label), width - at, 13)
        shapes.append(_write_exactly(text, 13, at, y + (9.0 if after else 22.0)))
        y += LINE if after else LINE + 13
    return element("g", *shapes, class_="rk-for"), y


def _write_exactly(text: str, size: float, x: float, y: float, style: str | None = None) -> Markup:
    """Return a text that is as wide as `measure_text` says, in whatever font the reader has.

    >>> _write_exactly("rivers", 10, 4.0, 18.0)
    '<text x="4" y="18" font-size="10" textLength="24.4" lengthAdjust="spacingAndGlyphs">rivers</text>'
    """
    wide = measure_text(text, size) if len(text) > 1 else None
    adjust = None if wide is None else "spacingAndGlyphs"
    return element("text", text, class_=style, x=x, y=y, font_size=size, textLength=wide, lengthAdjust=adjust)


def _list_reading(words: Sequence[str], nodes: Sequence[Node], width: float) -> tuple[Markup, float]:
    """Draw a reading as an outline: each part of the meaning, and below it its words."""
    shapes = []
    y = 16.0
    for node in nodes:
        x = 4.0 + 14 * min(node.depth, 10)
        covered = " ".join(words[node.start : node.end])
        label = cut_text(clean_text(node.label), width - x, 13.5)
        shapes.append(_write_exactly(label, 13.5, x, y, "rk-strong"))
        text = cut_text(covered, width - x - 12, 13)
        shapes.append(_write_exactly(text, 13, x + 12, y + 17, "rk-soft"))
        y += 38
    return element("g", *shapes, class_="rk-for"), y - 12


def _write_query(values: Values) -> Markup:
    parameters = values.get("parameters") or {}
    bound = [join([Markup(" "), element("code", f":{name} = {value!r}")]) for name, value in parameters.items()]
    cells = [(name, element("code", str(values.get(key, "")))) for name, key in (("query", "query"), ("SQL", "sql"))]
    if bound:
        cells.append(("values", join(bound)))
    confidence = values.get("confidence")
    if confidence is not None:
        cells.append(("confidence", escape(f"{confidence:.3f}")))
    rows = [element("tr", element("td", name, class_="rk-figure"), element("td", cell)) for name, cell in cells]
    return join([element("h4", "What was asked of the database"), element("table", element("tbody", *rows))])


def _write_nearest(values: Values) -> Markup | None:
    nearest = (values.get("nearest") or [])[:SHOWN_READINGS]
    if not nearest:
        return None
    title = "Other readings" if values.get("confident") else "The nearest readings"
    return join([element("h4", f"{title}, with their confidence"), _write_chances(nearest, "confidence")])


def _write_chances(readings: Sequence[Values], measure: str) -> Markup:
    return write_shares(
        [(element("code", str(near["query"])), near[measure], f"{near[measure]:.3f}") for near in readings]
    )


def draw_readings(readings: Sequence[Values], *, style: bool = True) -> Markup:
    """Return the readings of a sentence, each with "query" and "probability" or "confidence", as a fragment of HTML.

    A reading that has "words" and "derivation", as in the answers of ``ask``, is drawn over them.

    >>> "rivers(all)" in draw_readings([{"query": "rivers(all)", "probability": 0.9}])
    True
    """
    measure = "confidence" if readings and "confidence" in readings[0] else "probability"
    table = _write_chances(readings, measure) if readings else element("p", "no reading")
    drawn = [figure for reading in readings for figure in _write_reading(reading)]
    return frame_figure(element("h4", f"Readings, with their {measure}"), table, *drawn, style=style)
