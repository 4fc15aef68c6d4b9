"""The strongest rules and the curves of a model, as tables and plots in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rekern.drawing.curve_plots import choose_plots, write_plots
from rekern.drawing.decision_steps import HasValues, Values, name_side, read_values
from rekern.drawing.markup import Markup, element, write_number, write_signed
from rekern.drawing.page import frame_figure

SHOWN_RULES = 20
SHOWN_CURVES = 8


def draw_rules(rules: Values | HasValues, n: int = SHOWN_RULES, *, style: bool = True) -> Markup:
    """Return the strongest rules of a model, and the curves of its scores, as a fragment of HTML.

    ``rules`` is the result of ``model.rules()``, or of its ``to_dict``; ``n`` rules of each side are shown.

    >>> rule = {"rule": "a → b", "weight": 0.5, "support": 3, "source": "<a>", "target": "b"}
    >>> "&lt;a&gt;" in draw_rules({"for": [rule], "against": [], "scores": []})
    True
    """
    values = read_values(rules)
    content: list[Markup] = []
    titles = {"for": "Rules that count for", "against": "Rules that count against"}
    content += write_both_sides({side: values.get(side, ())[:n] for side in titles}, titles)
    curves = [curve for curve in values.get("scores", ()) if curve.get("spread", 1.0) > 0]
    if curves:
        content += [element("h4", "The scores that move decisions most"), write_curves(curves[:SHOWN_CURVES])]
    return frame_figure(*content, style=style)


def write_both_sides(rules: Values, titles: Mapping[str, str]) -> list[Markup]:
    """Return the rules of each side as a title and an HTML table; the bars of all tables have the same scale.

    >>> rule = {"rule": "a → b", "weight": 0.5, "support": 3, "source": "a", "target": "b"}
    >>> rules = {"for": [rule], "against": [{**rule, "weight": -0.25}]}
    >>> 'width="50%"' in write_both_sides(rules, {"for": "For", "against": "Against"})[3]
    True
    """
    heaviest = max((abs(float(rule["weight"])) for side in titles for rule in rules.get(side) or ()), default=0.0)
    content: list[Markup] = []
    for side, title in titles.items():
        if rules.get(side):
            content += [element("h4", title), _write_rules(rules[side], heaviest or 1.0)]
    return content


def _write_rules(rules: Sequence[Values], heaviest: float) -> Markup:
    names = ("rule", "as in", "", "weight", "pairs")
    head = element("tr", *(element("th", name, class_="rk-value" if name in names[3:] else None) for name in names))
    rows = [
        element(
            "tr",
            element("td", element("bdi", str(rule["rule"]))),
            element("td", element("small", element("bdi", f"{rule['source']} | {rule['target']}"))),
            element("td", _draw_weight(float(rule["weight"]), heaviest), class_="rk-cell-weight"),
            element("td", write_signed(float(rule["weight"])), class_="rk-value"),
            element("td", f"{rule['support']:,}", class_="rk-value"),
        )
        for rule in rules
    ]
    return element("table", element("thead", head), element("tbody", *rows), class_="rk-rules")


def _draw_weight(weight: float, heaviest: float) -> Markup:
    width = f"{write_number(100 * abs(weight) / heaviest, 1)}%"
    bar = element("rect", class_=f"rk-fill {name_side(weight)}", x="0", y=3, width=width, height=12)
    return element("svg", bar, class_="rk-svg rk-bar", aria_hidden="true")


def write_curves(curves: Sequence[Values]) -> Markup:
    """Return the curves of scores as small plots."""
    return write_plots(choose_plots(curves, {curve["name"]: (None, None) for curve in curves}, len(curves)))


def draw_curves(curves: Sequence[Values], *, style: bool = True) -> Markup:
    """Return the curves of scores, as ``to_dict`` of the results of ``model.curves()``, as a fragment of HTML.

    >>> "<polyline" in draw_curves([{"name": "recall", "points": [[0.0, -1.0], [1.0, 1.0]]}])
    True
    """
    return frame_figure(write_curves(curves), style=style)
