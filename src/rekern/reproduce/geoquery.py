"""GeoQuery: Table 1 of "A Dependency-based Word Subsequence Kernel" (Kate, EMNLP 2008), with executed answers."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from rekern.datasets.corpora import DataPath, data_directory
from rekern.errors import InputError
from rekern.krisp.geobase import Geobase
from rekern.krisp.grammar import Grammar, read_grammar
from rekern.krisp.grammarfiles import read_phrases
from rekern.reproduce.semantic import Corpus, as_text, bounded, chosen, draw, experiment, read_rows
from rekern.structures.parsers.cache import cache_folder

__all__ = ["as_text", "draw", "geoquery", "load_geoquery"]

KERNELS = ("dependency", "word", "syntactic")
SIZES = (40, 80, 160, 320, 640, 792)
PUBLISHED = {
    "dependency": (25.62, 45.30, 63.78, 72.44, 77.32, 79.79),
    "word": (21.51, 42.77, 61.22, 70.36, 77.82, 79.09),
    "syntactic": (23.65, 43.14, 59.66, 67.05, 74.26, 76.62),
}
# Other words for the names of GeoQuery's list, which has "usa" only.
COUNTRY = ("us", "u.s.", "u.s.a.", "united states", "united states of america", "america", "country")
# What differs from the parser's defaults. Chosen on the training parts of folds 0 and 5 of run 0 alone, by training on
# 600 of their 792 examples and parsing the other 192: best F 80.4 on average, with the default threshold 77.0.
SETTINGS: dict[str, dict[str, Any]] = {"dependency": {"threshold": 0.02}}


def geoquery(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    kernel: str | None = None,
    train: str | None = None,
    runs: int | None = None,
    folds: int | None = None,
) -> dict[str, Any]:
    """Best F by kernel and number of training examples. Finished folds are kept in ``out``, or in the cache folder."""
    corpus = load_geoquery(data)
    kernels, sizes = chosen(kernel, train, corpus.sizes(), KERNELS)
    sizes = sizes if train else list(SIZES)
    work = out / "folds" if out is not None else cache_folder() / "reproduce"
    published = {(name, size): f for name, row in PUBLISHED.items() for size, f in zip(SIZES, row)}
    run_count, fold_count = bounded("runs", runs, len(corpus.splits), 1), bounded("folds", folds, 10, 10)
    settings = {name: SETTINGS.get(name, {}) for name in kernels}
    return experiment(corpus, kernels, sizes, run_count, fold_count, settings, published, work, n_jobs)


def load_geoquery(data: DataPath = None) -> Corpus:
    """The 880 questions with their trees and meanings; a meaning is correct if it has the known one's answer."""
    folder = data_directory(data) / "geoquery"
    rows = {int(row["id"]): row for row in read_rows(folder / "geo880.jsonl")}
    meanings = {number: row["funql"] for number, row in rows.items()}
    base = Geobase(folder)

    def correct(number: int, meaning: str) -> bool:
        if meaning == meanings[number]:
            return True
        try:
            return base.answer(meaning) == base.answer(meanings[number])
        except InputError:  # a query that takes too long, say
            return False

    with gzip.open(folder / "splits_880_10runs_10folds.json.gz", "rt", encoding="utf-8") as stream:
        splits = json.load(stream)
    return Corpus(
        "geoquery",
        geoquery_grammar(folder),
        {number: row["question"] for number, row in rows.items()},
        meanings,
        {number: row["syntax"] for number, row in rows.items()},
        {number: row["mr_parse"] for number, row in rows.items()},
        splits,
        correct,
        [folder / "geo880.jsonl", folder / "mrl-grammar.txt", folder / "entity-names.txt"],
    )


def geoquery_grammar(folder: Path) -> Grammar:
    """The grammar with the phrases of the list of names; a state's name also stands for its abbreviation."""
    facts = read_rows(folder / "geobase.jsonl")
    states = {fact["args"][0]: fact["args"][1] for fact in facts if fact["pred"] == "state"}
    lines = (folder / "entity-names.txt").read_text(encoding="utf-8").splitlines()
    grammar = read_phrases(read_grammar(folder / "mrl-grammar.txt"), lines, {"StateAbbrev": states})
    productions = tuple(
        replace(p, phrases=(*p.phrases, *COUNTRY)) if p.left == "CountryName" else p for p in grammar.productions
    )
    return replace(grammar, productions=productions)
