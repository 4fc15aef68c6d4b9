"""GeoQuery: Table 1 of "A Dependency-based Word Subsequence Kernel" (Kate, EMNLP 2008), with executed answers."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from experiments.corpora import DataPath, data_directory
from experiments.geoquery.geobase import Geobase
from experiments.geoquery.wasp_files import read_phrases, read_wasp_grammar, rewrite_production
from experiments.parser_learning_curves import CurveOptions, ParsingCorpus, read_rows, run_learning_curves
from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.krisp.grammar import Grammar

SIZES = (40, 80, 160, 320, 640, 792)
PUBLISHED = {
    "dependency": (25.62, 45.30, 63.78, 72.44, 77.32, 79.79),
    "word": (21.51, 42.77, 61.22, 70.36, 77.82, 79.09),
    "syntactic": (23.65, 43.14, 59.66, 67.05, 74.26, 76.62),
}
# What differs from the parser's defaults, as in the embedded domain; it was chosen on the training parts of the folds.
SETTINGS: JsonObject = {"stems": True}


def run_geoquery(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, **options: Unpack[CurveOptions]
) -> JsonObject:
    """Measure the best F by kernel and number of training examples.

    Finished folds are kept in ``out``, or in the cache folder.
    """
    corpus = load_geoquery(data)
    published = {(name, size): f for name, row in PUBLISHED.items() for size, f in zip(SIZES, row)}
    return run_learning_curves(corpus, SIZES, SETTINGS, published, out, n_jobs, **options)


def run_geoquery_split(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, **options: Unpack[CurveOptions]
) -> JsonObject:
    """Measure the parsers of the usual split: 600 training questions, 280 test questions."""
    corpus = load_geoquery(data)
    path = data_directory(data) / "geoquery" / "split_600_280.json"
    parts = json.loads(path.read_text(encoding="utf-8"))
    split = {f"train-N{len(parts['train'])}": parts["train"], "test": parts["test"]}
    corpus = replace(corpus, name="geoquery-600", splits={"run-0": {"fold-0": split}})
    return run_learning_curves(corpus, corpus.sizes(), SETTINGS, {}, out, n_jobs, **options)


def load_geoquery(data: DataPath = None) -> ParsingCorpus:
    """Load the 880 questions with their trees and meanings; a meaning is correct if it has the known answer."""
    folder = data_directory(data) / "geoquery"
    rows = {int(row["id"]): row for row in read_rows(folder / "geo880.jsonl")}
    meanings = {number: row["funql"] for number, row in rows.items()}
    base = Geobase(folder)

    def is_correct(number: int, meaning: str) -> bool:
        if meaning == meanings[number]:
            return True
        try:
            return base.answer(meaning) == base.answer(meanings[number])
        except InputError:  # for example a query that takes too long
            return False

    with gzip.open(folder / "splits_880_10runs_10folds.json.gz", "rt", encoding="utf-8") as stream:
        splits = json.load(stream)
    return ParsingCorpus(
        "geoquery",
        read_geoquery_grammar(folder),
        {number: row["question"] for number, row in rows.items()},
        meanings,
        {number: row["syntax"] for number, row in rows.items()},
        {number: list(map(rewrite_production, row["mr_parse"])) for number, row in rows.items()},
        splits,
        is_correct,
        [folder / "geo880.jsonl", folder / "mrl-grammar.txt", folder / "entity-names.txt"],
    )


def read_geoquery_grammar(folder: Path) -> Grammar:
    """Read the grammar, with the phrases of the list of names; the name of a state also stands for its abbreviation."""
    facts = read_rows(folder / "geobase.jsonl")
    states = {fact["args"][0]: fact["args"][1] for fact in facts if fact["pred"] == "state"}
    lines = (folder / "entity-names.txt").read_text(encoding="utf-8").splitlines()
    return read_phrases(read_wasp_grammar(folder / "mrl-grammar.txt"), lines, {"StateAbbrev": states})
