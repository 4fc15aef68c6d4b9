"""What a model predicts for a table of pairs, as columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.learning.candidate_groups import number_groups, rows_of_groups
from rekern.learning.class_probabilities import Threshold
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.predicted_rows import Columns

PairPredictor = PairClassifier | PairRegressor | PairRanker


def predict_columns(model: PairPredictor, table: Table, threshold: Threshold | None = None) -> Columns:
    """Return the columns of the predictions, as ``rekern predict`` writes them: a class and the probability of each.

    For a regressor they have a number, for a ranker a score and the rank within the group of the pair.

    >>> from rekern.datasets import from_frame
    >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
    >>> model = PairClassifier(calibration=0).fit(pairs, ["yes", "no"])
    >>> list(predict_columns(model, from_frame({"source": ["A beat B"], "target": ["B beat A"]}, label=None)))
    ['prediction', 'decision_yes']
    """

    if isinstance(model, PairClassifier):
        return _classify(model, table, threshold)
    if threshold is not None:
        raise InputError("a threshold is for classifiers; this model predicts numbers")
    values = model.predict(table.items).tolist()
    if isinstance(model, PairRegressor):
        return {"prediction": values}
    return {"score": values, "rank": _rank_in_groups(values, table.list_groups())}


def _classify(model: PairClassifier, table: Table, threshold: Threshold | None) -> Columns:
    """Return the classes and all their probabilities (decision values, if the model has no probabilities)."""
    labels, values, probabilities = model.decide(table.items, threshold)
    names = [str(name) for name in model.classes_]
    columns: Columns = {"prediction": labels.tolist()}
    if probabilities is None:
        shown = names if values.shape[1] > 1 else names[1:]
        return columns | {f"decision_{name}": values[:, column].tolist() for column, name in enumerate(shown)}
    return columns | {f"probability_{name}": probabilities[:, column].tolist() for column, name in enumerate(names)}


def _rank_in_groups(scores: Sequence[float], groups: Sequence[Hashable]) -> list[object]:
    """Return the rank of each score within its group, from 1; equal scores keep their order."""
    ranks: list[object] = [0] * len(scores)
    for rows in rows_of_groups(number_groups(groups)):
        for rank, row in enumerate(sorted(rows.tolist(), key=lambda row: -scores[row]), 1):
            ranks[row] = rank
    return ranks
