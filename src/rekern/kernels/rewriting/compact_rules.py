"""A smaller decision function of a rewriting kernel: only the rules with the most effect, with rounded weights."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys
from rekern.core.weight_table import Numbers, WeightTable, make_table
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction, SumDecision
from rekern.kernels.rewriting.plain_rules import NgramLists, PlainRules
from rekern.kernels.rewriting.rule_decision import RuleDecision, shorten_keys

COMPACT_BYTES = 4_900_000  # about what the rules take in a file
PLAIN_BYTES = 2_500_000  # of these, what rules without wildcards may take
KEY_BITS = 32  # of a key: of a million keys, one in four thousand unknown ones is taken for a known one
KEY_BYTES, ENTRY_BYTES = 3.2, 1.4  # of an n-gram, and of a pair that has it
RULE_BYTES = 2.2  # of the key of a rule with wildcards
LEVELS = 127  # of the size of a weight, for each sign


def compact_decision(decision: DecisionFunction) -> tuple[DecisionFunction, int]:
    """Return a decision function with compact rules, and how many rules with wildcards are left.

    All keys are shortened to `KEY_BITS` bits. Rules without wildcards are kept, for as many window sizes as there is
    room. Then n-grams that only one training pair has are left out. The rules with wildcards that have the largest
    effects are kept. The effect of a rule is its weight times the root of the number of training pairs (with a
    coefficient) that it matches. Their weights are rounded to `LEVELS` sizes. Other parts of a sum stay as they are.
    """
    if isinstance(decision, SumDecision):
        parts = [compact_decision(summand) for summand in decision.summands]
        return SumDecision([part for part, _ in parts]), sum(count for _, count in parts)
    if not isinstance(decision, RuleDecision):
        return decision, 0
    if decision.training is None:
        raise InputError("a model from a file cannot be made compact; train it again with --compact")
    plain, size = _choose_plain(decision.plain)
    n = int((COMPACT_BYTES - size) / (RULE_BYTES + decision.outputs))
    wildcard = _choose_wildcard(decision.wildcard, decision.wildcard_counts, n)
    compact = RuleDecision(decision.kernel, plain, wildcard, decision.make_shelf(), KEY_BITS)
    return compact, sum(len(table.keys) for table in wildcard)


def _choose_plain(plain: list[PlainRules]) -> tuple[list[PlainRules], float]:
    """Return the rules without wildcards of the first window sizes that fit into `PLAIN_BYTES`, and their bytes."""
    chosen, total = [], 0.0
    for rules in plain:
        for least in (1, 2, len(rules.factors) + 1):  # all n-grams; those of two pairs or more; none
            lists = _keep_common(rules.source, least), _keep_common(rules.target, least)
            size = sum(KEY_BYTES * len(side.keys) + ENTRY_BYTES * len(side.rows) for side in lists)
            if total + size <= PLAIN_BYTES:
                break
        total += size
        chosen.append(PlainRules(_shorten_lists(lists[0]), _shorten_lists(lists[1]), rules.factors))
    return chosen, total


def _shorten_lists(lists: NgramLists) -> NgramLists:
    """Return n-grams with shorter keys; of n-grams with equal keys only the first is kept."""
    keys = shorten_keys(lists.keys, KEY_BITS)
    return lists._replace(keys=keys).take(_find_first(keys))


def _find_first(keys: Keys) -> Ints:
    """Return the places of the first of equal keys."""
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])


def _keep_common(lists: NgramLists, least: int) -> NgramLists:
    """Return the n-grams that at least so many pairs have."""
    lengths = np.diff(lists.offsets)
    kept = np.flatnonzero(lengths >= least)
    if len(kept) == len(lengths):
        return lists
    return lists.take(kept)


def _choose_wildcard(tables: list[WeightTable], counts: list[Numbers], n: int) -> list[WeightTable]:
    """Return the ``n`` rules with wildcards that have the largest effects, with rounded weights."""
    effects = [_measure_effects(table, times) for table, times in zip(tables, counts)]
    every = np.concatenate(effects)
    bound = float(np.partition(every, len(every) - n)[len(every) - n]) if 0 < n < len(every) else 0.0
    chosen = []
    for table, sizes in zip(tables, effects):
        kept: Ints = np.flatnonzero((sizes > 0) & (sizes >= bound)) if n > 0 else np.zeros(0, np.int64)
        keys = shorten_keys(table.keys[kept], KEY_BITS)
        first = _find_first(keys)
        weights = _round_weights(table.weights[table.numbers[kept[first]]])
        chosen.append(make_table(keys[first], np.arange(len(first), dtype=np.uint32), weights))
    return chosen


def _measure_effects(table: WeightTable, counts: Numbers) -> Floats:
    """Return the effect of every rule: the size of its weight times the root of the number of its pairs."""
    sizes: Floats = np.abs(table.weights).max(axis=1, initial=0.0)[table.numbers] * np.sqrt(counts)
    return sizes


def _round_weights(weights: Floats) -> Floats:
    """Return weights rounded to `LEVELS` sizes in geometric progression, for each output."""
    rounded = np.zeros_like(weights)
    for output in range(weights.shape[1]):
        sizes = np.abs(weights[:, output])
        used = sizes > 0
        if used.any():
            low, high = np.log(sizes[used].min()), np.log(sizes[used].max())
            step = (high - low) / (LEVELS - 1) or 1.0
            levels = np.exp(low + step * np.arange(LEVELS))
            numbers = np.rint((np.log(sizes[used]) - low) / step).astype(np.int64)
            rounded[used, output] = np.sign(weights[used, output]) * levels[numbers]
    return rounded
