"""Classes of pairs: is it a paraphrase, does it follow, is it the same question."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin

from rekern.core.jobs import run
from rekern.core.model_archive import ModelContent, OpenArchive
from rekern.core.registry import register
from rekern.errors import InputError, ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.learning.calibration import fit_sigmoid
from rekern.learning.cross_validation import make_stratified_folds
from rekern.learning.dual_descent import classify_features, condense
from rekern.learning.dual_solution import DualSolution
from rekern.learning.explanation import PairExplanation
from rekern.learning.gram_svm import classify_held_out, classify_rows
from rekern.learning.pair_model import GRAM_LIMIT, PairModel
from rekern.learning.pair_model_archive import pack_model, unpack_model

# The gap between primal and dual objective at which training on features stops, as a share of the primal. On 45,773
# question pairs a tenth of it moves decision values in the third digit and takes twice as long.
TOLERANCE = 1e-2


class Decisions(NamedTuple):
    """What a classifier says about pairs, a row for each pair."""

    labels: np.ndarray  # the predicted classes
    values: np.ndarray  # the decision values: one column for two classes, else a column for each class
    probabilities: np.ndarray | None  # a column for each class; None without calibration


@register
class PairClassifier(ClassifierMixin, PairModel):
    """A support vector machine that classifies pairs of texts.

    Up to ``gram_limit`` training pairs LIBSVM is trained on a Gram matrix, beyond that a linear solver on the explicit
    features; ``solver_`` says which. Of more than two classes, each is told from all others.

    Parameters
    ----------
    kernel : Kernel, optional
        By default ``Rewriting(k=(1, 4)) + PrecisionRecall()``.
    C : float
        The price of a training error.
    class_weight : "balanced", dict or None
        Prices of the classes, as in scikit-learn.
    calibration : int
        Folds of the cross-validation from which probabilities are learned; 0 for none.
    gram_limit : int
        The most training pairs for which a Gram is computed.
    n_jobs : int, optional
        Threads; all cores by default.

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

    def __init__(
        self,
        kernel: Kernel | None = None,
        C: float = 1.0,
        class_weight: Any = None,
        calibration: int = 5,
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
    ):
        self.kernel = kernel
        self.C = C
        self.class_weight = class_weight
        self.calibration = calibration
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> PairClassifier:
        """Train on pairs and their classes."""
        self.pairs_, self.labels_ = self._start(X, y)
        self.classes_ = np.unique(self.labels_)
        if len(self.classes_) < 2:
            raise InputError(f"all labels are {self.classes_[0]!s}; a classifier needs examples of two classes or more")
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        signs = np.array([np.where(self.labels_ == label, 1, -1) for label in positive])
        limits = self._price() * self._class_weights()
        rows = len(self.pairs_)
        if self._uses_gram(rows):
            machine: Any = _GramMachine(self.kernel_.gram(self._training(), n_jobs=self.n_jobs), signs, limits)
            self.solver_ = f"LIBSVM on a {rows} × {rows} Gram matrix"
        else:
            matrix, norms = condense(self.kernel_.features(self._training(), self.n_jobs))
            machine = _FeatureMachine(matrix, norms, signs, limits)
            self.solver_ = f"dual coordinate descent on {rows} rows with {matrix.shape[1]} shared features"
        everything = np.arange(rows)
        outputs = [(output, everything) for output in range(len(signs))]
        fitted = list(run(machine.fit, outputs, self.n_jobs, "training"))
        self.coefficients_ = np.array([coefficients for coefficients, _ in fitted]).T
        self.intercept_ = np.array([intercept for _, intercept in fitted])
        self.calibration_ = self._calibrate(machine, signs) if self.calibration else None
        return self

    def _class_weights(self) -> np.ndarray:
        from sklearn.utils.class_weight import compute_sample_weight

        if self.class_weight is None:
            return np.ones(len(self.labels_))
        return np.asarray(compute_sample_weight(self.class_weight, self.labels_), dtype=float)

    def _calibrate(self, machine: Any, signs: np.ndarray) -> np.ndarray:
        """Slope and offset of a sigmoid for each output, from cross-validated decision values (Platt, 1999)."""
        folds = min(int(self.calibration), min(int((self.labels_ == label).sum()) for label in self.classes_))
        if folds < 2:  # a class with a single example cannot be held out
            return np.tile([1.0, 0.0], (len(signs), 1))
        codes = np.searchsorted(self.classes_, self.labels_)  # numbers with decimals may be classes too
        splits = make_stratified_folds(codes, folds)
        calls = [(output, train, test) for output in range(len(signs)) for train, test in splits]
        values = np.empty(signs.shape)
        for (output, _, test), held_out in zip(calls, run(machine.decide, calls, self.n_jobs, "calibration")):
            values[output, test] = held_out
        sigmoids = []
        for row, sign in zip(values, signs):
            slope, offset = fit_sigmoid(row, sign)
            if slope <= 0:  # nothing was learned that holds on held-out pairs: the share of the class is all we know
                share = float(np.mean(sign > 0))
                slope, offset = 0.0, float(np.log(share / (1 - share)))
            sigmoids.append([slope, offset])
        return np.array(sigmoids)

    def decision_function(self, X: Any) -> np.ndarray:
        """The decision values: one for each pair if there are two classes, else a column for each class."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class of each pair."""
        scores = self._scores(X)
        return self._decided(scores)

    def _decided(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 0] > 0).astype(int)]
        return self.classes_[np.argmax(scores, axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, a row for each pair."""
        self._check_fitted()
        return self._probabilities(self._scores(X))

    def decide(self, X: Any) -> Decisions:
        """Predict classes, decision values and probabilities together, so that the pairs are compared only once.

        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
        >>> PairClassifier(calibration=0).fit(pairs, ["yes", "no"]).decide(pairs).labels.tolist()
        ['yes', 'no']
        """
        self._check_fitted()
        scores = self._scores(X)
        probabilities = None if self.calibration_ is None else self._probabilities(scores)
        return Decisions(self._decided(scores), scores, probabilities)

    def find_label(self, name: object) -> Any:
        """Return the class with this name as it stands in ``classes_``; an unknown name raises InputError.

        >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
        >>> PairClassifier(calibration=0).fit(pairs, [1, 0]).find_label("1")
        1
        """
        self._output(name)
        return next(label for label in self.classes_.tolist() if str(label) == str(name))

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        if self.calibration_ is None:
            raise AttributeError("this model was trained with calibration=0 and has no probabilities")
        single = 1 / (1 + np.exp(-np.clip(scores * self.calibration_[:, 0] + self.calibration_[:, 1], -700, 700)))
        if len(self.classes_) == 2:
            return np.column_stack([1 - single, single])
        total = single.sum(axis=1, keepdims=True)
        return np.where(total > 0, single / np.where(total > 0, total, 1), 1 / len(self.classes_))

    def explain(self, pair: Any, label: Any = None, neighbors: int = 3) -> PairExplanation:
        """Take the decision value of a pair apart: rules with their words, scores, the intercept.

        The value explained is that of ``label``: by default of the second class if there are two, else of the class
        that was predicted. ``neighbors`` is the number of training pairs to show.
        """
        pair = self._one(pair)
        scores = self._scores([pair])
        prediction = self._decided(scores)[0]
        explained = label if label is not None else (self.classes_[1] if len(self.classes_) == 2 else prediction)
        output = self._output(explained)
        probability = None
        if self.calibration_ is not None:
            probability = float(self._probabilities(scores)[0, list(self.classes_).index(prediction)])
        return self._explain(pair, output, _plain(prediction), _plain(explained), probability, neighbors)

    def to_archive(self) -> ModelContent:
        """What the model keeps in its file."""
        self._check_fitted()
        return pack_model(self, {} if self.calibration_ is None else {"calibration": self.calibration_})

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model of a file that is being read."""
        model = unpack_model(cls, archive)
        model.classes_ = np.unique(model.labels_)
        outputs = 1 if len(model.classes_) == 2 else len(model.classes_)
        model.calibration_ = archive.read_array("calibration", 2) if archive.has("calibration.npy") else None
        if (model.calibration_ is None) != (not model.calibration):
            raise ModelFileError("it lacks its calibration")
        if model.calibration_ is not None and model.calibration_.shape != (outputs, 2):
            raise ModelFileError("its calibration does not fit its classes")
        if len(model.intercept_) != outputs or len(model.classes_) < 2:
            raise ModelFileError("its classes do not fit its coefficients")
        return model

    def _output(self, label: Any) -> tuple[int, int]:
        self._check_fitted()
        if label is None:
            if len(self.classes_) > 2:
                raise InputError(f"say which class: label is one of {', '.join(map(str, self.classes_))}")
            return 0, 1
        known = [str(name) for name in self.classes_]
        if str(label) not in known:
            raise InputError(f"the model knows no class {label!s}; its classes are {', '.join(known)}")
        number = known.index(str(label))
        return (0, 1 if number else -1) if len(known) == 2 else (number, 1)


class _GramMachine:
    """Trains LIBSVM on (parts of) a Gram matrix."""

    def __init__(self, gram: np.ndarray, signs: np.ndarray, limits: np.ndarray):
        self.gram, self.signs, self.limits = gram, signs, limits

    def fit(self, output: int, rows: np.ndarray) -> DualSolution:
        return classify_rows(self.gram, self.signs[output], self.limits, rows)

    def decide(self, output: int, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return classify_held_out(self.gram, self.signs[output], self.limits, train, test)


class _FeatureMachine:
    """Trains a linear machine on (parts of) a matrix of features."""

    def __init__(self, matrix: Any, norms: np.ndarray, signs: np.ndarray, limits: np.ndarray):
        self.matrix, self.norms, self.signs, self.limits = matrix, norms, signs, limits

    def fit(self, output: int, rows: np.ndarray) -> DualSolution:
        matrix = self.matrix if len(rows) == self.matrix.shape[0] else self.matrix[rows]
        return classify_features(matrix, self.norms[rows], self.signs[output, rows], self.limits[rows], TOLERANCE)

    def decide(self, output: int, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        coefficients, intercept = self.fit(output, train)
        weights = self.matrix[train].T @ coefficients
        return self.matrix[test] @ weights + intercept


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
