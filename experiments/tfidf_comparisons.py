"""Corpora for which no figures of these kernels were published: our figures next to a TF-IDF baseline.

Settings are compared on the development part of the corpus; the test part is read after that. PAWS is cross-validated,
because its training part is not among the corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.corpora import DataPath, load_paws, load_qqp, load_sick, load_stsb, load_wikiqa
from experiments.reports import write_json
from experiments.rewriting_settings import Setting, make_rewriting_setting, make_similarity_setting
from experiments.tfidf_baseline import predict_by_tfidf
from experiments.two_class_experiment import run_two_classes
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.kernels import Rewriting
from rekern.learning import PairClassifier, PairRanker, PairRegressor, correlations, ranking_measures
from rekern.similarity import PrecisionRecall, Similarities

COSTS = (0.1, 1.0, 10.0)

PairModel = PairClassifier | PairRegressor | PairRanker


@dataclass(frozen=True)
class ComparedTask:
    """What is learned: how a model is made, how it is measured, and the measure by which settings are chosen."""

    make_model: Callable[[Setting, int | None], PairModel]
    measure: Callable[[npt.ArrayLike, Table], dict[str, float]]
    main: str

    def train(self, setting: Setting, table: Table, n_jobs: int | None) -> PairModel:
        """Train a model of this task on a table."""
        groups = () if self.main != "map" else (table.groups or [],)
        return self.make_model(setting, n_jobs).fit(table.pairs, table.labels or [], *groups)


class TriedSetting(NamedTuple):
    """A setting, its trained model, and its measures on the development part."""

    setting: Setting
    model: PairModel
    measures: dict[str, float]


def measure_accuracy(predicted: npt.ArrayLike, table: Table) -> dict[str, float]:
    """Measure the share of right labels in per cent.

    >>> from rekern.datasets import from_frame
    >>> measure_accuracy([1, 1], from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": [1, 0]}))
    {'accuracy': 50.0}
    """
    return {"accuracy": round(100 * float(np.mean(np.asarray(predicted) == np.array(table.labels))), 2)}


def measure_correlations(predicted: npt.ArrayLike, table: Table) -> dict[str, float]:
    """Measure Pearson's and Spearman's correlation with the labels; 0 for a constant prediction.

    >>> from rekern.datasets import from_frame
    >>> measure_correlations([1, 2, 4], from_frame({"source": ["a"] * 3, "target": ["b"] * 3, "label": [1, 2, 3]}))
    {'pearson': 0.982, 'spearman': 1.0}
    """
    found = correlations(predicted, table.labels or [])
    return {"pearson": round(found["pearson"] or 0.0, 4), "spearman": round(found["spearman"] or 0.0, 4)}


def measure_ranking(predicted: npt.ArrayLike, table: Table) -> dict[str, float]:
    """Measure mean average precision and mean reciprocal rank over the questions."""
    found = ranking_measures(predicted, table.labels or [], table.groups or [])
    return {"map": round(found["map"], 4), "mrr": round(found["mrr"], 4)}


CLASSIFICATION = ComparedTask(
    lambda setting, n_jobs: PairClassifier(setting.kernel, setting.C, calibration=0, n_jobs=n_jobs),
    measure_accuracy,
    "accuracy",
)
REGRESSION = ComparedTask(
    lambda setting, n_jobs: PairRegressor(setting.kernel, setting.C, n_jobs=n_jobs), measure_correlations, "pearson"
)
RANKING = ComparedTask(
    lambda setting, n_jobs: PairRanker(setting.kernel, setting.C, n_jobs=n_jobs), measure_ranking, "map"
)


def list_settings() -> list[Setting]:
    """List what is compared: precision and recall (PR), rules without and with wildcards, with PR, with more scores.

    >>> " ".join(f"{setting.method}:{setting.kmax}" for setting in list_settings())
    'pr:None ps-srk+pr:2 kb-srk:2 kb-srk:4 kb-srk+pr:2 kb-srk+pr:4 kb-srk+sim:4'
    """
    chosen = [("ps-srk+pr", 2), ("kb-srk", 2), ("kb-srk", 4), ("kb-srk+pr", 2), ("kb-srk+pr", 4)]
    rules = [make_rewriting_setting(method, kmax) for method, kmax in chosen]
    return [Setting("pr", PrecisionRecall()), *rules, make_similarity_setting()]


def list_linear_settings() -> list[Setting]:
    """List what is compared on a corpus that is too large for a Gram: fewer kernels, with explicit features.

    >>> all(setting.kernel.has_features() for setting in list_linear_settings())
    True
    """
    scores = Setting("kb-srk+sim", Rewriting(k=(1, 2)) + 0.1 * Similarities(), 2, note="0.1 × linear")
    chosen = [("kb-srk", 2), ("kb-srk+pr", 2), ("kb-srk+pr", 4)]
    rules = [make_rewriting_setting(method, kmax) for method, kmax in chosen]
    return [Setting("pr", PrecisionRecall()), *rules, scores]


def compare_settings(
    task: ComparedTask,
    load: Callable[[str], Table],
    parts: tuple[str, str, str],
    settings: Sequence[Setting],
    costs: Sequence[float] = COSTS,
    record: Path | None = None,
    n_jobs: int | None = None,
) -> JsonObject:
    """Train on the first part, choose on the second, test on the third.

    All settings are compared with C = 1, then the best of them with the other ``costs``.
    """
    table, dev = load(parts[0]), load(parts[1])
    found = [_try_setting(task, setting, table, dev, n_jobs) for setting in settings]
    best = max(found, key=lambda one: one.measures[task.main])
    variants = [best.setting.with_cost(C) for C in costs if best.setting.C != C]
    others = [_try_setting(task, setting, table, dev, n_jobs) for setting in variants]
    best = max([best, *others], key=lambda one: one.measures[task.main])
    chosen = {**best.setting.to_dict(), **{f"dev_{name}": value for name, value in best.measures.items()}}
    if record is not None:
        write_json(record, chosen)

    test = load(parts[2])
    rows: list[JsonObject] = []
    for setting, model, on_dev in found:
        rows.append({"method": setting.method, "kmax": setting.kmax, "published": None, "note": setting.note})
        rows[-1] |= {**task.measure(_predict(model, test), test), f"dev_{task.main}": on_dev[task.main]}
    rows.append({"method": "tfidf", "kmax": None, "published": None})
    rows[-1] |= task.measure(predict_by_tfidf(table, test.pairs, task.main), test)
    chosen |= task.measure(_predict(best.model, test), test)
    candidates = [{**one.setting.to_dict(), f"dev_{task.main}": one.measures[task.main]} for one in [*found, *others]]
    return {
        "rows": rows,
        "chosen_on_train": chosen,
        "candidates": candidates,
        "train_pairs": len(table),
        "test_pairs": len(test),
    }


def _try_setting(task: ComparedTask, setting: Setting, table: Table, dev: Table, n_jobs: int | None) -> TriedSetting:
    model = task.train(setting, table, n_jobs)
    return TriedSetting(setting, model, task.measure(_predict(model, dev), dev))


def _predict(model: PairModel, table: Table) -> npt.ArrayLike:
    """Predict by a copy: a model keeps its table of weighted rules, which is large on QQP."""
    return copy(model).predict(table.pairs)


def run_qqp(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on duplicate questions."""
    parts = ("train", "dev", "test")
    record = out / "qqp-chosen.json" if out else None
    load = partial(load_qqp, data=data)
    return compare_settings(CLASSIFICATION, load, parts, list_linear_settings(), COSTS[:2], record, n_jobs)


def run_sick(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on compositional sentences: entailment in three classes, relatedness from 1 to 5."""
    result: JsonObject = {}
    for response, task in (("entailment", CLASSIFICATION), ("relatedness", REGRESSION)):
        found = compare_settings(
            task,
            partial(load_sick, response=response, data=data),
            ("train", "trial", "test"),
            list_settings(),
            record=out / f"sick-{response}-chosen.json" if out else None,
            n_jobs=n_jobs,
        )
        for row in found["rows"] + found["candidates"]:
            row["task"] = response
        if not result:
            result = found
            result["chosen_on_train"]["task"] = response
        else:
            result["rows"] += found["rows"]
            result["candidates"] += found["candidates"]
            result["chosen_on_train"][response] = found["chosen_on_train"]
    return result


def run_stsb(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on similarity from 0 to 5."""
    parts = ("train", "dev", "test")
    record = out / "stsb-chosen.json" if out else None
    load = partial(load_stsb, data=data)
    return compare_settings(REGRESSION, load, parts, list_settings(), record=record, n_jobs=n_jobs)


def run_wikiqa(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on sentences that answer a question, ranked."""
    parts = ("train", "dev", "test")
    record = out / "wikiqa-chosen.json" if out else None
    load = partial(load_wikiqa, data=data)
    return compare_settings(RANKING, load, parts, list_settings(), COSTS[:2], record, n_jobs)


def run_paws(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on paraphrases and others that share their words; it is trained on the development part."""
    table = load_paws("dev", data)
    test: list[Table] = []

    def load_test() -> Table:
        test.append(load_paws("test", data))
        return test[0]

    record = out / "paws-chosen.json" if out else None
    result = run_two_classes(table, load_test, list_settings(), finalists=1, record=record, n_jobs=n_jobs)
    baseline = measure_accuracy(predict_by_tfidf(table, test[0].pairs, "accuracy"), test[0])
    result["rows"].append({"method": "tfidf", "kmax": None, **baseline, "published": None})
    return result
