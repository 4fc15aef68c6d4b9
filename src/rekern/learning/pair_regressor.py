"""Real and ordinal responses of pairs: how similar, how related."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import Json
from rekern.core.model_archive import OpenArchive
from rekern.core.object_descriptions import Arrays
from rekern.core.parameter_tables import Jobs, check_parameters, state_parameters
from rekern.core.registry import register
from rekern.errors import ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.kernels.landmarks import Landmarks
from rekern.learning.block_descent import Problem
from rekern.learning.block_training import train_in_blocks
from rekern.learning.dense_descent import regress_dense
from rekern.learning.dual_descent import condense, regress_features
from rekern.learning.gram_limits import GRAM_LIMIT
from rekern.learning.gram_svm import regress_gram
from rekern.learning.landmark_features import list_landmark_features, scale_costs
from rekern.learning.model_schema import REGRESSOR
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.pair_input import open_pairs
from rekern.learning.pair_model import Output, PairModel
from rekern.learning.pair_model_archive import read_labels as read_levels
from rekern.learning.stream_training import start_stream
from rekern.learning.training_labels import read_labels, read_numbers


@register
class PairRegressor(RegressorMixin, PairModel):
    """Support vector regression on pairs of texts.

    Parameters
    ----------
    kernel : Kernel or str, optional
        A kernel, or the name of one: "rules", "rules+scores", "paper" (see docs/reference/kernels.md). By default
        "rules+curves", which is ``Rewriting(k=(1, 4)) + Curves(Similarities(groups=…), products=3.0)``.
    C : float
        The cost of an error beyond ``epsilon``.
    epsilon : float
        Errors up to this size cost nothing.
    response : "real" or "ordinal"
        Predict numbers, or the nearest of the levels that were seen in training.
    gram_limit, n_jobs, landmarks
        As in `PairClassifier`.

    Examples
    --------
    >>> pairs = [("a b c", "a b c"), ("a b c", "a b d"), ("a b c", "d e f"), ("g h", "g h"), ("g h", "i j")]
    >>> PairRegressor(response="ordinal", C=10).fit(pairs, [5, 3, 1, 5, 1]).predict([("k l", "k l"), ("k l", "m n")])
    array([5, 1])
    """

    task: ClassVar[str] = "regress"
    schema = REGRESSOR
    levels_: AnyArray  # the different labels of training

    parameter_table = state_parameters(kernel=None, **REGRESSOR.parts.parts, n_jobs=Jobs())

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        response: str = "real",
        gram_limit: int = GRAM_LIMIT,
        n_jobs: int | None = None,
        landmarks: int | None = None,
    ):
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.response = response
        self.gram_limit = gram_limit
        self.n_jobs = n_jobs
        self.landmarks = landmarks

    def fit(self, X: object, y: Iterable[object], sample_weight: Iterable[float] | None = None) -> Self:
        """Train on pairs and their numbers.

        Parameters
        ----------
        X : pairs of texts
            A list of pairs, an array or table with two columns, or a table with the columns that the kernel reads.
        y : numbers
            One for each pair.
        sample_weight : numbers, optional
            How often each pair counts: a weight of 2 is the pair twice.
        """
        check_parameters(self)
        cost = self._cost()
        weights = self._start(X, y, sample_weight)
        targets = self._read_targets(self.labels_)
        n = len(self.pairs_)
        costs = np.full(n, cost) if weights is None else cost * weights
        features = None
        if isinstance(self.kernel_, Landmarks):
            features = list_landmark_features(self.kernel_, self._training(), self.n_jobs)
            costs = costs * scale_costs(self.kernel_, self._training(), features)
            solution = regress_dense(features, targets, costs, self.epsilon)
        elif self._uses_gram(n):
            gram = self.kernel_.gram(self._training(), n_jobs=self.n_jobs)
            solution = regress_gram(gram, targets, costs, self.epsilon)
            self.solver_ = f"LIBSVM on a {n} × {n} Gram matrix"
        else:
            matrix, norms = condense(self.kernel_.features(self._training(), self.n_jobs))
            solution = regress_features(matrix, norms, targets, costs, self.epsilon)
            self.solver_ = f"dual coordinate descent on {n} rows with {matrix.shape[1]} shared features"
        self.coefficients_ = solution.coefficients[:, None]
        self.intercept_ = np.array([solution.intercept])
        if features is not None:
            self._weigh_landmarks(features)
        return self

    def fit_in_blocks(
        self, X: object, y: Iterable[object], memory: str | int = "4GB", folder: str | Path | None = None
    ) -> Self:
        """Train on more pairs than fit into memory as features; see `PairClassifier.fit_in_blocks`.

        >>> pairs = [("A beat B", "B was beaten by A"), ("A beat B", "A was beaten by B")] * 20
        >>> model = PairRegressor("rules", epsilon=0.0).fit_in_blocks(pairs, [2.0, 1.0] * 20, memory="100MB")
        >>> model.predict(pairs[:2]).round(1)
        array([2., 1.])
        """
        check_parameters(self)
        self._forbid_landmarks()
        pairs, cost = open_pairs(X), self._cost()
        targets = self._read_targets(read_labels(y, len(pairs)))
        middle = float(targets.mean())
        problem = Problem(targets - middle, np.full(len(pairs), cost), self.epsilon, True)
        nobody = np.zeros(0, np.int64)
        kernel = self._resolve_kernel(on_features=True)
        trained = train_in_blocks(kernel, pairs, [problem], nobody, memory, folder, self.n_jobs)
        self.solver_ = trained.solver
        self._take_decision(trained.kernel, trained.decision, trained.intercept + middle)
        return self

    def partial_fit(self, X: object, y: Iterable[object]) -> Self:
        """Learn from one block of a stream of pairs; see `PairClassifier.partial_fit`.

        >>> pairs = [("A beat B", "B was beaten by A"), ("A beat B", "A was beaten by B")] * 20
        >>> model = PairRegressor("rules", epsilon=0.0)
        >>> for _ in range(5):
        ...     model = model.partial_fit(pairs, [2.0, 1.0] * 20)
        >>> model.predict(pairs[:2]).round(1)
        array([2., 1.])
        """
        check_parameters(self)
        pairs, cost = open_pairs(X), self._cost()
        stream, levels = self._continue_stream(pairs), vars(self).get("levels_")
        targets = self._read_targets(read_labels(y, len(pairs)))
        if stream is None:
            stream = self._stream = start_stream(
                self._resolve_kernel(on_features=True), pairs, 1, middle=float(targets.mean())
            )
        elif levels is not None:
            self.levels_ = np.union1d(levels, self.levels_)
        problem = Problem(targets - stream.middle, np.full(len(pairs), cost), self.epsilon, True)
        stream.learn(pairs, [problem], self.n_jobs)
        self.solver_ = f"dual coordinate descent on a stream of {stream.rows} rows"
        self._take_decision(stream.kernel, None, stream.list_intercepts() + stream.middle)
        return self

    def _read_targets(self, labels: AnyArray) -> Floats:
        """The labels as numbers, checked; also notes their levels."""
        targets = read_numbers(labels, "a regression needs numbers as labels")
        self.levels_ = np.unique(labels)
        return targets

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The model of a file that is being read."""
        model = super().from_archive(archive)
        model.levels_ = read_levels(archive, "levels") if "levels" in archive.header else np.unique(model.labels_)
        if model.levels_.dtype.kind not in "iufb" or not len(model.levels_):
            raise ModelFileError("its levels are no numbers")
        return model

    def _describe_output(self) -> tuple[dict[str, Json], Arrays]:
        return {"levels": self.levels_.tolist()}, {}

    def predict(self, X: object) -> AnyArray:
        """The predicted number, or level, of each pair."""
        return self._round(self._scores(X)[:, 0])

    def _round(self, values: Floats) -> AnyArray:
        if self.response == "real":
            return values
        distances = np.abs(values[:, None] - self.levels_.astype(np.float64))
        levels: AnyArray = self.levels_[np.argmin(distances, axis=1)]
        return levels

    def explain(self, pair: object, neighbors: int = 3) -> PairExplanation:
        """Take the predicted number of a pair apart: rules with their words, scores, the intercept."""
        one = self._read_pair(pair)
        items = self._read_one(one)
        scores = self._score_items(items)
        prediction = self._round(scores[:, 0])[0].item()
        return self._explain(one, items, scores, Output(0, 1), prediction, None, None, neighbors)
