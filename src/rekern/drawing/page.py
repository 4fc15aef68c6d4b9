"""A page of HTML around drawings: one file that loads nothing."""

from __future__ import annotations

from rekern.drawing.markup import Markup, element, escape
from rekern.drawing.stylesheet import PAGE_STYLE, REPORT_STYLE, STYLE

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
