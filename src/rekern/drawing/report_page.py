"""A report about a model as one page: figures, tables that can be sorted and searched, and drawn mistakes."""

from __future__ import annotations

from collections.abc import Sequence

from rekern.drawing.decision_steps import Values
from rekern.drawing.markup import Markup, element, escape, join, shorten
from rekern.drawing.page import wrap_page
from rekern.drawing.report_script import SCRIPT
from rekern.drawing.rule_tables import write_both_sides, write_curves
from rekern.drawing.stylesheet import PRINTED_ROWS, REPORT_STYLE, STYLE
from rekern.drawing.xy_plot import Plot, draw_xy_plot, write_confusion

MEASURES = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "auc": "area under the ROC curve",
    "average_precision": "average precision",
    "pearson": "Pearson's correlation",
    "spearman": "Spearman's correlation",
    "mse": "mean squared error",
    "map": "mean average precision",
    "mrr": "mean reciprocal rank",
}
PERCENT = ("accuracy",)
LONGEST_TEXT = 400  # characters of a text in the table of all pairs
TASKS = {"classify": "classes", "regress": "numbers", "rank": "orders"}


def draw_report(
    values: Values, mistakes: Sequence[str], rows: Sequence[Values], whole: bool = True, *, style: bool = True
) -> str:
    """Return a report as a page, or with ``whole`` false as a fragment for a notebook.

    ``values`` are the figures of a report, ``mistakes`` the drawings of its worst mistakes in the same order, and
    ``rows`` all pairs with their predictions, which can be sorted and searched on the page. With ``style`` the fragment
    contains its style.
    """
    names = values.get("names", {})
    title = f"Report on {names.get('model', 'a model')}"
    sections = [
        element("h1" if whole else "h2", title),
        _write_summary(values),
        _write_model(values["model"], names),
        _write_choice(values["model"].get("how_chosen")),
        _write_classes(values),
        _write_plots(values),
        _write_slices(values),
        *(_write_rules(label, rules, values) for label, rules in values.get("rules", {}).items()),
        _write_mistakes(values, mistakes),
        _write_rows(rows, values),
    ]
    body = join([section for section in sections if section is not None])
    if whole:
        return wrap_page(title, body, SCRIPT)
    return element("div", element("style", Markup(f"{STYLE}\n{REPORT_STYLE}")) if style else None, body)


def _section(title: str, *content: Markup | None) -> Markup:
    return element("section", element("h2", title), *content, class_="rk rk-section")


def _write_measure(name: str, value: float | None) -> str:
    if value is None:
        return "undefined"
    return f"{100 * value:.1f} %" if name in PERCENT else f"{value:.3f}"


def _write_summary(values: Values) -> Markup:
    names, measures, intervals = values.get("names", {}), values["measures"], values["intervals"]
    cards = []
    for name, title in MEASURES.items():
        if name not in measures:
            continue
        interval = intervals.get(name)
        between = ""
        if interval is not None:
            between = f"{_write_measure(name, interval['low'])} to {_write_measure(name, interval['high'])}"
        cards.append(
            element(
                "div",
                element("small", title),
                element("b", _write_measure(name, measures[name])),
                element("small", between, title=interval["method"] if interval else None),
                class_="rk-card",
            )
        )
    data = f"{values['pairs']:,} pairs"
    if names.get("data"):
        data += f" of {names['data']}"
    notes = [f"Measured on {data}, {values['how']}."]
    if "majority" in measures:
        share = _write_measure("accuracy", measures["majority"])
        notes.append(f"Always predicting the most frequent class would give {share}.")
    if "groups" in measures:
        notes.append(f"{measures['groups']:,} groups have a right candidate.")
    methods = sorted({interval["method"] for interval in intervals.values()})
    if methods:
        notes.append(f"The small ranges are intervals of 95 %, {'; '.join(methods)}.")
    return _section("Summary", element("div", *cards, class_="rk-cards"), *(element("p", note) for note in notes))


