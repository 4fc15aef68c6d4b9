"""Classes of pairs: is it a paraphrase, does it follow, is it the same question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from typing import ClassVar, NamedTuple, Self, cast

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.core.json_values import Json
from rekern.core.model_archive import OpenArchive
from rekern.core.object_descriptions import Arrays
from rekern.core.parallel_jobs import run
from rekern.core.parameter_tables import ClassWeights, Jobs, check_parameters, state_parameters
from rekern.core.registry import register
from rekern.core.state_schema import POSITIVE, Whole
from rekern.errors import InputError, ModelFileError
from rekern.kernels.gram_plan import fill_gram
from rekern.kernels.kernel import Kernel
from rekern.kernels.landmarks import Landmarks
from rekern.learning.block_classifier import BlockClassifier
from rekern.learning.calibration import Sigmoid
from rekern.learning.class_probabilities import (
    Threshold,
    check_threshold,
    find_thresholds,
    fit_probabilities,
    shift_to_threshold,
    spread_probabilities,
)
from rekern.learning.classifier_trainers import (
    FeatureTrainer,
    GramTrainer,
    LargeGramTrainer,
    Trainer,
    TrainingTask,
    do_task,
)
from rekern.learning.cross_validation import make_stratified_folds
from rekern.learning.dense_descent import DenseTrainer
from rekern.learning.dual_descent import condense
from rekern.learning.dual_solution import DualSolution
from rekern.learning.gram_limits import GRAM_LIMIT, LARGE_GRAM
from rekern.learning.landmark_features import list_landmark_features, scale_costs
from rekern.learning.model_schema import CLASSIFIER, LANDMARKS
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.pair_model import Output
from rekern.learning.pair_model_archive import read_labels
from rekern.learning.training_labels import warn_of_quantities


class Decisions(NamedTuple):
    """What a classifier says about pairs, a row for each pair."""

    labels: AnyArray  # the predicted classes
    values: Floats  # the decision values: one column for two classes, else a column for each class
    probabilities: Floats | None  # a column for each class; None without calibration


def _has_probabilities(model: PairClassifier) -> bool:
    """Whether a model has probabilities; the error says why not."""
    if not model.calibration or getattr(model, "calibration_", model.calibration) is None:
        raise AttributeError("this model was trained with calibration=0 and has no probabilities")
    return True


@register
class PairClassifier(ClassifierMixin, BlockClassifier):
    """A support vector machine that classifies pairs of texts.

    Up to ``gram_limit`` training pairs the machine is trained on a Gram matrix: by LIBSVM or, if there are more than
    5,000, by the same algorithm on 32 bits. Beyond the limit a linear solver is trained on the explicit features;
    ``solver_`` says which. With more than two classes, each is told from all others.

    Parameters
    ----------
    kernel : Kernel or str, optional
        A kernel, or the name of one: "rules", "rules+scores", "paper" (see docs/reference/kernels.md). By default
        "rules+curves", which is ``Rewriting(k=(1, 4)) + Curves(Similarities(groups=…), products=3.0)``.
    C : float
        The cost of a training error.
    class_weight : "balanced", dict or None
        Factors on the cost of errors of each class, as in scikit-learn.
    calibration : int
        Folds of the cross-validation from which probabilities are learned; 0 for no probabilities.
    gram_limit : int
        The most training pairs for which a Gram is computed.
    n_jobs : int, optional
        Threads; all cores by default.
    threshold : float, "accuracy" or "f1"
        Of two classes, the probability above which the second one is predicted; or the measure for which the best
        threshold is chosen in the folds of the calibration.
    landmarks : int, optional
        Train on the values of the kernel with so many landmarks (see `rekern.kernels.Landmarks`), and on no Gram. For
        kernels on trees and graphs with more than ``gram_limit`` pairs. ``C`` means the same as without landmarks.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    kernel_ : Kernel
        The kernel, adapted to the training pairs.
    coefficients_, intercept_ : arrays
        Of the decision values, a column for each class (one column for two classes).
    solver_ : str
        How the model was trained.
    threshold_ : float or None
        Of two classes, the probability above which the second one is predicted. The decision value is 0 there.
    thresholds_ : dict
        The best thresholds in the folds of the calibration, for "accuracy" and for "f1".

    Examples
    --------
    >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "D was seen by C"), ("E met F", "F was met by E"),
    ...          ("A beat B", "A was beaten by B"), ("C saw D", "C was seen by D"), ("E met F", "E was met by F")]
    >>> model = PairClassifier(calibration=0).fit(pairs, [1, 1, 1, 0, 0, 0])
    >>> model.predict([("G met H", "H was met by G"), ("G met H", "G was met by H")])
    array([1, 0])
    >>> why = model.explain(("G met H", "H was met by G"))
    >>> abs(why.decision - why.intercept - sum(part.contribution for part in why.parts)) < 1e-9
    True
    """

    task: ClassVar[str] = "classify"
    schema = CLASSIFIER
    classes_: AnyArray
    calibration_: Floats | None  # slope and offset of the sigmoid of each output
    thresholds_: dict[str, float]

    parameter_table = state_parameters(
        kernel=None,
        C=POSITIVE,
        class_weight=ClassWeights(),
        calibration=Whole(0),
        gram_limit=Whole(0),
        n_jobs=Jobs(),
        threshold=None,
        landmarks=LANDMARKS,
    )

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        C: float = 1.0,
        class_weight: str | Mapping[object, float] | None = None,
        calibration: int = 5,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        threshold: Threshold = 0.5,
        landmarks: int | None = None,
    ):
        self.kernel = kernel
        self.C = C
        self.class_weight = class_weight
        self.calibration = calibration
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs
        self.threshold = threshold
        self.landmarks = landmarks

    def fit(self, X: object, y: Iterable[object], sample_weight: Iterable[float] | None = None) -> Self:
        """Train on pairs and their classes.

        Parameters
        ----------
        X : pairs of texts
            A list of pairs, an array or table with two columns, or a table with the columns that the kernel reads.
        y : labels
            One for each pair.
        sample_weight : numbers, optional
            How often each pair counts. A weight of 2 gives the decision function of a training set that has the pair
            twice. The folds of the calibration hold the pair once.
        """
        check_parameters(self)
        cost = self._cost()
        threshold = check_threshold(self.threshold)
        weights = self._start(X, y, sample_weight)
        signs, costs = self._read_classes(np.unique(self.labels_), cost, weights, threshold)
        n = len(self.pairs_)
        trainer: Trainer
        features = None
        if isinstance(self.kernel_, Landmarks):
            features = list_landmark_features(self.kernel_, self._training(), self.n_jobs)
            costs = costs * scale_costs(self.kernel_, self._training(), features)
            trainer = DenseTrainer(features, signs, costs)
        elif self._uses_gram(n) and n > LARGE_GRAM:
            plan = self.kernel_.plan_gram(self._training(), None, self.n_jobs)
            gram = np.empty((n, n), np.float32)  # after the plan, in memory that it has left
            fill_gram(plan, gram, self.n_jobs)
            del plan
            trainer = LargeGramTrainer(gram, signs, costs)
            self.solver_ = f"sequential minimal optimisation on a {n} × {n} Gram matrix"
        elif self._uses_gram(n):
            trainer = GramTrainer(self.kernel_.gram(self._training(), n_jobs=self.n_jobs), signs, costs)
            self.solver_ = f"LIBSVM on a {n} × {n} Gram matrix"
        else:
            matrix, norms = condense(self.kernel_.features(self._training(), self.n_jobs))
            trainer = FeatureTrainer(matrix, norms, signs, costs)
            self.solver_ = f"dual coordinate descent on {n} rows with {matrix.shape[1]} shared features"
        # The machines of the whole set and of the folds are trained together, so that no thread waits for others.
        folds = self._list_folds(costs, len(signs)) if self.calibration else []
        calls = [TrainingTask(output, np.arange(n), None) for output in range(len(signs))]
        found = run(partial(do_task, trainer), [*calls, *folds], self.n_jobs, "training")
        solutions = cast(list[DualSolution], list(islice(found, len(signs))))
        self.coefficients_ = np.array([solution.coefficients for solution in solutions]).T
        self.intercept_ = np.array([solution.intercept for solution in solutions])
        if features is not None:
            self._weigh_landmarks(features)
        elif n > LARGE_GRAM:
            _ = self.scorer_  # made while the folds are trained
        held_out = cast(list[Floats], list(found))
        self.calibration_, self.thresholds_ = None, {}
        if self.calibration:
            values = np.zeros(signs.shape)
            for fold, decisions in zip(folds, held_out):
                values[fold.output, fold.test] = decisions
            self._calibrate(values if folds else None, costs > 0, signs, weights, threshold)
        return self

    def _read_classes(
        self, classes: AnyArray, cost: float, weights: Floats | None, threshold: Threshold
    ) -> tuple[Ints, Floats]:
        """Note the classes; return 1 or -1 for each output and pair, and the cost of each pair."""
        self.classes_ = classes
        if len(classes) < 2:
            only = f"all labels are {classes[0]!s}, which is one class"
            raise InputError(f"{only}; a classifier needs examples of two classes or more")
        warn_of_quantities(classes)
        if threshold != 0.5 and (len(classes) > 2 or not self.calibration):
            remedy = "a calibration of at least 2" if not self.calibration else f"two classes, not {len(classes)}"
            raise InputError(f"threshold={threshold!r} needs a model with {remedy}")
        positive = classes[1:] if len(classes) == 2 else classes
        signs = np.array([np.where(self.labels_ == label, 1, -1) for label in positive])
        costs = cost * self._weigh(weights)
        for label in np.unique(self.labels_):
            if not costs[self.labels_ == label].any():
                raise InputError(f"all pairs of class {label!s} have the weight 0; give one of them a weight")
        return signs, costs

    def _list_folds(self, costs: Floats, outputs: int) -> list[TrainingTask]:
        """The training and test rows of the folds of the calibration; none if a class has a single example."""
        used = np.flatnonzero(costs > 0)
        codes = np.searchsorted(self.classes_, self.labels_[used])  # numbers with decimals may be classes too
        folds = min(int(self.calibration), int(np.bincount(codes).min()))
        splits = make_stratified_folds(codes, folds) if folds >= 2 else []
        return [TrainingTask(output, used[train], used[test]) for output in range(outputs) for train, test in splits]

    def _weigh(self, weights: Floats | None) -> Floats:
        """The weight of every pair, from its class and its own weight."""
        if self.class_weight == "balanced" and weights is not None:  # a pair of weight 2 is two pairs of its class
            codes = np.searchsorted(self.classes_, self.labels_)
            totals = np.bincount(codes, weights)
            shares = np.divide(weights.sum() / len(totals), totals, out=np.zeros(len(totals)), where=totals > 0)
            balanced: Floats = shares[codes] * weights
            return balanced
        found = np.ones(len(self.labels_))
        if self.class_weight is not None:
            from sklearn.utils.class_weight import compute_sample_weight

            found = np.asarray(compute_sample_weight(self.class_weight, self.labels_), dtype=np.float64)
        return found if weights is None else found * weights

    def _calibrate(
        self, values: Floats | None, used: Booleans, signs: Ints, weights: Floats | None, threshold: Threshold
    ) -> None:
        """Fit a sigmoid to cross-validated decision values (Platt, 1999), and find the threshold with it."""
        sigmoid = Sigmoid(1.0, 0.0)  # a class with a single example cannot be held out
        if values is not None:
            shares = self._weigh(weights)[used]
            sigmoid = fit_probabilities(values[:, used], signs[:, used], shares)
            if len(signs) == 1:
                chances, counts = sigmoid.probabilities(values[0, used]), None if weights is None else weights[used]
                self.thresholds_ = find_thresholds(chances, signs[0, used] > 0, counts)
        if len(signs) == 1:
            chosen = self.thresholds_.get(threshold, 0.5) if isinstance(threshold, str) else threshold
            sigmoid, shift = shift_to_threshold(sigmoid, chosen)
            self.intercept_ = self.intercept_ + shift
        self.calibration_ = np.tile(sigmoid, (len(signs), 1))

    @property
    def threshold_(self) -> float | None:
        """Of two classes, the probability above which the second one is predicted; None without probabilities."""
        self._check_fitted()
        if self.calibration_ is None or len(self.classes_) > 2:
            return None
        slope, offset = self.calibration_[0].tolist()
        return float(Sigmoid(slope, offset).probabilities(np.zeros(1))[0])

    def decision_function(self, X: object) -> Floats:
        """The decision values: one for each pair if there are two classes, else a column for each class."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: object) -> AnyArray:
        """The class of each pair: the most likely one, or of two classes the second above the threshold."""
        return self._choose(self._scores(X))

    def _choose(self, scores: Floats) -> AnyArray:
        numbers = (scores[:, 0] > 0).astype(np.int64) if len(self.classes_) == 2 else np.argmax(scores, axis=1)
        classes: AnyArray = self.classes_[numbers]
        return classes

    @available_if(_has_probabilities)
    def predict_proba(self, X: object) -> Floats:
        """The probability of every class, a row for each pair. Not there if ``calibration`` is 0."""
        return self._probabilities(self._scores(X))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: object) -> Floats:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            logarithms: Floats = np.log(self._probabilities(self._scores(X)))
        return logarithms

    def decide(self, X: object, threshold: Threshold | None = None) -> Decisions:
        """Predict classes, decision values and probabilities together, so that the pairs are compared only once.

        Another ``threshold`` than the model's is a probability, or the measure for which training found the best one.

        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
        >>> PairClassifier(calibration=0).fit(pairs, ["yes", "no"]).decide(pairs).labels.tolist()
        ['yes', 'no']
        """
        scores = self._scores(X)
        probabilities = None if self.calibration_ is None else self._probabilities(scores)
        labels = self._choose(scores)
        if threshold is not None:
            labels = self.classes_[(scores[:, 0] > self._find_border(threshold)).astype(np.int64)]
        return Decisions(labels, scores, probabilities)

    def _find_border(self, threshold: Threshold) -> float:
        """The decision value that belongs to a threshold on the probability."""
        chosen = check_threshold(threshold)
        if len(self.classes_) > 2:
            raise InputError(f"a threshold is for two classes; this model has {len(self.classes_)}")
        if isinstance(chosen, str):
            if chosen not in self.thresholds_:
                raise InputError(f"the model has no threshold for {chosen}: train it again, or give a number")
            chosen = self.thresholds_[chosen]
        if self.calibration_ is None:
            raise InputError("a model trained with calibration=0 has no probabilities and no threshold on them")
        slope, offset = self.calibration_[0].tolist()
        return -shift_to_threshold(Sigmoid(slope, offset), chosen)[1] if slope else 0.0

    def find_label(self, name: object) -> str | float:
        """Return the class with this name as it stands in ``classes_``; an unknown name raises InputError.

        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
        >>> PairClassifier(calibration=0).fit(pairs, [1, 0]).find_label("1")
        1
        """
        self._find_output(name)
        found: str | float = next(label for label in self.classes_.tolist() if str(label) == str(name))
        return found

    def _probabilities(self, scores: Floats) -> Floats:
        assert self.calibration_ is not None
        sigmoids = [Sigmoid(slope, offset) for slope, offset in self.calibration_.tolist()]
        single = np.column_stack([sigmoid.probabilities(scores[:, i]) for i, sigmoid in enumerate(sigmoids)])
        return spread_probabilities(single)

    def explain(self, pair: object, label: object = None, neighbors: int = 3) -> PairExplanation:
        """Take the decision value of a pair apart: rules with their words, scores, the intercept.

        The value explained is that of ``label``: by default of the second class if there are two, else of the class
        that was predicted. ``neighbors`` is the number of training pairs to show.
        """
        one = self._read_pair(pair)
        items = self._read_one(one)
        scores = self._score_items(items)
        prediction = self._choose(scores)[0]
        explained = label if label is not None else (self.classes_[1] if len(self.classes_) == 2 else prediction)
        output = self._find_output(explained)
        probability = None
        if self.calibration_ is not None:
            probability = float(self._probabilities(scores)[0, list(self.classes_).index(prediction)])
        classes = _to_plain(prediction), _to_plain(explained)
        return self._explain(one, items, scores, output, *classes, probability, neighbors)

    def _describe_output(self) -> tuple[dict[str, Json], Arrays]:
        header: dict[str, Json] = {"classes": self.classes_.tolist(), "thresholds": dict(self.thresholds_)}
        return header, {} if self.calibration_ is None else {"calibration": self.calibration_}

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model of a file that is being read."""
        model = cls._unpack(archive)
        model.classes_ = read_labels(archive, "classes") if "classes" in archive.header else np.unique(model.labels_)
        known = model.labels_ if model.has_pairs() else model.classes_
        if not np.array_equal(np.unique(known), model.classes_):
            raise ModelFileError("its classes do not fit its labels")
        outputs = 1 if len(model.classes_) == 2 else len(model.classes_)
        model.calibration_ = archive.read_array("calibration", 2) if archive.has("calibration.npy") else None
        model.thresholds_ = dict(archive.header.get("thresholds", {}))
        if (model.calibration_ is None) != (not model.calibration):
            raise ModelFileError("it lacks its calibration")
        if model.calibration_ is not None and model.calibration_.shape != (outputs, 2):
            raise ModelFileError("its calibration does not fit its classes")
        if len(model.intercept_) != outputs or len(model.classes_) < 2:
            raise ModelFileError("its classes do not fit its coefficients")
        return model

    def _find_output(self, label: object) -> Output:
        self._check_fitted()
        if label is None:
            if len(self.classes_) > 2:
                raise InputError(f"say which class: label is one of {', '.join(map(str, self.classes_))}")
            return Output(0, 1)
        known = [str(name) for name in self.classes_]
        if str(label) not in known:
            raise InputError(f"the model knows no class {label!s}; its classes are {', '.join(known)}")
        number = known.index(str(label))
        return Output(0, 1 if number else -1) if len(known) == 2 else Output(number, 1)


def _to_plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value
