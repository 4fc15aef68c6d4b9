"""Ways to run a command and look at what it says."""

import json
import os
import signal
import subprocess
import sys
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


def start(*arguments: Any, **options: Any) -> subprocess.Popen:
    """Start a command in a process of its own, in which Ctrl-C works.

    A shell without a terminal starts commands in the background with SIGINT ignored, and all their processes inherit
    it, also those of tests.
    """
    return start_python("-m", "rekern", *arguments, **options)


def start_python(*arguments: Any, **options: Any) -> subprocess.Popen:
    """Start Python in a process of its own, in which Ctrl-C works."""
    restore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(command, **{**pipes, **(restore if os.name == "posix" else {}), **options})
