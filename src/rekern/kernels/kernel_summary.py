"""A kernel in one line of text."""

from __future__ import annotations

from inspect import signature

import numpy as np
from sklearn.base import BaseEstimator

MOST_SHOWN = 12  # values of a parameter


def summarize_kernel(value: object) -> str:
    """Return a kernel in one line, with the parameters that differ from the defaults.

    Word vectors and other large parameters are shown by their type.

    >>> from rekern.kernels import SmoothedPartialTree, SoftPairing
    >>> summarize_kernel(SoftPairing(SmoothedPartialTree(mu=0.2, similarity={"dog": [1.0, 0.0]})))
    'SoftPairing(kernel=SmoothedPartialTree(mu=0.2, similarity=dict))'
    >>> summarize_kernel([("car", "auto")] * 1000)
    'list of 1,000'
    """
    if isinstance(value, BaseEstimator):
        known = signature(type(value)).parameters
        changed = [
            f"{name}={summarize_kernel(part)}"
            for name, part in value.get_params(deep=False).items()
            if type(part) is not type(known[name].default) or part != known[name].default
        ]
        return f"{type(value).__name__}({', '.join(changed)})"
    if isinstance(value, tuple | list) and len(value) > MOST_SHOWN:  # such as the word pairs of a thesaurus
        return f"{type(value).__name__} of {len(value):,}"
    if isinstance(value, tuple | list):  # (1, 4) is a range of window sizes, [1, 4] are two of them
        inside = ", ".join(map(summarize_kernel, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if value is None or isinstance(value, bool | int | float | str) else type(value).__name__
