"""Tables 4, 5 and 6 of "Function-based question classification for general QA" (Bu, Zhu, Hao and Zhu, EMNLP 2010).

The paper's questions are private. Its four methods run here on public data and on the questions of this package; the
published figures stand beside ours only to show what the paper found on its own data.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from rekern.core.files import show_path, write_atomically
from rekern.core.progress import track
from rekern.datasets.public_corpora import DataPath, data_directory, load_trec
from rekern.errors import InputError
from rekern.learning.cross_validation import make_stratified_folds
from rekern.learning.measures import mcnemar
from rekern.questions.pattern_settings import PatternSettings
from rekern.questions.question_classifier import QuestionClassifier
from rekern.questions.question_corpus import LANGUAGES, load_questions
from rekern.questions.question_units import cut
from rekern.questions.setting_search import choose_setting
from rekern.questions.six_type_training import list_own_expressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.type_measures import measure_types

METHODS = ("sb", "mb", "msb", "mss")
# Table 4: formulas, and accuracy in per cent on questions with function words and on all, on the paper's own data.
PUBLISHED: dict[str, tuple[int | None, float, float]] = {
    "sb": (None, 72.4, 68.5),
    "mb": (10485, 72.2, 69.2),
    "msb": (8173, 75.4, 71.4),
    "mss": (7370, 75.2, 71.7),
}
REMARK = "The published figures are on the paper's own Chinese questions, which are private: no target for these data."
FOLDS = 5
ORCAS_FOLDS = 10
LARGE = 3000  # questions from which on two of the folds suffice to choose
SHOWN = 8  # soft patterns of each data set

SETTINGS: list[dict[str, Any]] = [
    {"penalty": penalty, "worlds": worlds} for penalty in (0.3, 1.0) for worlds in ("all", "one")
]

Pairs = tuple[list[str], list[str]]  # questions and their types


@dataclass(frozen=True)
class Data:
    """A data set: what is trained on, what is tested (None for folds), and what is the same for all methods."""

    train: Callable[[], Pairs]
    test: Callable[[], Pairs] | None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def questions(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, only: str | None = None
) -> dict[str, Any]:
    """The four methods on every data set, or with ``only`` on one."""
    known = data_sets(data)
    if only is not None and only not in known:
        raise InputError(f"there is no data set {only!r}: choose {', '.join(known)}")
    chosen = [(name, part, out) for name, part in known.items() if only in (None, name)]
    results = list(track((experiment(*call) for call in chosen), len(chosen), "data sets"))
    return {
        "rows": [row for result in results for row in result["rows"]],
        "remark": REMARK,
        "details": {
            result["data"]: {k: v for k, v in result.items() if k not in ("rows", "data")} for result in results
        },
    }


def data_sets(data: DataPath = None) -> dict[str, Data]:
    """The data sets by name; their files are read when they are needed.

    >>> list(data_sets())
    ['nf_cats/human', 'nf_cats/all', 'trec/coarse', 'trec/fine', 'orcas', 'six-types']
    """
    many = {"patterns": PatternSettings(top=5000, keywords=5000)}
    return {
        "nf_cats/human": Data(lambda: load_nf_cats("train", True, data), lambda: load_nf_cats("test", True, data)),
        "nf_cats/all": Data(lambda: load_nf_cats("train", False, data), lambda: load_nf_cats("test", False, data)),
        "trec/coarse": Data(lambda: load_trec("train", data=data), lambda: load_trec("test", data=data), many),
        "trec/fine": Data(lambda: load_trec("train", True, data), lambda: load_trec("test", True, data), many),
        "orcas": Data(lambda: load_orcas(data), None),
        "six-types": Data(
            lambda: load_questions("train"), lambda: load_questions("heldout"), {"expressions": list_own_expressions()}
        ),
    }


def load_nf_cats(part: str, human: bool, data: DataPath = None) -> Pairs:
    """NF-CATS: the questions and categories of ``train`` or ``test``; with ``human`` only those labelled by people."""
    columns = _columns(data, "nf_cats", f"{part}.tsv", ("question", "category", "annotated_by"))
    rows = [row for row in zip(*columns) if not human or row[2] != "unsupervised"]
    return [row[0] for row in rows], [row[1] for row in rows]


def load_orcas(data: DataPath = None) -> Pairs:
    """ORCAS-I: web queries, navigational or not; those of which the people abstained count as not navigational."""
    queries, labels = _columns(data, "orcas_i_gold", "orcas_i_gold.tsv", ("query", "label_manual"))
    return queries, ["Navigational" if label == "Navigational" else "Other" for label in labels]


def _columns(data: DataPath, folder: str, file: str, names: Sequence[str]) -> list[list[str]]:
    from rekern.datasets.table_formats import read_columns

    path = data_directory(data) / folder / file
    if not path.is_file():
        raise InputError(f"there is no {show_path(path)}: put the corpus there, or name its folder with REKERN_DATA")
    columns = read_columns(path)
    return [columns.texts(name) for name in names]


def experiment(name: str, data: Data, out: Path | None = None) -> dict[str, Any]:
    """All methods on one data set; what is chosen on the training part is written down before the test part is read."""
    asked, kinds = data.train()
    if data.test is None:
        return _folded(name, data, asked, kinds)
    chosen = {method: _chosen(method, data.parameters, asked, kinds) for method in METHODS}
    if out is not None:
        from rekern.reproduce.two_class_experiment import write_json

        record = {method: _described(model, cv) for method, (model, cv) in chosen.items()}
        write_json(out / f"questions-{name.replace('/', '-')}-chosen.json", record)
    trained, seconds = {}, {}
    for method, (model, _) in chosen.items():
        started = time.perf_counter()
        trained[method] = model.fit(asked, kinds)
        seconds[method] = time.perf_counter() - started
    questions_, true = data.test()
    found = {method: model.predict(questions_).tolist() for method, model in trained.items()}
    formulas = {method: model.formulas_ for method, model in trained.items() if method != "sb"}
    rows = _rows(name, questions_, true, found, formulas, {m: cv for m, (_, cv) in chosen.items()}, seconds)
    result = {
        "data": name,
        "rows": rows,
        "train": len(asked),
        "test": len(questions_),
        "chosen": {method: _described(model, cv) for method, (model, cv) in chosen.items()},
        "types": measure_types(true, found["mss"])["types"],
        "distribution": _distribution(kinds),
        "soft_patterns": soft_patterns(trained["mss"], asked, kinds),
        "options": _options(chosen["mss"][0], asked, kinds, questions_, true),
        "as_printed": _as_printed(chosen["mss"][0], asked, kinds, questions_, true),
    }
    if name == "nf_cats/human":
        result["linear_svm"] = _linear_svm(asked, kinds, questions_, true, found)
    if name == "six-types":
        result["languages"] = {
            language: measure_types(kinds_, trained["mss"].predict(part).tolist())
            for language in LANGUAGES
            for part, kinds_ in [load_questions("heldout", language)]
        }
    return result


def _folded(name: str, data: Data, asked: list[str], kinds: list[str]) -> dict[str, Any]:
    """A data set without a test part: each fold is tested by models whose settings its own training part chose."""
    listed, true = np.array(asked, dtype=object), np.array(kinds)
    found = {method: np.empty(len(true), dtype=true.dtype) for method in METHODS}
    formulas: dict[str, list[int]] = {method: [] for method in METHODS}
    cross: dict[str, list[float]] = {method: [] for method in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    splits = make_stratified_folds(true, ORCAS_FOLDS)
    last: QuestionClassifier | None = None
    for train, test in splits:
        for method in METHODS:
            part = (listed[train].tolist(), true[train].tolist())
            model, cv = _chosen(method, data.parameters, *part)
            started = time.perf_counter()
            model.fit(*part)
            seconds[method] += time.perf_counter() - started
            found[method][test] = model.predict(listed[test].tolist())
            if method != "sb":
                formulas[method].append(model.formulas_)
                cross[method].append(cv or 0.0)
            last = model
    averages = {method: round(float(np.mean(counts))) for method, counts in formulas.items() if counts}
    cv_means = {method: float(np.mean(values)) if values else None for method, values in cross.items()}
    predicted = {method: values.tolist() for method, values in found.items()}
    rows = _rows(name, asked, kinds, predicted, averages, cv_means, seconds)
    assert last is not None
    return {
        "data": name,
        "rows": rows,
        "train": len(asked),
        "test": len(asked),
        "folds": ORCAS_FOLDS,
        "types": measure_types(kinds, predicted["mss"])["types"],
        "distribution": _distribution(kinds),
        "soft_patterns": soft_patterns(last, asked, kinds),
    }


def _chosen(
    method: str, parameters: Mapping[str, Any], asked: list[str], kinds: list[str]
) -> tuple[QuestionClassifier, float | None]:
    """The model with the settings that cross-validation on the training part prefers; SB chooses its own."""
    model = QuestionClassifier(method, **parameters)
    if method == "sb":
        return model, None
    return choose_setting(model, asked, kinds, SETTINGS, FOLDS, 2 if len(asked) > LARGE else None)


def _rows(
    name: str,
    asked: Sequence[str],
    true: Sequence[str],
    found: Mapping[str, Sequence[str]],
    formulas: Mapping[str, int],
    cv: Mapping[str, float | None],
    seconds: Mapping[str, float],
) -> list[dict[str, Any]]:
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
                "published": published[2],
                "published_easy": published[1],
                "published_formulas": published[0],
                "cv": None if cv[method] is None else round(float(cv[method] or 0.0), 2),
                "p": None if method == "sb" else round(mcnemar(true, found[method], found["sb"]), 5),
                "seconds": round(seconds[method], 1),
            }
        )
    return rows


def soft_patterns(model: QuestionClassifier, asked: Sequence[str], kinds: Sequence[str]) -> list[dict[str, Any]]:
    """The largest soft patterns of a model that have formulas, each with the three most frequent types that match it.

    >>> asked = ["best tv series", "tv series to watch", "lose weight fast", "lose weight"] * 3
    >>> kinds = ["List", "List", "Solution", "Solution"] * 3
    >>> settings = PatternSettings(keywords=0, shapes=False)
    >>> model = QuestionClassifier(patterns=settings, penalty=0.1).fit(asked, kinds)
    >>> soft_patterns(model, asked, kinds)[0]["types"]
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


