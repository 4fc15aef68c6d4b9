"""Tables 4, 5 and 6 of "Function-based question classification for general QA" (Bu, Zhu, Hao and Zhu, EMNLP 2010).

The questions of the paper are private. Its four methods run here on public data and on the questions of this package.
The published figures are shown only to say what the paper found on its own data.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from experiments.bigram_svm import BigramSVM
from experiments.corpora import DataPath
from experiments.measured_figures import mcnemar
from experiments.question_data_sets import LabelledQuestions, QuestionDataSet, list_data_sets
from experiments.reports import write_json
from rekern.core.json_values import JsonObject
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.learning.cross_validation import make_stratified_folds
from rekern.learning.measures import class_measures
from rekern.questions.question_classifier import QuestionClassifier
from rekern.questions.question_corpus import LANGUAGES, load_questions
from rekern.questions.question_units import cut
from rekern.questions.setting_search import choose_setting
from rekern.questions.soft_patterns import SoftPatterns

METHODS = ("sb", "mb", "msb", "mss")


class PublishedRow(NamedTuple):
    """A row of Table 4: formulas, and accuracy in per cent on questions with function words and on all questions."""

    formulas: int | None
    easy: float
    all: float


PUBLISHED = {
    "sb": PublishedRow(None, 72.4, 68.5),
    "mb": PublishedRow(10485, 72.2, 69.2),
    "msb": PublishedRow(8173, 75.4, 71.4),
    "mss": PublishedRow(7370, 75.2, 71.7),
}
REMARK = "The published figures are on the paper's own Chinese questions, which are private: no target for these data."
N_FOLDS = 5
ORCAS_FOLDS = 10
LARGE = 3000  # with more training questions than this, two of the folds are enough to choose
SHOWN = 8  # soft patterns of each data set

SETTINGS: list[JsonObject] = [
    {"penalty": penalty, "worlds": worlds} for penalty in (0.3, 1.0) for worlds in ("all", "one")
]


class ChosenModel(NamedTuple):
    """A model that is not trained yet, and its accuracy in the folds; None if it chooses its own settings."""

    model: QuestionClassifier | BigramSVM
    cv_accuracy: float | None

    def to_dict(self) -> JsonObject:
        """Return the choice as plain data for JSON."""
        model = self.model
        chosen: JsonObject = {}
        if isinstance(model, QuestionClassifier):
            chosen = {name: getattr(model, name) for name in ("penalty", "worlds", "share")}
            chosen |= {"top": model.patterns.top, "keywords": model.patterns.keywords}
        return {**chosen, "cv": None if self.cv_accuracy is None else round(self.cv_accuracy, 2)}


def run_questions(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, only: str | None = None
) -> JsonObject:
    """Run the four methods on every data set, or on one with ``only``."""
    known = list_data_sets(data)
    if only is not None and only not in known:
        raise InputError(f"there is no data set {only!r}: choose {', '.join(known)}")
    chosen = [(name, data_set, out) for name, data_set in known.items() if only in (None, name)]
    results = list(track((run_data_set(*call) for call in chosen), len(chosen), "data sets"))
    return {
        "rows": [row for result in results for row in result["rows"]],
        "remark": REMARK,
        "details": {
            result["data"]: {k: v for k, v in result.items() if k not in ("rows", "data")} for result in results
        },
    }


def run_data_set(name: str, data_set: QuestionDataSet, out: Path | None = None) -> JsonObject:
    """Run all methods on one data set; what the training part chooses is written before the test part is read."""
    train = asked, kinds = data_set.load_train()
    if data_set.load_test is None:
        return _cross_validate(name, data_set, asked, kinds)
    chosen = {method: _choose_model(method, data_set, train) for method in METHODS}
    if out is not None:
        record = {method: choice.to_dict() for method, choice in chosen.items()}
        write_json(out / f"questions-{name.replace('/', '-')}-chosen.json", record)
    trained, seconds = {}, {}
    for method, (model, _) in chosen.items():
        started = time.perf_counter()
        trained[method] = model.fit(asked, kinds)
        seconds[method] = time.perf_counter() - started
    mss = trained["mss"]
    assert isinstance(mss, QuestionClassifier)
    test = test_questions, true = data_set.load_test()
    found = {method: model.predict(test_questions).tolist() for method, model in trained.items()}
    formulas = {name: model.formulas_ for name, model in trained.items() if isinstance(model, QuestionClassifier)}
    accuracies = {method: choice.cv_accuracy for method, choice in chosen.items()}
    rows = _make_rows(name, test_questions, true, found, formulas, accuracies, seconds)
    result = {
        "data": name,
        "rows": rows,
        "train": len(asked),
        "test": len(test_questions),
        "chosen": {method: choice.to_dict() for method, choice in chosen.items()},
        "types": measure_types(true, found["mss"])["types"],
        "distribution": _compute_distribution(kinds),
        "soft_patterns": list_soft_patterns(mss),
        "options": _try_options(mss, train, test),
        "as_printed": _try_printed_patterns(mss, train, test),
    }
    if name == "nf_cats/human":
        result["linear_svm"] = _run_linear_svm(train, test, found["mss"])
    if name == "six-types":
        result["languages"] = {
            language: measure_types(labels, mss.predict(part).tolist())
            for language in LANGUAGES
            for part, labels in [load_questions("heldout", language)]
        }
    return result


def _cross_validate(name: str, data_set: QuestionDataSet, asked: list[str], kinds: list[str]) -> JsonObject:
    """Cross-validate on a data set without a test part; the settings of a fold are chosen on its own training part."""
    listed, true = np.array(asked, dtype=object), np.array(kinds)
    found = {method: np.empty(len(true), dtype=true.dtype) for method in METHODS}
    formulas: dict[str, list[int]] = {method: [] for method in METHODS}
    cross: dict[str, list[float]] = {method: [] for method in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    last: QuestionClassifier | None = None
    for train, test in make_stratified_folds(true, ORCAS_FOLDS):
        for method in METHODS:
            part = (listed[train].tolist(), true[train].tolist())
            model, cv = _choose_model(method, data_set, part)
            started = time.perf_counter()
            model.fit(*part)
            seconds[method] += time.perf_counter() - started
            found[method][test] = model.predict(listed[test].tolist())
            if isinstance(model, QuestionClassifier):
                formulas[method].append(model.formulas_)
                cross[method].append(cv or 0.0)
                last = model
    averages = {method: round(float(np.mean(counts))) for method, counts in formulas.items() if counts}
    cv_means = {method: float(np.mean(values)) if values else None for method, values in cross.items()}
    predicted = {method: values.tolist() for method, values in found.items()}
    rows = _make_rows(name, asked, kinds, predicted, averages, cv_means, seconds)
    assert last is not None
    return {
        "data": name,
        "rows": rows,
        "train": len(asked),
        "test": len(asked),
        "folds": ORCAS_FOLDS,
        "types": measure_types(kinds, predicted["mss"])["types"],
        "distribution": _compute_distribution(kinds),
        "soft_patterns": list_soft_patterns(last),
    }


def _choose_model(method: str, data_set: QuestionDataSet, train: LabelledQuestions) -> ChosenModel:
    """Choose settings by cross-validation on the training part; SB chooses its own when it is trained."""
    if method == "sb":
        return ChosenModel(BigramSVM(data_set.patterns.min_count), None)
    model = QuestionClassifier(method, patterns=data_set.patterns, expressions=data_set.expressions)
    rounds = 2 if len(train[0]) > LARGE else None
    return ChosenModel(*choose_setting(model, *train, SETTINGS, N_FOLDS, rounds))


def _make_rows(
    name: str,
    asked: Sequence[str],
    true: Sequence[str],
    found: Mapping[str, Sequence[str]],
    formulas: Mapping[str, int],
    cv: Mapping[str, float | None],
    seconds: Mapping[str, float],
) -> list[JsonObject]:
    easy = np.array([any(cut(question).function) for question in asked])
    rows = []
    for method in METHODS:
        right = np.array(found[method]) == np.array(true)
        published = PUBLISHED[method]
        rows.append(
            {
                "data": name,
                "method": method,
                "formulas": formulas.get(method),
                "easy": round(100 * float(right[easy].mean()), 2) if easy.any() else None,
                "all": round(100 * float(right.mean()), 2),
                "published": published.all,
                "published_easy": published.easy,
                "published_formulas": published.formulas,
                "cv": None if cv[method] is None else round(float(cv[method] or 0.0), 2),
                "p": None if method == "sb" else round(mcnemar(true, found[method], found["sb"]), 5),
                "seconds": round(seconds[method], 1),
            }
        )
    return rows


def list_soft_patterns(model: QuestionClassifier) -> list[JsonObject]:
    """List the largest soft patterns of a model, each with the three most frequent types of its questions.

    >>> asked = ["best tv series", "tv series to watch", "lose weight fast", "lose weight"] * 3
    >>> kinds = ["List", "List", "Solution", "Solution"] * 3
    >>> from rekern.questions import PatternSettings
    >>> settings = PatternSettings(keywords=0, shapes=False)
    >>> model = QuestionClassifier(patterns=settings, penalty=0.1).fit(asked, kinds)
    >>> list_soft_patterns(model)[0]["types"]
    {'List': 100.0}
    """
    rows = []
    first = 0
    for part in model.evidence_.parts:
        count = len(part.names())
        if isinstance(part, SoftPatterns):
            for cluster in np.argsort(-part.sizes, kind="stable")[:SHOWN]:
                shares = model.distribution_[first + cluster]
                top = np.argsort(-shares, kind="stable")[:3]
                types = {str(model.classes_[kind]): round(100 * float(shares[kind]), 1) for kind in top if shares[kind]}
                terms = part.list_heaviest(int(cluster))
                rows.append({"terms": terms, "questions": int(part.sizes[cluster]), "types": types})
        first += count
    return rows


def _try_options(model: QuestionClassifier, train: LabelledQuestions, test: LabelledQuestions) -> list[JsonObject]:
    """Train MSS with all worlds or those with one type, with a prior and without; the figures are only reported."""
    rows = []
    for worlds in ("all", "one"):
        for prior in (True, False):
            other = clone(model).set_params(worlds=worlds, prior=prior).fit(*train)
            accuracy = _measure_accuracy(other, test)
            rows.append({"worlds": worlds, "prior": prior, "formulas": other.formulas_, "all": accuracy})
    return rows


def _try_printed_patterns(model: QuestionClassifier, train: LabelledQuestions, test: LabelledQuestions) -> JsonObject:
    """Train MSS with the patterns of the paper alone, without single words, keywords, shapes or own expressions."""
    printed = replace(model.patterns, shortest=2, top=3000, keywords=0, shapes=False, orders=(2,), stems=False)
    other = clone(model).set_params(patterns=printed, expressions=None).fit(*train)
    return {"formulas": other.formulas_, "all": _measure_accuracy(other, test)}


def _measure_accuracy(model: QuestionClassifier, test: LabelledQuestions) -> float:
    questions, true = test
    return round(100 * float(np.mean(model.predict(questions) == np.array(true))), 2)


def _run_linear_svm(train: LabelledQuestions, test: LabelledQuestions, by_mss: Sequence[str]) -> JsonObject:
    """Train a linear support vector machine on unigrams and bigrams, and compare it with MSS."""
    words = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]")
    costs = {"linearsvc__C": [0.01, 0.03, 0.1, 0.3, 1.0]}
    search = GridSearchCV(make_pipeline(words, LinearSVC()), costs, cv=N_FOLDS).fit(*train)
    questions, true = test
    predicted = search.predict(questions).tolist()
    return {
        "cv": round(100 * float(search.best_score_), 2),
        "C": search.best_params_["linearsvc__C"],
        "all": round(100 * float(np.mean(np.array(predicted) == np.array(true))), 2),
        "p_against_mss": round(mcnemar(true, by_mss, predicted), 5),
    }


def _compute_distribution(kinds: Sequence[str]) -> dict[str, float]:
    return {kind: round(100 * count / len(kinds), 2) for kind, count in Counter(kinds).most_common()}


def measure_types(true: Sequence[str], found: Sequence[str]) -> JsonObject:
    """Return the accuracy in per cent, and precision, recall and F of each type from 0 to 1."""
    measures = class_measures(found, true, sorted({*true, *found}))
    types = {
        kind: {"questions": row["pairs"], "precision": row["precision"], "recall": row["recall"], "f": row["f1"]}
        for kind, row in measures["classes"].items()
    }
    return {"questions": len(true), "accuracy": 100 * measures["accuracy"], "types": types}
