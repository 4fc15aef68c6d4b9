"""``rekern demo``, and the commands that it proposes."""

import importlib
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.running import error_of, invoke, json_of
from rekern.datasets import read_table


@pytest.fixture(scope="module", autouse=True)
def compare_once() -> Iterator[None]:
    """Let all demonstrations of these tests print one comparison of methods."""
    with pytest.MonkeyPatch.context() as patch:
        found: list[Any] = []
        compare = importlib.import_module("rekern.cli.demo")._compare

        def compare_once(*given: Any) -> Any:
            found.extend([] if found else [compare(*given)])
            return found[0]

        patch.setattr("rekern.cli.demo._compare", compare_once)
        yield


def test_demo_shows_everything_and_its_proposals_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = invoke("demo", "--pairs", "demo pairs").stdout
    methods = ("bag-of-words", "pr", "ps-srk", "pw-srk", "kb-srk", "kb-srk+pr")
    assert all(f"\n{method} " in text for method in methods)
    for words in ("active to passive", "It follows", "It does not follow", "which is the sum of", "demo.rekern"):
        assert words in text
    head, proposals = text.split("Try:\n")
    assert max(map(len, head.splitlines())) <= 80
    *commands, last = [shlex.split(line) for line in proposals.strip().splitlines()]
    assert last == ["rekern", "serve", "demo.rekern"]
    assert {command[1] for command in commands} == {"explain", "rules", "evaluate", "train"}
    answers = []
    for command in commands:
        assert command[0] == "rekern"
        result = invoke(*command[1:])
        answers += [line.split()[1] for line in result.stdout.splitlines() if line.startswith("answer ")]
    assert answers == ["1,", "0,"]


def test_demo_as_json(tmp_path: Path) -> None:
    report = json_of("demo", "--out", tmp_path / "m.rekern")
    accuracy = {row["method"]: row["accuracy"] for row in report["rows"]}
    assert accuracy["kb-srk"] > 85 and accuracy["kb-srk+pr"] > 85
    assert all(accuracy[method] < 65 for method in ("bag-of-words", "pr", "ps-srk", "pw-srk"))
    assert sum(kind["pairs"] for kind in report["rewritings"]) == report["test_pairs"] and report["train_pairs"] >= 1500
    assert report["explained"]["prediction"] == 1 and report["rules"]["for"] and report["rules"]["against"]
    assert report["seconds"] < 90 and [file.name for file in tmp_path.iterdir()] == ["m.rekern"]
    assert "there is no folder" in error_of("demo", "--out", tmp_path / "no" / "m.rekern")
    assert "m.rekern is a file: give a folder for the pairs" in error_of("demo", "--pairs", tmp_path / "m.rekern")


def test_only_the_pairs_are_written(tmp_path):
    shown = invoke("demo", "--pairs", tmp_path / "pairs", "--only-pairs", "-o", tmp_path / "m.rekern").stdout
    assert shown.startswith("The pairs are in ") and not (tmp_path / "m.rekern").exists()
    files = json_of("demo", "--pairs", tmp_path / "pairs", "--only-pairs")["files"]
    assert [len(read_table(file).pairs) for file in files] == [1800, 700]
    assert error_of("demo", "--only-pairs") == "--only-pairs needs a folder for the pairs: add --pairs DIR"
