"""Words for error messages: what a value is, and lists of names of bounded length."""

import re
from collections.abc import Callable, Iterable
from numbers import Real

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tabs and line feeds

MAX_NAMES = 20
MAX_LENGTH = 60
LONGEST_VALUE = 80  # characters of a value in a message


def name_value(value: object) -> str:
    """Say in words what a value is.

    >>> name_value(None), name_value(float("nan")), name_value(3), name_value(b"x"), name_value({})
    ('None', 'NaN', 'the number 3', 'bytes', 'a dict')
    """
    if value is None:
        return "None"
    kind = type(value).__name__
    if kind in ("bool", "bool_"):
        return f"the truth value {value}"
    if isinstance(value, Real):
        return "NaN" if value != value else f"the number {show_value(value, str)}"
    if kind == "ndarray":  # of NumPy, which is not imported here
        return f"an array with {getattr(value, 'ndim', 0)} dimensions"
    if kind in ("NAType", "NaTType"):  # of pandas
        return "missing"
    return kind if kind == "bytes" else f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def list_names(names: Iterable[object]) -> str:
    """List names, such as those of columns, on one line of bounded length.

    >>> list_names(["id", "text"]), list_names([])
    ('id, text', 'none')
    """
    texts = [str(name) for name in names]
    shown = [text if text.isprintable() and text else repr(text) for text in texts[:MAX_NAMES]]
    shown = [text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "..." for text in shown]
    more = f" and {len(texts) - MAX_NAMES} more" if len(texts) > MAX_NAMES else ""
    return ", ".join(shown) + more or "none"


def show_controls(text: str) -> str:
    """Return a text in which control characters are written as escapes, so that they cannot control a terminal.

    >>> show_controls("a\\x1b[2Jb\\tc\\n")
    'a\\\\x1b[2Jb\\tc\\n'
    """
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def shorten_text(text: str, length: int = 100) -> str:
    """Return a text on one line, and cut where it is longer than ``length`` characters.

    >>> shorten_text("Two\\nlines"), shorten_text("a long text", 6)
    ('Two lines', 'a lon…')
    """
    line = " ".join(text[: 4 * length].split())
    line = "".join(character if character.isprintable() else " " for character in line)
    return line if len(line) <= length and len(text) <= 4 * length else line[: length - 1] + "…"


def show_value(value: object, write: Callable[[object], str] = repr) -> str:
    """Return a value as a message shows it, on one short line.

    >>> show_value("a" * 100)[-3:], show_value(10**5000)
    ('aa…', 'a number with very many digits')
    """
    try:
        return shorten_text(write(value), LONGEST_VALUE)
    except ValueError:  # Python refuses to write very large whole numbers
        return "a number with very many digits"