def _write_model(model: Values, names: Values) -> Markup:
    rows = [("predicts", TASKS.get(str(model["task"]), str(model["task"])))]
    if model.get("classes"):
        rows.append(("classes", ", ".join(map(str, model["classes"]))))
    if model.get("threshold") is not None:
        rows.append(("threshold", f"{model['classes'][-1]} above the probability {model['threshold']:.3f}"))
    rows += [(name, str(names[name])) for name in ("kernel in words", "tokens") if names.get(name)]
    rows += [("kernel", str(model["kernel"])), ("C", f"{model['C']:g}"), ("solver", str(model["solver"]))]
    if model.get("training_pairs"):
        rows.append(("training pairs", f"{model['training_pairs']:,}"))
    cells = [
        element("tr", element("th", name), element("td", element("bdi", text), class_="rk-left")) for name, text in rows
    ]
    return _section("The model", element("table", element("tbody", *cells), class_="rk-about"))


def _write_choice(choice: Values | None) -> Markup | None:
    if choice is None:
        return None
    names = ("kernel", "C", str(choice["measure"]), "±", "folds", "seconds", "outcome")
    rows = [
        [
            str(trial["kernel"]),
            f"{trial['C']:g}",
            "" if trial["score"] is None else f"{trial['score']:.4f}",
            "" if trial["error"] is None else f"{trial['error']:.4f}",
            str(trial["folds"]),
            f"{trial['seconds']:.1f}",
            str(trial["outcome"]),
        ]
        for trial in choice["trials"]
    ]
    note = f"By cross-validation in {choice['folds']} folds on {choice['pairs']:,} training pairs."
    return _section("How the kernel was chosen", element("p", note), _write_table(names, rows, numbers=range(1, 6)))


