"""``rekern evaluate``: how good a model is on labelled pairs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions, check_numbers, list_groups
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table
    from rekern.learning import PairClassifier
    from rekern.learning.measures import ClassMeasures, Correlations, RankingMeasures


@expand_options()
def evaluate(
    *,
    model: ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Labelled pairs; - for standard input.")],
    table: TableOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Measure how good a model is on labelled pairs.

    Prints accuracy, precision, recall, F1 and the confusion matrix of a classifier; Pearson's and Spearman's
    correlation and the mean squared error of a regressor; MAP and MRR of a ranker.
    """
    loaded = load_pair_model(model, jobs)

    from rekern.learning import PairClassifier, PairRegressor
    from rekern.learning.measures import class_measures, correlations, ranking_measures

    pairs = table.read(file)
    if isinstance(loaded, PairClassifier):
        labels = _match_labels(loaded, pairs)
    else:
        check_numbers(pairs, "this model predicts numbers")
    started = time.perf_counter()
    predictions = loaded.predict(pairs.items).tolist()
    took = time.perf_counter() - started
    found: Mapping[str, object]
    show: Callable[[], None]
    if isinstance(loaded, PairClassifier):
        classes = class_measures(predictions, labels, loaded.classes_.tolist())
        found, show = classes, partial(_print_classes, classes)
    else:
        numbers = [float(label) for label in pairs.labels or []]
        if isinstance(loaded, PairRegressor):
            values = correlations(predictions, numbers)
            found, show = values, partial(_print_correlations, values)
        else:
            ranking = ranking_measures(predictions, numbers, list_groups(pairs))
            found, show = ranking, partial(_print_ranking, ranking)
    if json:
        output.print_json({"pairs": len(pairs), **found, "seconds": took})
        return
    print(f"{len(pairs):,} pairs of {pairs.path}, in {output.format_seconds(took)}\n")
    show()


def _match_labels(model: PairClassifier, table: Table) -> list[object]:
    """Return the labels of a table as classes of the model; an unknown label is an error that names its line."""
    labels = table.labels or []
    known = {_name_class(label): label for label in model.classes_.tolist()}
    for row, label in enumerate(labels):
        if _name_class(label) not in known:
            names = ", ".join(map(str, known))
            raise InputError(
                f"{table.place(row)}: the model knows no label {label!s}, only {names}; correct it or drop the row"
            )
    return [known[_name_class(label)] for label in labels]


def _name_class(label: object) -> str:
    """Return one name for 1, 1.0 and "1", because a number's type depends on the other labels of its file."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _print_classes(found: ClassMeasures) -> None:
    console = output.make_console()
    print(f"accuracy  {found['accuracy']:.2%}   (the most frequent class alone: {found['majority']:.2%})")
    print(f"macro F1  {found['macro_f1']:.4f}\n")
    table = output.make_table("class", ">precision", ">recall", ">F1", ">pairs")
    for name, row in found["classes"].items():
        table.add_row(name, f"{row['precision']:.4f}", f"{row['recall']:.4f}", f"{row['f1']:.4f}", f"{row['pairs']:,}")
    console.print(table)
    names = list(found["classes"])
    print()
    confusion = output.make_table("is \\ predicted", *(f">{name}" for name in names))
    for name, counts in zip(names, found["confusion"]):
        confusion.add_row(name, *(f"{count:,}" for count in counts))
    console.print(confusion)


def _print_correlations(found: Correlations) -> None:
    for name, value in (("Pearson", found["pearson"]), ("Spearman", found["spearman"])):
        print(f"{name:20}" + ("undefined: one side is constant" if value is None else f"{value:.4f}"))
    print(f"mean squared error  {found['mse']:.4f}")


def _print_ranking(found: RankingMeasures) -> None:
    print(f"mean average precision  {found['map']:.4f}")
    print(f"mean reciprocal rank    {found['mrr']:.4f}")
    print(f"groups with an answer   {found['groups']:,}")
