"""``rekern predict``: a model's answers for new pairs."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rekern.cli import options, output
from rekern.cli.exit_codes import say
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table


def predict(
    model: options.ModelFile,
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
    texts: Annotated[bool, typer.Option("--texts", help="Put the two texts in front of each answer.")] = False,
    source: options.Source = None,
    target: options.Target = None,
    group: options.Group = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Predict the labels of new pairs.

    One row for each pair, in the order of FILE. A classifier answers with a class and the probability of every class,
    a regressor with a number, a ranker with a score and the rank within the group (by default, within the pairs of the
    same first text).
    """
    reading = options.Reading(source, target, None, group, format, encoding, no_header)
    loaded = options.load(model, jobs)
    if out is None or out == "-":
        table = _pairs(file, source_text, target_text, reading)
        columns = _answers(loaded, table, texts)
        if json:
            output.print_json({"pairs": len(table), "rows": _rows(columns)})
        else:
            from rekern.datasets.tables import write_table

            write_table("-", columns)
        return
    from rekern.core.files import write_atomically
    from rekern.datasets.tables import write_table

    written = output.table_format(out)
    started = time.perf_counter()
    with write_atomically(out) as temporary:  # now, so that a place that cannot be written is known before the work
        table = _pairs(file, source_text, target_text, reading)
        columns = _answers(loaded, table, texts)
        write_table(temporary, columns, written)
    took = time.perf_counter() - started
    if json:
        output.print_json({"pairs": len(table), "written": os.fspath(out), "seconds": took})
    else:
        say(f"{len(table):,} predictions are in {out}, after {output.seconds(took)}")


def _pairs(file: str | None, source: str | None, target: str | None, reading: options.Reading) -> Table:
    """The pairs of the file, or the one pair that was given as two texts."""
    if source is None and target is None:
        if file is None:
            raise InputError("there is nothing to predict: give FILE, or --source-text and --target-text")
        return reading.table(file, labelled=False)
    if file is not None:
        raise InputError("give either FILE or --source-text and --target-text, not both")
    if source is None or target is None:
        raise InputError("--source-text and --target-text go together: give both")
    return one_pair(source, target)


def one_pair(source: str, target: str) -> Table:
    """A table of one pair, whose texts came from the command line.

    >>> one_pair("He left.", "He went.").pairs
    [('He left.', 'He went.')]
    """
    from rekern.datasets.tables import from_frame

    for side, text in (("source", source), ("target", target)):
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"the {side} text is not {sys.getfilesystemencoding()}: check how the terminal encodes it")
    return from_frame({"source": [source], "target": [target]}, label=None)


def _answers(model: Any, table: Table, texts: bool = False) -> dict[str, list[Any]]:
    """The columns of the answer."""
    columns: dict[str, list[Any]] = {}
    if texts:
        columns["source"] = [source for source, _ in table.pairs]
        columns["target"] = [target for _, target in table.pairs]
    kind = type(model).__name__
    if kind == "PairRegressor":
        columns["prediction"] = model.predict(table.items).tolist()
    elif kind == "PairRanker":
        scores = model.predict(table.items).tolist()
        columns["score"] = scores
        columns["rank"] = _ranks(scores, options.same_source_groups(table))
    else:
        predicted, numbers = _classify(model, table)
        columns["prediction"] = predicted
        columns.update(numbers)
    return columns


def _classify(model: Any, table: Table) -> tuple[list[Any], dict[str, list[Any]]]:
    """Classes, and the probabilities of all of them (decision values, for a model that was not calibrated)."""
    labels, values, probabilities = model.decide(table.items)
    names = [str(name) for name in model.classes_]
    if probabilities is None:
        shown = names if values.shape[1] > 1 else names[1:]
        return labels.tolist(), {f"decision_{name}": values[:, at].tolist() for at, name in enumerate(shown)}
    return labels.tolist(), {f"probability_{name}": probabilities[:, at].tolist() for at, name in enumerate(names)}


def _ranks(scores: list[float], groups: list[Any]) -> list[int]:
    """The place of each score within its group, from 1; equal scores keep their order."""
    members: dict[Any, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    ranks = [0] * len(scores)
    for rows in members.values():
        for rank, row in enumerate(sorted(rows, key=lambda row: -scores[row]), 1):
            ranks[row] = rank
    return ranks


def _rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """One object for each pair, its probabilities or decision values together."""
    rows = []
    for values in zip(*columns.values()):
        row: dict[str, Any] = {}
        for name, value in zip(columns, values):
            kind, found, label = name.partition("_")
            if found:
                row.setdefault({"probability": "probabilities", "decision": "decisions"}[kind], {})[label] = value
            else:
                row[name] = value
        rows.append(row)
    return rows
