"""Limits on what a model file may ask for: the error names the option that raises them, in every command."""

import re

import pytest
import typer

from cli.running import error_of, invoke
from rekern.cli.commands import app
from rekern.core.model_limits import ModelLimits
from rekern.web.served_models import ServedModels

LOADING = {
    "predict": ("predict", "two.rekern", "test.tsv", "-o", "predicted.tsv"),
    "evaluate": ("evaluate", "two.rekern", "test.tsv"),
    "explain": ("explain", "two.rekern", "a b", "b a"),
    "rules": ("rules", "two.rekern"),
    "report": ("report", "two.rekern", "test.tsv", "-o", "report.html", "--top", "0"),
    "match": ("match", "test.tsv", "--text", "source", "--model", "two.rekern", "-o", "found.tsv"),
    "question": ("question", "why is it so?", "--model", "types.rekern"),
    "ask": ("ask", "why?", "--model", "two.rekern", "--db", "some.db"),
    "serve": ("serve", "two.rekern", "--port", "0"),
}


@pytest.fixture(scope="module")
def folder(models):
    (models / "types.tsv").write_text("question\ttype\nwhy me?\tA\nwhy not?\tA\nhow to?\tB\nhow so?\tB\n")
    invoke("question", "--train", models / "types.tsv", "-o", models / "types.rekern")
    (models / "some.db").write_bytes(b"")
    return models


def test_every_command_with_a_model_has_the_option():
    commands = typer.main.get_command(app).commands
    loading = {
        name
        for name, command in commands.items()
        if name not in ("train", "demo") and any("MODEL" in str(parameter.metavar) for parameter in command.params)
    }
    assert loading == set(LOADING)
    assert all(any("--limit" in parameter.opts for parameter in commands[name].params) for name in LOADING)


@pytest.mark.parametrize("name", LOADING)
def test_the_line_says_how_to_raise_the_limit(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    said = error_of(*LOADING[name], "--limit", "members=2")
    remedy = re.search(r"the limit is 2: load_model\(path, .*\), or (--limit members=\d+)$", said)
    assert remedy, said
    if name == "ask":
        assert "not made by rekern ask" in error_of(*LOADING[name], *remedy[1].split())
    elif name == "serve":
        assert ServedModels.load(["two.rekern"], lambda parser: None, limits=ModelLimits(members=100)).list_models()
    else:
        invoke(*LOADING[name], *remedy[1].split())


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("deep=3", "--limit deep=3: write NAME=N; NAME is one of members, "),
        ("depth", "--limit depth: write NAME=N, with a whole number"),
        ("depth=-3", "--limit depth=-3: write NAME=N, with a whole number"),
        ("depth=0", "--limit depth=0: give a whole number of at least 1"),
        ("depth=" + "9" * 5000, "write NAME=N, with a whole number"),
    ],
)
def test_what_is_no_limit_is_refused(folder, given, line):
    assert line in error_of("rules", folder / "two.rekern", "--limit", given)


def test_a_limit_without_a_model_is_refused():
    assert "give it with --model" in error_of("question", "why?", "--limit", "depth=200")
    assert "give it with --model" in error_of("ask", "why?", "--limit", "depth=200")


def test_a_grammar_beyond_the_limits_says_how_to_raise_them(tmp_path):
    (tmp_path / "g.txt").write_text("Query -> answer({X}) := SELECT {1}\nX -> x := 1\nX -> y := 2\n")
    (tmp_path / "q.tsv").write_text("question\tmeaning\nwhat is x\tanswer(x)\nwhat is y\tanswer(y)\n")
    (tmp_path / "a.db").write_bytes(b"")
    command = ("ask", "what is x", "--train", tmp_path / "q.tsv", "--grammar", tmp_path / "g.txt")
    said = error_of(*command, "--db", tmp_path / "a.db", "--limit", "productions=2")
    assert said.endswith(
        "g.txt: there are 3 productions; the limit is 2: "
        "read_grammar(path, limits=ModelLimits(productions=3)), or --limit productions=3"
    )
