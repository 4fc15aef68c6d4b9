"""What a word space must have, so that kernels and scores can ask it for vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from rekern.core.arrays import Floats


@runtime_checkable
class WordSpace(Protocol):
    """A space of word vectors, such as `WordVectors`, `LatentSemantics` or one of another package.

    To stand in a model file, the class of a space also has ``to_dict()`` and ``from_dict(state)`` and is registered
    (see `rekern.core.registry`).

    >>> from rekern.similarity import WordVectors
    >>> isinstance(WordVectors(["cat"], [[1.0, 0.0]]), WordSpace), isinstance({}, WordSpace)
    (True, False)
    """

    def vectors(self, words: Sequence[str]) -> Floats:
        """A row for each word; zeros for a word without a vector.

        A space that has ``in`` says with it which words have a vector.
        """
        ...
