"""Rules as text: from a pair of token lists to the rules that match it, with the words under each wildcard."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Ints, Keys, SmallInts
from rekern.core.hashing import mix_array
from rekern.kernels.rewriting.aligned_rules_core import join_placements, place_pair
from rekern.kernels.rewriting.rule_keys import RuleConstants, find_constants
from rekern.kernels.strings.pattern_placement_core import Placements
from rekern.kernels.strings.pattern_text import lay_out_pattern, list_ngrams, list_patterns, quote_token
from rekern.structures.tokens import Tokens

ARROW = " → "
NO_LIMIT = 1 << 40


class Match(NamedTuple):
    """A rule of a pair: its key, its text, and the words of the pair that it lies on, the first time it matches."""

    key: int
    rule: str
    source: str
    target: str
    wildcards: int


class _Side(NamedTuple):
    """One side of a pair: its words, their numbers, and the keys of the vocabulary."""

    words: Sequence[str]
    ids: SmallInts
    finger: Keys


def find_matches(
    source: Sequence[str],
    target: Sequence[str],
    window: tuple[int, int],
    wildcards: str,
    span: int,
    wanted: Container[int] | None = None,
    shown: tuple[Sequence[str], Sequence[str]] | None = None,
) -> list[Match]:
    """Return all rules of one window size that match a pair of token lists, each once; or those with a wanted key.

    ``shown`` are the words to write instead of the tokens of both sides.

    >>> for match in find_matches(["Orwell", "wrote"], ["by", "Orwell"], (2, 2), "aligned", 1):
    ...     print(match.rule)
    Orwell wrote → by Orwell
    ⟨1⟩ wrote → by ⟨1⟩
    """
    tokens = Tokens.from_texts([list(source), list(target)])
    ids, offsets, finger = tokens.ids, tokens.offsets, tokens.token_keys()
    words = (source, target) if shown is None else shown
    left, right = _Side(words[0], ids[: offsets[1]], finger), _Side(words[1], ids[offsets[1] :], finger)
    if len(left.ids) < window[0] or len(right.ids) < window[1]:
        return []
    constants = find_constants(window, span)
    if wildcards == "free":
        matches = _match_free(left, right, window, span, constants, wanted)
    else:
        matches = _match_plain(left, right, window, constants, wanted)
        if wildcards == "aligned":
            matches = chain(matches, _match_aligned(left, right, window, span, constants, wanted))
    found: dict[int, Match] = {}
    for match in matches:
        found.setdefault(match.key, match)
    return list(found.values())


def _match_plain(
    left: _Side, right: _Side, window: tuple[int, int], constants: RuleConstants, wanted: Container[int] | None
) -> Iterator[Match]:
    """Yield the rules without wildcards: every n-gram of the source with every n-gram of the target."""
    lefts = list_ngrams(left.words, left.finger, left.ids, constants.source_factors, window[0])
    rights = list_ngrams(right.words, right.finger, right.ids, constants.target_factors, window[1])
    right_keys = np.array(list(rights.values()), dtype=np.uint64) + constants.size_key
    right_texts = [(ARROW + " ".join(map(quote_token, words)), " ".join(words)) for words in rights]
    for words, key in lefts.items():
        text, under = " ".join(map(quote_token, words)), " ".join(words)
        for (text2, under2), mixed in zip(right_texts, mix_array(right_keys + np.uint64(key)).tolist()):
            if wanted is None or mixed in wanted:
                yield Match(mixed, text + text2, under, under2, 0)


def _match_aligned(
    left: _Side,
    right: _Side,
    window: tuple[int, int],
    span: int,
    constants: RuleConstants,
    wanted: Container[int] | None,
) -> Iterator[Match]:
    """Yield the rules with aligned wildcards."""
    factors = constants.source_factors, constants.target_factors
    placed = place_pair(left.ids, right.ids, left.finger, window[0], window[1], span, *factors)
    keys, _, count, trace = join_placements(
        placed.left, placed.right, placed.counts, placed.counts2, constants.size_key, constants.pair_keys, 1.0, 0, 1,
        NO_LIMIT, False, True,
    )  # fmt: skip
    steps = iter(trace.tolist())
    source = _SideText(left.words, placed.left, placed.starts, window[0])
    target = _SideText(right.words, placed.right, placed.starts2, window[1])
    written: set[int] = set()
    for key in keys[:count].tolist():
        one, other = next(steps), next(steps)
        aligned = tuple([next(steps) for _ in range(source.shapes[one][2])])
        if key in written or (wanted is not None and key not in wanted):
            continue
        written.add(key)
        text, words = source.write(one, None)
        text2, words2 = target.write(other, aligned)
        yield Match(key, text + ARROW + text2, words, words2, len(aligned))


class _SideText:
    """Writes the placements of patterns on one side of a pair; each is written once."""

    def __init__(self, words: Sequence[str], placements: Placements, starts: Ints, size: int):
        self.words, self.size = words, size
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
            window, end, count, listed = self.shapes[one]
            elements = self.elements[listed : listed + count]
            numbers = {place: place + 1 for place in range(count)}
            if aligned is not None:
                numbers = {place: number for number, place in enumerate(aligned, 1)}
            signs = {element: f"⟨{numbers[index]}⟩" for index, element in enumerate(elements)}
            at = dict(zip(elements, self.places[listed : listed + count]))
            found = lay_out_pattern(self.words, self.starts[window], end, self.size, signs, at)
            self.known[one, aligned] = found
        return found


def _match_free(
    left: _Side,
    right: _Side,
    window: tuple[int, int],
    span: int,
    constants: RuleConstants,
    wanted: Container[int] | None,
) -> Iterator[Match]:
    """Yield the rules with free wildcards: every pattern of the source with every pattern of the target."""
    lefts = list_patterns(left.words, left.finger, left.ids, constants.source_factors, window[0], span, window[0])
    rights = list_patterns(right.words, right.finger, right.ids, constants.target_factors, window[1], span, window[1])
    right_keys = np.array(list(rights), dtype=np.uint64) + constants.size_key
    for key, one in lefts.items():
        for other, mixed in zip(rights.values(), mix_array(right_keys + np.uint64(key)).tolist()):
            if wanted is None or mixed in wanted:
                text, wildcards = one.text + ARROW + other.text, one.wildcards + other.wildcards
                yield Match(mixed, text, one.words, other.words, wildcards)
