"""Cross-validation of the model that is about to be trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rekern.cli.options import same_source_groups
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table


def cross_validate(model: Any, table: Table, folds: int) -> dict[str, Any]:
    """Accuracy, correlations or MAP of answers to pairs that a model was not trained on.

    Groups stay together, classes keep their shares, and the folds are the same in every run.

    >>> from rekern import PairClassifier
    >>> from rekern.datasets import from_frame
    >>> texts = {"source": ["a b", "c d", "a b", "c d"], "target": ["a b", "c d", "e f", "g h"], "label": [1, 1, 0, 0]}
    >>> cross_validate(PairClassifier(), from_frame(texts), folds=2)["accuracy"]
    1.0
    """
    import numpy as np
    from sklearn.base import clone

    from rekern.core.progress import track
    from rekern.learning import PairClassifier, PairRanker, PairRegressor, correlations, ranking_measures
    from rekern.learning.candidate_groups import number_groups
    from rekern.learning.cross_validation import make_folds, make_group_folds, make_stratified_folds

    labels, items = np.array(table.labels), table.items
    groups: Any = None
    if isinstance(model, PairClassifier):
        counts = {label: int((labels == label).sum()) for label in np.unique(labels)}
        _check(folds, min(counts.values()), f"of class {min(counts, key=lambda label: counts[label])}", table)
        splits = make_stratified_folds(labels, folds)
    elif isinstance(model, PairRegressor):
        _check(folds, len(labels), "pairs", table)
        splits = make_folds(len(labels), folds)
    else:
        groups = number_groups(same_source_groups(table))
        _check(folds, int(groups.max()) + 1, "groups", table)
        splits = make_group_folds(groups.tolist(), folds)
    plain = clone(model)
    if isinstance(model, PairClassifier):
        plain.set_params(calibration=0)
    answers: Any = np.empty(len(labels), dtype=labels.dtype if isinstance(model, PairClassifier) else float)
    scores = []
    for train, test in track(splits, folds, "cross-validation"):
        pairs = items.take(train)
        if isinstance(model, PairRanker):
            plain.fit(pairs, labels[train], groups[train])
        else:
            plain.fit(pairs, labels[train])
        answers[test] = plain.predict(items.take(test))
        scores.append(float(np.mean(answers[test] == labels[test])))
    if isinstance(model, PairClassifier):
        mean = float(np.mean(answers == labels))
        return {"folds": folds, "accuracy": mean, "deviation": float(np.std(scores)), "accuracies": scores}
    if isinstance(model, PairRegressor):
        return {"folds": folds, **correlations(answers, labels)}
    return {"folds": folds, **ranking_measures(answers, labels, groups)}


def _check(folds: int, count: int, what: str, table: Table) -> None:
    if count < folds:
        raise InputError(f"{table.path} has only {count} {what}, too few for --cv {folds}: ask for fewer folds")
