"""One experiment on two classes: settings are trained and cross-validated, one is chosen, then comes the test."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rekern.core.files import write_atomically
from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.reproduce.rewriting_settings import PRICES, Setting
from rekern.reproduce.shared_grams import FOLDS, Trained, decisions, grouped_folds, train


def experiment(
    table: Table,
    load_test: Callable[[], Table],
    settings: Sequence[Setting],
    candidates: Sequence[Setting] = (),
    judged: np.ndarray | None = None,
    finalists: int = 2,
    record: Path | None = None,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """The test accuracy of every setting, and of the one that the training part alone chooses.

    It is chosen among the settings and the further candidates by its accuracy in the folds, first at their own C, then
    the ``finalists`` best ones at other values of C. What was chosen is written to ``record``, if given, before the
    test part is read.

    >>> from rekern.datasets import from_frame
    >>> from rekern.reproduce.rewriting_settings import srk
    >>> names = "ABCDEFGHIJKLMNOPQRST"
    >>> target = [f"{b} was met by {a}" if i % 2 else f"{a} was met by {b}"
    ...           for i, (a, b) in enumerate(zip(names[::2], names[1::2]))]
    >>> source = [f"{a} met {b}" for a, b in zip(names[::2], names[1::2])]
    >>> table = from_frame({"source": source, "target": target, "label": [0, 1] * 5})
    >>> found = experiment(table, lambda: table.select([0, 1, 2]), [srk("ps-srk", 3), srk("kb-srk", 3)])
    >>> [(row["method"], row["accuracy"]) for row in found["rows"]], found["chosen_on_train"]["method"]
    ([('ps-srk', 100.0), ('kb-srk', 100.0)], 'kb-srk')
    """
    pairs, labels = table.pairs, np.array(table.labels)
    classes = np.unique(labels)
    if len(classes) != 2:
        listed = ", ".join(map(str, classes))
        raise InputError(f"{table.path or 'the training part'} must have two labels, but it has {listed}")
    signs = np.where(labels == classes[1], 1, -1)
    folds = grouped_folds(pairs, labels, judged)
    first = train([*settings, *candidates], pairs, signs, folds, n_jobs)
    best_first = sorted(first, key=_by_accuracy)[:finalists]
    prices = [found.setting.at(C) for found in best_first for C in PRICES if found.setting.price != C]
    second = train(prices, pairs, signs, folds, n_jobs)
    best = min([*first, *second], key=_by_accuracy)
    chosen = {**best.setting.described(), "cv_accuracy": _rounded(best.cv_accuracy), "folds": FOLDS}
    if record is not None:
        write_json(record, chosen)

    test = load_test()
    values = decisions([*first[: len(settings)], best], pairs, test.pairs, n_jobs)
    right = 100 * np.mean((values > 0) == (np.array(test.labels) == classes[1])[:, None], axis=0)
    rows = [
        {
            "method": found.setting.method,
            "kmax": found.setting.kmax,
            "accuracy": _rounded(accuracy),
            "published": None,
            "cv_accuracy": _rounded(found.cv_accuracy),
            "note": found.setting.note,
        }
        for found, accuracy in zip(first[: len(settings)], right)
    ]
    return {
        "rows": rows,
        "chosen_on_train": {**chosen, "accuracy": _rounded(right[-1])},
        "candidates": [
            {**found.setting.described(), "cv_accuracy": _rounded(found.cv_accuracy)} for found in [*first, *second]
        ],
        "train_pairs": len(pairs),
        "test_pairs": len(test),
    }


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, whole or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _by_accuracy(found: Trained) -> float:
    """Sorts the best first; of equal ones the first comes first."""
    return -(found.cv_accuracy or 0.0)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 2)
