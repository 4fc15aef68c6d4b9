"""Tables 4, 5 and 6 of "Function-based question classification for general QA" (Bu, Zhu, Hao and Zhu, EMNLP 2010).

The questions of the paper are private. Its four methods run here on public data and on the questions of this package.
The published figures are shown only to say what the paper found on its own data.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from experiments.bigram_svm import BigramSVM
from experiments.corpora import DataPath, data_directory, load_trec
from experiments.pair_corpora import mcnemar
from experiments.reports import write_json
from rekern.core.files import show_path
from rekern.core.json_values import JsonObject
from rekern.core.progress import track
from rekern.datasets.table_formats import read_columns
from rekern.errors import InputError
from rekern.learning.cross_validation import make_class_folds, make_stratified_folds
from rekern.learning.measures import class_measures
from rekern.questions.closed_form_likelihood import learn_pattern_weights
from rekern.questions.pattern_collection import extract_method_patterns
from rekern.questions.pattern_settings import PatternSettings
from rekern.questions.question_classifier import QuestionClassifier
from rekern.questions.question_corpus import LANGUAGES, load_questions
from rekern.questions.question_units import cut
from rekern.questions.six_type_model import list_own_expressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.taggers import find_tagger

# Table 4: formulas, and accuracy in per cent on questions with function words and on all questions.
PUBLISHED = {
    "sb": (None, 72.4, 68.5),
    "mb": (10485, 72.2, 69.2),
    "msb": (8173, 75.4, 71.4),
    "mss": (7370, 75.2, 71.7),
}
METHODS = tuple(PUBLISHED)
REMARK = "The published figures are on the paper's own Chinese questions, which are private: no target for these data."
N_FOLDS = 5
ORCAS_FOLDS = 10
LARGE = 3000  # with more training questions than this, two of the folds are enough to choose
SHOWN = 8  # soft patterns of each data set
SETTINGS: list[JsonObject] = [
    {"penalty": penalty, "worlds": worlds} for penalty in (0.3, 1.0) for worlds in ("all", "one")
]
LEARNING = ("share", "penalty", "start", "worlds", "prior")  # parameters that change no pattern

LabelledQuestions = tuple[list[str], list[str]]  # questions and their types
Model = QuestionClassifier | BigramSVM


class QuestionDataSet(NamedTuple):
    """A training part, a test part (None for cross-validation), and settings that all methods share."""

    load_train: Callable[[], LabelledQuestions]
    load_test: Callable[[], LabelledQuestions] | None
    patterns: PatternSettings = PatternSettings()
    expressions: Sequence[str] | None = None


def list_data_sets(data: DataPath = None) -> dict[str, QuestionDataSet]:
    """List the data sets by name; their files are read when they are needed.

    >>> list(list_data_sets())
    ['nf_cats/human', 'nf_cats/all', 'trec/coarse', 'trec/fine', 'orcas', 'six-types']
    """
    loaders: dict[str, Callable[[str], LabelledQuestions]] = {
        "nf_cats/human": partial(load_nf_cats, human=True, data=data),
        "nf_cats/all": partial(load_nf_cats, human=False, data=data),
        "trec/coarse": partial(load_trec, data=data),
        "trec/fine": partial(load_trec, fine=True, data=data),
    }
    many = PatternSettings(top=5000, keywords=5000)  # many content words matter in TREC
    found = {
        name: QuestionDataSet(
            partial(load, "train"), partial(load, "test"), many if name.startswith("trec") else PatternSettings()
        )
        for name, load in loaders.items()
    }
    found["orcas"] = QuestionDataSet(partial(load_orcas, data), None)
    found["six-types"] = QuestionDataSet(
        partial(load_questions, "train"), partial(load_questions, "heldout"), expressions=list_own_expressions()
    )
    return found


def load_nf_cats(part: str, human: bool, data: DataPath = None) -> LabelledQuestions:
    """Load NF-CATS: questions and categories of ``train``, ``valid`` or ``test``, or with ``human`` those of people."""
    columns = _read_columns(data, "nf_cats", f"{part}.tsv", ("question", "category", "annotated_by"))
    rows = [row for row in zip(*columns) if not human or row[2] != "unsupervised"]
    return [row[0] for row in rows], [row[1] for row in rows]


def load_orcas(data: DataPath = None) -> LabelledQuestions:
    """Load ORCAS-I: web queries, navigational or not; where the annotators abstained they count as not navigational."""
    queries, labels = _read_columns(data, "orcas_i_gold", "orcas_i_gold.tsv", ("query", "label_manual"))
    return queries, ["Navigational" if label == "Navigational" else "Other" for label in labels]


def _read_columns(data: DataPath, folder: str, file: str, names: Sequence[str]) -> list[list[str]]:
    path = data_directory(data) / folder / file
    if not path.is_file():
        name = show_path(path)
        reason = f"there is no {name}: put the corpus there, or name its folder with REKERN_DATA"
        raise InputError(reason, file=name, names_file=True)
    columns = read_columns(path)
    return [columns.texts(name) for name in names]


def run_questions(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, only: str | None = None
) -> JsonObject:
    """Run the four methods on every data set, or on one with ``only``."""
    known = list_data_sets(data)
    if only is not None and only not in known:
        raise InputError(f"there is no data set {only!r}: choose {', '.join(known)}")
    chosen = [name for name in known if only in (None, name)]
    results = {name: _run_data_set(name, known[name], out) for name in track(chosen, len(chosen), "data sets")}
    rows = [row for result in results.values() for row in result.pop("rows")]
    return {"rows": rows, "remark": REMARK, "details": results}


def _run_data_set(name: str, data_set: QuestionDataSet, out: Path | None) -> JsonObject:
    """Run all methods on one data set; what the training part chooses is written before the test part is read.

    Without a test part it is cross-validated; the settings of a fold are chosen on its own training part.
    """
    train = asked, kinds = data_set.load_train()
    if data_set.load_test is None:
        folds = make_stratified_folds(np.array(kinds), ORCAS_FOLDS)
        parts = [([asked[row] for row in rows], [kinds[row] for row in rows]) for rows, _ in folds]
    else:
        parts = [train]
    choices = [{method: _choose_model(method, data_set, part) for method in METHODS} for part in parts]
    chosen = {method: _describe_choice(model, cv) for method, (model, cv) in choices[0].items()}
    if out is not None and data_set.load_test is not None:
        write_json(out / f"questions-{name.replace('/', '-')}-chosen.json", chosen)
    seconds: dict[str, float] = defaultdict(float)
    for part, choice in zip(parts, choices):
        for method, (model, _) in choice.items():
            started = time.perf_counter()
            model.fit(*part)
            seconds[method] += time.perf_counter() - started
    models = [{method: model for method, (model, _) in choice.items()} for choice in choices]
    if data_set.load_test is None:
        test, predicted = train, {method: [""] * len(asked) for method in METHODS}
        for (_, rows), trained in zip(folds, models):
            for method, model in trained.items():
                for row, kind in zip(rows, model.predict([asked[row] for row in rows]).tolist()):
                    predicted[method][row] = kind
    else:
        test = data_set.load_test()
        predicted = {method: model.predict(test[0]).tolist() for method, model in models[0].items()}
    mss = models[-1]["mss"]
    assert isinstance(mss, QuestionClassifier)
    cv = {method: [choice[method][1] for choice in choices] for method in METHODS}
    formulas = {
        method: [model.formulas_ for trained in models if isinstance(model := trained[method], QuestionClassifier)]
        for method in METHODS
    }
    result: JsonObject = {
        "rows": _make_rows(name, test, predicted, formulas, cv, seconds),
        "train": len(asked),
        "test": len(test[0]),
        **({"folds": ORCAS_FOLDS} if data_set.load_test is None else {"chosen": chosen}),
        "types": measure_types(test[1], predicted["mss"])["types"],
        "distribution": {kind: round(100 * n / len(kinds), 2) for kind, n in Counter(kinds).most_common()},
        "soft_patterns": list_soft_patterns(mss),
    }
    if data_set.load_test is not None:
        result["options"] = _try_options(mss, train, test)
        result["as_printed"] = _try_printed_patterns(mss, train, test)
    if name == "nf_cats/human":
        result["linear_svm"] = _run_linear_svm(train, test, predicted["mss"])
    if name == "six-types":
        held = {language: load_questions("heldout", language) for language in LANGUAGES}
        result["languages"] = {
            language: measure_types(labels, mss.predict(part).tolist()) for language, (part, labels) in held.items()
        }
    return result


def _choose_model(method: str, data_set: QuestionDataSet, train: LabelledQuestions) -> tuple[Model, float | None]:
    """Choose settings by cross-validation on the training part; SB chooses its own when it is trained."""
    if method == "sb":
        return BigramSVM(data_set.patterns.min_count), None
    model = QuestionClassifier(method, patterns=data_set.patterns, expressions=data_set.expressions)
    accuracies = cross_validate_settings(model, *train, SETTINGS, 2 if len(train[0]) > LARGE else N_FOLDS)
    best = int(np.argmax(accuracies))
    return clone(model).set_params(**SETTINGS[best]), accuracies[best]


def cross_validate_settings(
    model: QuestionClassifier, asked: list[str], types: list[str], settings: Sequence[JsonObject], rounds: int
) -> list[float]:
    """Measure the accuracy of each setting, in per cent, on held-out questions; ``rounds`` of the folds are used.

    A setting has values for parameters of learning, not of patterns, so that the patterns of a fold are extracted once
    for all settings.

    >>> asked = ["why is it", "why not", "why me", "how to go", "how to be", "how to do"] * 2
    >>> kinds = ["reason", "reason", "reason", "way", "way", "way"] * 2
    >>> cross_validate_settings(QuestionClassifier(), asked, kinds, [{"penalty": 0.1}], 5)
    [100.0]
    """
    kinds, numbers = np.unique(np.asarray(types), return_inverse=True)
    units = [cut(question, find_tagger(model.tagger)) for question in asked]
    right, n_tested = np.zeros(len(settings)), 0
    for train, test in make_class_folds(numbers, N_FOLDS)[:rounds]:
        texts, words = ([values[row] for row in train] for values in (asked, units))
        patterns, confidences = extract_method_patterns(
            model.method, model.patterns, model.expressions, texts, words, numbers[train]
        )
        held_out = patterns.match([asked[row] for row in test], cut, [units[row] for row in test])
        for place, setting in enumerate(settings):
            options: JsonObject = {name: setting.get(name, getattr(model, name)) for name in LEARNING}
            learned = learn_pattern_weights(confidences, numbers[train], len(kinds), **options)
            found = (held_out @ learned.table + learned.prior).argmax(axis=1)
            right[place] += np.sum(found == numbers[test])
        n_tested += len(test)
    accuracies: list[float] = (100 * right / n_tested).tolist()
    return accuracies


def _describe_choice(model: Model, cv: float | None) -> JsonObject:
    """Return a model that is not trained yet, and its accuracy in the folds, as plain data for JSON."""
    if not isinstance(model, QuestionClassifier):
        return {"cv": cv}
    chosen: JsonObject = {name: getattr(model, name) for name in ("penalty", "worlds", "share")}
    chosen |= {"top": model.patterns.top, "keywords": model.patterns.keywords}
    return {**chosen, "cv": None if cv is None else round(cv, 2)}


def _make_rows(
    name: str,
    test: LabelledQuestions,
    found: Mapping[str, Sequence[str]],
    formulas: Mapping[str, Sequence[int]],
    cv: Mapping[str, Sequence[float | None]],
    seconds: Mapping[str, float],
) -> list[JsonObject]:
    asked, true = test
    easy = np.array([any(cut(question).function) for question in asked])
    rows = []
    for method, (of_paper, easy_of_paper, all_of_paper) in PUBLISHED.items():
        right = np.array(found[method]) == np.array(true)
        counts, values = formulas[method], [value for value in cv[method] if value is not None]
        rows.append(
            {
                "data": name,
                "method": method,
                "formulas": round(float(np.mean(counts))) if counts else None,
                "easy": round(100 * float(right[easy].mean()), 2) if easy.any() else None,
                "all": round(100 * float(right.mean()), 2),
                "published": all_of_paper,
                "published_easy": easy_of_paper,
                "published_formulas": of_paper,
                "cv": round(float(np.mean(values)), 2) if values else None,
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


def measure_types(true: Sequence[str], found: Sequence[str]) -> JsonObject:
    """Return the accuracy in per cent, and precision, recall and F of each type from 0 to 1."""
    measures = class_measures(found, true, sorted({*true, *found}))
    types = {
        kind: {"questions": row["pairs"], "precision": row["precision"], "recall": row["recall"], "f": row["f1"]}
        for kind, row in measures["classes"].items()
    }
    return {"questions": len(true), "accuracy": 100 * measures["accuracy"], "types": types}
