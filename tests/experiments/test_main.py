"""``python -m experiments``: what it prints where, and its exit codes."""

import json
import re

import pytest

from experiments import runs
from experiments.__main__ import main
from experiments.published_results import TITLES


def call(capsys, *arguments, code=0):
    """Call the program; return what it printed on standard output and on standard error."""
    try:
        found = main([str(argument) for argument in arguments])
    except SystemExit as end:
        found = end.code
    printed = capsys.readouterr()
    assert found == code, printed.err
    return printed.out, printed.err


def test_an_experiment_is_run_with_its_options(capsys, monkeypatch, tmp_path):
    calls = []

    def run(name, **options):
        calls.append((name, options))
        return {"name": name, "rows": [{"method": "pr", "kmax": None, "accuracy": 73.5}], "seconds": 1.0}

    monkeypatch.setattr(runs, "run", run)
    monkeypatch.setattr(runs, "render", lambda result: f"table of {result['name']}")
    out, _ = call(capsys, "msrp", "--data", tmp_path, "--out", tmp_path / "figures", "--jobs", 2, "--json")
    assert json.loads(out)["rows"] == [{"method": "pr", "kmax": None, "accuracy": 73.5}]
    assert calls == [("msrp", {"data": str(tmp_path), "out": str(tmp_path / "figures"), "n_jobs": 2})]
    assert call(capsys, "msrp") == ("table of msrp\n", "")
    call(capsys, "clang", "--kernel", "word", "--train", "80,160", "--runs", 1, "--folds", 2, "--json")
    assert calls[-1] == ("clang", {"kernel": "word", "train": "80,160", "runs": 1, "folds": 2})


def test_the_experiments_are_listed(capsys):
    assert json.loads(call(capsys, "--json")[0]) == TITLES
    assert {"msrp", "rte3", "qqp", "sick", "stsb", "wikiqa", "paws"} <= set(TITLES)
    assert call(capsys)[0].startswith("msrp ")


def test_help_has_an_example(capsys):
    text, _ = call(capsys, "--help")
    assert "python -m experiments msrp --out" in text and "--json" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trek",), "there is no experiment 'trek': choose msrp"),
        (("msrp", "--data", "nowhere"), r"--data \(data=\) names nowhere, which is no folder"),
        (("msrp", "--data", "."), "there is no .*msrp"),
        (("msrp", "--only", "x"), "msrp has one data set: leave --only"),
        (("table",), "table needs a folder with results"),
        (("msrp", "--from", "figures"), "--from is for table"),
        (("table", "--from", "nowhere"), "there are no result files in nowhere"),
    ],
)
def test_what_is_wrong_is_one_line(capsys, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    out, error = call(capsys, *arguments, "--json", code=2)
    assert out == "" and error.count("\n") == 1 and re.match(f"rekern: {message}", error), error


def test_a_wrong_option_is_refused(capsys):
    assert "--jobs" in call(capsys, "msrp", "--jobs", "many", code=2)[1]
    assert "--trials" in call(capsys, "msrp", "--trials", "3", code=2)[1]