def _options(
    model: QuestionClassifier, asked: list[str], kinds: list[str], test: list[str], true: list[str]
) -> list[dict[str, Any]]:
    """MSS with all worlds or those with one type, with a prior and without; only reported."""
    rows = []
    for worlds in ("all", "one"):
        for prior in (True, False):
            other = clone(model).set_params(worlds=worlds, prior=prior).fit(asked, kinds)
            right = np.array(other.predict(test)) == np.array(true)
            accuracy = round(100 * float(right.mean()), 2)
            rows.append({"worlds": worlds, "prior": prior, "formulas": other.formulas_, "all": accuracy})
    return rows


def _as_printed(
    model: QuestionClassifier, asked: list[str], kinds: list[str], test: list[str], true: list[str]
) -> dict[str, Any]:
    """MSS with the paper's patterns alone: no single words, keywords or shapes, no own expressions; only reported."""
    printed = replace(model.patterns, shortest=2, top=3000, keywords=0, shapes=False, orders=(2,), stems=False)
    other = clone(model).set_params(patterns=printed, expressions=None).fit(asked, kinds)
    right = np.array(other.predict(test)) == np.array(true)
    return {"formulas": other.formulas_, "all": round(100 * float(right.mean()), 2)}


def _linear_svm(
    asked: list[str], kinds: list[str], test: list[str], true: list[str], found: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """A linear machine on unigrams and bigrams, C by cross-validation, and how it differs from the other methods."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    words = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]")
    prices = {"linearsvc__C": [0.01, 0.03, 0.1, 0.3, 1.0]}
    search = GridSearchCV(make_pipeline(words, LinearSVC()), prices, cv=FOLDS).fit(asked, kinds)
    predicted = search.predict(test).tolist()
    return {
        "cv": round(100 * float(search.best_score_), 2),
        "C": search.best_params_["linearsvc__C"],
        "all": round(measure_types(true, predicted)["accuracy"], 2),
        "p_against_mss": round(mcnemar(true, found["mss"], predicted), 5),
    }


def _described(model: QuestionClassifier, cv: float | None) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    if model.method != "sb":
        chosen = {name: getattr(model, name) for name in ("penalty", "worlds", "share")}
        chosen |= {"top": model.patterns.top, "keywords": model.patterns.keywords}
    return {**chosen, "cv": None if cv is None else round(cv, 2)}


def _distribution(kinds: Sequence[str]) -> dict[str, float]:
    return {kind: round(100 * count / len(kinds), 2) for kind, count in Counter(kinds).most_common()}


def as_text(result: dict[str, Any]) -> str:
    """The result as text tables."""
    from rekern.reproduce import NAMES
    from rekern.reproduce.text_tables import table

    columns = ("method", "formulas", "easy", "all", "p", "cv", "seconds", "published_easy", "published")
    parts = [f"questions: {NAMES['questions']}", result["remark"]]
    for name, details in result["details"].items():
        heading = f"{name}: {details['train']:,} training questions, {details['test']:,} tested"
        rows = [{**row, "p": _chance(row["p"])} for row in result["rows"] if row["data"] == name]
        parts.append(f"{heading}\n" + table(rows, columns))
        kinds = [{"type": kind, **row} for kind, row in details["types"].items()]
        if len(kinds) <= 10:
            parts.append("MSS by type (Table 5)\n" + table(kinds, ("type", "questions", "precision", "recall", "f")))
        if details["soft_patterns"]:
            lines = [f"{', '.join(p['terms'])}: {_shares(p['types'])}" for p in details["soft_patterns"]]
            parts.append("Soft patterns (Table 6)\n" + "\n".join(lines))
        if "options" in details:
            parts.append("MSS, worlds and prior\n" + table(details["options"], ("worlds", "prior", "formulas", "all")))
            printed = details["as_printed"]
            line = f"MSS with the patterns as printed: {printed['all']:.2f}, {printed['formulas']:,} formulas"
            parts.append(f"{line} (no single words, keywords or shapes)")
        if "linear_svm" in details:
            svm = details["linear_svm"]
            parts.append(
                f"Linear SVM on unigrams and bigrams: {svm['all']:.2f} (cross-validation {svm['cv']:.2f}, "
                f"C = {svm['C']:g}; McNemar's p against MSS {svm['p_against_mss']:.4f})"
            )
        for language, found in details.get("languages", {}).items():
            worst = min(row["f"] for row in found["types"].values())
            parts.append(
                f"{language}: {found['accuracy']:.1f} % of {found['questions']}; lowest F of a type {worst:.2f}"
            )
    if "files" in result:
        parts.append("\n".join(f"written: {path}" for path in result["files"]))
    parts.append(f"{result['seconds']:.1f} seconds")
    return "\n\n".join(parts)


def _chance(p: float | None) -> str | None:
    return None if p is None else f"{p:.4f}"


def _shares(types: Mapping[str, float]) -> str:
    return ", ".join(f"{kind} {share:.1f} %" for kind, share in types.items())


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Figure 1: how the types are distributed in each data set; the path of the file."""
    from matplotlib.figure import Figure

    shown = {name: details["distribution"] for name, details in result["details"].items()}
    figure = Figure(figsize=(10, 1.2 + 1.9 * len(shown)), layout="constrained")
    for panel, (name, shares) in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown.items()):
        few = dict(list(shares.items())[:10])
        panel.bar(list(few), list(few.values()), color="#0072B2")
        panel.set_title(name, loc="left", fontsize=10)
        panel.set_ylabel("%")
        panel.tick_params(axis="x", labelsize=8)
        panel.spines[["top", "right"]].set_visible(False)
    figure.suptitle("Types of training questions (Figure 1)")
    path = folder / "figure1-questions.png"
    with write_atomically(path) as temporary:
        figure.savefig(temporary, dpi=150)
    return [path]
