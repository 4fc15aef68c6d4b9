"""`PatternSettings`: which patterns a classifier of questions extracts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import ClassVar

import numpy as np

from rekern.core.json_values import JsonObject
from rekern.core.messages import show_value
from rekern.core.parameter_tables import check_parameters, state_parameters
from rekern.core.state_schema import Flag, Record, Whole
from rekern.errors import InputError


@dataclass(frozen=True)
class PatternSettings:
    """Which patterns are extracted from the training questions.

    Strict patterns have ``shortest`` to ``longest`` words, and the ``top`` most informative ones are kept.
    ``keywords`` is the number of content words that they may contain besides function words; ``shapes`` adds patterns
    over the spelling of words. Strict patterns and n-grams must occur in ``min_count`` questions.

    Soft patterns and n-grams are about n-grams of ``orders`` content words, reduced to stems with ``stems``; with
    ``idf`` rare n-grams weigh more. A question joins a cluster if their cosine exceeds ``near``, and matches it if the
    cosine exceeds ``floor``.

    >>> PatternSettings(top=500, shapes=False).top
    500
    """

    parameter_table: ClassVar[Record] = state_parameters(
        shortest=Whole(1),
        longest=Whole(1),
        top=Whole(0),
        min_count=Whole(1),
        keywords=Whole(0),
        shapes=Flag(),
        orders=None,
        stems=Flag(),
        idf=Flag(),
        near=None,
        floor=None,
    )

    shortest: int = 1
    longest: int = 4
    top: int = 3000
    min_count: int = 2
    keywords: int = 1000
    shapes: bool = True
    orders: Sequence[int] = (1, 2)
    stems: bool = True
    idf: bool = False
    near: float = 0.4
    floor: float = 0.02

    def get_params(self, deep: bool = True) -> JsonObject:
        """Return the settings by name, as scikit-learn's ``get_params`` does.

        >>> PatternSettings().get_params()["longest"]
        4
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def check(self) -> None:
        """Raise an `InputError` if a setting is impossible.

        >>> PatternSettings(longest=0).check()
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: longest=0: give a whole number of at least 1
        """
        check_parameters(self)
        if self.shortest > self.longest:
            raise InputError(f"shortest={self.shortest} exceeds longest={self.longest}")
        try:
            orders = list(self.orders)
        except TypeError:
            orders = []
        whole = [isinstance(order, int | np.integer) and not isinstance(order, bool) for order in orders]
        if not orders or not all(whole) or min(orders) < 1:
            raise InputError(f"orders={show_value(self.orders)}: give lengths of n-grams, such as (1, 2)")
        check_share("near", self.near)
        check_share("floor", self.floor)


PATTERN_SETTINGS = frozenset(field.name for field in fields(PatternSettings))


def check_share(name: str, value: object, limit: float = 1.0) -> None:
    """Raise an `InputError` if a parameter is not a number from 0 to ``limit``.

    >>> check_share("share", 2.0)
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: share=2.0: give a number from 0 to 1
    """
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else -1.0
    except OverflowError:  # a whole number with hundreds of digits
        number = np.inf
    if not 0 <= number <= limit or number == np.inf:
        raise InputError(
            f"{name}={show_value(value)}: give a number from 0" + (f" to {limit:g}" if limit < np.inf else "")
        )
