"""How commands begin and end: help, exit codes, one line for an error, Ctrl-C, closed pipes."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from cli.running import error_of, invoke, start
from rekern.cli import exit_codes as program
from rekern.cli import output

COMMANDS = (
    *("demo", "train", "predict", "evaluate", "explain", "rules", "report", "match", "gram", "parse", "expressions"),
    *("question", "ask", "serve"),
)
HEAVY = ("numpy", "scipy", "sklearn", "numba", "pandas", "matplotlib", "snowballstemmer")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(command: str) -> None:
    text = invoke(command, "--help").stdout
    assert f"  rekern {command}" in text and "--json" in text
    assert max(map(len, text.splitlines())) <= 90


def test_help_lists_all_commands_with_and_without_asking() -> None:
    text = invoke("--help").stdout
    assert re.findall(r"^  (\w+) ", text.split("Commands:")[1].split("Examples:")[0], re.MULTILINE) == list(COMMANDS)
    assert "..." not in text.split("Commands:")[1]  # no description is cut off
    assert invoke().stdout == text == invoke("-h").stdout


def test_version() -> None:
    assert invoke("--version").stdout == "rekern 0.1.0\n"


@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", 3), ("pass", 0), ("1 / 0", 1)])
def test_a_process_ends_with_its_own_code(end: str, code: int) -> None:
    """The objects of a command are not freed one by one, but what comes after it decides."""
    lines = "import sys\nfrom rekern.cli import main\nsys.argv[1:] = ['--version']\n"
    lines += f"try: main()\nexcept SystemExit: {end}"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, "rekern 0.1.0\n")


@pytest.mark.parametrize("arguments", (["--help"], ["train", "--help"]))
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"import sys; sys.argv[1:] = {arguments!r}\nfrom rekern.cli import main\n"
    code += f"try: main()\nfinally: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "no such command 'nonsense'"),
        (["--nonsense"], "no such option: --nonsense"),
        (["train"], "missing argument 'FILE'; see rekern train --help"),
        (["train", "a.tsv"], "missing option '--out'"),
        (["train", "a.tsv", "-o", "m.rekern", "--wildcards", "wild"], "'wild' is not one of"),
        (["train", "a.tsv", "-o", "m.rekern", "--jobs", "0"], "'--jobs'"),
        (["train", "a.tsv", "-o", "m.rekern", "--decay", "much"], "'--decay'"),
        (["train", "a.tsv", "-o", "m.rekern", "--decay", "1.5"], "--decay 1.5 is out of range"),
        (["train", "a.tsv", "-o", "m.rekern", "--C", "nan"], "--C nan is out of range"),
        (["train", "a.tsv", "-o", "m.rekern", "--k", "4-1"], "--k '4-1' is no list of window sizes"),
        (["train", "a.tsv", "-o", "m.rekern", "--k", "3x5,3x5"], "--k '3x5,3x5'"),
        (["train", "a.tsv", "-o", "m.rekern", "--k", "99"], "--k '99'"),
        (["train", "a.tsv", "-o", "m.rekern", "--language", "klingon"], "no stemmer for language 'klingon'"),
    ],
)
def test_bad_options_are_one_line(arguments: list[str], message: str) -> None:
    assert message in error_of(*arguments)


def test_an_unforeseen_error_is_one_line_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("rekern.datasets.tables.read_table", lambda *_, **__: 1 / 0)
    assert "ZeroDivisionError: division by zero" in error_of("train", "a.tsv", "-o", tmp_path / "m.rekern")
    assert list(tmp_path.iterdir()) == []


def test_the_traceback_is_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(program.TRACEBACK, "1")
    from typer.testing import CliRunner

    from rekern.cli.commands import app

    result = CliRunner().invoke(app, ["rules", "no such.rekern"])
    assert result.exit_code == 2 and "Traceback" in result.stderr and "there is no such file" in result.stderr


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied", "x.tsv"), "x.tsv: Permission denied"),
        (MemoryError(), "memory"),
        (ValueError("two\nlines"), "two lines"),
    ],
)
def test_errors_of_the_system(monkeypatch: pytest.MonkeyPatch, error: BaseException, message: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("rekern.learning.load_model", fail)
    assert message in error_of("rules", "m.rekern")


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, models: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    line = error_of("predict", models / "two.rekern", models / "test.tsv", "-o", tmp_path / "p.parquet")
    assert 'pip install "rekern[tables]"' in line and list(tmp_path.iterdir()) == []


def test_warnings_are_one_line(monkeypatch: pytest.MonkeyPatch, models: Path) -> None:
    from rekern.learning import load_model

    def load(path: Path, **resources: object) -> object:
        warnings.warn("something\nodd", stacklevel=1)
        return load_model(path, **resources)

    monkeypatch.setattr("rekern.learning.load_model", load)
    result = invoke("evaluate", models / "two.rekern", models / "test.tsv", "--json")
    assert result.stderr == "rekern: warning: something odd\n" and result.stdout.startswith("{")


def test_an_interrupt_is_one_line_and_130(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rekern.datasets.tables.read_table", interrupt)
    for _ in range(2):
        assert invoke("train", "a.tsv", "-o", tmp_path / "m.rekern", code=130).stderr == "rekern: stopped\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="signals are sent in the POSIX way")
def test_ctrl_c_leaves_no_file(tables: Path, tmp_path: Path) -> None:
    process = start("train", tables / "train.tsv", "--cv", "100", "-o", tmp_path / "m.rekern")
    assert process.stdout is not None
    while not process.stdout.readline().startswith("tokens"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "rekern: stopped\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_that_python_drops_is_one_line_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As when Numba compiles: Ctrl-C in a function that LLVM calls, then an error about what it has not done."""

    @ctypes.CFUNCTYPE(None)
    def called_by_c() -> None:
        raise KeyboardInterrupt

    def compile_something(*_: object, **__: object) -> None:
        called_by_c()
        raise RuntimeError("no compiled object yet")

    before = sys.unraisablehook
    monkeypatch.setattr("rekern.datasets.tables.read_table", compile_something)
    for _ in range(2):
        assert invoke("train", "a.tsv", "-o", tmp_path / "m.rekern", code=130).stderr == "rekern: stopped\n"
    monkeypatch.setattr("rekern.datasets.tables.read_table", lambda *_, **__: 1 // 0)
    assert "ZeroDivisionError" in error_of("train", "a.tsv", "-o", tmp_path / "m.rekern")
    assert sys.unraisablehook is before


@pytest.mark.skipif(os.name != "posix", reason="pipes are closed in the POSIX way")
def test_a_closed_pipe_is_quiet(models: Path) -> None:
    process = start("predict", models / "two.rekern", models / "test.tsv")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0


@pytest.mark.skipif(os.name != "posix", reason="pipes are closed in the POSIX way")
def test_rules_for_head_are_quiet(models: Path) -> None:
    process = start("rules", models / "two.rekern", "--top", 500)
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline().startswith("Rules for 1")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0


def test_no_color_is_no_bold_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    table = output.make_table("name")
    table.add_row("value", style="green")
    for no_color, escapes in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", no_color)
        console = output.make_console()
        with console.capture() as captured:
            console.print(table)
        assert ("\x1b[" in captured.get()) is escapes


@pytest.mark.parametrize("place", ["missing/out", "folder"])
@pytest.mark.parametrize(
    "command",
    [
        ("train", "no.tsv", "-o"),
        ("predict", "no.rekern", "no.tsv", "-o"),
        ("rules", "no.rekern", "-o"),
        ("expressions", "no.txt", "-o"),
        ("question", "--train", "no.tsv", "-o"),
        ("gram", "no.tsv", "-o"),
    ],
)
def test_an_impossible_place_is_noticed_first(command: tuple[str, ...], place: str, tmp_path: Path) -> None:
    (tmp_path / "folder.tsv").mkdir()
    path = tmp_path / f"{place}.tsv"
    if command[0] == "gram":
        (tmp_path / "folder.npy").mkdir()
        path = path.with_suffix(".npy")
    line = error_of(*command, path)
    assert "there is no folder" in line or "is a folder" in line


def test_errors_of_a_process(tmp_path: Path) -> None:
    process = start("train", "missing.tsv", "-o", "m.rekern", cwd=tmp_path)
    output, errors = process.communicate()
    assert (process.returncode, output) == (2, "")
    assert errors == "rekern: there is no file missing.tsv: check the path\n"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_ends_too_early_is_no_interrupt(monkeypatch):
    def read(*_):
        raise EOFError("marshal data too short")

    monkeypatch.setattr("typer.core.TyperGroup.invoke", read)
    assert error_of("rules", "m.rekern") == "a file ends too early (marshal data too short)"


def test_an_output_that_lacks_characters(models: Path) -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    output, errors = start("rules", models / "two.rekern", "--top", 1, env=plain).communicate()
    assert r"\u27e81\u27e9" in output and errors == ""


def test_control_characters_of_names_reach_no_terminal(capsys):
    with program._repair_streams():
        print("a\x1b[2Jb\tc")
        table = output.make_table("na\x1b]0;me")
        table.add_row("cell\x9b2J")
        console = output.make_console()
        console.print(table)
        console.print("text\x1b[31m")
        output.say("said\x07")
        output.print_json({"name": "j\x1b\x9b"})
    found = capsys.readouterr()
    assert "a\\x1b[2Jb\tc" in found.out and "cell\\x9b2J" in found.out and "said\\x07" in found.err
    assert json.loads(found.out[found.out.index("{") :]) == {"name": "j\x1b\x9b"}
    assert not set("\x1b\x9b\x07") & set(found.out + found.err)
