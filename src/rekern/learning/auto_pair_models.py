"""Models of pairs that choose their kernel themselves, by cross-validation on the training pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.parameter_tables import ClassWeights, Jobs, check_parameters, state_parameters
from rekern.core.state_schema import POSITIVE, TOKENIZER, Choice, Constraint, Number, Whole
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import materialize_items
from rekern.kernels.score_effects import ScoreEffects
from rekern.learning.auto_search import ChosenKernel, SearchSettings, TrainingPairs, choose_kernel, read_training_pairs
from rekern.learning.candidate_groups import number_groups
from rekern.learning.class_probabilities import METRICS, Threshold
from rekern.learning.gram_limits import GRAM_LIMIT
from rekern.learning.kernel_choice import Trial
from rekern.learning.kernel_ladder import Resources
from rekern.learning.model_rules import ModelRules
from rekern.learning.pair_classifier import Decisions, PairClassifier
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.pair_model import PairModel
from rekern.learning.pair_ranker import PairRanker, find_groups
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.search_tasks import ClassTask, NumberTask, OrderTask, SearchTask
from rekern.learning.training_labels import read_labels, read_numbers, read_weights
from rekern.similarity.lexical_resources import Thesaurus
from rekern.structures.word_space import WordSpace

if TYPE_CHECKING:
    from sklearn.utils import Tags

Model = TypeVar("Model", bound=PairModel)
SEARCH_PARAMETERS: dict[str, Constraint | None] = {  # of all models that choose their kernel
    "minutes": POSITIVE,
    "folds": Whole(2),
    "wordnet": None,
    "space": None,
    "thesaurus": None,
    "seed": Whole(0, (1 << 32) - 1),
    "gram_limit": Whole(0),
    "n_jobs": Jobs(),
    "tokenizer": TOKENIZER,
}


class AutoPairModel(BaseEstimator, Generic[Model]):
    """The base of the models that choose their kernel: a search, then a model with what it found.

    >>> from rekern import AutoPairClassifier
    >>> isinstance(AutoPairClassifier(minutes=1), AutoPairModel)
    True
    """

    minutes: float
    folds: int
    wordnet: str | None
    space: WordSpace | None
    thesaurus: Thesaurus | None
    seed: int
    gram_limit: int
    n_jobs: int | None
    tokenizer: Callable[[str], list[str]] | None
    on_trial: Callable[[Trial], None] | None = None  # called with every trial; not a parameter
    best_estimator_: Model
    best_kernel_: Kernel
    results_: list[Trial]

    def _search(
        self, task: SearchTask, pairs: TrainingPairs, classes: Ints | None, groups: list[Hashable] | None = None
    ) -> ChosenKernel:
        """Find the kernel; the folds are the same in every run with the same ``seed``."""
        resources = Resources(self.wordnet, self.space, self.thesaurus, self.tokenizer)
        how = SearchSettings(
            float(self.minutes), self.folds, self.seed, self.gram_limit, self.n_jobs, resources, self.on_trial
        )
        return choose_kernel(task, pairs, classes, groups, how)

    def _keep(self, model: Model, chosen: ChosenKernel) -> None:
        """Keep a model that was trained with the chosen kernel, and how it was chosen."""
        model.how_chosen_ = chosen.choice
        self.best_estimator_ = model
        self.best_kernel_ = chosen.kernel
        self.results_ = chosen.choice.trials

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def _model(self) -> Model:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not trained yet; call fit(pairs, labels) first")
        return self.best_estimator_

    def rules(self, n: int = 20, label: object = None) -> ModelRules:
        """The ``n`` strongest rules for and against, as `PairClassifier.rules`."""
        return self._model().rules(n, label)

    def curves(self, label: object = None) -> ScoreEffects:
        """What each score adds to the decision values, as `PairClassifier.curves`."""
        return self._model().curves(label)

    def save(self, path: str | Path, keep_pairs: bool = False, compact: bool = False) -> None:
        """Write the model with the chosen kernel to a file; the file says how it was chosen (``how_chosen_``)."""
        self._model().save(path, keep_pairs, compact)


class AutoPairClassifier(ClassifierMixin, AutoPairModel[PairClassifier]):
    """A `PairClassifier` that chooses its kernel, the sizes of its windows and C by cross-validation.

    It tries a ladder of kernels from simple to rich: re-writing rules; with precision and recall, with scores, with
    curves or a Gaussian kernel over scores; with scores that need WordNet, word vectors or a thesaurus, if you give
    them; with trees, if the table has columns of trees. The best ones are tried in other shapes, with other windows,
    and in both orders of the pairs. Pairs that share a text are in the same fold. A kernel that is clearly worse after
    the first folds is dropped. The simplest kernel within one standard error of the best (and no more than 0.2 points
    below it) wins. Then the model is trained on all pairs.

    Parameters
    ----------
    minutes : float
        The time for the search. Kernels that do not fit in are skipped, the richest first; ``results_`` says which.
    metric : "accuracy" or "f1"
        What is compared. With "f1" the threshold of the model is chosen for it too.
    class_weight, calibration, gram_limit, n_jobs
        As in `PairClassifier`. With more than ``gram_limit`` pairs, kernels without explicit features are approximated
        by landmarks, and of very many pairs a sample is searched first.
    folds : int
        Folds of the cross-validation.
    wordnet, space, thesaurus
        As in `Similarities`. Nothing is opened that is not given.
    seed : int
        The same seed gives the same folds, and so the same choice.
    tokenizer : callable, optional
        A function from a str to a list of tokens, by default ``Tokenizer()``.

    Attributes
    ----------
    on_trial : callable, optional
        Set it before ``fit`` to be called with every `Trial`.
    best_estimator_ : PairClassifier
        The model, trained on all pairs.
    best_kernel_ : Kernel
        The kernel that was chosen.
    results_ : list of Trial
        What was tried: kernel, C, score, standard error, folds, seconds, outcome.

    Examples
    --------
    >>> from rekern.datasets import load_rewrites
    >>> pairs, labels = load_rewrites("train", size=40)
    >>> model = AutoPairClassifier(minutes=0.5, folds=2).fit(pairs, labels)
    >>> sum(trial.outcome == "chosen" for trial in model.results_)
    1
    >>> model.predict(pairs).shape
    (40,)
    """

    task: ClassVar[str] = "classify"

    parameter_table = state_parameters(
        metric=Choice(*METRICS), class_weight=ClassWeights(), calibration=Whole(0), **SEARCH_PARAMETERS
    )

    def __init__(
        self,
        minutes: float = 5.0,
        metric: str = "accuracy",
        class_weight: str | Mapping[object, float] | None = None,
        calibration: int = 5,
        folds: int = 5,
        wordnet: str | None = None,
        space: WordSpace | None = None,
        thesaurus: Thesaurus | None = None,
        seed: int = 0,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        tokenizer: Callable[[str], list[str]] | None = None,
    ):
        self.minutes = minutes
        self.metric = metric
        self.class_weight = class_weight
        self.calibration = calibration
        self.folds = folds
        self.wordnet = wordnet
        self.space = space
        self.thesaurus = thesaurus
        self.seed = seed
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs
        self.tokenizer = tokenizer

    def fit(self, X: object, y: Iterable[object], sample_weight: Iterable[float] | None = None) -> Self:
        """Choose a kernel and train on pairs and their classes; parameters as in `PairClassifier.fit`."""
        check_parameters(self)
        X = materialize_items(X)
        pairs = read_training_pairs(X)
        labels = read_labels(y, len(pairs.texts))
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise InputError(f"all labels are {classes[0]!s}, which is one class; give examples of two or more")
        if self.metric == "f1" and len(classes) > 2:
            raise InputError(f"metric='f1' is for two classes, not {len(classes)}; use accuracy")
        weights = _read_weights(sample_weight, len(labels))
        from sklearn.utils.class_weight import compute_sample_weight

        costs = weights * compute_sample_weight(self.class_weight, labels)
        chosen = self._search(ClassTask(labels, costs, self.metric), pairs, codes)
        model = PairClassifier(
            chosen.kernel,
            C=chosen.C,
            class_weight=self.class_weight,
            calibration=self.calibration,
            gram_limit=self.gram_limit,
            n_jobs=self.n_jobs,
            threshold="f1" if self.metric == "f1" and self.calibration else 0.5,
        )
        self._keep(model.fit(X, labels, sample_weight), chosen)
        self.classes_ = model.classes_
        return self

    def predict(self, X: object) -> AnyArray:
        """The class of each pair."""
        return self._model().predict(X)

    def decision_function(self, X: object) -> Floats:
        """The decision values, as `PairClassifier.decision_function`."""
        return self._model().decision_function(X)

    def decide(self, X: object, threshold: Threshold | None = None) -> Decisions:
        """Classes, decision values and probabilities together, as `PairClassifier.decide`."""
        return self._model().decide(X, threshold)

    @available_if(lambda self: bool(self.calibration))
    def predict_proba(self, X: object) -> Floats:
        """The probability of every class, a row for each pair. Not there if ``calibration`` is 0."""
        found: Floats = self._model().predict_proba(X)
        return found

    @available_if(lambda self: bool(self.calibration))
    def predict_log_proba(self, X: object) -> Floats:
        """The logarithms of `predict_proba`."""
        found: Floats = self._model().predict_log_proba(X)
        return found

    def explain(self, pair: object, label: object = None, neighbors: int = 3) -> PairExplanation:
        """Take the decision value of a pair apart, as `PairClassifier.explain`."""
        return self._model().explain(pair, label, neighbors)


class AutoPairRegressor(RegressorMixin, AutoPairModel[PairRegressor]):
    """A `PairRegressor` that chooses its kernel, the sizes of its windows and C by cross-validation.

    The kernel is chosen by Pearson's correlation. Everything else is as in `AutoPairClassifier`; ``epsilon`` and
    ``response`` are those of `PairRegressor`.

    >>> pairs = [("a b c", "a b c"), ("a b c", "a b d"), ("d e f", "g h i"), ("g h", "g h"), ("i j", "k l")] * 3
    >>> model = AutoPairRegressor(minutes=0.5, folds=2).fit(pairs, [5, 3, 1, 5, 1] * 3)
    >>> model.predict([("k l", "k l")]).shape
    (1,)
    """

    task: ClassVar[str] = "regress"

    parameter_table = state_parameters(epsilon=Number(0.0), response=Choice("real", "ordinal"), **SEARCH_PARAMETERS)

    def __init__(
        self,
        minutes: float = 5.0,
        epsilon: float = 0.1,
        response: str = "real",
        folds: int = 5,
        wordnet: str | None = None,
        space: WordSpace | None = None,
        thesaurus: Thesaurus | None = None,
        seed: int = 0,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        tokenizer: Callable[[str], list[str]] | None = None,
    ):
        self.minutes = minutes
        self.epsilon = epsilon
        self.response = response
        self.folds = folds
        self.wordnet = wordnet
        self.space = space
        self.thesaurus = thesaurus
        self.seed = seed
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs
        self.tokenizer = tokenizer

    def fit(self, X: object, y: Iterable[object], sample_weight: Iterable[float] | None = None) -> Self:
        """Choose a kernel and train on pairs and their numbers; parameters as in `PairRegressor.fit`."""
        check_parameters(self)
        X = materialize_items(X)
        pairs = read_training_pairs(X)
        labels = read_labels(y, len(pairs.texts))
        targets = read_numbers(labels, "a regression needs numbers as labels")
        task = NumberTask(targets, _read_weights(sample_weight, len(labels)), self.epsilon)
        chosen = self._search(task, pairs, None)
        model = PairRegressor(chosen.kernel, chosen.C, self.epsilon, self.response, self.gram_limit, self.n_jobs)
        self._keep(model.fit(X, labels, sample_weight), chosen)
        return self

    def predict(self, X: object) -> AnyArray:
        """The predicted number, or level, of each pair."""
        return self._model().predict(X)

    def explain(self, pair: object, neighbors: int = 3) -> PairExplanation:
        """Take the predicted number of a pair apart, as `PairRegressor.explain`."""
        return self._model().explain(pair, neighbors)


class AutoPairRanker(AutoPairModel[PairRanker]):
    """A `PairRanker` that chooses its kernel, the sizes of its windows and C by cross-validation.

    The kernel is chosen by the mean average precision. Everything else is as in `AutoPairClassifier`.

    >>> pairs = [("who wrote Emma", "Austen wrote Emma"), ("who wrote Emma", "Emma is long"),
    ...          ("who wrote Ulysses", "Joyce wrote Ulysses"), ("who wrote Ulysses", "it rains in Dublin")]
    >>> model = AutoPairRanker(minutes=0.5, folds=2).fit(pairs, [1, 0, 1, 0])
    >>> model.rank([("who wrote Faust", "Faust is a play"), ("who wrote Faust", "Goethe wrote Faust")])
    array([1, 0])
    """

    task: ClassVar[str] = "rank"

    parameter_table = state_parameters(**SEARCH_PARAMETERS)

    def __init__(
        self,
        minutes: float = 5.0,
        folds: int = 5,
        wordnet: str | None = None,
        space: WordSpace | None = None,
        thesaurus: Thesaurus | None = None,
        seed: int = 0,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        tokenizer: Callable[[str], list[str]] | None = None,
    ):
        self.minutes = minutes
        self.folds = folds
        self.wordnet = wordnet
        self.space = space
        self.thesaurus = thesaurus
        self.seed = seed
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs
        self.tokenizer = tokenizer

    def fit(
        self,
        X: object,
        y: Iterable[object],
        groups: Iterable[Hashable] | None = None,
        sample_weight: Iterable[float] | None = None,
    ) -> Self:
        """Choose a kernel and train on candidates and their labels; parameters as in `PairRanker.fit`."""
        check_parameters(self)
        X = materialize_items(X)
        pairs = read_training_pairs(X)
        labels = read_labels(y, len(pairs.texts))
        targets = read_numbers(labels, "a ranking needs numbers as labels, larger for better")
        named = list(find_groups(X) if groups is None else groups)
        task = OrderTask(targets, number_groups(named, len(labels)), _read_weights(sample_weight, len(labels)))
        chosen = self._search(task, pairs, None, named)
        model = PairRanker(chosen.kernel, chosen.C, self.gram_limit, self.n_jobs)
        self._keep(model.fit(X, labels, named, sample_weight), chosen)
        return self

    def decision_function(self, X: object) -> Floats:
        """The score of each pair; only differences within a group mean something."""
        return self._model().decision_function(X)

    predict = decision_function

    def rank(self, X: object) -> Ints:
        """The numbers of one group's candidates, best first."""
        return self._model().rank(X)

    def score(self, X: object, y: Iterable[float], groups: Iterable[Hashable] | None = None) -> float:
        """The mean average precision, as `PairRanker.score`."""
        return self._model().score(X, y, groups)

    def explain(self, pair: object, neighbors: int = 3) -> PairExplanation:
        """Take the score of a pair apart, as `PairRanker.explain`."""
        return self._model().explain(pair, neighbors)


def _read_weights(weights: Iterable[float] | None, n: int) -> Floats:
    found = read_weights(weights, n)
    return np.ones(n) if found is None else found
