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


def frame_figure(*content: Markup | None, style: bool) -> Markup:
    """Return drawings as a fragment of HTML, with their style or without it.

    >>> frame_figure(element("p", "text"), None, style=False)
    '<figure class="rk"><p>text</p></figure>'
    """
    return element("figure", element("style", Markup(STYLE)) if style else None, *content, class_="rk")


def draw_picture(*shapes: Markup, width: float, height: float, label: str, kind: str = "") -> Markup:
    """Return shapes as a picture in a page; ``label`` says in words what it shows, ``kind`` is a class of its style.

    >>> draw_picture(width=20.0, height=5.0, label="nothing")
    '<svg class="rk-svg" viewBox="0 0 20 5" role="img" aria-label="nothing"/>'
    """
    box = f"0 0 {write_number(width)} {write_number(height)}"
    return element("svg", *shapes, class_=f"rk-svg {kind}".rstrip(), viewBox=box, role="img", aria_label=label)
