"""Shell lines of a page: Rekern's commands and Python scripts run in this process, everything else in bash."""

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from unittest.mock import patch

from typer.main import get_command

from rekern.cli.commands import app

ROOT = Path(__file__).parents[2]
SECONDS = 300  # for a command in bash


def run_line(line: str) -> tuple[int, str]:
    """Run a line and return its exit code and what it prints, on both streams.

    >>> run_line("echo one two | tr a-z A-Z")
    (0, 'ONE TWO\\n')
    >>> run_line("rekern question 'who wrote Hamlet?' --json | head -n 1")
    (0, '{\\n')
    """
    assignment = re.fullmatch(r"export (.*)", line)
    if assignment:
        os.environ.update(part.split("=", 1) for part in shlex.split(assignment[1]))
        return 0, ""
    words = list(shlex.shlex(line, posix=False, punctuation_chars="|<>&;"))
    first = words[0]
    if first == "pip":
        return _check_install(line)
    if first == "make":
        return _run_shell(f"make -n -C {shlex.quote(str(ROOT))} {line.removeprefix('make ')} > /dev/null")
    if first not in ("rekern", "python"):
        return _run_shell(line)
    own, operator, rest = _split(os.path.expandvars(line))
    run = _run_rekern if first == "rekern" else _run_python
    words = shlex.split(own, comments=True)[1:]
    code, output, errors, both = run(words, given=_read(rest) if operator == "<" else None)
    if operator == "|":
        piped = subprocess.run(["bash", "-c", rest], input=output, capture_output=True, text=True, timeout=SECONDS)
        return code or piped.returncode, errors + piped.stdout + piped.stderr
    if operator == ">":
        Path(rest.strip()).write_text(output, encoding="utf-8")
        return code, errors
    return code, both


@contextmanager
def serve_line(line: str) -> Iterator[str]:
    """Let a server run on any free port, and yield its address, which the first line that it prints has."""
    words = [sys.executable, "-m", *shlex.split(line, comments=True), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            if not first.startswith("http://"):
                raise RuntimeError(f"{line}: {first}{process.communicate(timeout=SECONDS)[1]}")
            yield first.split()[0].removeprefix("http://").rstrip("/")
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)


build_program = cache(lambda: get_command(app))  # all options of all commands


def check_line(line: str) -> str | None:
    """Check a line that is not run: Rekern's command must exist and have these options. Return what is wrong.

    >>> check_line("rekern train pairs.tsv -o m.rekern"), check_line("rekern train pairs.tsv --zzz x -o m.rekern")
    (None, 'No such option: --zzz')
    """
    if line.split(" ")[0] != "rekern":
        return None
    own, _, _ = _split(line)
    words = shlex.split(own, comments=True)[1:]
    program = build_program()
    command = program.get_command(None, words[0]) if words and not words[0].startswith("-") else None  # type: ignore[arg-type]
    if command is None:
        return None if words[:1] in ([], ["--help"], ["--version"]) else f"no such command: {words[0]}"
    try:
        command.make_context(words[0], words[1:], resilient_parsing=False)
    except Exception as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        return None if "does not exist" in message else message
    return None


def _split(line: str) -> tuple[str, str, str]:
    """Split a line at its first pipe or redirection outside quotes."""
    quote = ""
    for n, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "|<>":
            return line[:n], character, line[n + 1 :]
    return line, "", ""


def _read(name: str) -> str:
    return Path(name.strip()).read_text(encoding="utf-8")


class _Copy(io.BytesIO):
    """A stream that also writes to another one, in which both streams of a command come together."""

    def __init__(self, both: io.BytesIO):
        super().__init__()
        self.both = both

    def write(self, data) -> int:  # type: ignore[no-untyped-def]
        self.both.write(data)
        return super().write(data)


def _run_rekern(arguments: list[str], given: str | None) -> tuple[int, str, str, str]:
    """Run a command as the program does, so that its help is as wide as outside a terminal."""
    both = io.BytesIO()
    streams = [io.TextIOWrapper(_Copy(both), encoding="utf-8", write_through=True) for _ in range(2)]
    width = {"COLUMNS": "80"} if arguments[-1:] == ["--help"] else {}
    code = 0
    stdin = patch.object(sys, "stdin", io.StringIO(given or ""))
    quiet = warnings.catch_warnings(action="ignore", category=DeprecationWarning)  # as outside pytest
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]), patch.dict(os.environ, width), stdin, quiet:
        try:
            app(arguments)
        except SystemExit as stop:
            code = int(stop.code or 0)
    output, errors = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return code, output, errors, both.getvalue().decode()


def _run_python(arguments: list[str], given: str | None) -> tuple[int, str, str, str]:
    output = io.StringIO()
    before = sys.argv
    sys.argv = arguments
    try:
        with redirect_stdout(output), redirect_stderr(output):
            if arguments[0] == "-m":
                sys.argv = arguments[1:]
                runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
            elif arguments[0] == "-c":
                exec(arguments[1], {"__name__": "__main__"})
            else:
                script = Path(arguments[0])
                runpy.run_path(str(script if script.exists() else ROOT / script), run_name="__main__")
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return code, output.getvalue(), "", output.getvalue()
    finally:
        sys.argv = before
    return 0, output.getvalue(), "", output.getvalue()


def _run_shell(line: str) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS
    )
    return done.returncode, done.stdout


def _check_install(line: str) -> tuple[int, str]:
    """Check the extras of ``pip install rekern[...]``; nothing is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = re.search(r"\brekern\b(?:\[([\w,]+)\])?", line.partition("#")[0])
    if own is None:
        return 1, f"{line}: only Rekern's own installation can be checked; mark the block as not run\n"
    unknown = [extra for extra in (own[1] or "").split(",") if extra and extra not in project["optional-dependencies"]]
    return int(bool(unknown)), "".join(f"no such extra: {extra}\n" for extra in unknown)
