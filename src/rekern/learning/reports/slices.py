"""Slices of the tested pairs, by length and by overlap: where a model does worse than on the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.learning.reports.intervals import Z, find_share_interval

WORDS = re.compile(r"\w+")
PARTS = 4  # slices by one property


class Slice(NamedTuple):
    """A part of the tested pairs, its mean measure, and the interval of 95 % of this mean."""

    by: str  # the property
    name: str  # its values, in words
    pairs: int
    value: float
    low: float
    high: float

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return dict(self._asdict())


def list_properties(texts: Sequence[tuple[str, str]], is_single: bool) -> dict[str, Floats]:
    """Return the properties of pairs by which they are sliced.

    >>> {name: values.tolist() for name, values in list_properties([("The cat", "the dog ran")], False).items()}
    {'words': [5.0], 'difference in length': [1.0], 'shared words': [0.25]}
    """
    words = [[WORDS.findall(side.casefold()) for side in pair] for pair in texts]
    lengths = [float(len(source) + len(target)) for source, target in words]
    if is_single:
        return {"words": np.array(lengths)}
    shares = [len(set(one) & set(two)) / max(len(set(one) | set(two)), 1) for one, two in words]
    return {
        "words": np.array(lengths),
        "difference in length": np.array([float(abs(len(one) - len(two))) for one, two in words]),
        "shared words": np.array(shares),
    }


def slice_values(properties: dict[str, Floats], values: Floats, are_shares: bool) -> list[Slice]:
    """Return the means of values in slices of about the same size, by each property.

    ``are_shares`` says that every value is 0 or 1.

    >>> slices = slice_values({"words": np.array([2.0, 3.0, 8.0, 9.0])}, np.array([1.0, 1.0, 0.0, 1.0]), True)
    >>> [(part.name, part.pairs, part.value) for part in slices]
    [('2', 1, 1.0), ('3', 1, 1.0), ('8', 1, 0.0), ('9', 1, 1.0)]
    """
    found = []
    for by, property_values in properties.items():
        edges = np.unique(np.quantile(property_values, np.arange(1, PARTS) / PARTS, method="inverted_cdf"))
        numbers = np.searchsorted(edges, property_values)
        are_whole = bool((property_values == np.round(property_values)).all())
        for number in np.unique(numbers):
            rows = np.flatnonzero(numbers == number)
            low, high = _find_interval(values[rows], are_shares)
            name = _name_range(float(property_values[rows].min()), float(property_values[rows].max()), are_whole)
            found.append(Slice(by, name, len(rows), float(values[rows].mean()), low, high))
    return found


def _find_interval(values: Floats, are_shares: bool) -> tuple[float, float]:
    if are_shares:
        return find_share_interval(int(values.sum()), len(values))
    mean = float(values.mean())
    half = Z * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return mean - half, mean + half


def _name_range(low: float, high: float, are_whole: bool) -> str:
    ends = [f"{end:.0f}" if are_whole else f"{end:.2f}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
