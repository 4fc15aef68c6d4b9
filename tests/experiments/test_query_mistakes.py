"""Mistakes of a parser in folds of a training part: which sentences are parsed, and what is counted and written."""

import json

import pytest

from experiments import query_mistakes, runs
from experiments.parser_learning_curves import ParsingCorpus
from experiments.query_mistakes import CONFIDENCES, CORPORA, KERNELS, KINDS, divide_training_part
from rekern.errors import InputError


@pytest.fixture
def small(grammar, questions, monkeypatch):
    """A corpus in the place of GeoQuery, whose last questions are the test part."""
    sentences, meanings = questions
    numbers = range(len(sentences))
    trees = {n: "(S " + " ".join(f"(X {word})" for word in sentences[n].split()) + ")" for n in numbers}
    productions = {n: [str(p) for p in grammar.parse(meanings[n]).productions()] for n in numbers}
    fold = {"test": [*numbers][-3:], "train-N4": [*numbers][:4], "train-N12": [*numbers][:-3]}
    corpus = ParsingCorpus(
        "geoquery",
        grammar,
        dict(enumerate(sentences)),
        dict(enumerate(meanings)),
        trees,
        productions,
        {"run-0": {"fold-0": fold}},
        lambda number, meaning: meaning == meanings[number],
    )
    monkeypatch.setitem(CORPORA, "geoquery", (lambda data: corpus, {"rounds": 1}))
    return corpus


def test_only_the_training_part_is_divided(small):
    part = small.splits["run-0"]["fold-0"]
    folds = divide_training_part(small).splits["run-0"].values()
    assert sorted(n for fold in folds for n in fold["test"]) == part["train-N12"]
    for fold in folds:
        ((name, train),) = ((name, numbers) for name, numbers in fold.items() if name != "test")
        assert name == f"train-N{len(train)}" and sorted(train + fold["test"]) == part["train-N12"]


def test_mistakes_are_counted_and_written(small, tmp_path):
    result = runs.run("query-mistakes", out=tmp_path, only="geoquery", kernel="word,syntactic")
    rows = {(row["kernel"], row["kind"]): row for row in result["rows"]}
    for kernel in ("word", "syntactic"):
        whole = rows[kernel, "all"]
        assert whole["sentences"] == 12 and all((kernel, kind) in rows for kind in KINDS["geoquery"])
        found = map(json.loads, (tmp_path / f"mistakes-geoquery-{kernel}.jsonl").read_text().splitlines())
        wrong = [row for row in found if row["reading"] != row["meaning"]]
        assert len(wrong) == whole["mistakes"] > 0
        assert sum(not row["reading"] for row in wrong) == rows[kernel, "no reading at all"]["mistakes"]
        answered = [rows[kernel, kind] for kind in ("no reading at all", *CONFIDENCES)]
        assert [sum(row[count] for row in answered) for count in ("sentences", "mistakes")] == [12, whole["mistakes"]]
        assert {row["sentence"] for row in wrong} <= set(list(small.sentences.values())[:-3])
    assert "syntactic" in runs.render(result)


def test_the_ranking_parser_is_the_default(small, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(query_mistakes, "run_fold", lambda *call: asked.append(call[1]) or ("", []))
    runs.run("query-mistakes", out=tmp_path, only="geoquery")
    assert asked == [KERNELS["geoquery"]] * 4
    with pytest.raises(InputError, match="there is no corpus 'msrp': choose geoquery, clang"):
        runs.run("query-mistakes", only="msrp")
