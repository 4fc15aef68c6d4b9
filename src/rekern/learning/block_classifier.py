"""Classifiers of pairs that train beyond memory: in blocks on disk, and on streams."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

import numpy as np

from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.core.parameter_tables import check_parameters
from rekern.errors import InputError
from rekern.learning.block_descent import Problem
from rekern.learning.block_training import choose_held_out, train_in_blocks
from rekern.learning.class_probabilities import Threshold, check_threshold
from rekern.learning.pair_input import open_pairs
from rekern.learning.pair_model import PairModel
from rekern.learning.stream_training import start_stream
from rekern.learning.training_labels import read_labels


class BlockClassifier(PairModel):
    """What `rekern.PairClassifier` has for more pairs than fit into memory.

    >>> from rekern import PairClassifier
    >>> isinstance(PairClassifier(), BlockClassifier)
    True
    """

    classes_: AnyArray
    calibration: int
    threshold: Threshold
    calibration_: Floats | None
    thresholds_: dict[str, float]

    def _read_classes(
        self, classes: AnyArray, cost: float, weights: Floats | None, threshold: Threshold
    ) -> tuple[Ints, Floats]:
        raise NotImplementedError

    def _calibrate(
        self, values: Floats | None, used: Booleans, signs: Ints, weights: Floats | None, threshold: Threshold
    ) -> None:
        raise NotImplementedError

    def fit_in_blocks(
        self,
        X: object,
        y: Iterable[object],
        memory: str | int = "4GB",
        folder: str | Path | None = None,
    ) -> Self:
        """Train on more pairs than fit into memory as features.

        Rules are hashed into a fixed number of columns (`rekern.kernels.HashedRules`), and the features of all pairs
        are written to disk, from where they are read in blocks. Training stops at a gap of 20 % between the primal and
        the dual objective. The kernel learns from 20,000 of the pairs, evenly spread, and the strongest rules are
        looked for in 5,000. One pair in 20 is held out for the probabilities, and then trained on too. The training
        pairs are not kept in the model.

        Parameters
        ----------
        X : pairs of texts
            As in `fit`, or the ``pairs`` of `rekern.datasets.store_table`, which are on disk.
        y : labels
            One for each pair.
        memory : str or int
            About how many bytes features and weights may take, such as "4GB"; texts in a list are not counted.
        folder : str or Path, optional
            Where the features are kept. After an interruption the same call uses those that are complete, and begins
            the descent anew; so does a call with another C or other labels. By default a temporary folder.

        Examples
        --------
        >>> from rekern import PairClassifier
        >>> pairs = [("A beat B", "B was beaten by A"), ("A beat B", "A was beaten by B")] * 20
        >>> model = PairClassifier("rules").fit_in_blocks(pairs, [1, 0] * 20, memory="100MB")
        >>> model.predict(pairs[:2])
        array([1, 0])
        """
        check_parameters(self)
        self._forbid_landmarks()
        cost, threshold, pairs = self._cost(), check_threshold(self.threshold), open_pairs(X)
        self.labels_ = read_labels(y, len(pairs))
        signs, costs = self._read_classes(np.unique(self.labels_), cost, None, threshold)
        problems = [Problem(sign.astype(float), costs) for sign in signs]
        held_out = choose_held_out(len(pairs)) if self.calibration else np.zeros(0, np.int64)
        kernel = self._resolve_kernel(on_features=True)
        trained = train_in_blocks(kernel, pairs, problems, held_out, memory, folder, self.n_jobs)
        self.solver_, labels = trained.solver, self.labels_
        self._take_decision(trained.kernel, trained.decision, trained.intercept)
        self._calibrate_held_out(trained.held_out, signs[:, held_out], labels[held_out], threshold)
        return self

    def partial_fit(self, X: object, y: Iterable[object], classes: Iterable[object] | None = None) -> Self:
        """Learn from one block of a stream of pairs, after the blocks of earlier calls.

        The first block should have a few thousand pairs: the kernel learns from it, and the strongest rules are looked
        for in it. Probabilities are learned from the decisions about each block before it is learned from, of the last
        20,000 pairs. See `fit_in_blocks` for the exact machine. A model of a file goes on where it was, if it was
        trained by `partial_fit` or `fit_in_blocks`.

        Parameters
        ----------
        X : pairs of texts
            As in `fit`.
        y : labels
            One for each pair.
        classes : labels, optional
            All classes of the stream; needed in the first call if the first block lacks one.

        Examples
        --------
        >>> from rekern import PairClassifier
        >>> pairs = [("A beat B", "B was beaten by A"), ("A beat B", "A was beaten by B")] * 20
        >>> model = PairClassifier("rules").partial_fit(pairs, [1, 0] * 20).partial_fit(pairs, [1, 0] * 20)
        >>> model.predict(pairs[:2])
        array([1, 0])
        """
        check_parameters(self)
        cost, threshold, pairs = self._cost(), check_threshold(self.threshold), open_pairs(X)
        self.labels_ = read_labels(y, len(pairs))
        known = np.unique(self.labels_ if classes is None else np.asarray(list(classes)))
        stream = self._continue_stream(pairs)
        if stream is not None:
            known = self.classes_
        if not np.isin(self.labels_, known).all():
            found = self.labels_[~np.isin(self.labels_, known)][0]
            raise InputError(f"the class {found!s} is new: name all classes in the first call of partial_fit")
        signs, costs = self._read_classes(known, cost, None, threshold)
        if stream is None:
            stream = self._stream = start_stream(self._resolve_kernel(on_features=True), pairs, len(signs))
        was_trained = stream.is_trained
        before = stream.learn(pairs, [Problem(sign.astype(float), costs) for sign in signs], self.n_jobs)
        if was_trained:
            stream.note(before, signs, self.labels_)
        self.solver_ = f"dual coordinate descent on a stream of {stream.rows} rows"
        self._take_decision(stream.kernel, None, stream.list_intercepts())
        values, seen = stream.list_noted()
        self._calibrate_held_out(values, seen, stream.noted_labels, threshold)
        return self

    def _calibrate_held_out(self, values: Floats, signs: Ints, labels: AnyArray, threshold: Threshold) -> None:
        """Fit probabilities to the decision values of held-out pairs."""
        self.calibration_, self.thresholds_ = None, {}
        if self.calibration:
            self.labels_ = labels  # class weights are for these
            is_enough = all(len(np.unique(sign)) == 2 for sign in signs)
            used = np.ones(len(labels), bool)
            self._calibrate(values if is_enough else None, used, signs, None, threshold)
            del self.labels_
