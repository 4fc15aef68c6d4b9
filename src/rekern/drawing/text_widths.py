"""How wide a text is, roughly: the widths of Helvetica and Arial, without a font file."""

from __future__ import annotations

import unicodedata

# Thousandths of the size of the letters, from the blank to the tilde.
WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 "
    "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
    "278 556 500 722 500 500 500 334 260 334 584"
)
ASCII = {chr(32 + place): int(width) / 1000 for place, width in enumerate(WIDTHS.split())}
OTHER = 0.58


def measure_text(text: str, size: float = 16.0) -> float:
    """Return the width of a text in letters of a size.

    >>> measure_text("wide", 10) > measure_text("lilt", 10)
    True
    >>> measure_text("漢字", 10)
    20.0
    """
    return size * sum(ASCII.get(sign) or _measure_sign(sign) for sign in text)


def _measure_sign(sign: str) -> float:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Cf", "Mn", "Me"):
        return 0.0
    if unicodedata.east_asian_width(sign) in ("W", "F"):
        return 1.0
    base = unicodedata.normalize("NFD", sign)[0]
    return ASCII.get(base, OTHER)


def cut_text(text: str, width: float, size: float = 16.0) -> str:
    """Return a text that fits into a width, with an ellipsis where it was cut.

    >>> cut_text("a long sentence", 60, 10)
    'a long sent…'
    """
    if measure_text(text, size) <= width:
        return text
    room, kept = width - size, 0
    for sign in text:
        room -= measure_text(sign, size)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def wrap_text(text: str, width: float, size: float = 16.0) -> list[str]:
    """Return the lines of a text that fit into a width; a longer word is cut into pieces.

    >>> wrap_text("one two three", 45, 10)
    ['one two', 'three']
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and measure_text(f"{line} {word}", size) > width:
            lines.append(line)
            line = ""
        while measure_text(word, size) > width and len(word) > 1:
            head = cut_text(word, width, size)[:-1] or word[0]
            lines.append(head)
            word = word[len(head) :]
        line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines


def is_right_to_left(text: str) -> bool:
    """Return whether a text is read from right to left: whether its first letter is.

    >>> is_right_to_left("שלום world"), is_right_to_left("hello")
    (True, False)
    """
    for sign in text:
        direction = unicodedata.bidirectional(sign)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
