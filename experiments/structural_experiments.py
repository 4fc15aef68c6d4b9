"""Tables 1 and 2 of "Structural Representations for Learning Relations between Pairs of Texts" (Filice et al., 2015).

Paraphrases (MSRP) and entailment (RTE-3) by kernels on trees, graphs and scores, and their sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from experiments import published_results as published
from experiments.corpora import DataPath, find_file
from experiments.reports import format_table, format_title, join_parts, save_with_legend, write_choice
from experiments.rewriting_settings import COSTS
from experiments.shared_grams import N_FOLDS, SharedGrams, choose_setting, make_evaluation_folds, train_settings
from experiments.structural_settings import (
    INSIDE,
    SCORES,
    StructuralSetting,
    list_candidates,
    list_graph_settings,
    list_sums,
    list_tree_settings,
    load_resources,
)
from experiments.tree_corpora import TREES, TreeCorpusPart, load_part
from rekern.cli.evaluation_plot import BLUE, ORANGE, make_figure
from rekern.core.arrays import AnyArray, Booleans, Ints
from rekern.core.files import make_folder
from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.learning.cross_validation import Fold

FINALISTS = 4
SHUFFLES = 3  # of the folds of the training part, for our own row
MEASURES = ("accuracy", "precision", "recall", "f1")
COLUMNS = {
    "tree": "tree",
    "rel": "rel",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "published": "published",
    "published_f1": "publ. F1",
    "cv_accuracy": "train folds",
    "cv_sd": "±",
    "all_cv_accuracy": "all folds",
    "all_cv_sd": "± ",
    "published_all_cv": "publ. folds",
    "C": "C",
    "note": "note",
}


class FoldAccuracy(NamedTuple):
    """The accuracy over all folds (%), and its standard deviation between folds."""

    accuracy: float
    deviation: float

    def to_dict(self, name: str) -> dict[str, float]:
        """Return both values by name, for JSON."""
        return {f"{name}_accuracy": self.accuracy, f"{name}_sd": self.deviation}


def run_structural_msrp(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, cache: DataPath = None
) -> JsonObject:
    """Run the experiment on paraphrases: Table 1."""
    return _run_tables("msrp", data, out, n_jobs, cache)


def run_structural_rte3(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, cache: DataPath = None
) -> JsonObject:
    """Run the experiment on entailment: Table 2."""
    return _run_tables("rte3", data, out, n_jobs, cache)


def _run_tables(corpus: str, data: DataPath, out: Path | None, n_jobs: int | None, cache: DataPath) -> JsonObject:
    """Run the rows of a table with C = 1, each cross-validated in 5 folds of the training part, and our own row.

    Our own row is chosen among the candidates and the best rows, first with C = 1, then the best of them with other
    values of C. Three shuffles of the folds decide, because one shuffle alone may mislead a close choice. The choice is
    written before the test part is read.
    """
    if cache is not None:
        make_folder(cache, "the Grams")  # before minutes of work, not after
    train = load_part(corpus, "train", data)
    signs = _convert_labels(train, np.unique(np.array(train.table.labels)))
    resources = load_resources(
        [train.items.trees(f"{side}.{TREES[False]}") for side in ("source", "target")],
        find_file(data, "glove_twitter_25d_12k", "vectors.txt"),
        find_file(data, "ppdb_lexical", "pairs.tsv"),
        find_file(data, "oewn", "synsets.tsv").parent,
    )
    with _open_folder(cache) as folder:
        grams = SharedGrams(train.items, n_jobs, folder, resources.make_scores(SCORES))
        folds = make_evaluation_folds(train.pairs, signs, shuffles=SHUFFLES)
        in_one_shuffle: dict[StructuralSetting, FoldAccuracy] = {}

        def cross_validate(settings: Sequence[StructuralSetting], label: str) -> list[StructuralSetting]:
            """Cross-validate settings in one shuffle, and return them, the best first; equal ones keep their order."""
            for setting, found in zip(settings, train_settings(grams, settings, signs, folds[:N_FOLDS], label)):
                in_one_shuffle[setting] = summarize_folds([result.right for result in found])
            return sorted(settings, key=lambda setting: -in_one_shuffle[setting].accuracy)

        graphs = {rel: cross_validate(list_graph_settings(rel), "graphs")[0] for rel in (False, True)}
        rows = list_tree_settings(corpus, resources)
        cross_validate(rows, "trees")
        rows += graphs.values()
        rows += [cross_validate(versions, "sums")[0] for versions in list_sums(corpus, resources, graphs)]
        best_rows = sorted(rows, key=lambda setting: -in_one_shuffle[setting].accuracy)[:FINALISTS]
        *found, (chosen, accuracy) = choose_setting(
            [*list_candidates(corpus, resources, graphs[True]), *best_rows],
            lambda some: [
                summarize_folds([result.right for result in results])
                for results in train_settings(grams, some, signs, folds, "candidates")
            ],
            lambda accuracy: accuracy.accuracy,
            COSTS,
            FINALISTS,
        )
        record = {**chosen.to_dict(), **accuracy.to_dict("cv"), "folds": N_FOLDS, "shuffles": SHUFFLES}
        write_choice(out, f"structural-{corpus}", record)

        test = load_part(corpus, "test", data)
        grams.add_test(test.items)
        tested = rows if chosen in rows else [*rows, chosen]
        shown = {**in_one_shuffle, chosen: accuracy}
        table = _test_settings(corpus, grams, tested, chosen, shown, [train, test])
    result = next(row for row in table if row["chosen"])
    tried = [*((*pair, 1) for pair in in_one_shuffle.items()), *((*pair, SHUFFLES) for pair in dict(found).items())]
    return {
        "rows": table,
        "chosen_on_train": {**record, **{name: result[name] for name in MEASURES}},
        "candidates": [
            {**one.to_dict(), **found.to_dict("cv"), "shuffles": shuffles} for one, found, shuffles in tried
        ],
        "train_pairs": len(train.pairs),
        "test_pairs": len(test.pairs),
    }


def _test_settings(
    corpus: str,
    grams: SharedGrams,
    settings: Sequence[StructuralSetting],
    chosen: StructuralSetting,
    accuracies: dict[StructuralSetting, FoldAccuracy],
    parts: Sequence[TreeCorpusPart],
) -> list[JsonObject]:
    """Make the rows of a table: the fixed split and, as in the paper, folds of both parts together."""
    classes = np.unique(np.array(parts[0].table.labels))
    signs = np.concatenate([_convert_labels(part, classes) for part in parts])
    first = len(parts[0].pairs)
    split = Fold(np.arange(first), np.arange(first, len(signs)))
    together = make_evaluation_folds([pair for part in parts for pair in part.pairs], signs)
    rows = []
    for setting, found in zip(settings, train_settings(grams, settings, signs, [split, *together], "test")):
        right = [result.right for result in found]
        values = published.STRUCTURAL[corpus].get((setting.method.removesuffix(INSIDE), setting.rel))
        rows.append(
            {
                "method": setting.method,
                "rel": setting.rel,
                **measure_right(right[0], signs[first:]),
                **accuracies[setting].to_dict("cv"),
                **summarize_folds(right[1:]).to_dict("all_cv"),
                "published": values and values[0],
                "published_f1": values and values[1],
                "published_all_cv": values and values[2],
                "C": setting.C,
                "note": setting.note,
                "chosen": setting == chosen,
            }
        )
    return rows


def _convert_labels(part: TreeCorpusPart, classes: AnyArray) -> Ints:
    """Convert labels to 1 for the larger of the two classes and -1 for the other."""
    labels = np.array(part.table.labels)
    if len(classes) != 2 or not np.isin(labels, classes).all():
        listed = ", ".join(map(str, np.unique(labels)))
        raise InputError(f"{part.table.path or 'the corpus'} must have two labels, but it has {listed}")
    return np.where(labels == classes[1], 1, -1)


@contextmanager
def _open_folder(cache: DataPath) -> Iterator[Path]:
    """Open the folder for Grams of trees: the user's, which stays, or a temporary one."""
    if cache is not None:
        yield make_folder(cache, "the Grams")
        return
    with TemporaryDirectory(prefix="rekern-") as folder:
        yield Path(folder)


