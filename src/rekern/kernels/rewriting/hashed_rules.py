"""Re-writing rules in a fixed number of columns, so that the weights of a model take the same memory for any corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Keys, SmallFloats
from rekern.core.explanation_parts import Part, join_parts
from rekern.core.inverted_lists import ListBlock, invert_rows
from rekern.core.key_index import number_keys
from rekern.core.key_rows import KeyRows, fold_keys, note_first_rows, sum_rows
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.parameters import WindowSizes
from rekern.core.registry import register
from rekern.core.state_schema import Array, Choice, InstanceOf, Record, Schema, Whole, parameters
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import GramPlan
from rekern.kernels.kernel_items import Item, Items, cut_pairs, wrap_item
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.rewriting.rule_extraction import MOST_RULES
from rekern.kernels.rewriting.rule_parts import RuleValues, list_rule_parts
from rekern.kernels.rewriting.rule_text import PairWords, find_matches, spell_pair
from rekern.kernels.rewriting.strong_rules import BothSides, RuleShelf, WeightedRule
from rekern.kernels.rewriting.window_rows import list_all_rules
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs
from rekern.structures.tokenizer import Tokenize

FEWEST_BITS, MOST_BITS = 8, 28
PAIRS_IN_BLOCK = 256


@register
class HashedRules(Rewriting):
    """The rules of `Rewriting`, each put into one of a fixed number of columns by its hash value.

    Two rules may share a column. Half of all rules count with a negative sign there, so that on average the kernel has
    the values of `Rewriting`; the more columns, the smaller the difference. A model has one weight for each column,
    however many pairs it was trained on: this is what training in blocks and on streams of pairs uses.

    Parameters
    ----------
    k, wildcards, decay, normalize, span, tokenizer, on
        As in `Rewriting`; wildcards are "aligned" or "none".
    bits : int
        There are 2 to the power of this many columns.

    Examples
    --------
    >>> pairs = [("A beat B", "B was beaten by A"), ("C beat D", "D was beaten by C")]
    >>> HashedRules(k=(1, 2)).gram(pairs).round(3).tolist() == Rewriting(k=(1, 2)).gram(pairs).round(3).tolist()
    True
    """

    checks_itself = frozenset({"k"})
    schema = Schema(
        parameters(
            **{
                **Rewriting.schema.parts.parts,
                "wildcards": Choice("aligned", "none"),
                "bits": Whole(FEWEST_BITS, MOST_BITS),
            }
        )
    )

    def __init__(
        self,
        k: WindowSizes = 4,
        wildcards: str = "aligned",
        decay: float = 1.0,
        normalize: bool = True,
        span: int = 1,
        tokenizer: Tokenize | None = None,
        on: str | None = None,
        bits: int = 22,
    ):
        super().__init__(k, wildcards, decay, normalize, span, tokenizer, on)
        self.bits = bits

    def extract_rows(self, corpus: Pairs, n_jobs: int | None = None) -> KeyRows:
        """Return the columns of the rules of every pair; the top bits of a key are the number of its column."""
        return self._fold(super().extract_rows(corpus, n_jobs))

    def _fold(self, rules: KeyRows) -> KeyRows:
        signed = rules.values * find_signs(rules.keys)
        columns, values, indptr = fold_keys(rules.indptr, self.find_columns(rules.keys), signed, 1 << self.bits)
        return KeyRows(indptr, columns.astype(np.uint64) << np.uint64(64 - self.bits), values)

    def find_columns(self, keys: Keys) -> Keys:
        """Return the column of each key: the number in its top bits."""
        return keys >> np.uint64(64 - self.bits)

    def name_columns(self) -> list[str]:
        """Return the number of every learned column: several rules may share it."""
        self.check_fitted()
        return [f"column {number}" for number in self.find_columns(self.keys_).tolist()]

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Extract the columns of all pairs into inverted lists."""
        left = self.extract_rows(self.read_items(X), n_jobs)
        right = None if Y is None else self.extract_rows(self.read_items(Y), n_jobs)
        lists = invert_rows(left, right, n_jobs)
        block = ListBlock(lists, left.sum_squares() if right is None else None)
        return GramPlan(len(left.indptr) - 1, lists.width, right is None, block)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every pair.

        >>> HashedRules(k=(1, 4)).diag([("a b", "b a")]).round(9)
        array([2.])
        """
        return self.extract_rows(self.read_items(X)).sum_squares()

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return a weight for each column."""
        pairs = self.read_items(X)
        rows = self.extract_rows(pairs)
        columns = self.find_columns(rows.keys).astype(np.int64)
        lengths = np.diff(rows.indptr)
        summed = [
            np.bincount(columns, rows.values * np.repeat(column, lengths), 1 << self.bits)
            for column in np.asarray(coefficients, dtype=float).T
        ]
        return self.decide_by_weights(np.array(summed, dtype=np.float64).T, pairs)

    def decide_by_weights(self, weights: npt.NDArray[np.floating], sample: Pairs) -> HashedDecision:
        """Return the decision function with these weights, a column for each output.

        The strongest rules are looked for among those of the ``sample``, some of the training pairs.
        """
        return HashedDecision(self, np.ascontiguousarray(weights, dtype=np.float32), sample, None)

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the decision function of a file."""
        return HashedDecision.from_state(self, state, outputs)


def find_signs(keys: Keys) -> Floats:
    """Return 1 or -1 for each rule, by the last bit of its key.

    >>> find_signs(np.array([6, 7], dtype=np.uint64)).tolist()
    [1.0, -1.0]
    """
    signs: Floats = 1.0 - 2.0 * (keys & np.uint64(1)).astype(np.float64)
    return signs


class HashedDecision(DecisionFunction):
    """Σ over the rules of a pair of value · weight of the column of the rule, with the sign of the rule."""

    STATE = Record(weights=Array("f4", "columns", "outputs"), shelf=InstanceOf(State))

    def __init__(self, kernel: HashedRules, weights: SmallFloats, sample: Pairs | None, shelf: RuleShelf | None):
        self.kernel = kernel
        self.weights = weights
        self.outputs = weights.shape[1]
        self.sample = sample  # of a trained function, not of a file
        self.shelf = shelf  # of a file: the strongest rules

    def to_state(self) -> State:
        """Return the weights and the strongest rules."""
        shelf = RuleShelf.collect(self.list_both_sides, self.outputs) if self.shelf is None else self.shelf
        return State(weights=self.weights, shelf=shelf.to_state())

    @classmethod
    def from_state(cls, kernel: HashedRules, state: State, outputs: int) -> Self:
        """Return the function that `to_state` wrote down, after checking it."""
        cls.STATE.check(state, "decision function", {"columns": 1 << kernel.bits, "outputs": outputs})
        return cls(kernel, state["weights"], None, RuleShelf.from_state(state.state("shelf"), outputs))

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every pair, a column for each output. Other pairs do not change the sum of a pair."""
        calls = cut_pairs(X, self.kernel.on, lambda n: split_range(n, PAIRS_IN_BLOCK))
        blocks = run_in_threads(self._score_block, calls, n_jobs)
        return np.concatenate(blocks) if blocks else np.zeros((0, self.outputs))

    def _score_block(self, block: Items, first: int) -> Floats:
        pairs = Pairs.from_items(block, self.kernel.tokenizer, first_row=first)
        rows = self.kernel.extract_rows(pairs, n_jobs=1)
        columns = self.kernel.find_columns(rows.keys)
        sums = [sum_rows(rows.indptr, rows.values * weights[columns]) for weights in self.weights.T]
        return np.array(sums).T

    def list_weights(self) -> Floats:
        """Return the weights of all columns, for each output."""
        return self.weights.astype(np.float64)

    def weigh(self, keys: Keys, output: int) -> Floats:
        """Return the weights of rules by their keys."""
        weights: Floats = self.weights[self.kernel.find_columns(keys), output] * find_signs(keys)
        return weights

    def parts(self, item: Item, output: int = 0) -> Sequence[Part]:
        """Return what each rule of a pair adds; rules are written as text when they are looked at."""
        kernel, extractor = self.kernel, self.kernel.make_extractor()
        pairs = Pairs.from_items(select_pairs(wrap_item(item), kernel.on), kernel.tokenizer, with_forms=True)
        rows, squares = extractor.measure(pairs, n_jobs=1)
        if sum(int(window.count_rules()[0]) for window in rows) > MOST_RULES:
            name = f"{summarize_kernel(kernel)} (too many rules to list)"
            return [Part("kernel", name, 1.0, float(self.score(pairs)[0, output]))]
        words = PairWords.from_pair(pairs, 0, spell_pair(pairs, 0))
        found: list[Sequence[Part]] = []
        scales = extractor.find_scales(squares)
        for window, row, scale, size_key in zip(extractor.windows, rows, scales, extractor.size_keys()):
            listed = list_all_rules([row], scale[None], [size_key])
            weights = self.weigh(listed.keys, output)
            used = np.flatnonzero((weights != 0) & (listed.values != 0))
            rules = RuleValues(listed.keys[used], listed.values[used], weights[used])
            found.append(list_rule_parts(extractor, window, words, rules))
        return join_parts(found)

    def list_both_sides(self, n: int, output: int = 0) -> BothSides:
        """Return the ``n`` rules with the largest weights for an output, and the ``n`` against it."""
        if self.shelf is not None:
            return self.shelf.list_rules(n, output)
        assert self.sample is not None
        return find_hashed_rules(self, self.sample, n, output)


