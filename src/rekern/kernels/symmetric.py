"""A kernel on pairs of texts for relations without a direction, such as paraphrase: both orders of a pair are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanation_parts import Part, PartBlock, PartList, list_blocks, make_block
from rekern.core.object_descriptions import State
from rekern.core.registry import register
from rekern.core.state_schema import KERNEL, Schema, parameters
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.gram_plan import Block, GramPlan
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Item, Items, materialize_items, wrap_item
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.rewriting.rule_text import ARROW, mirror_rule
from rekern.kernels.score_effects import ScoreEffect
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs, as_pairs

if TYPE_CHECKING:
    import scipy.sparse as sp


@register
class Symmetric(Kernel):
    """The mean of a kernel over both orders of both pairs: (a, b) and (b, a) are the same.

    Use it where a relation has no direction: paraphrases, duplicates, similarity. What a model learns of a pair it then
    knows of the reversed pair, too, as if it had been trained on both. With φ the features of the kernel, those of a
    pair x with its reverse x̄ are (φ(x) + φ(x̄)) / 2.

    Parameters
    ----------
    kernel : Kernel
        A kernel on the words of pairs, such as ``Rewriting()``, ``Gaussian(Similarities())``, or a sum of them.

    Notes
    -----
    A Gram takes four times as long as that of the kernel inside, features and decision values twice as long.

    Examples
    --------
    >>> from rekern.kernels import Rewriting
    >>> plain = Rewriting(k=1, wildcards="none")
    >>> plain(("big", "large"), ("large", "big")), Symmetric(plain)(("big", "large"), ("large", "big"))
    (0.0, 0.5)
    """

    schema = Schema(parameters(kernel=KERNEL))

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    def reads(self) -> set[str]:
        """Return the columns that the kernel reads: the two texts, nothing else."""
        names = self.kernel.reads()
        if names != {"source", "target"}:
            found = f"{summarize_kernel(self.kernel)} reads {', '.join(sorted(names))}"
            raise InputError(f"Symmetric needs a kernel on the words of pairs; {found}")
        return names

    def fit(self, X: Items, y: object = None) -> Self:
        """Let the kernel learn from both orders of the pairs."""
        self.kernel.fit(self._join(X))
        return self

    def adapt(self, X: Items, y: object = None) -> Self:
        """Let the kernel learn from both orders of the pairs what its values depend on."""
        self.kernel.adapt(self._join(X))
        return self

    def plan_gram(self, X: Items, Y: Items, n_jobs: int | None) -> GramPlan:
        """Add the values of both orders of the rows with both orders of the columns."""
        rows = self._join(X)
        plan = self.kernel.plan_gram(rows, rows if Y is None else self._join(Y), n_jobs)
        block = SymmetricBlock(plan.block, plan.rows // 2, plan.columns // 2, Y is None)
        return GramPlan(block.rows, block.columns, Y is None, block, plan.prepare, height=plan.height)

    def diag(self, X: Items) -> Floats:
        """Return K(x, x) for every item."""
        rows = self._join(X)
        n = len(rows) // 2
        own = self.kernel.diag(rows)
        values: Floats = (own[:n] + own[n:] + 2 * self.kernel.paired(rows[:n], rows[n:])) / 4
        return values

    def has_features(self) -> bool:
        """Return whether the kernel has features."""
        return self.kernel.has_features()

    def features(self, X: Items, n_jobs: int | None = None) -> sp.csr_array:
        """Return the means of the features of both orders."""
        return _average_halves(self.kernel.features(self._join(X), n_jobs))

    def list_features(self, X: Items) -> sp.csr_array:
        """Return the means of the features of both orders, over the learned columns."""
        return _average_halves(self.kernel.list_features(self._join(X)))

    def name_columns(self) -> list[str]:
        """Return the names of the kernel's columns."""
        return self.kernel.name_columns()

    def decision_function(self, X: Items, coefficients: Floats) -> DecisionFunction:
        """Return the sum of the kernel's decision function over both orders of an item."""
        both = np.concatenate([coefficients, coefficients]) / 4
        return SymmetricDecision(self, self.kernel.decision_function(self._join(X), both))

    def restore_decision(self, state: State, outputs: int) -> DecisionFunction:
        """Return the same of a file."""
        return SymmetricDecision(self, self.kernel.restore_decision(state, outputs))

    def _join(self, X: Items) -> Pairs | list[tuple[object, object]]:
        self.reads()  # a kernel that reads more than words is refused
        return join_orders(X)


@dataclass(frozen=True)
class SymmetricBlock:
    """Computes a block of the mean over both orders; the reversed pairs are behind the pairs."""

    block: Block
    rows: int
    columns: int
    is_square: bool  # the columns are the rows: those before the first row follow by symmetry

    def __call__(self, first: int, last: int) -> Floats:
        both = self.block(first, last) + self.block(self.rows + first, self.rows + last)
        values: Floats = (both[:, : self.columns] + both[:, self.columns :]) / 4
        return values[:, first:] if self.is_square else values