def measure_right(right: Booleans, signs: Ints) -> dict[str, float]:
    """Measure accuracy, and precision, recall and F1 of the positive class, in per cent.

    ``right`` says which pairs are classified correctly, ``signs`` are their true classes, ±1.
    """
    positive = signs > 0
    hits, said, wanted = (int(np.sum(chosen)) for chosen in (right & positive, right == positive, positive))
    values = (float(np.mean(right)), hits / max(said, 1), hits / max(wanted, 1), 2 * hits / max(said + wanted, 1))
    return {name: round(100 * value, 2) for name, value in zip(MEASURES, values)}


def summarize_folds(right: Sequence[Booleans]) -> FoldAccuracy:
    """Compute the accuracy over all folds (%), and its standard deviation between folds."""
    each = [100 * float(np.mean(fold)) for fold in right]
    return FoldAccuracy(round(100 * float(np.mean(np.concatenate(right))), 2), round(float(np.std(each)), 2))


def format_structural(result: JsonObject) -> str:
    """Format the table of a result, with the published figures; a star marks what the training part chose."""
    rows, chosen = result["rows"], result["chosen_on_train"]
    shown = [name for name in COLUMNS if any(row.get(name) not in (None, "") for row in rows)]
    answers = {True: "yes", False: "no"}
    cells = [
        {"method": row["method"] + " *" * row["chosen"]}
        | {COLUMNS[name]: answers[bool(row["rel"])] if name == "rel" else row.get(name) for name in shown}
        for row in rows
    ]
    what = [chosen["method"], chosen.get("note"), f"C = {chosen['C']:g}"]
    spread = f" ± {chosen['cv_sd']:.2f}" if "cv_sd" in chosen else ""
    tested = ", ".join(f"{name} {chosen[name]:.2f}" for name in MEASURES if name in chosen)
    choice = (
        f"Chosen on the training part (*): {', '.join(part for part in what if part)}\n"
        f"  cross-validation: accuracy {chosen['cv_accuracy']:.2f}{spread}\n  test: {tested}"
    )
    return join_parts([format_title(result["name"]), format_table(cells, tuple(cells[0])), choice], result)


def draw_structural(result: JsonObject, folder: Path) -> list[Path]:
    """Draw test accuracies, one line per row, with the published ones."""
    rows = result["rows"][::-1]
    figure, (panel,) = make_figure(1, 1, (7.5, 1.2 + 0.2 * len(rows)))
    places = range(len(rows))
    panel.plot([row["accuracy"] for row in rows], places, "o", color=BLUE, label="ours")
    known = [(row["published"], place) for row, place in zip(rows, places) if row.get("published") is not None]
    panel.plot([value for value, _ in known], [place for _, place in known], "D", color=ORANGE, mfc="none")
    panel.plot([], [], "D", color=ORANGE, mfc="none", label="published")
    panel.set_yticks(places, [_format_label(row) for row in rows], fontsize=8)
    panel.set_xlabel("test accuracy (%)")
    panel.set_title(result["name"])
    path = folder / f"{result['name']}.png"
    save_with_legend(figure, [panel], path)
    return [path]


def _format_label(row: JsonObject) -> str:
    on = row.get("tree") or row.get("task")
    if on:
        return f"{row['method']}, {on}, C = {row['C']:g}"
    return str(row["method"]) + (", REL" if row["rel"] else "") + (" (chosen)" if row["chosen"] else "")