def find_hashed_rules(decision: HashedDecision, pairs: Pairs, n: int, output: int) -> BothSides:
    """Return the strongest rules of some pairs for an output, and against it; of rules in one column, one.

    The support of a rule is the number of these pairs that it matches.
    """
    extractor = decision.kernel.make_extractor()
    rows = extractor.list_rules(pairs)
    numbers, keys = number_keys(rows.keys)
    support, first = np.bincount(numbers, minlength=len(keys)), np.full(len(keys), -1, np.int64)
    note_first_rows(first, numbers, rows.indptr, np.arange(len(pairs)))
    weights = decision.weigh(keys, output)
    # Of the rules that share a column the most frequent one is most of what its weight was learned from.
    order = np.lexsort((keys, -support, -np.abs(weights)))
    columns = decision.kernel.find_columns(keys[order])
    order = order[np.sort(np.unique(columns, return_index=True)[1])]
    best = np.concatenate([order[weights[order] > 0][:n], order[weights[order] < 0][:n]])
    rules: dict[int, WeightedRule] = {}
    for row in np.unique(first[best]).tolist():
        wanted = best[first[best] == row]
        words = PairWords.from_pair(pairs, row, spell_pair(pairs, row))
        found = np.sort(keys[wanted])
        places = dict(zip(keys[wanted].tolist(), wanted.tolist()))
        for window in extractor.windows:
            for match in find_matches(words, window, extractor.wildcards, extractor.span, found):
                at = places[match.key]
                rules[at] = WeightedRule(
                    match.rule, float(weights[at]), int(support[at]), row, match.source, match.target
                )
    listed = [rules[at] for at in best.tolist()]
    return [rule for rule in listed if rule.weight > 0], [rule for rule in listed if rule.weight < 0]
