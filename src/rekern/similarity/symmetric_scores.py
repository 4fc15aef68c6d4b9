"""Scores that are the same for a pair and its reverse: the lower and the higher one replace those of the two sides."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats

ONE_SIDED = "window recall"
SIDES = (("precision", "lower share"), ("recall", "higher share"), ("source", "lower"), ("target", "higher"))


def rename_side(name: str) -> str:
    """Return the name of a score in its symmetric form, which does not distinguish the two sides.

    >>> rename_side("idf recall"), rename_side("source length"), rename_side("negation differs")
    ('idf higher share', 'lower length', 'negation differs')
    """
    for side, rank in SIDES:
        if side in name.split(" "):
            return name.replace(side, rank)
    return name


def sort_sides(values: Floats, names: tuple[str, ...]) -> Floats:
    """Replace the score of the source by the lower one of both sides, and that of the target by the higher one."""
    values = values.copy()
    for (one, _), (two, _) in (SIDES[:2], SIDES[2:]):
        for place, name in enumerate(names):
            if one in name.split(" "):
                other = names.index(name.replace(one, two))
                values[:, [place, other]] = np.sort(values[:, [place, other]], axis=1)
    kept = [place for place, name in enumerate(names) if name != ONE_SIDED]
    return values[:, kept] if names else values
