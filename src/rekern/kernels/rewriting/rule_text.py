"""Rules as text: from a pair of token lists to the rules that match it, with the words under each wildcard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Ints, Keys, SmallInts
from rekern.core.hashing import mix_array
from rekern.kernels.rewriting.aligned_rules_core import join_placements, place_pair
from rekern.kernels.rewriting.rule_keys import RuleConstants, find_constants
from rekern.kernels.strings.pattern_placement_core import Placements
from rekern.kernels.strings.pattern_text import PatternText, lay_out_pattern, list_ngrams, list_patterns, quote_token
from rekern.structures.pairs import Pairs

ARROW = " → "
NO_LIMIT = 1 << 40


class Match(NamedTuple):
    """A rule of a pair: its key, its text, and the words of the pair that it lies on, the first time it matches."""

    key: int
    rule: str
    source: str
    target: str
    wildcards: int


class PairWords(NamedTuple):
    """A pair in which rules are found: the words to write, the numbers of the tokens, the keys of the vocabulary."""

    source: Sequence[str]
    target: Sequence[str]
    source_ids: SmallInts
    target_ids: SmallInts
    finger: Keys

    @classmethod
    def from_pair(cls, pairs: Pairs, row: int, shown: tuple[Sequence[str], Sequence[str]] | None = None) -> PairWords:
        """Return a pair of a corpus; ``shown`` are the words to write instead of the tokens of both sides."""
        tokens = pairs.tokens
        first, middle, last = tokens.offsets[2 * row : 2 * row + 3].tolist()
        words = pairs[row] if shown is None else shown
        return cls(*words, tokens.ids[first:middle], tokens.ids[middle:last], tokens.token_keys())


def find_matches(
    pair: PairWords, window: tuple[int, int], wildcards: str, span: int, wanted: Keys | None = None
) -> list[Match]:
    """Return all rules of one window size that match a pair, each once; or those with a wanted key.

    >>> pair = PairWords.from_pair(Pairs.from_items([(["Orwell", "wrote"], ["by", "Orwell"])]), 0)
    >>> for match in find_matches(pair, (2, 2), "aligned", 1):
    ...     print(match.rule)
    Orwell wrote → by Orwell
    ⟨1⟩ wrote → by ⟨1⟩
    """
    if len(pair.source_ids) < window[0] or len(pair.target_ids) < window[1]:
        return []
    constants = find_constants(window, span)
    if wildcards == "free":
        return _combine(*_list_free(pair, window, span, constants), constants, wanted)
    matches = _combine(*_list_plain(pair, window, constants), constants, wanted)
    if wildcards == "aligned":
        matches += _match_aligned(pair, window, span, constants, wanted)
    return matches


Patterns = dict[int, PatternText]


def _list_plain(pair: PairWords, window: tuple[int, int], constants: RuleConstants) -> tuple[Patterns, Patterns]:
    """Return the n-grams of both sides by their keys."""
    return (
        list_ngrams(pair.source, pair.finger, pair.source_ids, constants.source_factors, window[0]),
        list_ngrams(pair.target, pair.finger, pair.target_ids, constants.target_factors, window[1]),
    )


def _list_free(
    pair: PairWords, window: tuple[int, int], span: int, constants: RuleConstants
) -> tuple[Patterns, Patterns]:
    """Return the patterns with free wildcards of both sides by their keys."""
    one, other = (constants.source_factors, window[0]), (constants.target_factors, window[1])
    return (
        list_patterns(pair.source, pair.finger, pair.source_ids, *one, span, window[0]),
        list_patterns(pair.target, pair.finger, pair.target_ids, *other, span, window[1]),
    )


def _combine(lefts: Patterns, rights: Patterns, constants: RuleConstants, wanted: Keys | None) -> list[Match]:
    """Return the rules of every pattern of the source with every pattern of the target."""
    left_keys, right_keys = (np.array(list(side), dtype=np.uint64) for side in (lefts, rights))
    keys = mix_array(left_keys[:, None] + (right_keys + constants.size_key))
    places = np.flatnonzero(_mark_wanted(keys.ravel(), wanted))
    ones, others = list(lefts.values()), [one._replace(text=ARROW + one.text) for one in rights.values()]
    matches = []
    for key, place in zip(keys.ravel()[places].tolist(), places.tolist()):
        (text, words, wildcards), (text2, words2, wildcards2) = ones[place // len(others)], others[place % len(others)]
        matches.append(Match(key, text + text2, words, words2, wildcards + wildcards2))
    return matches


def _match_aligned(
    pair: PairWords, window: tuple[int, int], span: int, constants: RuleConstants, wanted: Keys | None
) -> list[Match]:
    """Return the rules with aligned wildcards."""
    factors = constants.source_factors, constants.target_factors
    placed = place_pair(pair.source_ids, pair.target_ids, pair.finger, window[0], window[1], span, *factors)
    keys, _, count, trace = join_placements(
        placed.left, placed.right, placed.counts, placed.counts2, constants.size_key, constants.pair_keys, 1.0, 0, 1,
        NO_LIMIT, False, True,
    )  # fmt: skip
    keys = keys[:count]
    is_wanted = _mark_wanted(keys, wanted)
    if not is_wanted.any():
        return []
    source = _SideText(pair.source, placed.left, placed.starts, window[0])
    target = _SideText(pair.target, placed.right, placed.starts2, window[1])
    steps, sizes, place = trace.tolist(), placed.left.shapes[:, 2].tolist(), 0
    matches: dict[int, Match] = {}
    for key, is_written in zip(keys.tolist(), is_wanted.tolist()):
        one = steps[place]
        following = place + 2 + sizes[one]
        if is_written and key not in matches:  # a rule is written where it matches first
            aligned = tuple(steps[place + 2 : following])
            text, words = source.write(one, None)
            text2, words2 = target.write(steps[place + 1], aligned)
            matches[key] = Match(key, text + ARROW + text2, words, words2, len(aligned))
        place = following
    return list(matches.values())


def _mark_wanted(keys: Keys, wanted: Keys | None) -> Booleans:
    """Return which keys are wanted; all of them if none are named."""
    if wanted is None or not len(wanted):
        return np.full(len(keys), wanted is None)
    ascending = np.sort(wanted)
    marked: Booleans = ascending[np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)] == keys
    return marked


class _SideText:
    """Writes the placements of patterns on one side of a pair; each is written once."""

    def __init__(self, words: Sequence[str], placements: Placements, starts: Ints, size: int):
        self.words, self.quoted, self.size = words, list(map(quote_token, words)), size
        self.shapes, self.starts = placements.shapes.tolist(), starts.tolist()
        self.elements, self.places = placements.elements.tolist(), placements.starts.tolist()
        self.known: dict[tuple[int, tuple[int, ...] | None], tuple[str, str]] = {}

    def write(self, one: int, aligned: tuple[int, ...] | None) -> tuple[str, str]:
        """Return a placement as text, and the words that it lies on.

        Its wildcards are numbered from left to right, or as the wildcards of the other side that they are aligned with:
        ``aligned`` has the place of the partner of each of those.
        """
        found = self.known.get((one, aligned))
        if found is None:
            found = self.known[one, aligned] = self._lay_out(one, aligned)
        return found

    def _lay_out(self, one: int, aligned: tuple[int, ...] | None) -> tuple[str, str]:
        window, end, count, listed = self.shapes[one]
        start, elements = self.starts[window], self.elements[listed : listed + count]
        numbered = elements if aligned is None else [elements[place] for place in aligned]
        if end - start == self.size:  # every wildcard lies on one token
            text = self.quoted[start:end]
            for number, element in enumerate(numbered, 1):
                text[element] = f"⟨{number}⟩"
            return " ".join(text), " ".join(self.words[start:end])
        signs = {element: f"⟨{number}⟩" for number, element in enumerate(numbered, 1)}
        at = dict(zip(elements, self.places[listed : listed + count]))
        return lay_out_pattern(self.words, start, end, self.size, signs, at)
