"""Tables 1 and 2 of "Structural Representations for Learning Relations between Pairs of Texts" (Filice et al., 2015).

Paraphrases (MSRP) and entailment (RTE-3) by kernels on trees, graphs and scores, and their sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments import published_results as published
from experiments.corpora import DataPath, find_file
from experiments.reports import write_json
from experiments.rewriting_settings import COSTS
from experiments.shared_grams import N_FOLDS, make_evaluation_folds
from experiments.structural.structural_grams import (
    FoldAccuracy,
    StructuralGrams,
    evaluate_settings,
    make_repeated_folds,
    measure_right,
    summarize_folds,
)
from experiments.structural.structural_settings import (
    INSIDE,
    SCORES,
    StructuralSetting,
    list_candidates,
    list_graph_settings,
    list_sums,
    list_tree_settings,
    load_resources,
)
from experiments.structural.tree_corpora import TREES, TreeCorpusPart, load_part
from rekern.core.arrays import AnyArray, Ints
from rekern.core.files import make_folder
from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.learning.cross_validation import Fold

FINALISTS = 4
SHUFFLES = 3  # of the folds of the training part, for our own row

Accuracies = dict[StructuralSetting, FoldAccuracy]


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
        grams = StructuralGrams(train.items, folder, resources.make_scores(SCORES), n_jobs)
        folds = make_repeated_folds(train.pairs, signs, SHUFFLES)
        accuracies: Accuracies = {}

        def cross_validate(settings: Sequence[StructuralSetting], label: str, shuffles: int = 1) -> StructuralSetting:
            """Cross-validate settings and return the best; the first of equal ones."""
            chosen_folds = folds[: shuffles * N_FOLDS]
            for setting, right in zip(settings, evaluate_settings(grams, settings, signs, chosen_folds, label)):
                accuracies[setting] = summarize_folds(right)
            return _sort_by_accuracy(settings, accuracies)[0]

        graphs = {rel: cross_validate(list_graph_settings(rel), "graphs") for rel in (False, True)}
        rows = list_tree_settings(corpus, resources)
        cross_validate(rows, "trees")
        rows += graphs.values()
        rows += [cross_validate(versions, "sums") for versions in list_sums(corpus, resources, graphs)]
        in_one_shuffle = dict(accuracies)
        best_rows = _sort_by_accuracy(rows, in_one_shuffle)[:FINALISTS]
        contenders = [*list_candidates(corpus, resources, graphs[True]), *best_rows]
        cross_validate(contenders, "candidates", SHUFFLES)
        finalists = _sort_by_accuracy(contenders, accuracies)[:FINALISTS]
        variants = [setting.with_cost(C) for setting in finalists for C in COSTS if C != 1]
        cross_validate(variants, "costs", SHUFFLES)
        contenders += variants
        chosen = _sort_by_accuracy(contenders, accuracies)[0]
        record = {
            **chosen.to_dict(),
            **accuracies[chosen].to_dict("cv"),
            "folds": N_FOLDS,
            "shuffles": SHUFFLES,
        }
        if out is not None:
            write_json(out / f"structural-{corpus}-chosen.json", record)

        test = load_part(corpus, "test", data)
        grams.add_test(test.items)
        tested = rows if chosen in rows else [*rows, chosen]
        shown = {**accuracies, **in_one_shuffle, chosen: accuracies[chosen]}
        table = _test_settings(corpus, grams, tested, chosen, shown, [train, test])
    result = next(row for row in table if row["chosen"])
    return {
        "rows": table,
        "chosen_on_train": {**record, **{name: result[name] for name in ("accuracy", "precision", "recall", "f1")}},
        "candidates": [
            {**setting.to_dict(), **accuracy.to_dict("cv"), "shuffles": shuffles}
            for known, shuffles in (
                (in_one_shuffle, 1),
                ({setting: accuracies[setting] for setting in contenders}, SHUFFLES),
            )
            for setting, accuracy in known.items()
        ],
        "train_pairs": len(train.pairs),
        "test_pairs": len(test.pairs),
    }


def _test_settings(
    corpus: str,
    grams: StructuralGrams,
    settings: Sequence[StructuralSetting],
    chosen: StructuralSetting,
    accuracies: Accuracies,
    parts: Sequence[TreeCorpusPart],
) -> list[JsonObject]:
    """Make the rows of a table: the fixed split and, as in the paper, folds of both parts together."""
    classes = np.unique(np.array(parts[0].table.labels))
    signs = np.concatenate([_convert_labels(part, classes) for part in parts])
    first = len(parts[0].pairs)
    split = Fold(np.arange(first), np.arange(first, len(signs)))
    together = make_evaluation_folds([pair for part in parts for pair in part.pairs], signs)
    rows = []
    for setting, right in zip(settings, evaluate_settings(grams, settings, signs, [split, *together], "test")):
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


def _sort_by_accuracy(settings: Sequence[StructuralSetting], accuracies: Accuracies) -> list[StructuralSetting]:
    """Sort the best setting first; equal ones keep their order."""
    return sorted(settings, key=lambda setting: -accuracies[setting].accuracy)


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
