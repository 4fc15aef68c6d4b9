"""The kernel that ``rekern train --auto`` chooses from the texts alone, on the test parts of the corpora of pairs."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from experiments.corpora import DataPath
from experiments.measured_figures import measure_predictions
from experiments.pair_corpora import CORPORA, choose_corpora
from experiments.reports import write_json
from rekern.core.arrays import AnyArray
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.learning.auto_pair_models import AutoPairClassifier, AutoPairRanker, AutoPairRegressor
from rekern.learning.kernel_choice import CHOSEN, ON_SAMPLE

MINUTES = 5.0  # as --minutes of rekern train


def run_auto(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    only: str | None = None,
    minutes: float = MINUTES,
) -> JsonObject:
    """Run all corpora, or the one that ``only`` names, with a search of so many minutes each."""
    return {"rows": [_run_corpus(name, data, out, n_jobs, minutes) for name in choose_corpora(only)]}


def _run_corpus(name: str, data: DataPath, out: Path | None, n_jobs: int | None, minutes: float) -> JsonObject:
    corpus = CORPORA[name]
    train = corpus.load(corpus.train, data).table
    used = time.process_time()
    model = _train(corpus.measure, train, minutes, n_jobs)
    used = time.process_time() - used
    trials = model.results_
    (trial,) = [trial for trial in trials if trial.outcome.startswith(CHOSEN)]
    complete = [found for found in trials if found.folds == trial.folds and not found.outcome.endswith(ON_SAMPLE)]
    best = max(complete, key=lambda found: found.score or 0.0)
    scale, digits = (100, 2) if corpus.measure == "accuracy" else (1, 4)
    row: JsonObject = {
        "corpus": name,
        "measure": corpus.measure,
        "chosen": trial.kernel,
        "C": trial.C,
        "on_train": None if trial.score is None else round(scale * trial.score, digits),
        "best_on_train": None if best.score is None else round(scale * best.score, digits),
        "tried": len(trials),
        "skipped": sum(trial.folds == 0 for trial in trials),
        "search_seconds": round(sum(trial.seconds for trial in trials), 1),
        "processor_seconds": round(used, 1),  # of all threads, for the search and the training of the model
        "train_pairs": len(train),
    }
    if out is not None:
        write_json(out / f"auto-{name}-chosen.json", row)

    test = corpus.load(corpus.test, data).table
    predicted: AnyArray = np.asarray(model.best_estimator_.predict(test.pairs))
    row["test_pairs"] = len(test)
    return {**row, **measure_predictions(corpus.measure, predicted, test.labels or [], test.groups or [])}


def _train(
    measure: str, train: Table, minutes: float, n_jobs: int | None
) -> AutoPairClassifier | AutoPairRanker | AutoPairRegressor:
    labels = train.labels or []
    if measure == "accuracy":
        return AutoPairClassifier(minutes, calibration=0, n_jobs=n_jobs).fit(train.pairs, labels)
    if measure == "pearson":
        return AutoPairRegressor(minutes, n_jobs=n_jobs).fit(train.pairs, labels)
    return AutoPairRanker(minutes, n_jobs=n_jobs).fit(train.pairs, labels, train.groups or [])
