"""Corpora for which no figures of these kernels were published: our figures next to a TF-IDF baseline.

Settings are compared on the development part of the corpus; the test part is read after that. PAWS is cross-validated,
because its training part is not among the corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression

from experiments.corpora import DataPath, load_paws, load_qqp, load_sick, load_stsb, load_wikiqa
from experiments.pair_models import TrainedModel, train_model
from experiments.reports import write_choice
from experiments.rewriting_experiments import run_two_classes
from experiments.rewriting_settings import Setting, make_rewriting_setting, make_similarity_setting
from experiments.shared_grams import choose_setting
from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.kernels import Rewriting
from rekern.learning import correlations, ranking_measures
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures.tokenizer import Tokenizer

COSTS = (0.1, 1.0, 10.0)


class TriedSetting(NamedTuple):
    """A trained model, and its measures on the development part."""

    model: TrainedModel
    measures: dict[str, float]


def measure_predictions(measure: str, predicted: npt.ArrayLike, table: Table) -> dict[str, float]:
    """Measure accuracy in per cent, or both correlations (0 for a constant prediction), or both measures of rankings.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["a"] * 3, "target": ["b"] * 3, "label": [1, 2, 3]})
    >>> measure_predictions("accuracy", [1, 1, 3], table), measure_predictions("pearson", [1, 2, 4], table)
    ({'accuracy': 66.67}, {'pearson': 0.982, 'spearman': 1.0})
    """
    labels = table.labels or []
    if measure == "accuracy":
        return {"accuracy": round(100 * float(np.mean(np.asarray(predicted) == np.array(labels))), 2)}
    if measure == "pearson":
        found = correlations(predicted, labels)
        return {name: round(found[name] or 0.0, 4) for name in ("pearson", "spearman")}
    ranked = ranking_measures(predicted, labels, table.groups or [])
    return {name: round(ranked[name], 4) for name in ("map", "mrr")}


def predict_by_tfidf(table: Table, test: Sequence[tuple[str, str]], measure: str) -> AnyArray:
    """Predict test pairs from one number: the cosine of the TF-IDF vectors of the two texts.

    Classes (measure ``accuracy``) are predicted by logistic regression, numbers (``pearson``) by linear regression; for
    a ranking (``map``) the cosine itself is returned. Tokens are those of the kernels; the document frequencies are
    those of the training texts.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["a b", "c d"] * 5, "target": ["a b", "e f"] * 5, "label": [1, 0] * 5})
    >>> predict_by_tfidf(table, [("x a", "a x"), ("a c", "e d")], "accuracy")
    array([1, 0])
    """
    vectorizer = TfidfVectorizer(analyzer=Tokenizer()).fit([text for pair in table.pairs for text in pair])

    def compute_cosines(pairs: Sequence[tuple[str, str]]) -> Floats:
        """Compute cosines; the rows of the vectorizer have length 1, or 0 for a text without known words."""
        sources, targets = (vectorizer.transform([pair[side] for pair in pairs]) for side in (0, 1))
        return np.asarray(sources.multiply(targets).sum(axis=1)).ravel()

    train, held_out = compute_cosines(table.pairs), compute_cosines(test)
    if measure == "map":
        return held_out
    model = LogisticRegression() if measure == "accuracy" else LinearRegression()
    predicted: AnyArray = model.fit(train[:, None], np.array(table.labels)).predict(held_out[:, None])
    return predicted


def list_settings() -> list[Setting]:
    """List what is compared: precision and recall (PR), rules without and with wildcards, with PR, with more scores."""
    chosen = [("ps-srk+pr", 2), ("kb-srk", 2), ("kb-srk", 4), ("kb-srk+pr", 2), ("kb-srk+pr", 4)]
    rules = [make_rewriting_setting(method, kmax) for method, kmax in chosen]
    return [Setting("pr", PrecisionRecall()), *rules, make_similarity_setting()]


def list_linear_settings() -> list[Setting]:
    """List what is compared on a corpus that is too large for a Gram: fewer kernels, with explicit features."""
    scores = Setting("kb-srk+sim", Rewriting(k=(1, 2)) + 0.1 * Similarities(), 2, note="0.1 × linear")
    chosen = [("kb-srk", 2), ("kb-srk+pr", 2), ("kb-srk+pr", 4)]
    rules = [make_rewriting_setting(method, kmax) for method, kmax in chosen]
    return [Setting("pr", PrecisionRecall()), *rules, scores]


def compare_settings(
    name: str,
    measure: str,
    load: Callable[..., Table],
    settings: Sequence[Setting],
    costs: Sequence[float] = COSTS,
    dev_part: str = "dev",
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
) -> JsonObject:
    """Train on the training part, choose on the development part, test on the test part.

    All settings are compared with C = 1, then the best of them with the other ``costs``.
    """
    table, dev = load("train", data=data), load(dev_part, data=data)

    def predict(model: TrainedModel, part: Table) -> npt.ArrayLike:
        """Predict by a copy: a model keeps its table of weighted rules, which is large on QQP."""
        return copy(model).predict(part.pairs)

    def try_settings(some: Sequence[Setting]) -> list[TriedSetting]:
        models = [
            train_model(measure, setting, table.pairs, table.labels or [], table.groups or [], n_jobs)
            for setting in some
        ]
        return [TriedSetting(model, measure_predictions(measure, predict(model, dev), dev)) for model in models]

    *found, (best, tried) = choose_setting(settings, try_settings, lambda one: one.measures[measure], costs)
    chosen = {**best.to_dict(), **{f"dev_{key}": value for key, value in tried.measures.items()}}
    write_choice(out, name, chosen)

    test = load("test", data=data)
    rows: list[JsonObject] = [
        {
            "method": setting.method,
            "kmax": setting.kmax,
            "published": None,
            "note": setting.note,
            **measure_predictions(measure, predict(one.model, test), test),
            f"dev_{measure}": one.measures[measure],
        }
        for setting, one in found[: len(settings)]
    ]
    baseline = measure_predictions(measure, predict_by_tfidf(table, test.pairs, measure), test)
    rows.append({"method": "tfidf", "kmax": None, "published": None, **baseline})
    return {
        "rows": rows,
        "chosen_on_train": {**chosen, **measure_predictions(measure, predict(tried.model, test), test)},
        "candidates": [{**setting.to_dict(), f"dev_{measure}": one.measures[measure]} for setting, one in found],
        "train_pairs": len(table),
        "test_pairs": len(test),
    }


def run_qqp(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on duplicate questions."""
    settings = list_linear_settings()
    return compare_settings("qqp", "accuracy", load_qqp, settings, COSTS[:2], data=data, out=out, n_jobs=n_jobs)


