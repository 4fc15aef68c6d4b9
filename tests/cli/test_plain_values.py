"""Values of options that are taken as they are: the same as those that Typer converts."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from rekern.cli.exit_codes import Command


class Color(StrEnum):
    red = "red"


def show(
    file: Path,
    texts: Annotated[list[str] | None, typer.Argument()] = None,
    again: Annotated[list[Path] | None, typer.Option()] = None,
    there: Annotated[Path | None, typer.Option(exists=True)] = None,
    name: str = "Ann",
    size: Annotated[int, typer.Option(min=1, max=7)] = 3,
    weight: float | None = None,
    color: Color | None = None,
    limit: Annotated[list[str] | None, typer.Option()] = None,
    quiet: bool = False,
    length: Annotated[int | None, typer.Option(parser=len)] = None,
) -> None:
    """Print all values."""
    print([file, texts, again, there, name, size, weight, color, limit, quiet, length])


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.tsv"],
        ["a.tsv", "one text", "two"],
        [".", "--name", "", "--quiet"],
        ["a", "--again", "b", "--again", "c", "--limit", "x=1"],
        ["a", "--size", "5", "--weight", "2", "--color", "red", "--length", "abc"],
        ["a", "--size", "0"],
        ["a", "--size", "7"],
        ["a", "--size", "8"],
        ["a", "--size", "-1"],
        ["a", "--size", "007"],
        ["a", "--size", "٣"],
        ["a", "--size", "many"],
        ["a", "--weight", "heavy"],
        ["a", "--color", "blue"],
        ["a", "--there", "nowhere"],
        ["a", "--name"],
        [],
    ],
)
def test_plain_values_are_those_of_typer(arguments):
    outcomes = []
    for kind in (None, Command):
        app = typer.Typer(rich_markup_mode=None)
        app.command(cls=kind)(show)
        done = CliRunner().invoke(app, arguments)
        outcomes.append((done.exit_code, done.output))
    assert outcomes[0] == outcomes[1]
