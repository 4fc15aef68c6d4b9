"""CLang, the coach language of RoboCup: instructions to a team, learned as GeoQuery's questions are."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from rekern.datasets.corpora import DataPath, data_directory
from rekern.krisp.grammar import read_grammar
from rekern.reproduce.semantic import Corpus, as_text, bounded, chosen, draw, experiment, read_rows
from rekern.structures.parsers.cache import cache_folder

__all__ = ["as_text", "clang", "draw", "load_clang", "unwrapped"]

KERNELS = ("dependency", "word", "syntactic")
SETTINGS: dict[str, dict[str, Any]] = {}


def clang(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    kernel: str | None = None,
    train: str | None = None,
    runs: int | None = None,
    folds: int | None = None,
) -> dict[str, Any]:
    """Best F by kernel and number of training examples; a meaning is correct if it is the known one."""
    corpus = load_clang(data)
    kernels, sizes = chosen(kernel, train, corpus.sizes(), KERNELS)
    sizes = sizes if train else sizes[-1:]
    work = out / "folds" if out is not None else cache_folder() / "reproduce"
    run_count, fold_count = bounded("runs", runs, len(corpus.splits), 1), bounded("folds", folds, 10, 10)
    settings = {name: SETTINGS.get(name, {}) for name in kernels}
    return experiment(corpus, kernels, sizes, run_count, fold_count, settings, {}, work, n_jobs)


def unwrapped(meaning: str) -> str:
    """A meaning without the wrapper that names a rule and without blanks before closing brackets.

    >>> unwrapped("(definerule R1 direc ((true) (do (player our {5}) (shoot) )))")
    '((true) (do (player our {5}) (shoot)))'
    """
    meaning = meaning.replace(" )", ")")
    match = re.fullmatch(r"\(definerule \S+ (?:direc|model)\s*(.*)\)", meaning)
    return match[1] if match else meaning


def load_clang(data: DataPath = None) -> Corpus:
    """The 300 instructions with their trees and meanings."""
    folder = data_directory(data) / "robocup_clang"
    rows = {int(row["id"]): row for row in read_rows(folder / "clang300.jsonl")}
    meanings = {number: unwrapped(row["clang"]) for number, row in rows.items()}
    with gzip.open(folder / "splits_300_10runs_10folds.json.gz", "rt", encoding="utf-8") as stream:
        splits = json.load(stream)
    return Corpus(
        "clang",
        read_grammar(folder / "mrl-grammar.txt"),
        {number: row["sentence"] for number, row in rows.items()},
        meanings,
        {number: row["syntax"] for number, row in rows.items()},
        {number: row["mr_parse"] for number, row in rows.items()},
        splits,
        lambda number, meaning: meaning == meanings[number],
        [folder / "clang300.jsonl", folder / "mrl-grammar.txt"],
    )
