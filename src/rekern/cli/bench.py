"""``rekern bench``: how fast the kernels are on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from rekern.cli import common_options, output


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller inputs: seconds instead of minutes.")] = False,
    data: common_options.Data = None,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Measure the speed of the kernels on this machine."""
    from rekern.reproduce import speed

    result = speed.run(quick=quick, data=data, n_jobs=jobs)
    if json:
        output.print_json(result)
    else:
        print(speed.render(result))
