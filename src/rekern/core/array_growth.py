"""Arrays that grow while compiled code fills them."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Compiled functions take arrays and are typed by Numba.

import numpy as np

from rekern.core.compiling import compiled


@compiled
def grow(array, needed):
    """Return the same array with room for at least ``needed`` elements.

    >>> len(grow(np.zeros(4), 3)), len(grow(np.zeros(4), 5))
    (4, 8)
    """
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger
