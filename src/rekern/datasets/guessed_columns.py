"""A guess, for a message only, which columns of a table with unknown names are the two texts and the label."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

LOOKED_AT = 200  # rows
FEWEST_WORDS = 2.5  # on average, in a column of texts
MOST_LABELS = 10


def guess_options(names: Sequence[object], column: Callable[[int], Sequence[object]], missing: Sequence[str]) -> str:
    """Return options to copy, such as ``--source asked --target meant``, or nothing if the values do not tell.

    Texts have several words. A table must have two columns of texts. A label has few values that recur;
    it is left out if there are several such columns.

    >>> texts = ["who is it", "why not me"] * 2
    >>> columns = [["1", "2", "3", "4"], texts, texts, ["yes", "no"] * 2]
    >>> guess_options(["id", "asked", "meant", "same?"], columns.__getitem__, ["source", "target", "label"])
    "--source asked --target meant --label 'same?'"
    """
    if missing[:2] != ["source", "target"] or not all(isinstance(name, str) and name.isprintable() for name in names):
        return ""
    if "" in names or len(set(names)) < len(names):  # no option can name them
        return ""
    shown = [
        [value for value in column(place)[:LOOKED_AT] if isinstance(value, str | int) and value != ""]
        for place in range(len(names))
    ]
    texts = [place for place, values in enumerate(shown) if _are_texts(values)]
    if len(texts) != 2:
        return ""
    found = dict(zip(("source", "target"), texts))
    labels = [place for place, values in enumerate(shown) if place not in texts and _are_labels(values)]
    if "label" in missing and len(labels) == 1:
        found["label"] = labels[0]
    return " ".join(f"--{role} {shlex.quote(str(names[place]))}" for role, place in found.items())


def _are_texts(values: Sequence[object]) -> bool:
    if not values or not all(isinstance(value, str) for value in values):
        return False
    return sum(len(str(value).split()) for value in values) / len(values) >= FEWEST_WORDS


def _are_labels(values: Sequence[object]) -> bool:
    kinds = {str(value).strip() for value in values}
    return 2 <= len(kinds) <= min(MOST_LABELS, len(values) // 2)
