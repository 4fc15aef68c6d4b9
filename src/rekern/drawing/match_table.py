"""Pairs that were found in a corpus, as a table in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rekern.drawing.markup import Markup, element
from rekern.drawing.page import frame_figure

SHOWN_MATCHES = 20


def draw_matches(columns: Mapping[str, Sequence[object]], n: int = SHOWN_MATCHES, *, style: bool = True) -> Markup:
    """Return the first ``n`` matches, as ``to_columns`` of `rekern.search.Matches` has them, as a fragment of HTML.

    >>> columns = {"source": ["<a>"], "target": ["b"], "source_row": [0], "target_row": [7], "score": [3.5]}
    >>> "&lt;a&gt;" in draw_matches(columns), "and 1 more" in draw_matches(columns, n=0)
    (True, True)
    """
    classes = [None if name in ("source", "target") else "rk-value" for name in columns]
    head = [element("th", name.replace("_", " "), class_=kind) for name, kind in zip(columns, classes)]
    rows = [
        element("tr", *(element("td", _write_cell(value), class_=kind) for value, kind in zip(values, classes)))
        for values in zip(*(column[:n] for column in columns.values()))
    ]
    rest = len(columns["source"]) - n
    more = element("p", f"and {rest:,} more") if rest > 0 else None
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows), class_="rk-rules")
    return frame_figure(table, more, style=style)


def _write_cell(value: object) -> Markup | str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else element("bdi", str(value))
