"""Cross-validation on a table, before the model is trained on all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table


def cross_validate(model: TrainedModel, table: Table, folds: int) -> dict[str, object]:
    """Measure the predictions for held-out pairs: accuracy, correlations or MAP.

    Groups stay together, classes keep their proportions, and the folds are the same in every run.

    >>> from rekern import PairClassifier
    >>> from rekern.datasets import from_frame
    >>> texts = {"source": ["a b", "c d", "a b", "c d"], "target": ["a b", "c d", "e f", "g h"], "label": [1, 1, 0, 0]}
    >>> cross_validate(PairClassifier(), from_frame(texts), folds=2)["accuracy"]
    1.0
    """
    import numpy as np
    from sklearn.base import clone

    from rekern.core.progress import track
    from rekern.learning import PairClassifier, PairRanker, PairRegressor
    from rekern.learning.candidate_groups import number_groups
    from rekern.learning.cross_validation import make_folds, make_group_folds, make_stratified_folds
    from rekern.learning.measures import correlations, ranking_measures

    labels, items = np.array(table.labels), table.items
    copy = clone(model)
    groups = number_groups(table.list_groups())
    if isinstance(model, PairClassifier):
        copy.set_params(calibration=0)
        names, counts = np.unique(labels, return_counts=True)
        _check_enough(folds, int(counts.min()), f"of class {names[counts.argmin()]}", table)
        splits = make_stratified_folds(labels, folds)
    elif isinstance(model, PairRegressor):
        _check_enough(folds, len(labels), "pairs", table)
        splits = make_folds(len(labels), folds)
    else:
        _check_enough(folds, int(groups.max()) + 1, "groups", table)
        splits = make_group_folds(groups.tolist(), folds)
    predictions = np.empty(len(labels), dtype=labels.dtype if isinstance(model, PairClassifier) else float)
    accuracies = []
    for train, test in track(splits, folds, "cross-validation"):
        if isinstance(model, PairRanker):
            copy.fit(items.take(train), labels[train], groups[train])
        else:
            copy.fit(items.take(train), labels[train])
        predictions[test] = copy.predict(items.take(test))
        accuracies.append(float(np.mean(predictions[test] == labels[test])))
    if isinstance(model, PairClassifier):
        mean = float(np.mean(predictions == labels))
        return {"folds": folds, "accuracy": mean, "deviation": float(np.std(accuracies)), "accuracies": accuracies}
    if isinstance(model, PairRegressor):
        return {"folds": folds, **correlations(predictions, labels)}
    return {"folds": folds, **ranking_measures(predictions, labels, groups)}


def _check_enough(folds: int, n: int, what: str, table: Table) -> None:
    if n < folds:
        raise InputError(f"{table.path} has only {n} {what}, too few for --cv {folds}: ask for fewer folds")
