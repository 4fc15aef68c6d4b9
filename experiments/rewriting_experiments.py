"""Experiments with string re-writing kernels on pairs of texts.

"String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012) has MSRP and RTE-3, to which an ablation is added. On the other
corpora no figures of these kernels were published: ours stand next to a TF-IDF baseline. There, settings are compared
on the development part of the corpus; PAWS is cross-validated, because its training part is not among the corpora.
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

from experiments import published_results as published
from experiments.algorithm_calls import count_algorithm_calls
from experiments.corpora import DataPath, load_msrp, load_paws, load_qqp, load_rte, load_sick, load_stsb, load_wikiqa
from experiments.pair_models import TrainedModel, train_model
from experiments.reports import save_with_legend, write_choice
from experiments.rewriting_settings import (
    COSTS,
    KERNELS,
    KMAX,
    Setting,
    list_candidates,
    list_paper_settings,
    make_rewriting_setting,
    make_similarity_setting,
)
from experiments.shared_grams import (
    N_FOLDS,
    FoldResult,
    SharedGrams,
    choose_setting,
    compute_decisions,
    make_evaluation_folds,
    train_settings,
)
from rekern.cli.evaluation_plot import BLUE, GREEN, ORANGE, make_figure
from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.learning import correlations, ranking_measures
from rekern.learning.cross_validation import Fold
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures.tokenizer import Tokenizer

DEV_COSTS = (0.1, 1.0, 10.0)  # of settings that are compared on a development part
COLOURS = {"kb-srk": BLUE, "ps-srk": ORANGE, "pw-srk": GREEN, "pr": "#666666"}
MARKERS = {"kb-srk": "o", "ps-srk": "s", "pw-srk": "^"}
CORPUS_NAMES = {"msrp": "MSR Paraphrase Corpus", "rte3": "RTE-3"}


class Variant(NamedTuple):
    """A row of the ablation: how it is described, the tokenizer, and the decay λ."""

    note: str
    tokenizer: Tokenizer
    decay: float = 1.0


ABLATION = [
    Variant("stems, no case, punctuation, λ = 1 (the default)", Tokenizer()),
    Variant("stems, case", Tokenizer(lowercase=False)),
    Variant("no stems, no case", Tokenizer(language=None)),
    Variant("no stems, case", Tokenizer(language=None, lowercase=False)),
    Variant("stems, no case, no punctuation", Tokenizer(punctuation=False)),
    Variant("no stems, case, no punctuation", Tokenizer(language=None, lowercase=False, punctuation=False)),
    Variant("stems, no case, λ = 0.5", Tokenizer(), 0.5),
]


class TrainedSetting(NamedTuple):
    """What was learned of all training pairs, and the accuracy in the folds (%)."""

    machine: FoldResult
    cv_accuracy: float


def run_msrp(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the experiment on paraphrases: Table 1, Figure 7, and Figure 6."""
    table = load_msrp("train", data)
    result = _run_paper("msrp", table, lambda: load_msrp("test", data), None, out, n_jobs)
    return {**result, "figure6": count_algorithm_calls(table.pairs, n_jobs=n_jobs)}


