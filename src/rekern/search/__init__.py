"""Pairs in a corpus: duplicates within it, and the best texts for queries."""

from typing import TYPE_CHECKING

from rekern.core.lazy_names import load_lazily

if TYPE_CHECKING:
    from rekern.search.matches import Match, Matches
    from rekern.search.pair_finder import PairFinder

__all__ = ["Match", "Matches", "PairFinder"]

__getattr__, __dir__ = load_lazily(__name__, {"Match": "matches", "Matches": "matches", "PairFinder": "pair_finder"})
