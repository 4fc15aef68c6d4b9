"""``rekern predict``: a model's predictions for new pairs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions, list_groups
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table
    from rekern.learning import PairClassifier

    Columns = dict[str, list[object]]


@expand_options(leave_out=("label",))
def predict(
    *,
    model: ModelFile,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Pairs, with or without labels; - for standard input.")
    ] = None,
    source_text: Annotated[
        str | None, typer.Option("--source-text", metavar="TEXT", help="Instead of FILE: the first text of one pair.")
    ] = None,
    target_text: Annotated[
        str | None, typer.Option("--target-text", metavar="TEXT", help="Instead of FILE: its second text.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="OUT", help="A .tsv, .csv, .jsonl or .parquet file; else TSV is printed."),
    ] = None,
    texts: Annotated[bool, typer.Option("--texts", help="Put the two texts in front of each prediction.")] = False,
    table: TableOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Predict the labels of new pairs.

    Prints one row for each pair, in the order of FILE: for a classifier a class and the probability of every class,
    for a regressor a number, for a ranker a score and the rank within the group (by default, the pairs with the same
    first text).
    """
    from rekern.core.files import check_writable, write_atomically
    from rekern.datasets.tables import write_table

    if out is not None and out != "-":
        check_writable(out)
    loaded = load_pair_model(model, jobs)
    if out is None or out == "-":
        pairs = _read_pairs(file, source_text, target_text, table)
        columns = _predict_columns(loaded, pairs, texts)
        if json:
            output.print_json({"pairs": len(pairs), "rows": _list_rows(columns)})
        else:
            write_table("-", columns)
        return
    file_format = output.choose_table_format(out)
    started = time.perf_counter()
    with write_atomically(out) as temporary:  # opened first, so that an unwritable place is found before the work
        pairs = _read_pairs(file, source_text, target_text, table)
        columns = _predict_columns(loaded, pairs, texts)
        write_table(temporary, columns, file_format)
    took = time.perf_counter() - started
    if json:
        output.print_json({"pairs": len(pairs), "written": os.fspath(out), "seconds": took})
    else:
        output.say(f"{len(pairs):,} predictions are in {out}, after {output.format_seconds(took)}")


def _read_pairs(file: str | None, source: str | None, target: str | None, options: TableOptions) -> Table:
    """Return the pairs of the file, or the one pair given as two texts."""
    if source is None and target is None:
        if file is None:
            raise InputError("there is nothing to predict: give FILE, or --source-text and --target-text")
        return options.read(file, labelled=False)
    if file is not None:
        raise InputError("give either FILE or --source-text and --target-text, not both")
    if source is None or target is None:
        raise InputError("--source-text and --target-text go together: give both")
    return make_single_pair(source, target)


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


def _predict_columns(model: TrainedModel, table: Table, texts: bool = False) -> Columns:
    """Return the columns to write."""
    from rekern.learning import PairClassifier, PairRegressor

    columns: Columns = {}
    if texts:
        columns["source"] = [source for source, _ in table.pairs]
        columns["target"] = [target for _, target in table.pairs]
    if isinstance(model, PairClassifier):
        return columns | _classify(model, table)
    values = model.predict(table.items).tolist()
    if isinstance(model, PairRegressor):
        return columns | {"prediction": values}
    return columns | {"score": values, "rank": _rank_in_groups(values, list_groups(table))}


def _classify(model: PairClassifier, table: Table) -> Columns:
    """Return the classes and all their probabilities (decision values, if the model has no probabilities)."""
    labels, values, probabilities = model.decide(table.items)
    names = [str(name) for name in model.classes_]
    columns: Columns = {"prediction": labels.tolist()}
    if probabilities is None:
        shown = names if values.shape[1] > 1 else names[1:]
        return columns | {f"decision_{name}": values[:, column].tolist() for column, name in enumerate(shown)}
    return columns | {f"probability_{name}": probabilities[:, column].tolist() for column, name in enumerate(names)}


def _rank_in_groups(scores: Sequence[float], groups: Sequence[object]) -> list[object]:
    """Return the rank of each score within its group, from 1; equal scores keep their order."""
    members: dict[object, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    ranks: list[object] = [0] * len(scores)
    for rows in members.values():
        for rank, row in enumerate(sorted(rows, key=lambda row: -scores[row]), 1):
            ranks[row] = rank
    return ranks


def _list_rows(columns: Columns) -> list[dict[str, object]]:
    """Return one object for each pair, with its probabilities or decision values in an object of their own."""
    plurals = {"probability": "probabilities", "decision": "decisions"}
    rows = []
    for values in zip(*columns.values()):
        row: dict[str, object] = {}
        inner: dict[str, object] = {}
        for name, value in zip(columns, values):
            kind, separator, label = name.partition("_")
            if separator:
                row[plurals[kind]] = inner
                inner[label] = value
            else:
                row[name] = value
        rows.append(row)
    return rows