def run_stsb(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on similarity from 0 to 5."""
    return compare_settings("stsb", "pearson", load_stsb, list_settings(), data=data, out=out, n_jobs=n_jobs)


def run_wikiqa(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on sentences that answer a question, ranked."""
    return compare_settings("wikiqa", "map", load_wikiqa, list_settings(), COSTS[:2], data=data, out=out, n_jobs=n_jobs)


def run_sick(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on compositional sentences: entailment in three classes, relatedness from 1 to 5."""
    results = {}
    for response, measure in (("entailment", "accuracy"), ("relatedness", "pearson")):
        load = partial(load_sick, response=response)
        name, settings = f"sick-{response}", list_settings()
        found = compare_settings(name, measure, load, settings, COSTS, "trial", data, out, n_jobs)
        for row in found["rows"] + found["candidates"]:
            row["task"] = response
        results[response] = found
    first, second = results.values()
    chosen = {**first["chosen_on_train"], "task": "entailment", "relatedness": second["chosen_on_train"]}
    lists = {name: first[name] + second[name] for name in ("rows", "candidates")}
    return {**first, **lists, "chosen_on_train": chosen}


def run_paws(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on paraphrases and others that share their words; it is trained on the development part."""
    table = load_paws("dev", data)
    load_test = partial(load_paws, "test", data)
    result = run_two_classes("paws", table, load_test, list_settings(), finalists=1, out=out, n_jobs=n_jobs)
    test = load_test()
    baseline = measure_predictions("accuracy", predict_by_tfidf(table, test.pairs, "accuracy"), test)
    result["rows"].append({"method": "tfidf", "kmax": None, **baseline, "published": None})
    return result
