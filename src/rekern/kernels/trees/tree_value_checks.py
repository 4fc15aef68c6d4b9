"""Values of tree kernels that are out of the range of numbers, and the factors that normalise them."""

import numpy as np

from rekern.core.arrays import Floats
from rekern.kernels.gram_plan import check_finite, invert_roots

SMALLER_DECAY = "use a smaller decay (or mu)"
SMALLEST = 1e-290  # square that can be normalised: the product of two 1/√square is still a number


def find_scales(squares: Floats, first: int = 0) -> Floats:
    """Return the factors by which rows and columns are normalised: 1/√K(x, x), 0 where K(x, x) = 0.

    The first square is that of row ``first``.

    >>> find_scales(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    tiny = (squares > 0) & (squares < SMALLEST)
    if tiny.any():
        row = first + int(np.argmax(tiny))
        raise ValueError(f"row {row}: a kernel value is too small to be normalised; use a larger decay (or mu)")
    return invert_roots(squares)


def check_range(values: Floats, first: int = 0) -> Floats:
    """Return the values, after checking that all are finite; the first value belongs to row ``first``.

    >>> check_range(np.array([1.0, np.inf]))
    Traceback (most recent call last):
    ...
    ValueError: row 1: a kernel value exceeds the range of numbers; use a smaller decay (or mu)
    """
    return check_finite(values, first, SMALLER_DECAY)
