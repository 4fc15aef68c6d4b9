"""The columns that a model was trained on, as defaults for the tables that it is used on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rekern.structures.data_frames import SIDES

LONGEST_NAME = 1000  # characters of a name that a model file may have
ROLES = (*SIDES, "text", "label", "group")


class RememberedName(str):
    """The name of a column of the training table. A table that lacks it is read as if nobody had named a column.

    >>> RememberedName("Customer asks")
    'Customer asks'
    """

    __slots__ = ()


def remember_columns(roles: Mapping[str, str]) -> dict[str, str] | None:
    """Return the columns that a model keeps: those with these roles, or None if all have their usual names.

    >>> remember_columns({"source": "asked", "target": "meant", "label": "label"})
    {'source': 'asked', 'target': 'meant', 'label': 'label'}
    >>> remember_columns({"source": "source", "target": "target"}) is None
    True
    """
    is_usual = all(role == name for role, name in roles.items())
    return None if is_usual or not all(map(_can_keep, roles.values())) else dict(roles)


def recall_columns(
    names: Sequence[object], roles: Mapping[str, str | int | None], text: str | int | None
) -> tuple[dict[str, str | int | None], str | int | None]:
    """Return the columns of a table with these ``names``: remembered ones that it lacks have their usual names.

    The two sides are remembered together.

    >>> roles = {"source": RememberedName("asked"), "target": RememberedName("meant"), "label": None, "group": None}
    >>> recall_columns(["id", "asked", "meant"], roles, None)[0]["source"]
    'asked'
    >>> recall_columns(["id", "asked", "target"], roles, None)[0]["source"]
    'source'
    """

    def lacks(name: object) -> bool:
        return isinstance(name, RememberedName) and name not in names

    used = dict(roles)
    lost = any(lacks(roles.get(side)) for side in SIDES)
    for role, name in roles.items():
        if isinstance(name, RememberedName) and (lost if role in SIDES else lacks(name)):
            used[role] = None if role == "group" else role
    return used, None if lacks(text) else text


def _can_keep(name: str) -> bool:
    """Whether a model file can have a name."""
    return len(name) <= LONGEST_NAME and not any("\ud800" <= character <= "\udfff" for character in name)
