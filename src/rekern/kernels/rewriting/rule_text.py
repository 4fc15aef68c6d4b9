"""Rules as text: from a pair of token lists to the rules that match it, with the words under each wildcard."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Ints, Keys, SmallInts
from rekern.core.hashing import mix_array
from rekern.core.key_index import index_keys, look_up
from rekern.core.key_rows import note_first_rows
from rekern.core.parallel_jobs import split_range
from rekern.kernels.key_feature_kernel import group_by_row
from rekern.kernels.rewriting.aligned_rules import find_constants
from rekern.kernels.rewriting.rule_extraction import PAIRS_IN_BLOCK, RuleExtractor
from rekern.kernels.rewriting.rule_text_core import number_aligned_rules
from rekern.kernels.strings.pattern_text import PatternText, list_ngrams, list_patterns, quote_tokens
from rekern.structures.pairs import Pairs
from rekern.structures.tokens import Tokens

ARROW = " → "


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
    token_keys: Keys

    @classmethod
    def from_pair(cls, pairs: Pairs, row: int, shown: tuple[Sequence[str], Sequence[str]] | None = None) -> PairWords:
        """Return a pair of a corpus; ``shown`` are the words to write instead of the tokens of both sides."""
        tokens = pairs.tokens
        first, middle, last = tokens.offsets[2 * row : 2 * row + 3].tolist()
        words = pairs[row] if shown is None else shown
        return cls(*words, tokens.ids[first:middle], tokens.ids[middle:last], tokens.token_keys())


def mirror_rule(rule: str) -> str:
    """Return the rule that goes back: its sides are exchanged, and its wildcards are numbered anew from the left.

    >>> mirror_rule("⟨1⟩ wrote ⟨2⟩ → ⟨2⟩ is by ⟨1⟩")
    '⟨1⟩ is by ⟨2⟩ → ⟨2⟩ wrote ⟨1⟩'
    """
    source, _, target = rule.partition(ARROW)
    numbers: dict[str, str] = {}
    tokens = f"{target}{ARROW}{source}".split(" ")
    # a word that looks like a wildcard is written with a backslash
    return " ".join(numbers.setdefault(t, f"⟨{len(numbers) + 1}⟩") if t.startswith("⟨") else t for t in tokens)


class RuleTexts(NamedTuple):
    """Rules as text, and the words of the pair that they lie on, a list for each."""

    rules: list[str]
    sources: list[str]
    targets: list[str]


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
    lefts, rights = _list_patterns(pair, window, wildcards, span)
    left_keys, right_keys = (np.array(list(side), dtype=np.uint64) for side in (lefts, rights))
    keys = mix_array(left_keys[:, None] + (right_keys + find_constants(window, span).size_key))
    ones, others = np.nonzero(_mark_wanted(keys, wanted))
    texts = _combine(list(lefts.values()), list(rights.values()), ones, others)
    counts, counts2 = (np.array([pattern.wildcards for pattern in side.values()]) for side in (lefts, rights))
    matches = list(map(Match, keys[ones, others].tolist(), *texts, (counts[ones] + counts2[others]).tolist()))
    if wildcards != "aligned":
        return matches
    found, numbers, bounds = _number_aligned(pair, window, span, wanted)
    firsts = np.sort(np.unique(found, return_index=True)[1])  # a rule is written where it matches first
    texts = _spell_aligned(pair, window, numbers[firsts], bounds[firsts])
    signs = (numbers[firsts, : window[0]] < max(window)).sum(axis=1)
    return [*matches, *map(Match, found[firsts].tolist(), *texts, signs.tolist())]


def write_combined_rules(
    pair: PairWords, window: tuple[int, int], wildcards: str, span: int, patterns: Sides, chosen: tuple[Ints, Ints]
) -> RuleTexts:
    """Return combinations of a pattern of the source and one of the target as text.

    ``patterns`` are the keys of the patterns of both sides, ``chosen`` which of them are combined.
    """
    listed = _list_patterns(pair, window, wildcards, span)
    lefts, rights = ([known[key] for key in keys.tolist()] for known, keys in zip(listed, patterns))
    return _combine(lefts, rights, *chosen)


def write_aligned_rules(pair: PairWords, window: tuple[int, int], span: int, keys: Keys) -> RuleTexts:
    """Return rules with aligned wildcards that match a pair as text, in the order of their keys.

    >>> pair = PairWords.from_pair(Pairs.from_items([(["Orwell", "wrote"], ["by", "Orwell"])]), 0)
    >>> key = find_matches(pair, (2, 2), "aligned", 1)[1].key
    >>> write_aligned_rules(pair, (2, 2), 1, np.array([key], np.uint64))
    RuleTexts(rules=['⟨1⟩ wrote → by ⟨1⟩'], sources=['Orwell wrote'], targets=['by Orwell'])
    """
    if not len(keys):
        return RuleTexts([], [], [])
    found, numbers, bounds = _number_aligned(pair, window, span, keys)
    order = np.argsort(found)[np.argsort(np.argsort(keys))]
    return _spell_aligned(pair, window, numbers[order], bounds[order])


Sides = tuple[Keys, Keys]
Patterns = dict[int, PatternText]


def _list_patterns(pair: PairWords, window: tuple[int, int], wildcards: str, span: int) -> tuple[Patterns, Patterns]:
    """Return the n-grams of both sides by their keys; or their patterns with free wildcards."""
    constants = find_constants(window, span)
    sides = (pair.source, pair.source_ids, window[0]), (pair.target, pair.target_ids, window[1])
    factors = constants.source_factors, constants.target_factors
    if wildcards == "free":
        one, other = (
            list_patterns(words, pair.token_keys, ids, side_factors, size, span, size)
            for (words, ids, size), side_factors in zip(sides, factors)
        )
    else:
        one, other = (
            list_ngrams(words, pair.token_keys, ids, side_factors, size)
            for (words, ids, size), side_factors in zip(sides, factors)
        )
    return one, other


def _combine(lefts: list[PatternText], rights: list[PatternText], ones: Ints, others: Ints) -> RuleTexts:
    """Return the rules of some patterns of the source with some of the target."""
    texts, words = [pattern.text + ARROW for pattern in lefts], [pattern.words for pattern in lefts]
    texts2, words2 = [pattern.text for pattern in rights], [pattern.words for pattern in rights]
    left, right = ones.tolist(), others.tolist()
    rules = [texts[one] + texts2[other] for one, other in zip(left, right)]
    return RuleTexts(rules, [words[one] for one in left], [words2[other] for other in right])


def _number_aligned(
    pair: PairWords, window: tuple[int, int], span: int, wanted: Keys | None
) -> tuple[Keys, Ints, Ints]:
    """Return rules with aligned wildcards as rows of numbers: see `number_aligned_rules`."""
    factors, targets, size_key, pair_keys = find_constants(window, span)
    ascending = np.zeros(0, np.uint64) if wanted is None else np.sort(wanted)
    found: tuple[Keys, Ints, Ints] = number_aligned_rules(
        pair.source_ids, pair.target_ids, pair.token_keys, *window, span, factors, targets, size_key, pair_keys,
        ascending, wanted is None,
    )  # fmt: skip
    return found


def _spell_aligned(pair: PairWords, window: tuple[int, int], numbers: Ints, bounds: Ints) -> RuleTexts:
    """Return rows of numbers as text."""
    signs = [*(f"⟨{number}⟩" for number in range(1, max(window) + 1)), ARROW.strip()]
    written = np.array([*signs, *quote_tokens(pair.source), *quote_tokens(pair.target)], object)
    spans = list(map(tuple, bounds.tolist()))
    return RuleTexts(
        list(map(" ".join, written[numbers].tolist())),
        _join_words(pair.source, [span[:2] for span in spans]),
        _join_words(pair.target, [span[2:] for span in spans]),
    )


def _join_words(words: Sequence[str], spans: Sequence[tuple[int, ...]]) -> list[str]:
    texts = {span: " ".join(words[span[0] : span[1]]) for span in set(spans)}
    return [texts[span] for span in spans]


def _mark_wanted(keys: Keys, wanted: Keys | None) -> Booleans:
    """Return which keys are wanted; all of them if none are named."""
    if wanted is None or not len(wanted):
        return np.full(keys.shape, wanted is None)
    ascending = np.sort(wanted)
    marked: Booleans = ascending[np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)] == keys
    return marked


def name_rules(extractor: RuleExtractor, pairs: Pairs, keys: Keys, n_jobs: int | None = None) -> list[str]:
    """Return the text of the rules of these keys, each of which some of the pairs has."""
    distinct = np.unique(keys)
    index, first = index_keys(distinct), np.full(len(distinct), -1, np.int64)
    for begin, end in split_range(len(pairs), PAIRS_IN_BLOCK):
        if (first >= 0).all():
            break
        listed = extractor.list_rules(pairs[begin:end], n_jobs)
        note_first_rows(first, look_up(listed.keys, index), listed.indptr, np.arange(begin, end))
    names: dict[int, str] = {}
    for columns in group_by_row(first):
        pair = PairWords.from_pair(pairs, int(first[columns[0]]))
        for window in extractor.windows:
            for match in find_matches(pair, window, extractor.wildcards, extractor.span, distinct[columns]):
                names[match.key] = match.rule
    return [names[key] for key in keys.tolist()]


BothSides = tuple[list[str], list[str]]


def spell_pair(pairs: Pairs, row: int) -> BothSides | None:
    """Return the words of a pair to show instead of its tokens: as they are written, but for the case.

    Returns None if the tokens are shown themselves, as ready-made tokens are.

    >>> spell_pair(Pairs.from_items([("Critics praised it", "It was praised")], with_forms=True), 0)
    (['critics', 'praised', 'it'], ['it', 'was', 'praised'])
    """
    if pairs.tokens.forms is None:
        return None
    forms = Pairs(pairs.tokens.forms)[row]
    source, target = (list(map(_fold_case, *sides)) for sides in zip(pairs[row], forms))
    return (source, target) if _is_unique([*pairs[row][0], *pairs[row][1]], [*source, *target]) else None


def spell_row(pairs: Pairs, row: int, words: Sequence[str]) -> BothSides:
    """Return both sides of a pair, with the word for each token of the vocabulary that ``words`` has.

    >>> spell_row(Pairs.from_items([("a b", "b")]), 0, ["one", "two"])
    (['one', 'two'], ['two'])
    """
    ids, offsets = pairs.tokens.ids, pairs.tokens.offsets[2 * row : 2 * row + 3].tolist()
    source, target = ([words[token] for token in ids[first:last].tolist()] for first, last in pairwise(offsets))
    return source, target


def find_common_words(tokens: Tokens) -> list[str]:
    """Return for every word of the vocabulary its most frequent written form; of equally frequent ones the first.

    >>> find_common_words(Tokens.from_texts(["Houses and a house, house"], with_forms=True))
    ['house', 'and', 'a', ',']
    """
    if tokens.forms is None:
        return tokens.vocabulary
    width = len(tokens.forms.vocabulary)
    pairs, counts = np.unique(tokens.ids.astype(np.int64) * max(width, 1) + tokens.forms.ids, return_counts=True)
    found: dict[int, dict[str, int]] = {}
    for code, count in zip(pairs.tolist(), counts.tolist()):
        number, form = divmod(code, width)
        word = _fold_case(tokens.vocabulary[number], tokens.forms.vocabulary[form])
        forms = found.setdefault(number, {})
        forms[word] = forms.get(word, 0) + count
    words = list(tokens.vocabulary)
    for number, forms in found.items():
        words[number] = min(forms, key=lambda word: (-forms[word], word))
    return words if _is_unique(tokens.vocabulary, words) else tokens.vocabulary


def _fold_case(token: str, form: str) -> str:
    """Return a written form, in lower case if its token is."""
    return form.casefold() if token == token.casefold() else form


def _is_unique(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether different tokens have different words, so that different rules read differently."""
    return len(set(zip(words, tokens))) == len(set(words))
