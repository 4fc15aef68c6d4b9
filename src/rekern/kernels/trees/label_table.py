"""The similarities of labels as a table that compiled cores take."""

from __future__ import annotations

from typing import NamedTuple

from rekern.core.arrays import Floats, Ints, SmallInts


class LabelTable(NamedTuple):
    """The similarities of the labels of a vocabulary, by number.

    Labels fall into classes, and labels of different classes have similarity 0: values are stored inside a class only.
    """

    class_of: SmallInts  # the class of every label
    classes: int
    smooth: Ints  # where the row of a label begins in ``values``, -1 for a label that is similar to itself alone
    ranks: SmallInts  # the place of a label in such rows
    values: Floats

    def find_similarity(self, label: int, other: int) -> float:
        """Return the similarity of two labels, by number."""
        if self.class_of[label] != self.class_of[other]:
            return 0.0
        return 1.0 if self.smooth[label] < 0 else float(self.values[self.smooth[label] + self.ranks[other]])
