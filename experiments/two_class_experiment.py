"""An experiment on two classes: settings are cross-validated on the training part, one is chosen, all are tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from experiments.reports import write_json
from experiments.rewriting_settings import COSTS, Setting
from experiments.shared_grams import (
    N_FOLDS,
    TrainedSetting,
    compute_decisions,
    make_evaluation_folds,
    train_settings,
)
from rekern.core.arrays import Ints
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.errors import InputError


def run_two_classes(
    table: Table,
    load_test: Callable[[], Table],
    settings: Sequence[Setting],
    candidates: Sequence[Setting] = (),
    evaluated: Ints | None = None,
    finalists: int = 2,
    record: Path | None = None,
    n_jobs: int | None = None,
) -> JsonObject:
    """Measure the test accuracy of every setting, and of the setting that the training part alone chooses.

    The choice is among the settings and the further ``candidates``, by their accuracy in the folds: first with their
    own C, then the ``finalists`` best ones with other values of C. ``evaluated`` are the training rows on which
    settings are compared, all by default. The choice is written to ``record``, if given, before the test part is read.

    >>> from rekern.datasets import from_frame
    >>> from experiments.rewriting_settings import make_rewriting_setting
    >>> names = "ABCDEFGHIJKLMNOPQRST"
    >>> target = [f"{b} was met by {a}" if i % 2 else f"{a} was met by {b}"
    ...           for i, (a, b) in enumerate(zip(names[::2], names[1::2]))]
    >>> source = [f"{a} met {b}" for a, b in zip(names[::2], names[1::2])]
    >>> table = from_frame({"source": source, "target": target, "label": [0, 1] * 5})
    >>> settings = [make_rewriting_setting(name, 3) for name in ("ps-srk", "kb-srk")]
    >>> found = run_two_classes(table, lambda: table.select([0, 1, 2]), settings)
    >>> [(row["method"], row["accuracy"]) for row in found["rows"]], found["chosen_on_train"]["method"]
    ([('ps-srk', 100.0), ('kb-srk', 100.0)], 'kb-srk')
    """
    pairs, labels = table.pairs, np.array(table.labels)
    classes = np.unique(labels)
    if len(classes) != 2:
        listed = ", ".join(map(str, classes))
        raise InputError(f"{table.path or 'the training part'} must have two labels, but it has {listed}")
    signs = np.where(labels == classes[1], 1, -1)
    folds = make_evaluation_folds(pairs, labels, evaluated)
    first = train_settings([*settings, *candidates], pairs, signs, folds, n_jobs)
    best_first = sorted(first, key=_rank_accuracy)[:finalists]
    variants = [found.setting.with_cost(C) for found in best_first for C in COSTS if found.setting.C != C]
    second = train_settings(variants, pairs, signs, folds, n_jobs)
    best = min([*first, *second], key=_rank_accuracy)
    chosen = {**best.setting.to_dict(), "cv_accuracy": _round(best.cv_accuracy), "folds": N_FOLDS}
    if record is not None:
        write_json(record, chosen)

    test = load_test()
    values = compute_decisions([*first[: len(settings)], best], pairs, test.pairs, n_jobs)
    right = 100 * np.mean((values > 0) == (np.array(test.labels) == classes[1])[:, None], axis=0)
    rows = [
        {
            "method": found.setting.method,
            "kmax": found.setting.kmax,
            "accuracy": _round(accuracy),
            "published": None,
            "cv_accuracy": _round(found.cv_accuracy),
            "note": found.setting.note,
        }
        for found, accuracy in zip(first[: len(settings)], right)
    ]
    return {
        "rows": rows,
        "chosen_on_train": {**chosen, "accuracy": _round(right[-1])},
        "candidates": [
            {**found.setting.to_dict(), "cv_accuracy": _round(found.cv_accuracy)} for found in [*first, *second]
        ],
        "train_pairs": len(pairs),
        "test_pairs": len(test),
    }


def _rank_accuracy(found: TrainedSetting) -> float:
    """Sort the best setting first; equal ones keep their order."""
    return -(found.cv_accuracy or 0.0)


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 2)
