"""Elements of SVG and HTML as text. Every text and attribute goes through here, and nothing in it stays markup."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from functools import cache

# Signs that change the direction or the order of what follows them, and those that XML forbids.
UNWANTED = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFFFE, 0xFFFF, 0x2028, 0x2029}
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
PLAIN = re.compile(r"[A-Za-z0-9_.,:;#%()/+-]*(?: [A-Za-z0-9_.,:;#%()/+-]+)*")  # is the same when it is escaped


class Markup(str):
    """Text that is markup already, and is not escaped again. A notebook shows it as what it means.

    >>> Markup("<b>x</b>")._repr_html_()
    '<b>x</b>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


Content = str | None


def clean_text(value: object) -> str:
    """Return a value as text on one line, without characters that are invisible, forbidden or turn the text around.

    >>> clean_text("one\\ntwo\\x1b[2J\\u202ethree")
    'one two�[2J�three'
    """
    text = " ".join(str(value).split())
    if text.isprintable():
        return text
    return "".join(_replace_sign(sign) for sign in text)


def _replace_sign(sign: str) -> str:
    if sign.isprintable():
        return sign
    category = unicodedata.category(sign)
    if category in ("Zs", "Zl", "Zp"):
        return " "
    if category == "Cf" and ord(sign) not in UNWANTED:  # joiners, which emoji and some scripts need
        return sign
    return REPLACEMENT


def escape(value: object) -> Markup:
    """Return a value as text that is safe between tags and in attributes.

    >>> escape("<script>alert('a & b')</script>")
    '&lt;script&gt;alert(&#x27;a &amp; b&#x27;)&lt;/script&gt;'
    """
    if isinstance(value, Markup):
        return value
    if type(value) is str and PLAIN.fullmatch(value):
        return Markup(value)
    return Markup(html.escape(clean_text(value), quote=True))


def element(name: str, *content: Content, **attributes: object) -> Markup:
    """Return an element. Content is escaped unless it is `Markup`; attributes that are None are left out.

    An underscore at the end of an attribute's name is dropped, others become hyphens, and numbers are written shortly.

    >>> element("rect", x=1.0, stroke_width=2, class_="bar")
    '<rect x="1" stroke-width="2" class="bar"/>'
    >>> element("b", "a < b")
    '<b>a &lt; b</b>'
    """
    written = "".join(
        [f' {_name_attribute(key)}="{_write_value(value)}"' for key, value in attributes.items() if value is not None]
    )
    inside = "".join([escape(part) for part in content if part is not None])
    is_empty = not content and name not in ("div", "span", "td", "th", "table")
    return Markup(f"<{name}{written}/>" if is_empty else f"<{name}{written}>{inside}</{name}>")


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text, with an ellipsis if it is longer than ``length`` characters.

    >>> shorten("abcdef", 4), shorten("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def join(parts: list[Markup] | list[str], between: str = "") -> Markup:
    """Return several parts as one, each escaped unless it is markup.

    >>> join([element("b", "x"), "<"])
    '<b>x</b>&lt;'
    """
    return Markup(between.join(escape(part) for part in parts))


@cache
def _name_attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _write_value(value: object) -> str:
    if type(value) is str and PLAIN.fullmatch(value):
        return value
    if type(value) is int:
        return str(value)
    return write_number(value) if isinstance(value, float) else escape(value)


def write_number(value: float, digits: int = 1) -> str:
    """Return a number with few digits, for places on a picture; 0 if it is not a finite number.

    >>> write_number(3.14159), write_number(2.0), write_number(float("nan"))
    ('3.1', '2', '0')
    """
    if not math.isfinite(value):
        return "0"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def write_signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign; the minus is the long one.

    >>> write_signed(0.5), write_signed(-1.25, 1)
    ('+0.500', '−1.2')
    """
    return f"{value:+.{digits}f}".replace("-", "−")
