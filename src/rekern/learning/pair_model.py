"""What all models of pairs share: training data, coefficients, decision values, explanations, files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

if TYPE_CHECKING:
    from sklearn.utils import Tags

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.explanation_parts import order_parts
from rekern.core.explanations import Neighbor
from rekern.core.json_values import Json
from rekern.core.model_archive import ModelContent, OpenArchive, save_model
from rekern.core.object_descriptions import Arrays
from rekern.core.parallel_jobs import keep_threads
from rekern.core.parameters import check_positive
from rekern.errors import InputError, ModelFileError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items, materialize_items
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.landmarks import Landmarks
from rekern.kernels.rewriting.hashed_rules import HashedDecision
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.kernels.rewriting.rule_extraction import forget_rules, remember_rules
from rekern.kernels.rewriting.strong_rules import WeightedRule
from rekern.kernels.score_effects import ScoreEffect, ScoreEffects
from rekern.learning.dense_descent import Features, weigh_columns
from rekern.learning.kernel_choice import KernelChoice
from rekern.learning.landmark_features import add_landmarks, strip_landmarks
from rekern.learning.model_rules import ModelRules
from rekern.learning.named_kernels import is_kernel_name, resolve_kernel
from rekern.learning.neighbor_search import find_nearest
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.pair_input import (
    Pair,
    check_pair_kernel,
    join_side,
    list_pairs,
    list_texts,
    read_items,
    read_table,
    take_items,
)
from rekern.learning.pair_model_archive import Compaction, compact_scorer, pack_model, unpack_model
from rekern.learning.stream_training import Stream, resume_stream
from rekern.learning.training_labels import read_labels, read_weights
from rekern.structures.pairs import Pairs, check_one_pair
from rekern.structures.representations import Representations, Row

KEEP_PAIRS = "save the model with keep_pairs=True, or train it with --keep-pairs"


class Output(NamedTuple):
    """A decision value that is explained: its column, and 1 or -1 for the class that it speaks for or against."""

    column: int
    sign: int


TRAINING_DATA = ("pairs_", "labels_", "coefficients_", "items_")  # what a file may lack


class DecisionCache:
    """What is made of the training pairs when it is first needed: their items, the decision function, its curves."""

    def __init__(self, scorer: DecisionFunction | None = None) -> None:
        self.items: Sequence[object] | None = None
        self.scorer = scorer
        self.curves: dict[Output, list[ScoreEffect]] = {}


class PairModel(BaseEstimator):
    """The base of the models of pairs: decision(x) = Σ coefficients_[i] · K(pairs_[i], x) + intercept_.

    The parameters of the kernel are reached as ``kernel__…``, those of a named kernel and of the default one too.

    >>> from rekern import PairClassifier
    >>> PairClassifier("paper").set_params(kernel__left__k=2).kernel
    Sum(left=Rewriting(k=2), right=PrecisionRecall())
    """

    task: ClassVar[str]  # "classify", "regress" or "rank"
    kernel: Kernel | str | None
    C: float
    kernel_: Kernel
    pairs_: list[Pair]
    labels_: AnyArray
    coefficients_: Floats
    intercept_: Floats
    solver_: str
    items_: Representations | None  # what the kernel reads of the training pairs, if it is more than their words
    how_chosen_: KernelChoice | None = None  # what was tried, if the kernel was chosen by a search
    columns_: dict[str, str] | None = None  # the names of the columns of the table that it was trained on, if unusual
    compact_: Compaction | None = None  # of a loaded model with compact rules: their number, and what they change
    gram_limit: int
    n_jobs: int | None
    landmarks: int | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with ``deep`` those of the kernel too, also of a named kernel or of the default one."""
        parameters: dict[str, Any] = super().get_params(deep)
        if deep and (self.kernel is None or is_kernel_name(self.kernel)):
            inside = self._resolve_kernel().get_params(deep=True)
            parameters |= {f"kernel__{name}": value for name, value in inside.items()}
        return parameters

    def set_params(self, **params: Any) -> Self:
        """Set parameters; the first ``kernel__…`` replaces the name of a kernel, or None, by the kernel."""
        inside = any(name.startswith("kernel__") for name in params)
        if inside and not isinstance(self.kernel, Kernel) and "kernel" not in params:
            self.kernel = self._resolve_kernel()
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "intercept_")

    def __getattr__(self, name: str) -> Any:
        if name in TRAINING_DATA and "intercept_" in vars(self):
            raise AttributeError(
                f"this model has no {name}: its file was saved without training pairs, or it was trained in blocks; "
                + KEEP_PAIRS
            )
        return super().__getattribute__(name)  # raises the error that led here

    def _start(self, X: object, y: Iterable[object], sample_weight: Iterable[float] | None) -> Floats | None:
        """Read the training pairs and labels, and adapt the kernel to them; returns the weights of the pairs."""
        X = materialize_items(X)
        self.how_chosen_ = self.compact_ = self.columns_ = None
        self.kernel_ = add_landmarks(self._resolve_kernel(), self.landmarks)
        self._read_training(X)
        if self.landmarks is None and not self._uses_gram(len(self.pairs_)):
            self.kernel_ = self._resolve_kernel(on_features=True)
        self.labels_ = read_labels(y, len(self.pairs_))
        weights = read_weights(sample_weight, len(self.pairs_))
        self.start_cache()
        remember_rules(self._training())  # for the Gram or the features, and for the decision function
        self._adapt_kernel(weights)
        return weights

    def _adapt_kernel(self, weights: Floats | None) -> None:
        """Let the kernel learn from the training pairs; a pair without weight is not there."""
        used = None if weights is None or weights.all() else np.flatnonzero(weights)
        self.kernel_.adapt(self._training() if used is None else take_items(self._training(), used))

    def _resolve_kernel(self, on_features: bool = False) -> Kernel:
        """The kernel to train, a new object: the given one, the one of the given name, or the default one."""
        return resolve_kernel(self.kernel, on_features)

    def _read_training(self, X: object) -> None:
        """Check that the kernel compares pairs, and read the training pairs."""
        self.check_kernel()
        self.items_ = read_table(self.kernel_, X)
        self.pairs_ = list_pairs(X) if self.items_ is None else self.list_shown(self.items_)

    def list_shown(self, items: Representations) -> list[Pair]:
        """The two texts of each row of a table that the kernel reads, to show."""
        return list_texts(items)

    def check_kernel(self) -> None:
        """Raise an InputError if the kernel does not compare the items of this kind of model."""
        check_pair_kernel(self.kernel_)

    def _read_items(self, X: object, with_forms: bool = False) -> object:
        """Pairs in the form that the kernel reads fastest; with written forms, rules are shown with whole words."""
        return read_items(self.kernel_, X, with_forms)

    def start_cache(self, scorer: DecisionFunction | None = None) -> None:
        """Forget what was made of earlier training pairs; a file has the decision function."""
        self._cache = DecisionCache(scorer)

    def list_tokens(self) -> Pairs | None:
        """The training pairs as tokens, if the kernel reads nothing else."""
        items = self._training()
        return items if isinstance(items, Pairs) else None

    def _training(self) -> Sequence[object]:
        """The training pairs as the kernel reads them, read once."""
        if self._cache.items is None:
            items = self._read_items(self.pairs_, with_forms=True) if self.items_ is None else self.items_
            self._cache.items = cast(Sequence[object], items)
        return self._cache.items

    def _cost(self) -> float:
        """The parameter C, checked."""
        return check_positive("C", self.C)

    def _take_decision(self, kernel: Kernel, decision: DecisionFunction | None, intercept: Floats) -> None:
        """Note what was trained in blocks or on a stream; there are no training pairs then.

        Without a decision function, that of the stream is made when it is first needed: it is as large as the table of
        all hashed rules, and many blocks may come before.
        """
        self.how_chosen_ = self.compact_ = self.columns_ = None
        for name in TRAINING_DATA:
            if name in vars(self):
                delattr(self, name)
        self.kernel_, self.intercept_ = kernel, intercept
        self.start_cache(decision)

    def _forbid_landmarks(self) -> None:
        if self.landmarks is not None:
            raise InputError("landmarks are for training in one piece: leave them out for blocks and streams")

    def _find_stream(self) -> Stream | None:
        """The stream that this model was trained on last, or None."""
        stream: Stream | None = vars(self).get("_stream")
        return stream if stream is not None and stream.kernel is vars(self).get("kernel_") else None

    def _continue_stream(self, pairs: Sequence[Pair]) -> Stream | None:
        """The stream that an earlier `partial_fit` began, or one that goes on from blocks or from a file.

        None before the first call, and after training in one piece, which is forgotten.
        """
        self._forbid_landmarks()
        stream = self._find_stream()
        if stream is not None:
            return stream
        if not self.__sklearn_is_fitted__():
            return None
        if self.has_pairs():
            remedy = "begin with partial_fit or fit_in_blocks to go on from there"
            warnings.warn(f"partial_fit forgets what fit has learned: {remedy}", stacklevel=3)
            return None
        self._stream = resume_stream(self.kernel_, self.scorer_, self.intercept_, pairs)
        return self._stream

    def _uses_gram(self, n: int) -> bool:
        """Whether to train on a Gram: up to ``gram_limit`` rows, and always for a kernel without explicit features."""
        return n <= self.gram_limit or not self.kernel_.has_features()

    def _weigh_landmarks(self, features: Features, rows: Ints | None = None) -> None:
        """Make the decision function from the features of the training pairs, or of these rows of them."""
        assert isinstance(self.kernel_, Landmarks)
        coefficients = self.coefficients_ if rows is None else self.coefficients_[rows]
        self._cache.scorer = self.kernel_.weigh_features(weigh_columns(features, coefficients))
        self.solver_ = f"dual coordinate descent on {len(features)} rows with {features.shape[1]} landmarks"

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not trained yet; call fit(pairs, labels) first")

    @property
    def scorer_(self) -> DecisionFunction:
        """The decision function without its intercept, in the form that the kernel computes best."""
        self._check_fitted()
        if self._cache.scorer is None:
            stream = self._find_stream()
            if stream is not None:
                self._cache.scorer = stream.decide()
            else:
                self._cache.scorer = self.kernel_.decision_function(self._training(), self.coefficients_)
        return self._cache.scorer

    def _scores(self, X: object) -> Floats:
        """The decision values, a column for each output."""
        self._check_fitted()
        return self._score_items(self._read_items(materialize_items(X)))

    def _score_items(self, items: Items) -> Floats:
        """The decision values of pairs in the form that the kernel reads."""
        with keep_threads():
            values: Floats = self.scorer_.score(items, self.n_jobs) + self.intercept_
        forget_rules(self._cache.items)
        if not np.isfinite(values).all():
            raise InputError("a decision value exceeds the range of numbers: the model has numbers that are too large")
        return values

    def _explain(
        self,
        pair: Pair | Row,
        items: Items,
        scores: Floats,
        output: Output,
        prediction: object,
        explained: object,
        probability: float | None,
        neighbors: int,
    ) -> PairExplanation:
        column, sign = output
        parts = order_parts(self.scorer_.parts(items if isinstance(items, Pairs) else pair, column), sign)
        source, target = list_texts(pair.table)[pair.index] if isinstance(pair, Row) else pair
        return PairExplanation(
            source=join_side(source),
            target=join_side(target),
            prediction=prediction,
            explained=explained,
            decision=sign * float(scores[0, column]),
            intercept=sign * float(self.intercept_[column]),
            parts=parts,
            probability=probability,
            neighbors=self._find_neighbors(items, neighbors),
            remark="" if neighbors <= 0 or self.has_pairs() else f"similar training pairs are not shown: {KEEP_PAIRS}",
            curves=self._list_curves(output),
        )

    def _read_pair(self, pair: object) -> Pair | Row:
        """A single pair, however it is written, as a tuple; a row of a table if the kernel reads more than words."""
        self._check_fitted()
        check_one_pair(pair)
        table = read_table(self.kernel_, [pair])
        return list_pairs([pair])[0] if table is None else table[0]

    def _read_one(self, pair: Pair | Row) -> Items:
        """A single pair as the kernel reads it fastest; its rules are extracted once only."""
        items = self._read_items([pair], with_forms=True)
        remember_rules(items)
        return items

    def _find_neighbors(self, items: Items, n: int) -> list[Neighbor]:
        """The training pairs with the largest kernel values, normalised; among very many, see `find_nearest`."""
        if n <= 0 or not self.has_pairs():
            return []
        found = find_nearest(strip_landmarks(self.kernel_), items, self._training(), n, self.n_jobs)
        return [
            Neighbor(row, similarity, join_side(source), join_side(target), self.labels_[row].item())
            for row, similarity in zip(found.rows.tolist(), found.similarities.tolist())
            for source, target in (self.pairs_[row],)
        ]

    def rules(self, n: int = 20, label: object = None) -> ModelRules:
        """The ``n`` strongest rules for and against, with weight, support and an example; and all scores.

        In a model of more than two classes ``label`` says for and against which class.

        >>> from rekern import PairClassifier
        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
        >>> favoring, opposing = PairClassifier(calibration=0).fit(pairs, [1, 0]).rules(3)
        >>> len(favoring), len(opposing)
        (3, 3)
        """
        if n < 1:
            raise InputError(f"n={n!r}: give a whole number of at least 1")
        column, side = self._find_output(label)
        scorer = self.scorer_
        leaves = [term for term in scorer.terms() if isinstance(term, RuleDecision | HashedDecision)]
        scores = self.curves(label)
        if not leaves and not scores:
            kernel = summarize_kernel(self.kernel_)
            raise InputError(f"the model's kernel {kernel} has no re-writing rules and no scores to list")
        found: list[list[WeightedRule]] = []
        listed = [leaf.list_both_sides(n, column) for leaf in leaves]
        for place in (0, 1) if side > 0 else (1, 0):
            rules = [rule._replace(weight=side * rule.weight) for both in listed for rule in both[place]]
            found.append(sorted(rules, key=lambda rule: (-abs(rule.weight), rule.rule))[:n])
        favoring, opposing = found
        return ModelRules(favoring, opposing, scores)

    def curves(self, label: object = None) -> ScoreEffects:
        """What each score adds to the decision values, as a line or a curve; those that move decisions most first.

        In a model of more than two classes ``label`` says for which class.

        >>> from rekern import PairClassifier
        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D"), ("E met F", "F met E")]
        >>> curve = PairClassifier("paper", calibration=0).fit(pairs, [1, 0, 1]).curves()[0]
        >>> curve.name, curve.kind, curve.description
        ('recall', 'line', 'words of the target that the source has too')
        """
        return ScoreEffects(self._list_curves(self._find_output(label)))

    def _list_curves(self, output: Output) -> list[ScoreEffect]:
        known = self._cache.curves
        if output not in known:
            effects = sorted(self.scorer_.effects(output.column), key=lambda effect: (-effect.spread, effect.name))
            known[output] = effects if output.sign > 0 else [effect.flip() for effect in effects]
        return list(known[output])

    def _find_output(self, label: object) -> Output:
        """The decision value that a label stands for."""
        self._check_fitted()
        return Output(0, 1)

    def has_pairs(self) -> bool:
        """Whether the model has its training pairs; a loaded one has them if it was saved with ``keep_pairs``."""
        self._check_fitted()
        return "pairs_" in vars(self)

    def save(self, path: str | Path, keep_pairs: bool = False, compact: bool = False) -> None:
        """Write the trained model to a file: a zip of JSON and plain arrays, never pickle.

        Parameters
        ----------
        path : str or Path
            Where to write it.
        keep_pairs : bool
            Whether the file also gets the training pairs and their labels. Then `explain` shows the most similar ones.
        compact : bool
            Whether to keep only the rules with the most effect, with rounded weights: a few MB instead of many.
            Decisions change a little; ``compact_`` of the loaded model says how much at most on the training pairs.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from rekern import PairClassifier, load_model
        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
        >>> model = PairClassifier(calibration=0).fit(pairs, [1, 0])
        >>> with TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/without.rekern")
        ...     model.save(f"{folder}/with.rekern", keep_pairs=True)
        ...     load_model(f"{folder}/without.rekern").has_pairs(), load_model(f"{folder}/with.rekern").pairs_ == pairs
        (False, True)
        """
        save_model(self, path, self.to_archive(keep_pairs, compact))

    def to_archive(self, keep_pairs: bool = False, compact: bool = False) -> ModelContent:
        """What the model keeps in its file; the parameters are those of `save`."""
        self._check_fitted()
        header, more = self._describe_output()
        scorer = self.scorer_
        if compact:
            scorer, compaction = compact_scorer(scorer, self._training)
            header["compact"] = compaction.to_dict()
        elif self.compact_ is not None:
            header["compact"] = self.compact_.to_dict()
        content = pack_model(self, scorer, header, more, keep_pairs)
        forget_rules(self._cache.items)
        return content

    def _describe_output(self) -> tuple[dict[str, Json], Arrays]:
        """What this kind of model adds to the header and to the arrays of its file."""
        return {}, {}

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model of a file that is being read."""
        model = cls._unpack(archive)
        if len(model.intercept_) != 1:
            raise ModelFileError("its parts do not fit together")
        return model

    @classmethod
    def _unpack(cls, archive: OpenArchive) -> Self:
        return unpack_model(cls, archive)
