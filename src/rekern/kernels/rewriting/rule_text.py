"""Rules as text: from a pair of token lists to the rules that match it, with the words under each wildcard."""

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.hashing import mix_array
from rekern.kernels.rewriting.aligned_rules import join_parses, pair_parses, rule_constants
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


def written(token: str) -> str:
    """A token inside a rule; one that looks like the rule's own signs is marked with a backslash.

    >>> written("wrote"), written("→"), written("⟨1⟩")
    ('wrote', '\\\\→', '\\\\⟨1⟩')
    """
    return "\\" + token if token[:1] in ("→", "⟨", "\\", "∗") else token


def matches(
    source: Sequence[str],
    target: Sequence[str],
    window: tuple[int, int],
    wildcards: str,
    span: int,
    wanted: Container[int] | None = None,
) -> list[Match]:
    """All rules of one window size that match a pair of token lists, each once; or only those with a wanted key.

    >>> for match in matches(["Orwell", "wrote"], ["by", "Orwell"], (2, 2), "aligned", 1):
    ...     print(match.rule)
    Orwell wrote → by Orwell
    ⟨1⟩ wrote → by ⟨1⟩
    """
    tokens = Tokens.from_texts([list(source), list(target)])
    ids, offsets, finger = tokens.ids, tokens.offsets, tokens.token_keys()
    left_ids, right_ids = ids[: offsets[1]], ids[offsets[1] :]
    if len(left_ids) < window[0] or len(right_ids) < window[1]:
        return []
    if wildcards == "free":
        every = _free_matches(source, target, finger, left_ids, right_ids, window, span)
        return every if wanted is None else [match for match in every if match.key in wanted]
    source_factors, target_factors, size_key, pair_keys = rule_constants(window, span)
    found: dict[int, Match] = {}
    lefts = _plain(source, finger, left_ids, source_factors, window[0])
    rights = _plain(target, finger, right_ids, target_factors, window[1])
    right_keys = np.array(list(rights.values()), dtype=np.uint64) + size_key[0]
    right_texts = [(ARROW + " ".join(map(written, words)), " ".join(words)) for words in rights]
    for words, key in lefts.items():
        begun, under = " ".join(map(written, words)), " ".join(words)
        for (ended, under2), mixed in zip(right_texts, mix_array(right_keys + np.uint64(key)).tolist()):
            if wanted is None or mixed in wanted:
                found.setdefault(mixed, Match(mixed, begun + ended, under, under2, 0))
    if wildcards == "aligned":
        for match in _aligned_matches(
            source,
            target,
            finger,
            left_ids,
            right_ids,
            window,
            span,
            source_factors,
            target_factors,
            size_key,
            pair_keys,
            wanted,
        ):
            found.setdefault(match.key, match)
    return list(found.values())


def _plain(
    words: Sequence[str], finger: np.ndarray, ids: np.ndarray, factors: np.ndarray, size: int
) -> dict[tuple[str, ...], int]:
    """The distinct k-grams of a text and their keys."""
    sums = np.zeros(len(ids) - size + 1, np.uint64)
    for offset in range(size):
        sums += finger[ids[offset : len(ids) - size + 1 + offset]] * factors[offset]
    return {tuple(words[start : start + size]): key for start, key in enumerate(sums.tolist())}


def _aligned_matches(source, target, finger, left_ids, right_ids, window, span, *factors) -> list[Match]:
    source_factors, target_factors, size_key, pair_keys, wanted = factors
    left, right, starts, counts, starts2, counts2, _ = pair_parses(
        left_ids, right_ids, finger, window[0], window[1], span, source_factors, target_factors
    )
    keys, _, count, trace = join_parses(
        left, right, counts, counts2, size_key[0], pair_keys, 1.0, 0, 1, NO_LIMIT, False, True
    )
    shape, element, place = left[2].tolist(), left[3].tolist(), left[5].tolist()
    shape2, element2, place2 = right[2].tolist(), right[3].tolist(), right[5].tolist()
    trace = trace.tolist()
    found, at, seen = [], 0, set()
    for key in keys[:count].tolist():
        one, other = trace[at], trace[at + 1]
        wildcards = shape[one][2]
        aligned = trace[at + 2 : at + 2 + wildcards]
        at += 2 + wildcards
        if key in seen or (wanted is not None and key not in wanted):
            continue
        seen.add(key)
        numbers = {element[shape[one][3] + index]: index + 1 for index in range(wildcards)}
        numbers2 = {element2[shape2[other][3] + aligned[index]]: index + 1 for index in range(wildcards)}
        starts_at = {element[shape[one][3] + i]: place[shape[one][3] + i] for i in range(wildcards)}
        starts_at2 = {element2[shape2[other][3] + i]: place2[shape2[other][3] + i] for i in range(wildcards)}
        text, words = _laid_out(source, int(starts[shape[one][0]]), shape[one][1], window[0], numbers, starts_at)
        text2, words2 = _laid_out(
            target, int(starts2[shape2[other][0]]), shape2[other][1], window[1], numbers2, starts_at2
        )
        found.append(Match(key, text + ARROW + text2, words, words2, wildcards))
    return found


def _laid_out(
    words: Sequence[str], start: int, end: int, size: int, numbers: dict[int, int], starts: dict[int, int]
) -> tuple[str, str]:
    """A pattern as text, and the words that it lies on."""
    elements, position = [], start
    for index in range(size):
        if index in numbers:
            elements.append(f"⟨{numbers[index]}⟩")
            # A stretched wildcard ends where the literals before the next wildcard begin.
            following = min((at for at in starts if at > index), default=None)
            literals = (size if following is None else following) - index - 1
            position = (end if following is None else starts[following]) - literals
        else:
            elements.append(written(words[position]))
            position += 1
    return " ".join(elements), " ".join(words[start:end])


def _free_matches(source, target, finger, left_ids, right_ids, window, span) -> list[Match]:
    """Rules with free wildcards: every pattern of the source with every pattern of the target."""
    from rekern.core.hashing import constants
    from rekern.kernels.rewriting.pattern_placements import distinct_windows, list_parses, sequence_fingerprints

    sides = []
    for words, ids, size, side in ((source, left_ids, window[0], 0), (target, right_ids, window[1], 1)):
        factors = constants(1 + side, size * span)
        starts, _ = distinct_windows(ids, finger, size, size * span, factors)
        prints = sequence_fingerprints(ids, finger, span)
        caps = np.full(len(starts), size, np.int64)
        parses = list_parses(ids, finger, prints, np.ones(prints.shape, np.bool_), starts, caps, size, factors, 0)
        text, _, shape, element, _, place = parses
        patterns: dict[int, tuple[str, str, int]] = {}
        for key, row in zip(mix_array(text).tolist(), shape.tolist()):
            listed = slice(row[3], row[3] + row[2])
            at = dict(zip(element[listed].tolist(), place[listed].tolist()))
            laid, under = _laid_out(words, int(starts[row[0]]), row[1], size, dict.fromkeys(at, 0), at)
            patterns.setdefault(key, (laid.replace("⟨0⟩", "∗"), under, row[2]))
        sides.append(patterns)
    size_key = rule_constants(window, span)[2][0]
    found = []
    for key, (text, words, count) in sides[0].items():
        sums = np.array(list(sides[1]), dtype=np.uint64) + np.uint64(key) + size_key
        for (text2, words2, count2), mixed in zip(sides[1].values(), mix_array(sums).tolist()):
            found.append(Match(mixed, text + ARROW + text2, words, words2, count + count2))
    return found
