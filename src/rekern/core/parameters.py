"""Checks of the kernels' parameters, each with one line that says what to give instead."""

import math
from typing import Any

import numpy as np

LONGEST_WINDOW = 32
MOST_PATTERNS = 1 << 16


def check_size(name: str, value: Any) -> int:
    """A window size.

    >>> check_size("k", 0)
    Traceback (most recent call last):
    ...
    ValueError: k=0: give a whole number from 1 to 32
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= LONGEST_WINDOW:
        raise ValueError(f"{name}={value!r}: give a whole number from 1 to {LONGEST_WINDOW}")
    return int(value)


def check_patterns(size: int, wildcards: int) -> None:
    """Free wildcards make a pattern of every choice of places for them: that many, a window may not have.

    >>> check_patterns(20, 20)
    Traceback (most recent call last):
    ...
    ValueError: a window of 20 with up to 20 free wildcards has 1,048,576 patterns; give a smaller one (65,536 at most)
    """
    count = sum(math.comb(size, chosen) for chosen in range(wildcards + 1))
    if count > MOST_PATTERNS:
        raise ValueError(
            f"a window of {size} with up to {wildcards} free wildcards has {count:,} patterns; "
            f"give a smaller one ({MOST_PATTERNS:,} at most)"
        )


def check_decay(decay: Any) -> float:
    """A decay above 0 and at most 1.

    >>> check_decay(1)
    1.0
    """
    if not is_number(decay) or not 0 < decay <= 1:
        raise ValueError(f"decay={decay!r}: give a number above 0 and at most 1")
    return float(decay)


def check_positive(name: str, value: Any) -> float:
    """A finite number above 0.

    >>> check_positive("mu", float("nan"))
    Traceback (most recent call last):
    ...
    ValueError: mu=nan: give a finite number above 0
    """
    try:
        number = float(value) if is_number(value) else math.nan
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if not 0 < number < math.inf:
        raise ValueError(f"{name}={value!r}: give a finite number above 0")
    return number


def check_most(name: str, value: Any) -> int | None:
    """How many things to list at most, or None for all.

    >>> check_most("n", -1)
    Traceback (most recent call last):
    ...
    ValueError: n=-1: give a whole number from 0, or None for all
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0):
        raise ValueError(f"{name}={value!r}: give a whole number from 0, or None for all")
    return None if value is None else int(value)


def is_number(value: Any) -> bool:
    """Whether this is a real number of Python or NumPy, a truth value aside.

    >>> is_number(np.float32(0.5)), is_number(True), is_number("0.5"), is_number(0.5j)
    (True, False, False, False)
    """
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def windows_of(k: Any) -> list[tuple[int, int]]:
    """The window sizes on the two sides of a pair that ``k`` stands for.

    >>> windows_of(3), windows_of((1, 3)), windows_of([(3, 5), 4])
    ([(3, 3)], [(1, 1), (2, 2), (3, 3)], [(3, 5), (4, 4)])
    """
    wrong = ValueError(
        f"k={k!r}: give a number, a range such as (1, 4), or a list of window pairs such as [(3, 5), (4, 4)], "
        f"with sizes from 1 to {LONGEST_WINDOW}"
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
    except ValueError:
        raise wrong from None
    if isinstance(k, tuple):
        if windows[0] > windows[1]:
            raise wrong
        return [(size, size) for size in range(windows[0][0], windows[1][0] + 1)]
    if len(set(windows)) < len(windows):
        raise ValueError(f"k={k!r}: a window size stands there twice")
    return windows
