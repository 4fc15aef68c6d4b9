"""The rules with the largest weights: found, counted in the training pairs, and written with the words of one pair."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Booleans, Floats, Keys
from rekern.core.hashing import mix_array
from rekern.core.object_descriptions import Raw, State, Verbatim
from rekern.core.parallel_jobs import run_in_threads
from rekern.core.state_schema import Array, ListOf, Record, Texts
from rekern.core.weight_table import Numbers, WeightTable
from rekern.errors import InputError
from rekern.kernels.rewriting.plain_rules import PlainRules
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_support import RuleMatches, SoughtRules, count_matches
from rekern.kernels.rewriting.rule_text import PairWords, find_common_words, find_matches, spell_row
from rekern.structures.pairs import Pairs

STORED = 500  # rules for, and rules against, each output of a model in a file


class WeightedRule(NamedTuple):
    """A rule of a model: its weight, how many training pairs it matches, and one of them."""

    rule: str
    weight: float
    support: int
    pair: int  # the number of a training pair that it matches
    source: str  # the words of that pair that it lies on
    target: str


BothSides = tuple[list[WeightedRule], list[WeightedRule]]


class _Candidates(NamedTuple):
    """Rules of one window size; those without wildcards also have the keys of their two n-grams, the others 0."""

    keys: Keys
    weights: Floats
    sources: Keys
    targets: Keys


def find_strong_rules(
    extractor: RuleExtractor,
    pairs: Pairs,
    plain: list[PlainRules],
    wildcard: list[WeightTable],
    n: int,
    output: int,
) -> BothSides:
    """Return the ``n`` rules with the largest weights above 0, and the ``n`` with the smallest below 0.

    ``pairs`` are the training pairs.
    """
    if n < 1:
        return [], []
    calls = [(rules, table, key, n, output) for rules, table, key in zip(plain, wildcard, extractor.size_keys())]
    found = run_in_threads(_find_candidates, calls)
    windows = np.repeat(np.arange(len(found)), [len(part.keys) for part in found])
    keys, weights = np.concatenate([part.keys for part in found]), np.concatenate([part.weights for part in found])
    order = np.lexsort((keys, -np.abs(weights)))
    best = np.concatenate([order[weights[order] > 0][:n], order[weights[order] < 0][:n]])
    words = find_common_words(pairs.tokens)
    rules: dict[int, WeightedRule] = {}
    chosen, places = [], []
    for number, candidates in enumerate(found):
        first = int(np.searchsorted(windows, number))
        places.append(np.flatnonzero(windows[best] == number))
        chosen.append(_Candidates(*(part[best[places[-1]] - first] for part in candidates)))
    sought = [SoughtRules(rules.keys, rules.sources, rules.targets) for rules in chosen]
    for number, matches in enumerate(count_matches(extractor, pairs, sought)):
        written = _write_rules(extractor, pairs, words, number, chosen[number], matches)
        rules |= zip(places[number].tolist(), written)
    listed = [rules[place] for place in range(len(best))]
    return [rule for rule in listed if rule.weight > 0], [rule for rule in listed if rule.weight < 0]


def _find_candidates(plain: PlainRules, table: WeightTable, size_key: np.uint64, n: int, output: int) -> _Candidates:
    """Return at least the ``n`` strongest rules of one window size for, and the ``n`` against."""
    sources, targets, weights = plain.find_strongest(n, output)
    keys = mix_array(sources + targets + size_key)
    column = table.weights[:, output]
    best = np.flatnonzero(_find_extremes(column, n, table.numbers)[table.numbers])
    nothing = np.zeros(len(best), np.uint64)
    return _Candidates(
        np.concatenate([keys, table.keys[best]]),
        np.concatenate([weights, column[table.numbers[best]]]),
        np.concatenate([sources, nothing]),
        np.concatenate([targets, nothing]),
    )


def _find_extremes(weights: Floats, n: int, numbers: Numbers) -> Booleans:
    """Mark the weights that are among the ``n`` largest above 0 or the ``n`` smallest below 0 of all rules."""
    every = weights[numbers]
    low, high = 0.0, 0.0
    if len(every) > n:
        ordered = np.partition(every, [n - 1, len(every) - n])
        low, high = min(float(ordered[n - 1]), 0.0), max(float(ordered[len(every) - n]), 0.0)
    return ((weights > 0) & (weights >= high)) | ((weights < 0) & (weights <= low))


def _write_rules(
    extractor: RuleExtractor, pairs: Pairs, words: list[str], number: int, rules: _Candidates, matches: RuleMatches
) -> list[WeightedRule]:
    """Return the rules of one window size as text, with supports and examples; ``words`` are written for tokens."""
    support, first = matches
    wanted: dict[int, set[int]] = {}
    for row, key in zip(first.tolist(), rules.keys.tolist()):
        wanted.setdefault(row, set()).add(key)
    texts: dict[int, tuple[str, str, str]] = {}
    window, wildcards, span = extractor.windows[number], extractor.wildcards, extractor.span
    for row, keys in wanted.items():
        pair = PairWords.from_pair(pairs, row, spell_row(pairs, row, words))
        for match in find_matches(pair, window, wildcards, span, np.array(sorted(keys), np.uint64)):
            texts[match.key] = match.rule, match.source, match.target
    found = []
    for key, weight, count, row in zip(rules.keys.tolist(), rules.weights.tolist(), support.tolist(), first.tolist()):
        rule, source, target = texts[key]
        found.append(WeightedRule(rule, weight, count, row, source, target))
    return found


class RuleShelf:
    """The strongest rules of a model file, for each output those for it and those against it, strongest first.

    >>> rule = WeightedRule("a → b", 0.5, 1, 0, "a", "b")
    >>> favoring, opposing = RuleShelf([([rule], [])]).list_rules(3, output=0)
    >>> favoring[0].rule, opposing
    ('a → b', [])
    """

    STATE = Record(
        weights=Array("f8", "rules"),
        lengths=Array("i8", "sides", lengths="rules"),
        support=Array("i8", "rules", least=0),
        pair=Array("i8", "rules", least=-1),
        texts=Raw(ListOf(Texts(3), "rules")),
    )

    def __init__(self, rules: list[BothSides]):
        self.rules = rules

    @classmethod
    def collect(cls, list_both_sides: Callable[[int, int], BothSides], outputs: int) -> RuleShelf:
        """Return the strongest rules of all outputs."""
        return cls([list_both_sides(STORED, output) for output in range(outputs)])

    def list_rules(self, n: int, output: int) -> BothSides:
        """Return the ``n`` strongest rules for an output, and the ``n`` against it."""
        favoring, opposing = self.rules[output]
        if n > STORED and STORED in (len(favoring), len(opposing)):
            raise InputError(
                f"the model file has the {STORED} strongest rules for and against; ask for at most {STORED}"
            )
        return favoring[:n], opposing[:n]

    def to_state(self) -> State:
        """Return the rules as columns."""
        listed = [rules for both in self.rules for rules in both]
        return State(
            lengths=np.array([len(rules) for rules in listed], np.int64),
            weights=np.array([rule.weight for rules in listed for rule in rules], float),
            support=np.array([rule.support for rules in listed for rule in rules], np.int64),
            pair=np.array([rule.pair for rules in listed for rule in rules], np.int64),
            texts=Verbatim([[rule.rule, rule.source, rule.target] for rules in listed for rule in rules]),
        )

    @classmethod
    def from_state(cls, state: State, outputs: int) -> RuleShelf:
        """Return the rules of a file, after checking them."""
        cls.STATE.check(state, "strongest rules", {"sides": 2 * outputs})
        lengths, weights, support, pair = (state[name] for name in ("lengths", "weights", "support", "pair"))
        rows = zip(state["texts"].value, weights.tolist(), support.tolist(), pair.tolist())
        rules = [WeightedRule(row[0], weight, count, number, row[1], row[2]) for row, weight, count, number in rows]
        ends = np.cumsum(lengths).tolist()
        listed = [rules[end - length : end] for end, length in zip(ends, lengths.tolist())]
        return cls(list(zip(listed[::2], listed[1::2])))


class RulePlace(NamedTuple):
    """A pair that a rule matches, and the words that it lies on the first time."""

    pair: int
    source: str
    target: str


def find_rule_places(
    extractor: RuleExtractor, pairs: Pairs, rule: WeightedRule, seconds: float
) -> tuple[list[RulePlace], int]:
    """Return where a rule of these training pairs matches, and how many pairs were looked at in the given time.

    >>> from rekern import PairClassifier
    >>> from rekern.kernels import Rewriting
    >>> kernel, texts = Rewriting(1), [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
    >>> model = PairClassifier(kernel, calibration=0).fit(texts, [1, 0])
    >>> rule = next(rule for rule in model.rules(50).opposing if rule.rule == "saw → seen")
    >>> find_rule_places(kernel.make_extractor(), model.list_tokens(), rule, seconds=10)
    ([RulePlace(pair=1, source='saw', target='seen')], 2)
    """
    words = find_common_words(pairs.tokens)
    until = time.monotonic() + seconds
    found: list[RulePlace] = []
    for window in extractor.windows:
        pair = PairWords.from_pair(pairs, rule.pair, spell_row(pairs, rule.pair, words))
        first = [
            match.key
            for match in find_matches(pair, window, extractor.wildcards, extractor.span)
            if (match.rule, match.source, match.target) == (rule.rule, rule.source, rule.target)
        ]
        if not first:
            continue
        for number in range(len(pairs)):
            if time.monotonic() > until:
                return found, number
            pair = PairWords.from_pair(pairs, number, spell_row(pairs, number, words))
            wanted = np.array(first[:1], np.uint64)
            matches = find_matches(pair, window, extractor.wildcards, extractor.span, wanted)
            found += [RulePlace(number, match.source, match.target) for match in matches]
        break
    return found, len(pairs)