def _write_table(
    names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = (), style: str = ""
) -> Markup:
    """Return a table that can be sorted; ``numbers`` are the columns of numbers."""
    head = [element("th", name, class_="rk-value" if place in numbers else None) for place, name in enumerate(names)]
    body = [
        element(
            "tr",
            *(
                element("td", element("bdi", cell), class_="rk-value" if place in numbers else None)
                for place, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    table = element("thead", element("tr", *head)), element("tbody", *body)
    return element("table", *table, class_=f"rk-sorted {style}".strip())


def _write_classes(values: Values) -> Markup | None:
    classes = values["measures"].get("classes")
    if not classes:
        return None
    rows = [
        [name, f"{row['precision']:.3f}", f"{row['recall']:.3f}", f"{row['f1']:.3f}", f"{row['pairs']:,}"]
        for name, row in classes.items()
    ]
    table = _write_table(("class", "precision", "recall", "F1", "pairs"), rows, numbers=range(1, 5))
    matrix = write_confusion(list(classes), values["measures"]["confusion"])
    return _section("Classes", table, element("h4", "Confusion matrix"), matrix)


def _write_plots(values: Values) -> Markup | None:
    curves = values["curves"]
    plots = []
    if curves.get("roc"):
        positive = str(values["model"]["classes"][-1])
        share = values["measures"]["classes"][positive]["pairs"] / values["pairs"]
        diagonal = ((0.0, 0.0), (1.0, 1.0))
        plots.append(Plot(f"ROC of {positive}", "false positives", "true positives", curves["roc"], guide=diagonal))
        points = curves["precision_recall"]
        guide = ((0.0, share), (1.0, share))
        plots.append(Plot("Precision and recall", "recall", "precision", points, guide=guide))
        if curves.get("calibration"):
            points = [(mean, found) for mean, found, _ in curves["calibration"]]
            names = (f"probability of {positive}", f"share of {positive}")
            plots.append(Plot("Calibration", *names, points, has_dots=True, guide=diagonal))
    if curves.get("predictions"):
        points = curves["predictions"]
        ends = [value for point in points for value in point]
        low, high = min(ends), max(ends)
        both = ((low, high), (low, high))
        guide = ((low, low), (high, high))
        plots.append(Plot("Predictions", "label", "prediction", points, *both, False, True, guide))
    if curves.get("learning") and curves["learning"]["points"]:
        points = curves["learning"]["points"]
        scores = [score for _, score in points]
        room = max(max(scores) - min(scores), 0.02) * 0.2
        ranges = ((points[0][0], points[-1][0]), (min(scores) - room, max(scores) + room))
        name = curves["learning"]["measure"]
        plots.append(Plot("Learning curve", "training pairs", name, points, *ranges, True, True, None, True))
    if not plots:
        return None
    return _section("Curves", element("div", *(draw_xy_plot(plot) for plot in plots), class_="rk-panels"))


def _write_slices(values: Values) -> Markup | None:
    measure, rows = values["slices"]["measure"], values["slices"]["rows"]
    if not rows:
        return None
    name = "accuracy" if measure == "accuracy" else ""
    is_better_low = measure == "mean error"
    ordered = sorted(rows, key=lambda row: -row["value"] if is_better_low else row["value"])
    cells = [
        [
            str(row["by"]),
            str(row["name"]),
            f"{row['pairs']:,}",
            _write_measure(name, row["value"]),
            f"{_write_measure(name, row['low'])} to {_write_measure(name, row['high'])}",
        ]
        for row in ordered
    ]
    note = f"The slices with the worst {measure} are first. A slice whose interval is wide is small."
    unit = "groups" if measure == MEASURES["map"] else "pairs"
    table = _write_table(("by", "from … to", unit, measure, "95 %"), cells, numbers=(2, 3, 4))
    return _section("Where it does badly", element("p", note), table)


def _write_rules(label: str, rules: Values, values: Values) -> Markup:
    classes = values["model"].get("classes")
    of = label or (str(classes[-1]) if classes else "")
    numbers = {"for": "Rules that raise the number", "against": "Rules that lower the number"}
    titles = {"for": f"Rules for {of}", "against": f"Rules against {of}"} if of else numbers
    content = write_both_sides(rules, titles)
    curves = [curve for curve in rules.get("scores", ()) if curve["spread"] > 0]
    if curves:
        content += [element("h4", "Scores that move decisions most"), write_curves(curves)]
    return _section(f"The strongest rules and scores{f' of {label}' if label else ''}", *content)


def _write_mistakes(values: Values, mistakes: Sequence[str]) -> Markup | None:
    if not mistakes:
        return None
    drawn = []
    for place, (row, drawing) in enumerate(zip(values["mistakes"], mistakes)):
        label, guess = (_write_cell(row[name]) for name in ("label", "prediction"))
        title = f"Row {row['row']}: is {label}, predicted {guess}"
        summary = element("summary", element("bdi", title))
        opened = "" if place < 3 else None
        drawn.append(element("details", summary, Markup(drawing), open=opened))
    note = f"The {len(mistakes):,} worst of {values['n_mistakes']:,}, the largest errors first."
    return element("section", element("h2", "The worst mistakes"), element("p", note), *drawn, class_="rk-mistakes")


def _write_cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _write_rows(rows: Sequence[Values], values: Values) -> Markup | None:
    if not rows:
        return None
    is_single = not any(row["target"] for row in rows)
    has_chances = any(row["probability"] is not None for row in rows)
    names = ["row", "text" if is_single else "source", *([] if is_single else ["target"]), "label", "prediction"]
    names += ["probability"] if has_chances else []
    head = element("tr", *(element("th", name) for name in [*names, "error"]))
    body = []
    for row in rows:
        # Written without `element`, as there are thousands of them.
        cells = [
            str(row["row"]),
            *(escape(shorten(row[side], LONGEST_TEXT)) for side in ("source", "target")[: 1 if is_single else 2]),
        ]
        cells += [escape(_write_cell(row["label"])), escape(_write_cell(row["prediction"]))]
        if has_chances:
            cells.append("" if row["probability"] is None else f"{row['probability']:.3f}")
        cells.append(f"{row['error']:.3f}" if row["error"] else "")
        body.append(Markup(f"<tr><td>{'<td>'.join(cells)}"))
    find = Markup('<input type="search" id="find" placeholder="words of a pair" aria-label="search the pairs">')
    note = f"{len(rows):,} of {values['pairs']:,} pairs. Click on a heading to sort."
    search = element("p", find, Markup(" "), element("span", note, id="found"))
    print_note = None
    if len(rows) > PRINTED_ROWS:
        print_note = element("p", f"Printed: the first {PRINTED_ROWS} rows of the table.", class_="rk-print")
    table = element("table", element("thead", head), element("tbody", *body), class_="rk-sorted rk-rows", id="rows")
    return element("section", element("h2", "All pairs"), search, print_note, table, class_="rk rk-section rk-all")
