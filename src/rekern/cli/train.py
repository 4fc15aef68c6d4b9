"""``rekern train``: from a table of labelled pairs to a model file."""

from __future__ import annotations

import os
import time
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rekern.cli import options, output
from rekern.cli.exit_codes import say
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table

NO_OPTIONS = options.KernelOptions()
MANY_CLASSES = 20  # of whole numbers: more are likelier to be quantities than names


class Task(StrEnum):
    """What is learned."""

    classify = "classify"
    regress = "regress"
    rank = "rank"


@options.with_kernel_options
def train(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Labelled pairs; - for standard input.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="Where to write the model.")],
    task: Annotated[
        Task | None,
        typer.Option(
            "--task",
            help="By default: rank with --group, regress if the labels are decimal numbers, else classify.",
            show_default=False,
        ),
    ] = None,
    cost: Annotated[float, typer.Option("--C", metavar="X", help="The price of a training error.")] = 1.0,
    cv: Annotated[
        int | None,
        typer.Option("--cv", min=2, metavar="N", help="First measure by N-fold cross-validation."),
    ] = None,
    balanced: Annotated[bool, typer.Option("--balanced", help="Give all classes the same weight in total.")] = False,
    ordinal: Annotated[
        bool,
        typer.Option("--ordinal", help="Regress, and answer with the nearest number of the training."),
    ] = False,
    kernel: options.KernelOptions = NO_OPTIONS,
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
    """Train a model on labelled pairs and save it."""
    from rekern.core.files import write_atomically

    chosen_kernel = kernel.build()
    if not 0 < cost < float("inf"):
        raise InputError(f"--C {cost:g} is out of range: give a number above 0")
    if os.fspath(out) == "-":
        raise InputError("-o - is no place for a model: name a file")
    reading = options.Reading(source, target, label, group, format, encoding, no_header)
    with write_atomically(out) as temporary:  # now, so that a place that cannot be written is known before the work
        table = reading.table(file)
        chosen = _task(table, task, group is not None, ordinal)
        model = _model(chosen, chosen_kernel, cost, balanced, ordinal, jobs)
        report: dict[str, Any] = {"task": chosen.value, "pairs": len(table), **_labels(table, chosen)}
        report |= options.kernel_in_words(chosen_kernel)
        if not json:
            print(_what_was_read(table, report))
            print(f"kernel    {report['kernel']}\ntokens    {report['tokens']}", flush=True)
        if cv is not None:
            from rekern.cli.cross_validation import cross_validate

            report["cross_validation"] = cross_validate(model, table, cv)
            if not json:
                print(f"{cv}-fold CV " + _in_words(report["cross_validation"]), flush=True)
        started = time.perf_counter()
        _fit(model, table)
        report["seconds"] = time.perf_counter() - started
        report["solver"] = model.solver_
        model.save(temporary)
    report["model"] = os.fspath(out)
    report["bytes"] = out.stat().st_size if out.is_file() else 0
    if json:
        output.print_json(report)
        return
    print(f"solver    {report['solver']}, in {output.seconds(report['seconds'])}")
    print(f"model     {out} ({output.size(report['bytes'])})")


def _task(table: Table, asked: Task | None, grouped: bool, ordinal: bool) -> Task:
    """What to learn, from the options and the labels."""
    labels = table.labels or []
    if asked is None:
        real = all(isinstance(label, float) for label in labels)
        asked = Task.rank if grouped else Task.regress if real or ordinal else Task.classify
        kinds = len(set(labels))
        if asked is Task.classify and not isinstance(labels[0], str) and kinds > MANY_CLASSES:
            say(f"warning: {kinds} different numbers are taken for classes; --task regress takes them for quantities")
    if ordinal and asked is not Task.regress:
        raise InputError(f"--ordinal goes with --task regress, not with {asked.value}")
    if grouped and asked is not Task.rank:
        raise InputError(f"--group goes with --task rank, not with {asked.value}: leave one of them out")
    if asked is not Task.classify:
        options.check_numbers(table, "--task classify takes it")
    return asked


def _model(task: Task, kernel: Any, cost: float, balanced: bool, ordinal: bool, jobs: int | None) -> Any:
    from rekern.learning import PairClassifier, PairRanker, PairRegressor

    if balanced and task is not Task.classify:
        raise InputError(f"--balanced goes with --task classify, not with {task.value}")
    if task is Task.classify:
        return PairClassifier(kernel, C=cost, class_weight="balanced" if balanced else None, n_jobs=jobs)
    if task is Task.regress:
        return PairRegressor(kernel, C=cost, response="ordinal" if ordinal else "real", n_jobs=jobs)
    return PairRanker(kernel, C=cost, n_jobs=jobs)


def _fit(model: Any, table: Table) -> None:
    from rekern.learning import PairRanker

    try:
        if isinstance(model, PairRanker):
            model.fit(table.items, table.labels, options.same_source_groups(table))
        else:
            model.fit(table.items, table.labels)
    except InputError as error:
        raise InputError(f"{table.path}: {error}") from None


def _labels(table: Table, task: Task) -> dict[str, Any]:
    """What the labels are, for the report."""
    labels = table.labels or []
    if task is Task.classify:
        return {"classes": dict(sorted(Counter(labels).items()))}
    if task is Task.regress:
        return {"lowest": min(labels), "highest": max(labels)}
    return {"groups": len(set(options.same_source_groups(table)))}


def _what_was_read(table: Table, report: dict[str, Any]) -> str:
    start = f"read      {len(table):,} pairs from {table.path}: "
    if "classes" in report:
        counts = [f"{label} ({count:,})" for label, count in report["classes"].items()]
        shown = counts if len(counts) <= 8 else [*counts[:7], f"{len(counts) - 7} more"]
        return start + f"{len(counts)} class{'es' * (len(counts) > 1)}, " + ", ".join(shown)
    if "groups" in report:
        return start + f"{report['groups']:,} groups of candidates"
    return start + f"numbers from {report['lowest']:g} to {report['highest']:g}"


def _in_words(measured: dict[str, Any]) -> str:
    if "accuracy" in measured:
        return f"accuracy {measured['accuracy']:.2%} (± {measured['deviation']:.2%} over the folds)"
    if "map" in measured:
        return f"MAP {measured['map']:.4f}, MRR {measured['mrr']:.4f}"
    values = {name: measured[name] for name in ("pearson", "spearman", "mse")}
    names = {"pearson": "Pearson", "spearman": "Spearman", "mse": "MSE"}
    return ", ".join(f"{names[key]} {'undefined' if v is None else format(v, '.4f')}" for key, v in values.items())
