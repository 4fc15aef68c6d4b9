"""Scores from kernels on single texts: the value K(source, target) of each pair."""

from collections.abc import Sequence

import numpy as np

from rekern.core.arrays import Floats
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import take_items
from rekern.structures.representation_columns import WORDS
from rekern.structures.representations import Representations


def name_kernels(kernels: Sequence[Kernel]) -> tuple[str, ...]:
    """Return a name for each kernel, with a number if several kernels are of the same class.

    >>> from rekern.kernels import Spectrum
    >>> name_kernels((Spectrum(1), Spectrum(2), 2 * Spectrum(3)))
    ('Spectrum inside', 'Spectrum inside 2', 'Scaled inside')
    """
    if isinstance(kernels, Kernel):
        raise InputError(f"kernels={kernels!r}: give a tuple of kernels, also for a single one")
    kinds: dict[str, int] = {}
    names = []
    for place, kernel in enumerate(kernels):
        if not isinstance(kernel, Kernel) or any(name.split(".")[0] in ("source", "target") for name in kernel.reads()):
            raise InputError(f"kernels[{place}] is {kernel!r}; give kernels on single texts or trees")
        kind = f"{type(kernel).__name__} inside"
        kinds[kind] = kinds.get(kind, 0) + 1
        names.append(kind if kinds[kind] == 1 else f"{kind} {kinds[kind]}")
    return tuple(names)


def compare_sides(kernels: Sequence[Kernel], X: object) -> Floats:
    """Return K(source, target) of every pair, in a column for each kernel; equal pairs are compared only once."""
    table = Representations.from_items(X)
    columns = []
    for kernel in kernels:
        texts, sources, targets = table.texts(sorted(kernel.reads()))
        pairs, numbers = np.unique(np.column_stack([sources, targets]), axis=0, return_inverse=True)
        items = texts[WORDS] if texts.columns == [WORDS] else texts
        left, right = (take_items(items, pairs[:, side]) for side in range(2))
        columns.append(kernel.paired(left, right)[numbers.ravel()])
    return np.column_stack(columns) if columns else np.empty((len(table), 0))
