"""The experiments of "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012): its two corpora, and an ablation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments import published_results as published
from experiments.algorithm_calls import count_algorithm_calls
from experiments.corpora import DataPath, load_msrp, load_rte
from experiments.reports import save_with_legend, write_choice
from experiments.rewriting_settings import (
    COSTS,
    KERNELS,
    KMAX,
    Setting,
    list_candidates,
    list_paper_settings,
    make_rewriting_setting,
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
from rekern.core.arrays import Ints
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.learning.cross_validation import Fold
from rekern.structures.tokenizer import Tokenizer

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
