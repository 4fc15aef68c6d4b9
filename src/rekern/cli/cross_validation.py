"""Cross-validation on a table, before the model is trained on all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rekern.cli.table_options import list_groups
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
    from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

    from rekern.core.progress import track
    from rekern.learning import PairClassifier, PairRanker, PairRegressor, correlations, ranking_measures

    labels, items = np.array(table.labels), table.items
    groups: Any = None
    if isinstance(model, PairClassifier):
        counts = {label: int((labels == label).sum()) for label in np.unique(labels)}
        _check_enough(folds, min(counts.values()), f"of class {min(counts, key=lambda label: counts[label])}", table)
        splits: Any = StratifiedKFold(folds, shuffle=True, random_state=0).split(labels, labels)
    elif isinstance(model, PairRegressor):
        _check_enough(folds, len(labels), "pairs", table)
        splits = KFold(folds, shuffle=True, random_state=0).split(labels)
    else:
        numbers: dict[Any, int] = {}
        groups = np.array([numbers.setdefault(group, len(numbers)) for group in list_groups(table)])
        _check_enough(folds, len(numbers), "groups", table)
        splits = GroupKFold(folds).split(labels, groups=groups)
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


def _check_enough(folds: int, count: int, what: str, table: Table) -> None:
    if count < folds:
        raise InputError(f"{table.path} has only {count} {what}, too few for --cv {folds}: ask for fewer folds")
