"""A page of HTML, or one SVG, around drawings: a file that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rekern.drawing.markup import Markup, element, escape, write_number
from rekern.drawing.stylesheet import PAGE_STYLE, REPORT_STYLE, STYLE, SVG_STYLE

PAD = 16  # around the shapes of an SVG
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def wrap_page(title: str, body: str, script: str = "") -> str:
    """Return a whole page with a title, the style of drawings, and ``body``, which is markup already.

    A browser that knows content security policies loads nothing for it, and runs no script but ``script``.

    >>> wrap_page("a < b", "<p>text</p>").split("</title>")[0].split("<title>")[1]
    'a &lt; b'
    """
    policy = POLICY + ("; script-src 'unsafe-inline'" if script else "")
    head = [
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'),
        element("title", title),
        element("style", Markup("\n".join((PAGE_STYLE, STYLE, REPORT_STYLE)))),
    ]
    parts = [element("head", *head), element("body", element("main", Markup(body)))]
    if script:
        parts.append(element("script", Markup(script)))
    return "<!DOCTYPE html>\n" + element("html", *parts, lang="en") + "\n"


def frame_svg(title: str, shapes: Sequence[Markup], width: float, height: float) -> str:
    """Return shapes as one SVG with its style, on paper with a margin.

    >>> frame_svg("a", [element("circle", r=3)], 10, 10).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    whole_width, whole_height = write_number(width + 2.0 * PAD), write_number(height + 2.0 * PAD)
    return element(
        "svg",
        element("title", title),
        element("style", Markup(SVG_STYLE)),
        element("rect", class_="rk-paper", width="100%", height="100%", rx=8),
        element("g", *shapes, transform=f"translate({PAD} {PAD})"),
        xmlns="http://www.w3.org/2000/svg",
        class_="rk-svg",
        viewBox=f"0 0 {whole_width} {whole_height}",
        width=whole_width,
        height=whole_height,
        role="img",
    )
