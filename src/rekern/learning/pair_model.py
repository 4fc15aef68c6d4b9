"""What all models of pairs share: training data, coefficients, scores, explanations, files."""

from __future__ import annotations

from numbers import Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from rekern.core.explanations import Neighbor
from rekern.core.model_archive import ModelContent, OpenArchive, save_model
from rekern.errors import InputError, ModelFileError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.items import materialize_items
from rekern.kernels.kernel import Kernel, walk_kernels
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.pair_kernel import PairKernel
from rekern.kernels.rewriting.rewriting_kernel import Rewriting
from rekern.kernels.rewriting.rule_decision import RuleDecision, WeightedRule
from rekern.learning.explanation import PairExplanation
from rekern.learning.pair_model_archive import pack_model, unpack_model
from rekern.similarity import PrecisionRecall
from rekern.structures.pairs import Pairs, as_pairs
from rekern.structures.representations import Representations, Row

GRAM_LIMIT = 10_000


def default_kernel() -> Kernel:
    """Rules with aligned wildcards in windows of 1 to 4 tokens, with precision and recall."""
    return Rewriting(k=(1, 4)) + PrecisionRecall()


def named(kernel: Kernel, X: Any) -> Representations | None:
    """The table of what a kernel reads of the pairs, and of their words; None if it reads nothing but words."""
    names = kernel.reads()
    if names == {"source", "target"} and not any(isinstance(part, PairKernel) for part in walk_kernels(kernel)):
        return None
    table = Representations.from_items(X)
    table.check(names - {"source", "target"})
    words = [name for name in ("source", "target") if name in table.columns]
    return table.select_columns([*words, *sorted((names & set(table.columns)) - set(words))])


def prepared(kernel: Kernel, X: Any) -> Any:
    """The pairs in the form that a kernel reads fastest.

    For a kernel that reads trees, graphs or other named representations, a table of those that it reads. Else, if all
    parts of the kernel agree on the tokens, the pairs tokenised once for all of them; else the pairs as they are.
    """
    table = named(kernel, X)
    if table is not None or isinstance(X, Pairs):
        return X if table is None else table
    leaves = [part for part in walk_kernels(kernel) if not part.children()]
    first = getattr(leaves[0], "tokenizer", None)
    if all(isinstance(leaf, Rewriting | PrecisionRecall) and _equal(leaf.tokenizer, first) for leaf in leaves):
        return Pairs.from_items(X, first)
    return X


def _check_pairs(kernel: Kernel) -> None:
    """Refuse a kernel on texts, outside of a pair kernel, that is not told which representation of the pair to take."""
    for part in walk_kernels(kernel, enter=lambda part: not isinstance(part, PairKernel)):
        if isinstance(part, PairKernel):
            part.reads()
        elif not part.children() and part.on_texts and part.on is None:
            name = type(part).__name__
            raise InputError(
                f"{name} compares texts, not pairs of texts; put it into PairSum, PairProduct, AllSum, AllProduct, "
                f"BestPairing or SoftPairing, as in SoftPairing({name}()), or use Rewriting"
            )


def words_of(table: Representations) -> list[tuple[Any, Any]]:
    """The two texts of every pair, to show; where a table has no words, its first representation of both sides."""
    endings = [name.removeprefix("source") for name in table.columns if name.startswith("source")]
    both = [ending for ending in endings if f"target{ending}" in table.columns]
    if not both:
        return [("", "")] * len(table)
    return [
        (_shown(source), _shown(target)) for source, target in zip(table[f"source{both[0]}"], table[f"target{both[0]}"])
    ]


def _shown(text: Any) -> Any:
    return text if isinstance(text, str | list | tuple) else ""


def _equal(tokenizer: Any, other: Any) -> bool:
    same_kind = isinstance(tokenizer, BaseEstimator) and type(tokenizer) is type(other)
    return tokenizer is other or (same_kind and tokenizer.get_params() == other.get_params())


