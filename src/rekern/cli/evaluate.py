"""``rekern evaluate``: how good a model is on labelled pairs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rekern.cli import options, output
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table


def evaluate(
    model: options.ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Labelled pairs; - for standard input.")],
    source: options.Source = None,
    target: options.Target = None,
    label: options.Label = None,
    group: options.Group = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Measure how good a model is on labelled pairs.

    Accuracy, precision, recall, F1 and the confusion matrix of a classifier; Pearson's and Spearman's correlation and
    the mean squared error of a regressor; MAP and MRR of a ranker.
    """
    loaded = options.load(model, jobs)
    table = options.Reading(source, target, label, group, format, encoding, no_header).table(file)
    truth = _known_labels(loaded, table)
    started = time.perf_counter()
    predictions = loaded.predict(table.items).tolist()
    took = time.perf_counter() - started
    kind = type(loaded).__name__
    if kind == "PairClassifier":
        from rekern.learning.measures import class_measures

        found: dict[str, Any] = class_measures(predictions, truth, loaded.classes_.tolist())
    elif kind == "PairRegressor":
        from rekern.learning import correlations

        found = correlations(predictions, truth)
    else:
        from rekern.learning import ranking_measures

        found = ranking_measures(predictions, truth, options.same_source_groups(table))
    if json:
        output.print_json({"pairs": len(table), **found, "seconds": took})
        return
    print(f"{len(table):,} pairs of {table.path}, in {output.seconds(took)}\n")
    if kind == "PairClassifier":
        _print_classes(found)
    elif kind == "PairRegressor":
        for name, key in (("Pearson", "pearson"), ("Spearman", "spearman"), ("mean squared error", "mse")):
            value = found[key]
            print(f"{name:20}" + ("undefined: one side is constant" if value is None else f"{value:.4f}"))
    else:
        print(f"mean average precision  {found['map']:.4f}")
        print(f"mean reciprocal rank    {found['mrr']:.4f}")
        print(f"groups with an answer   {found['groups']:,}")


def _known_labels(model: Any, table: Table) -> list[Any]:
    """The labels of a table as the model's own; one that the model cannot know is an error that names its line."""
    labels = table.labels or []
    if type(model).__name__ != "PairClassifier":
        options.check_numbers(table, "this model predicts numbers")
        return labels
    known = {_name(label): label for label in model.classes_.tolist()}
    for row, label in enumerate(labels):
        if _name(label) not in known:
            names = ", ".join(map(str, known))
            raise InputError(
                f"{table.place(row)}: the model knows no label {label!s}, only {names}; correct it or drop the row"
            )
    return [known[_name(label)] for label in labels]


def _name(label: Any) -> str:
    """1 and 1.0 and "1" are one class: how a number is read depends on the other labels of its file."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _print_classes(found: dict[str, Any]) -> None:
    console = output.console()
    print(f"accuracy  {found['accuracy']:.2%}   (the most frequent class alone: {found['majority']:.2%})")
    print(f"macro F1  {found['macro_f1']:.4f}\n")
    table = output.table("class", ">precision", ">recall", ">F1", ">pairs")
    for name, row in found["classes"].items():
        numbers = (f"{row[key]:.4f}" for key in ("precision", "recall", "f1"))
        table.add_row(name, *numbers, f"{row['pairs']:,}")
    console.print(table)
    names = list(found["classes"])
    print()
    confusion = output.table("is \\ predicted", *(f">{name}" for name in names))
    for name, counts in zip(names, found["confusion"]):
        confusion.add_row(name, *(f"{count:,}" for count in counts))
    console.print(confusion)
