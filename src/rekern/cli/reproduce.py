"""``rekern reproduce``: repeat a published experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rekern.cli import common_options, output
from rekern.errors import InputError


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="An experiment, or table; if left out, all experiments are listed.",
        ),
    ] = None,
    data: common_options.Data = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for figures (PNG) and results (JSON).")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="DATA", help="Use one data set of an experiment that has several.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Folder in which the Grams of trees are kept for later runs."),
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            "--kernel",
            metavar="K,…",
            help="geoquery, clang: word, dependency, syntactic, their sums, default, chosen, or ranked (ranked-K).",
        ),
    ] = None,
    train: Annotated[
        str | None, typer.Option("--train", metavar="N,…", help="geoquery, clang: numbers of training examples.")
    ] = None,
    runs: Annotated[int | None, typer.Option("--runs", metavar="N", help="geoquery, clang: the first N runs.")] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", metavar="N", help="geoquery, clang: the first N folds of a run.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", metavar="M", help="auto: the time for each search; 5 by default.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="DIR", help="embeddings: folder of a sentence-transformers model of yours."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="table: folder with the results that other runs wrote with --out."),
    ] = None,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Repeat a published experiment on its corpus.

    The published results are printed next to the new ones. With --out, they are also written to a file; table prints
    one table of all tasks from such files.
    """
    from rekern import reproduce as experiments

    if name is None:
        if json:
            output.print_json(experiments.NAMES)
            return
        grid = output.make_table("name", "what it repeats")
        for known, description in experiments.NAMES.items():
            grid.add_row(known, description)
        output.make_console().print(grid)
        return
    if name == "table" or source is not None:
        _print_table(name, source, json)
        return
    if name not in experiments.NAMES:
        raise InputError(f"there is no experiment {name!r}: choose {', '.join(experiments.NAMES)}")
    result = experiments.run(
        name,
        data=data,
        out=out,
        n_jobs=jobs,
        only=only,
        cache=cache,
        kernel=kernel,
        train=train,
        runs=runs,
        folds=folds,
        minutes=minutes,
        model=model,
    )
    if json:
        output.print_json(result)
    else:
        print(experiments.render(result))


def _print_table(name: str, folder: Path | None, json: bool) -> None:
    from rekern.reproduce.result_table import collect_figures, format_markdown

    if name != "table":
        raise InputError(f"--from is for table: rekern reproduce table --from {folder}")
    if folder is None:
        raise InputError("table needs a folder with results: rekern reproduce table --from DIR")
    figures = collect_figures(folder)
    if json:
        output.print_json([figure._asdict() for figure in figures])
    else:
        print(format_markdown(figures))
