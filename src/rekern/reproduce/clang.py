"""CLang, the coach language of RoboCup: instructions to a team, learned as GeoQuery's questions are."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from rekern.datasets.public_corpora import DataPath, data_directory
from rekern.krisp.grammar_files import read_grammar
from rekern.reproduce.parser_learning_curves import Corpus, as_text, draw, learning_curves, read_rows

__all__ = ["as_text", "clang", "draw", "load_clang", "unwrapped"]

# Productions whose slots may change places, as the corpus' grammar marks them (``reorder-args``); so do numbers in {}.
COMMUTATIVE = frozenset(["and", "or", "+", "*", "rec", "tri", "reg"])
SETTINGS: dict[str, Any] = {}


def clang(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    kernel: str | None = None,
    train: str | None = None,
    runs: int | None = None,
    folds: int | None = None,
) -> dict[str, Any]:
    """Best F by kernel and number of training examples.

    A meaning is correct if it is the known one, up to the order of the arguments of commutative operators.
    """
    corpus = load_clang(data)
    return learning_curves(corpus, corpus.sizes()[-1:], SETTINGS, {}, out, n_jobs, kernel, train, runs, folds)


def unwrapped(meaning: str) -> str:
    """A meaning without the wrapper that names a rule and without blanks before closing brackets.

    >>> unwrapped("(definerule R1 direc ((true) (do (player our {5}) (shoot) )))")
    '((true) (do (player our {5}) (shoot)))'
    """
    meaning = meaning.replace(" )", ")")
    match = re.fullmatch(r"\(definerule \S+ (?:direc|model)\s*(.*)\)", meaning)
    return match[1] if match else meaning


def shortened(text: str) -> str:
    """The text with every number in its shortest form: sentences and meanings write the same one in several ways.

    >>> shortened("(pt -13.0 0.70)"), shortened("within 1.50 meters of R2.0")
    ('(pt -13 0.7)', 'within 1.5 meters of R2.0')
    """
    number = r"(?<![\w.])(-?\d+)(?:\.0*|(\.\d*?[1-9])0*)(?![\w.])"
    return re.sub(number, lambda match: match[1] + (match[2] or ""), text)


def ordered(meaning: str) -> str:
    """A meaning with the arguments of commutative operators in one order, for comparison.

    >>> ordered("((and (true) (bpos (half our))) (do (player our {5 3}) (shoot)))")
    '( ( and ( bpos ( half our ) ) ( true ) ) ( do ( player our { 3 5 } ) ( shoot ) ) )'
    """
    stack: list[list[str]] = [[]]
    for token in re.findall(r"[(){}]|[^\s(){}]+", meaning):
        if token in "({":
            stack.append([token])
        elif token in ")}" and len(stack) > 1:
            found = stack.pop()
            operators = [part for part in found[1:] if part in COMMUTATIVE]
            if found[0] == "{" or operators:
                found = [found[0], *operators, *sorted(part for part in found[1:] if part not in operators)]
            stack[-1].append(" ".join([*found, token]))
        else:
            stack[-1].append(token)
    return " ".join(part for parts in stack for part in parts)


def load_clang(data: DataPath = None) -> Corpus:
    """The 300 instructions with their trees and meanings."""
    folder = data_directory(data) / "robocup_clang"
    rows = {int(row["id"]): row for row in read_rows(folder / "clang300.jsonl")}
    meanings = {number: shortened(unwrapped(row["clang"])) for number, row in rows.items()}
    known = {number: ordered(meaning) for number, meaning in meanings.items()}
    with gzip.open(folder / "splits_300_10runs_10folds.json.gz", "rt", encoding="utf-8") as stream:
        splits = json.load(stream)
    return Corpus(
        "clang",
        read_grammar(folder / "mrl-grammar.txt"),
        {number: shortened(row["sentence"]) for number, row in rows.items()},
        meanings,
        {number: shortened(row["syntax"]) for number, row in rows.items()},
        {number: list(map(shortened, row["mr_parse"])) for number, row in rows.items()},
        splits,
        lambda number, meaning: ordered(meaning) == known[number],
        [folder / "clang300.jsonl", folder / "mrl-grammar.txt"],
    )