class SymmetricDecision(DecisionFunction):
    """The sum of a decision function over both orders of an item."""

    def __init__(self, kernel: Symmetric, decision: DecisionFunction):
        self.kernel = kernel
        self.decision = decision

    def score(self, X: Items, n_jobs: int | None = None) -> Floats:
        """Return the sums for every item, a column for each output."""
        values = self.decision.score(join_orders(X), n_jobs)
        half = len(values) // 2
        total: Floats = values[:half] + values[half:]
        return total

    def parts(self, item: Item, output: int = 0) -> Sequence[Part]:
        """Return what each feature adds in both orders of the pair."""
        both = join_orders(wrap_item(item))
        pair, reverse = (self.decision.parts(_get_item(both, place), output) for place in (0, 1))
        return merge_orders(pair, reverse)

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return what the scores do, in either order."""
        return self.decision.effects(output)

    def to_state(self) -> State:
        """Return the state of the decision function."""
        return self.decision.to_state()

    def has_items(self) -> bool:
        """Return whether the decision function needs training items."""
        return self.decision.has_items()


def join_orders(X: Items) -> Pairs | list[tuple[object, object]]:
    """Return all pairs, and behind them all pairs with source and target exchanged.

    >>> join_orders([("a", "b"), ("c", "d")])
    [('a', 'b'), ('c', 'd'), ('b', 'a'), ('d', 'c')]
    >>> list(join_orders(Pairs.from_items([("a", "b")])))
    [(['a'], ['b']), (['b'], ['a'])]
    """
    X = materialize_items(X)
    if isinstance(X, Pairs):
        if "both orders" not in X.facts:  # kept, so that scores of the same pairs are computed once
            texts = np.arange(2 * len(X)).reshape(-1, 2)
            X.facts["both orders"] = Pairs(X.tokens.take(np.concatenate([texts, texts[:, ::-1]]).ravel()))
        return cast(Pairs, X.facts["both orders"])
    sources, targets = as_pairs(select_pairs(X, None))
    return [*zip(sources, targets), *zip(targets, sources)]


def _get_item(pairs: Pairs | list[tuple[object, object]], place: int) -> Item:
    return pairs[place : place + 1] if isinstance(pairs, Pairs) else pairs[place]


def _average_halves(features: sp.csr_array) -> sp.csr_array:
    import scipy.sparse as sp

    half = features.shape[0] // 2
    return sp.csr_array((features[:half] + features[half:]) * 0.5)


N_LARGEST = 400  # parts of each order that are compared; a reader looks at fewer, and the others are written later


def merge_orders(pair: Sequence[Part], reverse: Sequence[Part]) -> Sequence[Part]:
    """Return the parts of a pair and of the reversed pair, as parts of the pair.

    A rule a → b of the pair and its mirror image b → a of the reversed pair are one part, a ↔ b, and so are the two
    values of a score. Only the largest parts of both orders are compared; the sum of all is always the same.

    >>> parts = merge_orders([Part("rule", "big → large", 0.5, 2.0)], [Part("rule", "large → big", 0.5, 2.0)])
    >>> [part.to_text() for part in parts]
    ['+2.0000  big ↔ large']
    >>> parts = merge_orders([Part("score", "recall", 1.0, score=0.5)], [Part("score", "recall", 2.0, score=0.75)])
    >>> [part.to_text() for part in parts]
    ['+3.0000  recall (0.75 in the other order): 0.50']
    """
    own, mirrored = (PartList.from_blocks(list_blocks(parts)) for parts in (pair, reverse))
    own_order, mirrored_order = (np.argsort(-np.abs(parts.contributions), kind="stable") for parts in (own, mirrored))
    ours = _number_parts(own.pick(own_order[:N_LARGEST]))
    theirs = _number_parts([mirror_part(part) for part in mirrored.pick(mirrored_order[:N_LARGEST])])
    merged = [_merge(part, theirs.pop(key)) if key in theirs else part for key, part in ours.items()]
    own_rest, mirrored_rest = own_order[N_LARGEST:], mirrored_order[N_LARGEST:]
    return PartList.from_blocks(
        [
            make_block([*merged, *theirs.values()]),
            PartBlock(own.contributions[own_rest], lambda numbers: own.pick(own_rest[numbers])),
            PartBlock(
                mirrored.contributions[mirrored_rest],
                lambda numbers: [mirror_part(part) for part in mirrored.pick(mirrored_rest[numbers])],
            ),
        ]
    )


def mirror_part(part: Part) -> Part:
    """Return a part of the reversed pair as a part of the pair: its sides are exchanged.

    >>> part = mirror_part(Part("rule", "⟨1⟩ won → beat ⟨1⟩", 1.0, source="she won", target="beat her"))
    >>> part.name, part.to_words(), part.source
    ('beat ⟨1⟩ → ⟨1⟩ won', 'beat ⟨1⟩ ← ⟨1⟩ won', 'beat her')
    """
    if part.kind != "rule":
        words = part.description or part.name
        return part._replace(source=part.target, target=part.source, description=f"{words} (in the other order)")
    name = mirror_rule(part.name)
    words = name.replace(ARROW, " ← ", 1)
    return part._replace(name=name, source=part.target, target=part.source, description=words)


def _number_parts(parts: Sequence[Part]) -> dict[tuple[str, str, int], Part]:
    """Return parts by their kind, their name, and how often both came before: two terms of a sum may share a rule."""
    counts: Counter[tuple[str, str]] = Counter()
    found = {}
    for part in parts:
        found[part.kind, part.name, counts[part.kind, part.name]] = part
        counts[part.kind, part.name] += 1
    return found


def _merge(part: Part, mirrored: Part) -> Part:
    if part.weight == mirrored.weight:
        value, weight = part.value + mirrored.value, part.weight
    else:
        value, weight = part.contribution + mirrored.contribution, 1.0
    return part._replace(value=value, weight=weight, description=_describe(part, mirrored))


def _describe(part: Part, mirrored: Part) -> str:
    if part.kind == "rule":
        return part.name.replace(ARROW, " ↔ ", 1)
    words = part.description or part.name
    if mirrored.score is None or (part.score, part.other) == (mirrored.score, mirrored.other):
        return words
    other = f"{mirrored.score:.2f}" + ("" if mirrored.other is None else f" × {mirrored.other:.2f}")
    return f"{words} ({other} in the other order)"
