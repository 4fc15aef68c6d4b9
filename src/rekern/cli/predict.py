"""``rekern predict``: a model's predictions for new pairs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, ResourceOptions, check_items, is_text_model, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.cli.predict_folder import FolderOptions, predict_folder
from rekern.cli.table_options import TableOptions
from rekern.cli.threshold_options import ThresholdOptions
from rekern.errors import InputError
from rekern.learning.predicted_rows import ColumnChoice, PredictedRows

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table, TableBlock


@expand_options(leave_out=("label",))
def predict(
    *,
    model: ModelFile,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="Pairs, with or without labels; - for standard input; or a folder of files."
        ),
    ] = None,
    source_text: Annotated[
        str | None,
        typer.Option("--source-text", metavar="TEXT", help="Instead of FILE: the first text of one pair, or the text."),
    ] = None,
    target_text: Annotated[
        str | None, typer.Option("--target-text", metavar="TEXT", help="Instead of FILE: its second text.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="OUT", help="A .tsv, .csv, .jsonl or .parquet file; else TSV is printed."),
    ] = None,
    cluster: common_options.Cluster = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="Columns of FILE to copy, such as id,date; none; or all. By default all but the texts and the label.",
        ),
    ] = None,
    texts: Annotated[bool, typer.Option("--texts", help="Put the two texts in front of each prediction.")] = False,
    threshold: ThresholdOptions,
    table: TableOptions,
    resources: ResourceOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Predict the labels of new pairs.

    Prints one row for each pair, in the order of FILE: for a classifier a class and the probability of every class,
    for a regressor a number, for a ranker a score and the rank within the group (by default, the pairs with the same
    first text). The other columns of FILE, such as an id, stand in front. FILE may be larger than the memory, except
    for a ranker and with --json.

    FILE may be a folder of Parquet, TSV, CSV or JSONL files: OUT is then a folder, too, and gets a file of predictions
    for each. The workers of a --cluster share the files. An interrupted run continues with the missing ones.
    """
    from rekern.core.files import check_writable, refuse_to_replace
    from rekern.datasets.tables import open_table

    if cluster is not None and (file is None or not os.path.isdir(file)):
        raise InputError("--cluster is for a folder of files: give one as FILE")
    if file is not None and os.path.isdir(file):
        if source_text is not None or target_text is not None:
            raise InputError("give either FILE or --source-text and --target-text, not both")
        options = FolderOptions(columns, texts, threshold.resolve(), jobs)
        predict_folder(model, file, out, cluster, options, table, resources, json)
        return
    to_screen = out is None or out == "-"
    if out is not None and not to_screen:
        output.choose_table_format(out)
        check_writable(out)
        refuse_to_replace(out, file, model)
    loaded = load_pair_model(model, jobs, resources=resources)
    if source_text is not None and is_text_model(loaded):
        target_text = target_text or ""
    known = table.recall(loaded)
    blocks = _read_blocks(file, source_text, target_text, known, can_stream=_can_stream(loaded))
    choice = ColumnChoice(columns, texts, "3" if table.no_header else known.label or "label", output.say)
    predictions = _predict_blocks(loaded, blocks, choice, threshold)
    if to_screen and json:
        rows = [row for block in predictions for row in block.list_rows()]
        output.print_json({"pairs": len(rows), "rows": rows})
        return
    started = time.perf_counter()
    n = 0
    with open_table("-" if out is None else out) as written:
        for block in predictions:
            written.write({**block.copied, **block.predicted}, block.types)
            n += len(block)
    took = time.perf_counter() - started
    if to_screen:
        return
    if json:
        output.print_json({"pairs": n, "written": os.fspath(out or "-"), "seconds": took})
    else:
        output.say(f"{n:,} prediction{'s are' if n != 1 else ' is'} in {out}, after {output.format_seconds(took)}")


def _can_stream(model: TrainedModel) -> bool:
    """Whether rows can be predicted block by block: not for a ranker, whose groups may be scattered over the file."""
    from rekern.learning import PairRanker

    return not isinstance(model, PairRanker)


def _read_blocks(
    file: str | None, source: str | None, target: str | None, options: TableOptions, can_stream: bool
) -> Iterator[TableBlock]:
    """Yield blocks of the pairs of the file, or the one pair given as two texts."""
    from rekern.core.progress import track_rows
    from rekern.datasets.named_columns import NamedColumns
    from rekern.datasets.tables import TableBlock

    if source is None and target is None:
        if file is None:
            raise InputError("there is nothing to predict: give FILE, or --source-text and --target-text")
        blocks = options.iterate(file, whole=not can_stream)
        yield from track_rows(blocks, "predicting", lambda block: len(block.table))
        return
    if file is not None:
        raise InputError("give either FILE or --source-text and --target-text, not both")
    if source is None or target is None:
        raise InputError("--source-text and --target-text go together: give both")
    yield TableBlock(make_single_pair(source, target), NamedColumns([], lambda index: [], [1]))


def make_single_pair(source: str, target: str) -> Table:
    """Return a table with one pair of texts from the command line.

    >>> make_single_pair("He left.", "He went.").pairs
    [('He left.', 'He went.')]
    """
    from rekern.datasets.tables import from_frame

    for side, text in (("source", source), ("target", target)):
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"the {side} text is not {sys.getfilesystemencoding()}: check how the terminal encodes it")
    return from_frame({"source": [source], "target": [target]}, label=None)


def _predict_blocks(
    model: TrainedModel, blocks: Iterator[TableBlock], choice: ColumnChoice, threshold: ThresholdOptions
) -> Iterator[PredictedRows]:
    """Predict block by block; an error names the row of the file."""
    from rekern.learning import PairClassifier
    from rekern.learning.predicted_columns import predict_columns

    if not isinstance(model, PairClassifier):
        threshold.forbid("this model predicts numbers")
    for block in blocks:
        if is_text_model(model) and not block.columns.names:  # the one text of the command line
            block = block._replace(table=replace(block.table, is_single=True))
        check_items(model, block.table)
        try:
            predicted = predict_columns(model, block.table, threshold.resolve())
        except InputError as error:
            raise block.table.locate(error) from None
        yield choice.copy(block, predicted)
