"""``rekern evaluate``: how good a model is on labelled pairs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, ResourceOptions, check_items, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions
from rekern.cli.threshold_options import ThresholdOptions
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table
    from rekern.learning import PairClassifier
    from rekern.learning.measures import BinaryMeasures, ClassMeasures, Correlations, RankingMeasures
    from rekern.learning.reports.mistakes import Mistake

ERROR_COLUMNS = ("line", "source", "target", "label", "prediction", "error", "decision", "why")
SHOWN_PARTS = 8  # of the explanation of a mistake


@expand_options()
def evaluate(
    *,
    model: ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Labelled pairs; - for standard input.")],
    threshold: ThresholdOptions,
    errors: Annotated[
        str | None,
        typer.Option(
            "--errors", metavar="FILE", help="Write the worst mistakes with their explanations: .jsonl, .tsv or .csv."
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, metavar="N", help="Number of mistakes that are written.")] = 50,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw confusion, ROC, precision, calibration: .png, .svg or .pdf."),
    ] = None,
    table: TableOptions,
    resources: ResourceOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Measure how good a model is on labelled pairs.

    Prints accuracy, precision, recall, F1 and the confusion matrix of a classifier, and of two classes the area under
    the ROC curve, the average precision and the best thresholds; Pearson's and Spearman's correlation and the mean
    squared error of a regressor; MAP and MRR of a ranker.
    """
    from rekern.core.files import check_writable, refuse_to_replace

    if errors is not None:
        output.choose_table_format(errors)
        check_writable(errors)
        refuse_to_replace(errors, file, model)
    if plot is not None:
        _check_plot(plot)
        refuse_to_replace(plot, file, model)
    loaded = load_pair_model(model, jobs, resources=resources)
    pairs = table.recall(loaded).read(file)
    check_items(loaded, pairs)
    started = time.perf_counter()
    found = _evaluate(loaded, pairs, threshold)
    took = time.perf_counter() - started
    if plot is not None and found.draw is None:
        raise InputError("--plot is for classifiers; this model predicts numbers")
    if errors is not None:
        mistakes = found.mistakes[:top]
        as_text = output.choose_table_format(errors) != "jsonl"

        from rekern.datasets.tables import write_table

        write_table(errors, _list_errors(loaded, pairs, mistakes, as_text))
        output.say(f"the {len(mistakes):,} worst of {len(found.mistakes):,} mistakes are in {errors}")
    if plot is not None and found.draw is not None:
        found.draw(plot)
        output.say(f"the picture is in {plot}")
    if json:
        output.print_json({"pairs": len(pairs), **found.measures, "seconds": took})
        return
    print(f"{len(pairs):,} pairs of {pairs.path}, in {output.format_seconds(took)}\n")
    found.show()


class Evaluation(NamedTuple):
    """The measures of a model, how to print them, and its mistakes, the worst first."""

    measures: Mapping[str, object]
    show: Callable[[], None]
    mistakes: list[Mistake]
    draw: Callable[[Path], None] | None = None


def _list_errors(
    model: TrainedModel, table: Table, mistakes: Sequence[Mistake], as_text: bool
) -> dict[str, list[object]]:
    """Return mistakes as columns; ``as_text`` writes the parts of their explanations as text, not as objects."""
    labels, groups = table.labels or [], table.list_groups()
    rows: list[tuple[object, ...]] = []
    for row, size, prediction in mistakes:
        why = model.explain(table.items[row], neighbors=0)
        parts = why.to_dict(SHOWN_PARTS)["parts"]
        if as_text:
            parts = "; ".join(f"{part.contribution:+.3f} {part.name}" for part in why.parts[:SHOWN_PARTS])
        rows.append((table.lines[row], *table.pairs[row], labels[row], prediction, size, why.decision, parts))
    columns = {name: [values[place] for values in rows] for place, name in enumerate(ERROR_COLUMNS)}
    if table.groups is not None:
        columns["group"] = [groups[mistake.row] for mistake in mistakes]
    return columns


def _check_plot(path: Path) -> None:
    """Refuse a picture that cannot be drawn or written, before the work."""
    from rekern.cli.evaluation_plot import check_library
    from rekern.core.files import check_writable

    check_library()
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError(f"--plot {path}: name it .png, .svg or .pdf")
    check_writable(path)


def _evaluate(model: TrainedModel, table: Table, threshold: ThresholdOptions) -> Evaluation:
    from rekern.learning import PairClassifier, PairRegressor
    from rekern.learning.measures import correlations, ranking_measures
    from rekern.learning.reports.mistakes import rank_wrong_numbers, rank_wrong_orders

    if isinstance(model, PairClassifier):
        return _evaluate_classes(model, table, threshold.resolve())
    from rekern.learning.table_labels import check_numbers

    threshold.forbid("this model predicts numbers")
    check_numbers(table, "this model predicts numbers")
    numbers = [float(label) for label in table.labels or []]
    predictions = model.predict(table.items).tolist()
    if isinstance(model, PairRegressor):
        values = correlations(predictions, numbers)
        return Evaluation(values, partial(_print_correlations, values), rank_wrong_numbers(predictions, numbers))
    groups = table.list_groups()
    ranking = ranking_measures(predictions, numbers, groups)
    return Evaluation(ranking, partial(_print_ranking, ranking), rank_wrong_orders(predictions, numbers, groups))


def _evaluate_classes(model: PairClassifier, table: Table, threshold: float | str | None) -> Evaluation:
    from rekern.learning.measures import binary_measures, class_measures
    from rekern.learning.reports.mistakes import rank_wrong_classes
    from rekern.learning.table_labels import match_labels

    labels = match_labels(model, table)
    names = model.classes_.tolist()
    guesses, values, probabilities = model.decide(table.items, threshold)
    classes = class_measures(guesses.tolist(), labels, names)
    binary, scores = None, None
    if len(names) == 2:
        scores = values[:, 0] if probabilities is None else probabilities[:, 1]
        binary = binary_measures(scores, [label == names[1] for label in labels])
    found: dict[str, object] = {**classes, **(binary or {})}
    show = partial(_print_classes, classes, binary, str(names[-1]))
    truth = [label == names[-1] for label in labels]

    def draw(path: Path) -> None:
        from rekern.cli.evaluation_plot import draw_evaluation

        draw_evaluation(path, list(map(str, names)), classes["confusion"], scores, truth)

    return Evaluation(found, show, rank_wrong_classes(guesses.tolist(), labels, values), draw)


def _print_classes(found: ClassMeasures, binary: BinaryMeasures | None, positive: str) -> None:
    console = output.make_console()
    print(f"accuracy  {found['accuracy']:.2%}   (the most frequent class alone: {found['majority']:.2%})")
    print(f"macro F1  {found['macro_f1']:.4f}")
    if binary is not None:
        best, reached = binary["best_threshold"], binary["best"]
        print(f"AUC       {binary['auc']:.4f}   (average precision of {positive}: {binary['average_precision']:.4f})")
        print(f"best thresholds on these pairs: {best['accuracy']:.4f} for accuracy {reached['accuracy']:.2%},")
        print(f"                                {best['f1']:.4f} for F1 {reached['f1']:.4f} of {positive}")
    print()
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
