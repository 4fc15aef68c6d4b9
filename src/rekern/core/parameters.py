"""Checks of parameters. Every error is an InputError with one line such as ``name=value: give …``."""

import math
from typing import TypeGuard

import numpy as np

from rekern.core.messages import show_value
from rekern.errors import InputError

WindowSizes = int | tuple[int, int] | list[int | tuple[int, int]]

LONGEST_WINDOW = 32
MOST_PATTERNS = 1 << 16


def check_whole(name: str, value: object, least: int, most: int | None = None, shown: str | None = None) -> int:
    """Return a value as int if it is a whole number from ``least`` to ``most``; else raise an InputError.

    ``shown`` replaces ``most`` in the message.

    >>> check_whole("m", 3, 0, 2, "k=2")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: m=3: give a whole number from 0 to k=2
    >>> check_whole("beam", 0, 1)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: beam=0: give a whole number of at least 1
    """
    if not is_whole(value) or not least <= value or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most if shown is None else shown}"
        raise InputError(f"{name}={show_value(value)}: give a whole number {limits}")
    return int(value)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Return a value if it is one of these choices; else raise an InputError.

    >>> check_choice("gaps", "all", ("skipped", "span"))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: gaps='all': give 'skipped' or 'span'
    """
    if not isinstance(value, str) or value not in choices:
        words = [repr(choice) for choice in choices]
        raise InputError(f"{name}={show_value(value)}: give {', '.join(words[:-1])} or {words[-1]}")
    return value


def check_size(name: str, value: object) -> int:
    """Return a value as int if it is a window size; else raise an InputError.

    >>> check_size("k", 0)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: k=0: give a whole number from 1 to 32
    """
    return check_whole(name, value, 1, LONGEST_WINDOW)


def check_patterns(size: int, wildcards: int) -> None:
    """Raise an InputError if a window with free wildcards has too many patterns.

    There is a pattern for every choice of positions of up to ``wildcards`` wildcards in a window of this size.

    >>> check_patterns(20, 20)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a window of 20 with up to 20 free wildcards has 1,048,576 patterns; give ...
    """
    count = sum(math.comb(size, chosen) for chosen in range(wildcards + 1))
    if count > MOST_PATTERNS:
        raise InputError(
            f"a window of {size} with up to {wildcards} free wildcards has {count:,} patterns; "
            f"give a smaller one ({MOST_PATTERNS:,} at most)"
        )


def check_decay(decay: object) -> float:
    """Return a decay as float if it is a number above 0 and at most 1; else raise an InputError.

    >>> check_decay(1)
    1.0
    """
    if not is_number(decay) or not 0 < decay <= 1:
        raise InputError(f"decay={show_value(decay)}: give a number above 0 and at most 1")
    return float(decay)


def check_positive(name: str, value: object) -> float:
    """Return a value as float if it is a finite number above 0; else raise an InputError.

    >>> check_positive("mu", float("nan"))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: mu=nan: give a finite number above 0
    """
    try:
        number = float(value) if is_number(value) else math.nan
    except OverflowError:  # a whole number with hundreds of digits
        number = math.inf
    if not 0 < number < math.inf:
        raise InputError(f"{name}={show_value(value)}: give a finite number above 0")
    return number


def check_most(name: str, value: object) -> int | None:
    """Return a limit on the number of results as int, or None for no limit; else raise an InputError.

    >>> check_most("n", -1)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: n=-1: give a whole number from 0, or None for all
    """
    if value is None:
        return None
    if not is_whole(value) or value < 0:
        raise InputError(f"{name}={show_value(value)}: give a whole number from 0, or None for all")
    return int(value)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number of Python or NumPy, and not a truth value.

    >>> is_whole(np.int32(5)), is_whole(True), is_whole(5.0)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a real number of Python or NumPy, and not a truth value.

    >>> is_number(np.float32(0.5)), is_number(True), is_number("0.5"), is_number(0.5j)
    (True, False, False, False)
    """
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def list_windows(k: object) -> list[tuple[int, int]]:
    """Return the window sizes that ``k`` stands for, as pairs of the sizes for the source and the target.

    >>> list_windows(3), list_windows((1, 3)), list_windows([(3, 5), 4])
    ([(3, 3)], [(1, 1), (2, 2), (3, 3)], [(3, 5), (4, 4)])
    """
    wrong = InputError(
        f"k={show_value(k)}: give a number, a range such as (1, 4), or a list of window pairs such as "
        f"[(3, 5), (4, 4)], with sizes from 1 to {LONGEST_WINDOW}"
    )
    if isinstance(k, tuple):
        windows = [(k[0], k[0]), (k[1], k[1])] if len(k) == 2 else []
    elif isinstance(k, list):
        windows = [tuple(item) if isinstance(item, list | tuple) else (item, item) for item in k]
    else:
        windows = [(k, k)]
    if not windows or any(len(window) != 2 for window in windows):
        raise wrong
    try:
        windows = [(check_size("k", source), check_size("k", target)) for source, target in windows]
    except InputError:
        raise wrong from None
    if isinstance(k, tuple):
        if windows[0] > windows[1]:
            raise wrong
        return [(size, size) for size in range(windows[0][0], windows[1][0] + 1)]
    if len(set(windows)) < len(windows):
        raise InputError(f"k={show_value(k)}: give each window size once")
    return windows


def read_windows(text: str) -> WindowSizes:
    """Return window sizes that are written as text: one size, a range, or a list of sizes.

    >>> read_windows("4"), read_windows("1-4"), read_windows("3x5,4x4"), read_windows("2,4")
    (4, (1, 4), [(3, 5), (4, 4)], [2, 4])
    >>> read_windows("4-1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: '4-1' is no list of window sizes: write 4, or 1-4, or 3x5,4x4, ...
    """
    sizes: WindowSizes
    try:
        if "-" in text:
            first, last = map(int, text.split("-"))
            sizes = (first, last)
        elif "," in text or "x" in text:
            sizes = [_read_window(part) for part in text.split(",")]
        else:
            sizes = int(text)
        list_windows(sizes)
    except ValueError:
        form = f"4, or 1-4, or 3x5,4x4, with different sizes from 1 to {LONGEST_WINDOW}"
        raise InputError(f"{text!r} is no list of window sizes: write {form}") from None
    return sizes


def _read_window(text: str) -> int | tuple[int, int]:
    if "x" not in text:
        return int(text)
    source, target = text.split("x")
    return int(source), int(target)
