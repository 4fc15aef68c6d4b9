"""Mistakes on held-out pairs of the training part: counted by kind and written with explanations."""

import json

import pytest

from experiments import runs
from experiments.fold_mistakes import KINDS


@pytest.mark.parametrize("name", ["paws", "stsb", "wikiqa"])
def test_mistakes_of_a_corpus(small_corpora, tmp_path, name):
    data = tmp_path / "data"
    folder = {"paws": "paws_wiki", "stsb": "sts_benchmark"}.get(name, name)
    (data / folder).mkdir(parents=True)
    for path in (small_corpora / folder).iterdir():
        if not path.name.startswith("test"):
            (data / folder / path.name).write_bytes(path.read_bytes())
    result = runs.run("mistakes", data=data, out=tmp_path / "out", only=name)
    rows = {row["kind"]: row for row in result["rows"]}
    assert set(KINDS) <= set(rows) and rows["all"]["mistakes"] <= rows["all"]["pairs"]
    lines = (tmp_path / "out" / f"mistakes-{name}.jsonl").read_text().splitlines()
    assert len(lines) == rows["all"]["mistakes"] and all(json.loads(line)["why"] for line in lines)
    assert lines or name == "wikiqa"  # its few questions may all be right
    confused = [row["mistakes"] for kind, row in rows.items() if kind not in KINDS]
    assert sum(confused) == (0 if name == "wikiqa" else len(lines))
    assert "few words shared" in runs.render(result)