class PairModel(BaseEstimator):
    """A kernel machine on pairs: score(x) = Σ coefficients_[i] · K(pairs_[i], x) + intercept_."""

    kernel: Kernel | None
    kernel_: Kernel
    pairs_: list[tuple[Any, Any]]
    labels_: np.ndarray
    coefficients_: np.ndarray
    intercept_: np.ndarray
    solver_: str
    items_: Representations | None  # what the kernel reads of the training pairs, if it is more than their words
    gram_limit: int
    n_jobs: int | None

    def _start(self, X: Any, y: Any) -> tuple[list[tuple[Any, Any]], np.ndarray]:
        """The training pairs and labels, checked."""
        X = materialize_items(X)
        self.kernel_ = clone(self.kernel) if self.kernel is not None else default_kernel()
        _check_pairs(self.kernel_)
        self.items_ = named(self.kernel_, X)
        pairs = list(zip(*as_pairs(X))) if self.items_ is None else words_of(self.items_)
        labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else list(y))
        if labels.ndim != 1:
            raise InputError(f"labels must be one column, got {labels.ndim} dimensions")
        if len(pairs) != len(labels):
            raise InputError(f"there are {len(pairs)} pairs but {len(labels)} labels; give one label for each pair")
        if not len(labels):
            raise InputError("there are no pairs to train on; give at least two")
        missing = [i for i, label in enumerate(labels.tolist()) if label is None or label != label]
        if missing:
            raise InputError(f"row {missing[0]}: the label is missing; drop the row or give it a label")
        if labels.dtype == object:  # text columns of data frames
            labels = np.array(labels.tolist())
            if labels.dtype.kind not in "biufU":
                raise InputError("labels must be all text or all numbers; convert them first")
        self._scorer: DecisionFunction | None = None
        self.kernel_.adapt(prepared(self.kernel_, pairs) if self.items_ is None else self.items_)
        return pairs, labels

    def _training(self, rows: np.ndarray | None = None) -> Any:
        """The training pairs as the kernel reads them, all or these rows."""
        if self.items_ is not None:
            return self.items_ if rows is None else self.items_.take(rows)
        return prepared(self.kernel_, self.pairs_ if rows is None else [self.pairs_[row] for row in rows])

    def _price(self) -> float:
        """The parameter C, checked."""
        C = getattr(self, "C", None)
        if isinstance(C, bool) or not isinstance(C, Real) or not float(C) > 0:
            raise ValueError(f"C={C!r}: give a number above 0")
        return float(C)

    def _uses_gram(self, rows: int) -> bool:
        """Whether to train on a Gram: up to ``gram_limit`` rows, and always for a kernel without explicit features."""
        return rows <= self.gram_limit or not self.kernel_.has_features()

    def _check_fitted(self) -> None:
        if not hasattr(self, "coefficients_"):
            raise NotFittedError(f"this {type(self).__name__} is not trained yet; call fit(pairs, labels) first")

    @property
    def scorer_(self) -> DecisionFunction:
        """The decision function without its intercept, in the form that the kernel computes best."""
        self._check_fitted()
        if self._scorer is None:
            self._scorer = self.kernel_.decision_function(self._training(), self.coefficients_)
        return self._scorer

    def _scores(self, X: Any) -> np.ndarray:
        """The decision values, a column for each output."""
        scorer = self.scorer_
        scores: np.ndarray = scorer.score(prepared(self.kernel_, materialize_items(X)), self.n_jobs) + self.intercept_
        return scores

    def _explain(
        self,
        pair: Any,
        output: tuple[int, int],
        prediction: Any,
        explained: Any,
        probability: float | None,
        neighbors: int,
    ) -> PairExplanation:
        column, sign = output
        parts = [part._replace(weight=sign * part.weight) for part in self.scorer_.parts(pair, column)]
        parts.sort(key=lambda part: (-abs(part.contribution), part.name))
        source, target = words_of(pair.table)[pair.index] if isinstance(pair, Row) else pair
        return PairExplanation(
            source=_as_text(source),
            target=_as_text(target),
            prediction=prediction,
            explained=explained,
            decision=sign * float(self._scores([pair])[0, column]),
            intercept=sign * float(self.intercept_[column]),
            parts=parts,
            probability=probability,
            neighbors=self._neighbors(pair, neighbors),
        )

    def _one(self, pair: Any) -> Any:
        """A single pair, however it is written, as a tuple; a row of a table if the kernel reads more than words."""
        self._check_fitted()
        table = named(self.kernel_, [pair])
        if table is not None:
            return table[0]
        sources, targets = as_pairs([pair])
        return sources[0], targets[0]

    def _neighbors(self, pair: Any, number: int) -> list[Neighbor]:
        """The training pairs with the largest kernel values, normalised."""
        if number <= 0:
            return []
        kernel = self.kernel_
        items, known = prepared(kernel, [pair]), self._training()
        values = kernel.gram(items, known, n_jobs=self.n_jobs)[0]
        squares = kernel.diag(items)[0] * kernel.diag(known)
        values = np.divide(values, np.sqrt(squares), out=np.zeros(len(values)), where=squares > 0)
        best = np.argsort(-values, kind="stable")[:number]
        return [
            Neighbor(
                int(i),
                float(values[i]),
                _as_text(self.pairs_[i][0]),
                _as_text(self.pairs_[i][1]),
                self.labels_[i].item(),
            )
            for i in best
        ]

    def rules(self, number: int = 20, label: Any = None) -> tuple[list[WeightedRule], list[WeightedRule]]:
        """The strongest rules for and against, with weight, support and an example.

        In a model of more than two classes ``label`` says for and against which class.
        """
        if number < 1:
            raise ValueError(f"number={number!r}: give a whole number of at least 1")
        column, side = self._output(label)
        scorer = self.scorer_
        leaves = [term for term in scorer.terms() if isinstance(term, RuleDecision)]
        if not leaves:
            raise InputError(f"the model's kernel {summarize_kernel(self.kernel_)} has no re-writing rules to list")
        found = []
        for sign in (side, -side):
            rules = [rule for leaf in leaves for rule in leaf.list_strongest(number, column, sign)]
            rules = [rule._replace(weight=side * rule.weight) for rule in rules]
            found.append(sorted(rules, key=lambda rule: (-abs(rule.weight), rule.rule))[:number])
        return found[0], found[1]

    def _output(self, label: Any) -> tuple[int, int]:
        """The column of the scores that a label stands for, and the sign with which it does."""
        self._check_fitted()
        return 0, 1

    def save(self, path: str | Path) -> None:
        """Write the trained model to a file: a zip of JSON and plain arrays, never pickle."""
        save_model(self, path)

    def to_archive(self) -> ModelContent:
        """What the model keeps in its file."""
        self._check_fitted()
        return pack_model(self, {})

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model of a file that is being read."""
        model = unpack_model(cls, archive)
        if len(model.intercept_) != 1:
            raise ModelFileError("its parts do not fit together")
        return model


def _as_text(side: Any) -> str:
    return str(side) if isinstance(side, str) else " ".join(side)
