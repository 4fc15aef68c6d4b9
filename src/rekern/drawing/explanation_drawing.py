"""The drawing of a decision: the texts with their rules, the waterfall, the curves, and the nearest training pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rekern.drawing.curve_plots import HEIGHT, WIDTH, ScorePlot, choose_plots, draw_plot, write_plots
from rekern.drawing.decision_steps import (
    SHOWN_PARTS,
    DrawnPart,
    HasParts,
    Values,
    choose_parts,
    list_steps,
    read_strongest,
)
from rekern.drawing.figures import Figure, choose_figure
from rekern.drawing.markup import Markup, element, join, shorten, write_number, write_signed
from rekern.drawing.page import draw_picture, frame_figure, frame_svg
from rekern.drawing.text_widths import cut_text, wrap_text
from rekern.drawing.waterfall import draw_waterfall, write_shares, write_waterfall

WIDE, NARROW = 920.0, 368.0
SHOWN_PLOTS = 8
LONGEST_TEXT = 600  # characters of a similar training text
LONGEST_LABEL = 2000  # characters of what a screen reader says about a figure


def draw_explanation(
    explanation: Values | HasParts, n: int = SHOWN_PARTS, *, curves: Sequence[Values] = (), style: bool = True
) -> str:
    """Return the drawing of a decision as a fragment of HTML that loads nothing and runs no script.

    Parameters
    ----------
    explanation : an explanation, or the result of its ``to_dict``
        What ``explain`` of a model returns.
    n : int
        The number of parts in the waterfall. The strongest rules are always among them.
    curves : sequence of dict
        The curves of the scores, as ``to_dict`` of the results of ``model.curves()``. An explanation has its own.
    style : bool
        Whether the fragment contains its style. A page with many drawings has it once: `STYLE`.

    Examples
    --------
    >>> part = {"kind": "rule", "name": "a → b", "contribution": 1.0, "source": "a", "target": "b"}
    >>> why = {"source": "a <b>", "target": "b", "prediction": 1, "decision": 1.0, "parts": [part]}
    >>> drawing = draw_explanation(why)
    >>> "<figure" in drawing, "a <b>" in drawing
    (True, False)
    """
    values = read_strongest(explanation, n)
    curves = curves or _list_curves(explanation)
    figure = choose_figure(values)
    content: list[Markup | None] = [_write_heading(values), *write_figure(figure)]
    content.append(write_waterfall(list_steps(values, n, figure.parts)))
    plots = _choose_plots(curves, figure.parts, n)
    if plots:
        content += [element("h4", "What these scores add, and where this pair is"), write_plots(plots)]
    content += [write_chances(values.get("probabilities", {})), _write_neighbors(values)]
    return frame_figure(*content, style=style)


def draw_svg(
    explanation: Values | HasParts,
    n: int = SHOWN_PARTS,
    *,
    curves: Sequence[Values] = (),
    width: float = WIDE,
) -> str:
    """Return the drawing of a decision as one SVG, for a file or a page.

    The parameters are those of `draw_explanation`, and the width in pixels.

    >>> draw_svg({"source": "a", "target": "b", "prediction": 1, "decision": 1.0, "parts": []}).startswith("<svg ")
    True
    """
    values = read_strongest(explanation, n)
    figure = choose_figure(values)
    shapes: list[Markup] = []
    y = 26.0
    answer = _describe_answer(values)
    title = cut_text(f"{answer.label} {answer.text}", width, 19)
    shapes.append(element("text", title, class_="rk-strong", x=0, y=y, font_size=19))
    legend = [f"{sign} {name}" for name, sign, _ in _list_sides(values)]
    for line in wrap_text(" · ".join([*answer.notes, *legend]), width, 14):
        y += 20
        shapes.append(element("text", line, class_="rk-soft", x=0, y=y, font_size=14))
    y += 22
    if figure.draw is not None:
        drawn, height = figure.draw(width)
        shapes.append(element("g", drawn, transform=f"translate(0 {write_number(y)})"))
        y += height + 18
    drawn, y = draw_waterfall(list_steps(values, n, figure.parts), width, y)
    shapes.append(drawn)
    plots = _choose_plots(curves or _list_curves(explanation), figure.parts, n)
    columns = max(int((width + 14) // (WIDTH + 14)), 1)
    for first in range(0, len(plots), columns):
        row = plots[first : first + columns]
        y += 14
        lines = [wrap_text(plot.text, WIDTH - 8, 11.5)[:6] for plot in row]
        for place, plot in enumerate(row):
            text = [
                element("text", line, class_="rk-soft", x=0, y=HEIGHT + 12 + 14 * number, font_size=11.5)
                for number, line in enumerate(lines[place])
            ]
            left = place * (WIDTH + 14)
            shapes.append(
                element("g", draw_plot(plot), *text, transform=f"translate({write_number(left)} {write_number(y)})")
            )
        y += HEIGHT + 14 * max(map(len, lines)) + 8
    drawn, y = _draw_neighbors(values, width, y)
    shapes.append(drawn)
    return frame_svg(title, shapes, width, y)


class Answer(NamedTuple):
    """What is said above a drawing: what the answer is, the answer, and remarks."""

    label: str
    text: str
    notes: list[str]


def _describe_answer(values: Values) -> Answer:
    """Return the prediction, its probability, and the decision value."""
    decision = write_signed(values["decision"])
    if "prediction" not in values:
        return Answer("value", decision, [])
    prediction, probability, explained = values["prediction"], values.get("probability"), _find_explained(values)
    if probability is None and "probabilities" in values:
        probability = values["probabilities"].get(prediction)
    answer = f"{prediction:.4g}" if isinstance(prediction, float) else str(prediction)
    notes = [] if probability is None else [f"probability {100 * probability:.1f} %"]
    of = "" if explained is None else f" for {explained}"
    return Answer("prediction", answer, [*notes, f"decision {decision}{of}"])


def _find_explained(values: Values) -> object:
    """Return the class whose decision value is explained; None for a regression or a ranking."""
    return values["prediction"] if "probabilities" in values else values.get("explained")


def _list_sides(values: Values) -> list[tuple[str, str, str]]:
    """Return the legend: what counts for and against, with the sign and the style of each; nothing for a kernel."""
    if "prediction" not in values:
        return []
    explained = _find_explained(values)
    names = ("raises", "lowers") if explained is None else (f"for {explained}", f"against {explained}")
    return list(zip(names, ("●", "▫"), ("rk-for", "rk-against")))


def _write_heading(values: Values) -> Markup:
    answer = _describe_answer(values)
    legend = [
        element("span", sign, Markup(" "), element("bdi", name), class_=f"rk-tag {side}")
        for name, sign, side in _list_sides(values)
    ]
    return element(
        "div",
        element("span", element("small", answer.label), Markup(" "), element("bdi", answer.text), class_="rk-answer"),
        *(element("span", element("bdi", note)) for note in answer.notes),
        *legend,
        class_="rk-head",
    )


def write_figure(figure: Figure) -> list[Markup]:
    """Return a figure for HTML, twice: the style shows one of them, by the room that there is."""
    if figure.draw is None:
        return []
    found = []
    for width, name in ((WIDE, "rk-wide"), (NARROW, "rk-narrow")):
        drawn, height = figure.draw(width)
        label = figure.label[:LONGEST_LABEL]
        found.append(draw_picture(drawn, width=width, height=height, label=label, kind=name))
    return found


def write_chances(chances: Values) -> Markup | None:
    """Return a table of probabilities, the highest first, each with a bar."""
    if not chances:
        return None
    ordered = sorted(chances.items(), key=lambda item: -item[1])
    table = write_shares([(element("bdi", str(name)), share, f"{100 * share:.1f} %") for name, share in ordered])
    return join([element("h4", "Probabilities"), table])


def _list_curves(explanation: object) -> list[Values]:
    """Return the curves that an explanation has, as plain values."""
    return [curve.to_dict() for curve in getattr(explanation, "curves", ())]


def _choose_plots(curves: Sequence[Values], parts: Sequence[DrawnPart], n: int) -> list[ScorePlot]:
    shown = [part for part in choose_parts(parts, n) if part.kind in ("score", "score pair")]
    return choose_plots(curves, {part.name: (part.score, part.other) for part in shown}, SHOWN_PLOTS)


def _write_neighbors(values: Values) -> Markup | None:
    neighbors = values.get("neighbors") or []
    if not neighbors:
        return None
    rows = [
        element(
            "tr",
            element("td", f"{near['similarity']:.3f}", class_="rk-figure"),
            element("td", element("bdi", str(near["label"]))),
            element("td", *_write_sides(near)),
        )
        for near in neighbors
    ]
    head = element("tr", *(element("th", name) for name in ("similar", "label", "text")))
    table = element("table", element("thead", head), element("tbody", *rows))
    return join([element("h4", "The most similar training examples"), table])


def _write_sides(near: Values) -> list[Markup]:
    texts = [shorten(str(near[name]), LONGEST_TEXT) for name in ("text", "source", "target") if near.get(name)]
    lines: list[Markup] = []
    for text in texts:
        lines += [element("bdi", text), element("br")]
    return lines[:-1]


def _draw_neighbors(values: Values, width: float, y: float) -> tuple[Markup, float]:
    neighbors = values.get("neighbors") or []
    shapes: list[Markup] = []
    if neighbors:
        y += 30
        title = "The most similar training examples: similarity, label, text"
        shapes.append(element("text", title, class_="rk-soft", x=0, y=y, font_size=13))
    for near in neighbors:
        y += 8
        head = f"{near['similarity']:.3f}  {cut_text(str(near['label']), 80, 13)}"
        shapes.append(element("text", head, x=0, y=y + 18, font_size=13))
        for name in ("text", "source", "target"):
            for line in wrap_text(shorten(str(near.get(name) or ""), LONGEST_TEXT), width - 110, 13)[:4]:
                y += 18
                shapes.append(element("text", line, x=110, y=y, font_size=13))
    return join(shapes), y
