"""``rekern reproduce`` and ``rekern bench``: published figures, and speed, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rekern.cli import options, output
from rekern.errors import InputError

Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="The folder with the corpora; by default REKERN_DATA.")
]


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="A corpus; without it, the list of them.")
    ] = None,
    data: Data = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write figures there, as PNG.")] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="DATA", help="One data set of an experiment that has several.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="DIR", help="Keep the Grams of trees there, for a later run.")
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            "--kernel", metavar="K,…", help="geoquery, clang: word, dependency, syntactic, their sums, or chosen."
        ),
    ] = None,
    train: Annotated[
        str | None, typer.Option("--train", metavar="N,…", help="geoquery, clang: numbers of training examples.")
    ] = None,
    runs: Annotated[int | None, typer.Option("--runs", metavar="N", help="geoquery, clang: the first N runs.")] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", metavar="N", help="geoquery, clang: the first N folds of a run.")
    ] = None,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Repeat a published experiment on its corpus.

    Our rows are printed beside the published ones.
    """
    import rekern.reproduce as experiments

    if name is None:
        if json:
            output.print_json(experiments.NAMES)
            return
        grid = output.table("name", "what it repeats")
        for known, description in experiments.NAMES.items():
            grid.add_row(known, description)
        output.console().print(grid)
        return
    if name not in experiments.NAMES:
        raise InputError(f"there is no experiment {name!r}: choose {', '.join(experiments.NAMES)}")
    learning: dict[str, Any] = {"kernel": kernel, "train": train, "runs": runs, "folds": folds}
    result = experiments.run(name, data=data, out=out, n_jobs=jobs, only=only, cache=cache, **learning)
    _show(result, experiments.render, json)


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller inputs: seconds instead of minutes.")] = False,
    data: Data = None,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Measure the speed of the kernels on this machine."""
    import rekern.reproduce.speed as benchmarks

    _show(benchmarks.run(quick=quick, data=data, n_jobs=jobs), benchmarks.render, json)


def _show(result: dict[str, Any], render: Any, json: bool) -> None:
    if json:
        output.print_json(result)
    else:
        print(render(result))
