"""Options that have the same meaning in every command."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, metavar="N", help="Number of threads; all cores by default.")
]
Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="cpu|cuda",
        help="What computes Gram matrices: cpu, or cuda (a GPU); REKERN_DEVICE by default.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Let workers share the work: dask://HOST:PORT, ray://… or spark://…; dask://local:2 starts two here.",
    ),
]
Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Folder with the corpora; REKERN_DATA by default.")
]
