"""The decisions of a model of another corpus as a score: what it has learned there joins a model of this corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from experiments.logistic_model import TwoClassModel, make_model
from rekern.core.arrays import Floats
from rekern.core.exact_sums import sum_rows_exactly
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import Items
from rekern.kernels.score_kernel import ScoreKernel

N_KEPT = 2  # training pairs and test pairs


class Judge:
    """A model of another corpus with two classes, which is trained when it is first asked.

    It remembers what it has decided about the last pairs, because one training asks for it several times.

    >>> from rekern.kernels import Spectrum, PairSum
    >>> pairs, kernel = [("a b", "a"), ("c d", "a")], PairSum(Spectrum(1))
    >>> judge = Judge("two pairs", kernel, lambda model: model.fit(pairs, [1, 0]))
    >>> (judge.decide([("a b", "b"), ("c d", "c")]) > 0).tolist()
    [True, False]
    """

    def __init__(
        self, name: str, kernel: Kernel, train: Callable[[TwoClassModel], object], C: float = 1.0, loss: str = "hinge"
    ):
        self.name, self.kernel, self.C, self.loss = name, kernel, C, loss
        self._train = train
        self._model: TwoClassModel | None = None
        self._decided: list[tuple[Items, Floats]] = []

    def decide(self, X: Items) -> Floats:
        """Return the decision values of pairs: above 0 for the second class."""
        for items, values in self._decided:
            if items is X:
                return values
        if self._model is None:
            self._model = make_model(self.kernel, self.C, self.loss)
            self._train(self._model)
        values = self._model.decision_function(X)
        self._decided = [*self._decided, (X, values)][-N_KEPT:]
        return values

    def __deepcopy__(self, memo: object) -> Self:
        """Return the judge itself: copies of a kernel ask the same judge."""
        return self

    def __reduce__(self) -> tuple[type, tuple[str, str, float, str]]:
        """Return what tells judges apart, from which hashes are made; a trained model is too large for that."""
        return Judge, (self.name, repr(self.kernel), self.C, self.loss)


class Judgements(ScoreKernel):
    """Linear kernel over one score: the decision value of a judge, standardised as the scores of `Similarities` are.

    >>> from rekern.kernels import Spectrum, PairSum
    >>> pairs = [("a b", "a"), ("c d", "a")]
    >>> judge = Judge("two pairs", PairSum(Spectrum(1)), lambda model: model.fit(pairs, [1, 0]))
    >>> Judgements(judge).fit(pairs).scores(pairs).round(6).tolist()
    [[1.0], [-1.0]]
    """

    def __init__(self, judge: Judge):
        self.judge = judge

    def names(self) -> list[str]:
        """Return the name of the score."""
        return [f"decision of {self.judge.name}"]

    def reads(self) -> set[str]:
        """Return the columns that the judge reads."""
        return self.judge.kernel.reads()

    def fit(self, X: Items, y: object = None) -> Self:
        """Learn the mean and the spread of the decisions about the training pairs."""
        values = self.judge.decide(X)[None]
        self.mean_ = float(sum_rows_exactly(values)[0]) / values.size
        self.scale_ = float(np.sqrt(sum_rows_exactly((values - self.mean_) ** 2)[0] / values.size)) or 1.0
        return self

    def raw_scores(self, X: Items) -> Floats:
        """Return the decision values, a row for each pair."""
        return self.judge.decide(X)[:, None]

    def scores(self, X: Items) -> Floats:
        """Return the standardised decision values, a row for each pair."""
        return self.rescale(self.raw_scores(X))

    def rescale(self, raw: Floats) -> Floats:
        """Return standardised decision values."""
        return (raw - self.mean_) / self.scale_
