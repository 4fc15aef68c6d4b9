"""Ways to run a command and look at what it says."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from rekern.cli.commands import app


def invoke(*arguments: Any, code: int = 0, input: Any = None) -> Any:
    """Run a command in this process and check its exit code."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def error_of(*arguments: Any, input: Any = None) -> str:
    """The one line on standard error of a command that fails."""
    result = invoke(*arguments, code=2, input=input)
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("rekern: "), result.stderr
    return lines[0].removeprefix("rekern: ")


def json_of(*arguments: Any, code: int = 0, input: Any = None) -> Any:
    """The JSON that a command prints, which must be all that it prints."""
    return json.loads(invoke(*arguments, "--json", code=code, input=input).stdout, parse_constant=pytest.fail)
