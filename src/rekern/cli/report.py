"""``rekern report``: all about a model on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.kernel_options import summarize_kernel
from rekern.cli.model_argument import ModelFile, ResourceOptions, check_items, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions
from rekern.cli.threshold_options import ThresholdOptions
from rekern.core.files import check_writable, refuse_to_replace, show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table
    from rekern.learning import Report


@expand_options()
def report(
    *,
    model: ModelFile,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="Labelled pairs to test on. If left out: cross-validation on the training pairs."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PAGE", help="Where to write the page, such as report.html.")
    ] = None,
    threshold: ThresholdOptions,
    top: Annotated[int, typer.Option("--top", min=0, metavar="N", help="Number of mistakes that are drawn.")] = 20,
    folds: Annotated[int, typer.Option("--folds", min=2, metavar="N", help="Folds of the cross-validation.")] = 5,
    learning_curve: Annotated[
        bool, typer.Option("--learning-curve", help="Also train on parts of the training pairs, which MODEL needs.")
    ] = False,
    table: TableOptions,
    resources: ResourceOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Write a report about a model as one HTML page.

    It says what the model is and how it was chosen, how good it is on labelled pairs, with intervals of 95 %, and where
    it does badly. It draws confusions, ROC, precision and recall, calibration, the strongest rules and scores, and the
    worst mistakes, each with its explanation. All pairs are in a table that can be sorted and searched. With --json,
    the figures are printed.

    Without FILE, MODEL needs its training pairs (rekern train --keep-pairs).
    """
    if out is None and not json:
        raise InputError("say where to write the page: add -o report.html, or --json for the figures alone")
    if out is not None:
        check_writable(out)
        refuse_to_replace(out, file, model)
        output.check_extension(out, ".html", ".htm")
    loaded = load_pair_model(model, jobs, resources=resources)

    from rekern.kernels.kernel_summary import summarize_kernel as show_kernel

    summary = summarize_kernel(loaded.kernel_)
    names = {"model": show_path(model)}
    if summary.kernel != show_kernel(loaded.kernel_):
        names |= {"kernel in words": summary.kernel, "tokens": summary.tokens}
    if file is None:
        from rekern.learning import report_training

        if threshold.resolve() is not None:
            raise InputError("--threshold and --metric go with FILE: leave them out, or give a test file")
        found = report_training(loaded, folds, names=names, n_mistakes=top, learning_curve=learning_curve)
    else:
        pairs = table.recall(loaded).read(file)
        names["data"] = str(pairs.path)
        found = _test(loaded, pairs, threshold, names, top, learning_curve)
    if out is not None:
        from rekern.core.files import write_atomically

        with write_atomically(out) as temporary:
            temporary.write_text(found.to_html(), encoding="utf-8")
        size = output.format_size(out.stat().st_size) if out.is_file() else ""
        output.say(f"the report is in {show_path(out)} ({size})")
    if json:
        output.print_json(found.to_dict())


def _test(
    model: TrainedModel,
    table: Table,
    threshold: ThresholdOptions,
    names: dict[str, str],
    top: int,
    learning_curve: bool,
) -> Report:
    """Report on a model and a table of labelled pairs."""
    from rekern.learning import PairClassifier, make_report
    from rekern.learning.table_labels import read_truth

    check_items(model, table)
    chosen = None
    if isinstance(model, PairClassifier):
        chosen = threshold.resolve()
    else:
        threshold.forbid("this model predicts numbers")
    return make_report(
        model,
        table.items,
        read_truth(model, table),
        table.list_groups(),
        names=dict(names),
        n_mistakes=top,
        learning_curve=learning_curve,
        threshold=chosen,
    )