def run_rte3(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the experiment on entailment: Table 2 and Figure 8."""
    evaluated = _find_evaluated_rows(data)
    return _run_paper("rte3", load_rte("train", data), lambda: load_rte("test", data), evaluated, out, n_jobs)


def run_rte3_ablation(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run aligned rules (kb-SRK) on RTE-3 with other tokens and another decay.

    The figures are only reported; nothing is chosen on the test part.
    """
    settings = [
        make_rewriting_setting(method, kmax, variant.decay, variant.tokenizer, variant.note)
        for variant in ABLATION
        for method in ("kb-srk", "kb-srk+pr")
        for kmax in KMAX
    ]
    table, evaluated = load_rte("train", data), _find_evaluated_rows(data)
    return run_two_classes(
        "rte3-ablation", table, lambda: load_rte("test", data), settings, (), evaluated, out=out, n_jobs=n_jobs
    )


def _find_evaluated_rows(data: DataPath) -> Ints:
    """Find the rows on which settings are compared: RTE-1 was collected differently, so it only serves for training."""
    first = len(load_rte("rte1_dev", data)) + len(load_rte("rte1_test", data))
    return np.arange(first, len(load_rte("train", data)))


def _run_paper(
    name: str,
    table: Table,
    load_test: Callable[[], Table],
    evaluated: Ints | None,
    out: Path | None,
    n_jobs: int | None,
) -> JsonObject:
    result = run_two_classes(
        name, table, load_test, list_paper_settings(), list_candidates(), evaluated, out=out, n_jobs=n_jobs
    )
    own = published.OWN[name]
    best = {family: find_best_row(result["rows"], family) for family in own}
    for family, value in own.items():
        row = best[family]
        kmax = published.BEST_KMAX[name].get(family)
        if kmax is not None:  # the paper says for which window size it found its value
            row = next(row for row in result["rows"] if (row["method"], row["kmax"]) == (f"{family}+pr", kmax))
        row["published"] = value
    tables = [{"system": system, "published": value, "ours": None} for system, value in published.OTHERS[name].items()]
    tables += [
        {"system": family, "published": value, "ours": best[family]["accuracy"], "kmax": best[family]["kmax"]}
        for family, value in own.items()
    ]
    tables.append({"system": "chosen on train", "published": None, "ours": result["chosen_on_train"]["accuracy"]})
    return {**result, "tables": tables}


def find_best_row(rows: list[JsonObject], family: str) -> JsonObject:
    """Find the row of a kernel, with PR or without, that has the best test accuracy, as in the paper's tables."""
    methods = (family, f"{family}+pr") if family in KERNELS else (family,)
    return max((row for row in rows if row["method"] in methods), key=lambda row: row["accuracy"])


def run_two_classes(
    name: str,
    table: Table,
    load_test: Callable[[], Table],
    settings: Sequence[Setting],
    candidates: Sequence[Setting] = (),
    evaluated: Ints | None = None,
    finalists: int = 2,
    out: Path | None = None,
    n_jobs: int | None = None,
) -> JsonObject:
    """Measure the test accuracy of every setting, and of the setting that the training part alone chooses.

    The choice is among the settings and the further ``candidates``, by their accuracy in the folds: first with their
    own C, then the ``finalists`` best ones with other values of C. ``evaluated`` are the training rows on which
    settings are compared, all by default.
    """
    pairs, labels = table.pairs, np.array(table.labels)
    classes = np.unique(labels)
    if len(classes) != 2:
        listed = ", ".join(map(str, classes))
        raise InputError(f"{table.path or 'the training part'} must have two labels, but it has {listed}")
    signs, everything = np.where(labels == classes[1], 1, -1), np.arange(len(pairs))
    folds = [*make_evaluation_folds(pairs, labels, evaluated), Fold(everything, everything[:0])]
    grams = SharedGrams(pairs, n_jobs)

    def train(some: Sequence[Setting]) -> list[TrainedSetting]:
        return [
            TrainedSetting(whole, 100 * float(np.mean(np.concatenate([result.right for result in parts]))))
            for *parts, whole in train_settings(grams, some, signs, folds)
        ]

    *found, (best, trained) = choose_setting(
        [*settings, *candidates], train, lambda one: one.cv_accuracy, COSTS, finalists
    )
    chosen = {**best.to_dict(), "cv_accuracy": round(trained.cv_accuracy, 2), "folds": N_FOLDS}
    write_choice(out, name, chosen)

    test = load_test()
    tested = [(setting, one.machine) for setting, one in [*found[: len(settings)], (best, trained)]]
    values = compute_decisions(grams, tested, test.pairs)
    right = 100 * np.mean((values > 0) == (np.array(test.labels) == classes[1])[:, None], axis=0)
    rows = [
        {
            "method": setting.method,
            "kmax": setting.kmax,
            "accuracy": round(float(accuracy), 2),
            "published": None,
            "cv_accuracy": round(one.cv_accuracy, 2),
            "note": setting.note,
        }
        for (setting, one), accuracy in zip(found[: len(settings)], right)
    ]
    return {
        "rows": rows,
        "chosen_on_train": {**chosen, "accuracy": round(float(right[-1]), 2)},
        "candidates": [{**setting.to_dict(), "cv_accuracy": round(one.cv_accuracy, 2)} for setting, one in found],
        "train_pairs": len(pairs),
        "test_pairs": len(test),
    }


def draw_rewriting(result: JsonObject, folder: Path) -> list[Path]:
    """Draw Figures 6, 7 and 8 of the paper with our own numbers; a result may have no figures."""
    files = []
    if result["name"] in published.FIGURE:
        files.append(folder / f"figure{published.FIGURE[result['name']]}-{result['name']}.png")
        _draw_accuracies(result, files[-1])
    if "figure6" in result:
        files.append(folder / f"figure6-{result['name']}.png")
        _draw_counts(result["figure6"], files[-1])
    return files


def _draw_accuracies(result: JsonObject, path: Path) -> None:
    """Draw accuracy over kmax: with PR on the left, without PR on the right, which has another scale."""
    figure, panels = make_figure(1, 2, (10, 4.4))
    for panel, suffix in zip(panels, ("+pr", "")):
        for family, marker in MARKERS.items():
            rows = [row for row in result["rows"] if row["method"] == family + suffix]
            places, values = zip(*((row["kmax"], row["accuracy"]) for row in rows))
            label = "" if suffix else family.replace("srk", "SRK")
            panel.plot(places, values, color=COLOURS[family], marker=marker, label=label)
            panel.set_xticks(places)
        panel.set_title("with precision and recall (PR)" if suffix else "without PR")
        panel.set_xlabel("largest window size kmax")
    pr = next(float(row["accuracy"]) for row in result["rows"] if row["method"] == "pr")
    panels[0].axhline(pr, color=COLOURS["pr"], label="PR alone (left)")
    for family, value in published.OWN[result["name"]].items():
        panels[0].axhline(value, color=COLOURS[family], linestyle="--", linewidth=1)
    panels[0].plot([], [], color="black", linestyle="--", linewidth=1, label="published best, same colour (left)")
    panels[0].set_ylabel("test accuracy (%)")
    figure.suptitle(f"{CORPUS_NAMES[result['name']]} (Figure {published.FIGURE[result['name']]})")
    save_with_legend(figure, panels, path)


def _draw_counts(rows: list[JsonObject], path: Path) -> None:
    figure, (panel,) = make_figure(1, 1, (5.6, 4))
    windows = [row["k"] for row in rows]
    for name, marker, colour in (("worst", "s", ORANGE), ("average", "o", BLUE)):
        panel.plot(windows, [row[name] for row in rows], marker=marker, color=colour, label=name)
    panel.set_xlabel("window size k")
    panel.set_ylabel(r"$C / n_{avg}^2$")
    panel.set_xticks(windows)
    panel.set_ylim(bottom=0)
    panel.set_title("Calls of g in Algorithm 2 (Figure 6)")
    save_with_legend(figure, [panel], path)


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
    costs: Sequence[float] = DEV_COSTS,
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
    return compare_settings("qqp", "accuracy", load_qqp, settings, DEV_COSTS[:2], data=data, out=out, n_jobs=n_jobs)


def run_stsb(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on similarity from 0 to 5."""
    return compare_settings("stsb", "pearson", load_stsb, list_settings(), data=data, out=out, n_jobs=n_jobs)


def run_wikiqa(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on sentences that answer a question, ranked."""
    return compare_settings(
        "wikiqa", "map", load_wikiqa, list_settings(), DEV_COSTS[:2], data=data, out=out, n_jobs=n_jobs
    )


def run_sick(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the comparison on compositional sentences: entailment in three classes, relatedness from 1 to 5."""
    results = {}
    for response, measure in (("entailment", "accuracy"), ("relatedness", "pearson")):
        load = partial(load_sick, response=response)
        name, settings = f"sick-{response}", list_settings()
        found = compare_settings(name, measure, load, settings, DEV_COSTS, "trial", data, out, n_jobs)
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
