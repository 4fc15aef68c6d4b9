"""CLang, the coach language of RoboCup: instructions to a team, learned in the same way as GeoQuery's questions."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Unpack

from experiments.corpora import DataPath, data_directory
from experiments.geoquery.wasp_files import read_wasp_grammar, rewrite_production
from experiments.parser_learning_curves import CurveOptions, ParsingCorpus, read_rows, run_learning_curves
from rekern.core.json_values import JsonObject

# Productions whose arguments may change places, as the grammar of the corpus marks them (``reorder-args``). Numbers in
# {} may change places, too.
COMMUTATIVE = frozenset(["and", "or", "+", "*", "rec", "tri", "reg"])
SETTINGS: JsonObject = {}


def run_clang(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, **options: Unpack[CurveOptions]
) -> JsonObject:
    """Measure the best F by kernel and number of training examples.

    A meaning is correct if it equals the known one, up to the order of the arguments of commutative operators.
    """
    corpus = load_clang(data)
    return run_learning_curves(corpus, corpus.sizes()[-1:], SETTINGS, {}, out, n_jobs, **options)


def unwrap_meaning(meaning: str) -> str:
    """Remove the wrapper that names a rule, and spaces before closing brackets.

    >>> unwrap_meaning("(definerule R1 direc ((true) (do (player our {5}) (shoot) )))")
    '((true) (do (player our {5}) (shoot)))'
    """
    meaning = meaning.replace(" )", ")")
    match = re.fullmatch(r"\(definerule \S+ (?:direc|model)\s*(.*)\)", meaning)
    return match[1] if match else meaning


def shorten_numbers(text: str) -> str:
    """Write every number in its shortest form, because sentences and meanings write the same number in several ways.

    >>> shorten_numbers("(pt -13.0 0.70)"), shorten_numbers("within 1.50 meters of R2.0")
    ('(pt -13 0.7)', 'within 1.5 meters of R2.0')
    """
    number = r"(?<![\w.])(-?\d+)(?:\.0*|(\.\d*?[1-9])0*)(?![\w.])"
    return re.sub(number, lambda match: match[1] + (match[2] or ""), text)


def sort_arguments(meaning: str) -> str:
    """Put the arguments of commutative operators into one order, for comparison.

    >>> sort_arguments("((and (true) (bpos (half our))) (do (player our {5 3}) (shoot)))")
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


def load_clang(data: DataPath = None) -> ParsingCorpus:
    """Load the 300 instructions with their trees and meanings."""
    folder = data_directory(data) / "robocup_clang"
    rows = {int(row["id"]): row for row in read_rows(folder / "clang300.jsonl")}
    meanings = {number: shorten_numbers(unwrap_meaning(row["clang"])) for number, row in rows.items()}
    known = {number: sort_arguments(meaning) for number, meaning in meanings.items()}
    with gzip.open(folder / "splits_300_10runs_10folds.json.gz", "rt", encoding="utf-8") as stream:
        splits = json.load(stream)
    return ParsingCorpus(
        "clang",
        read_wasp_grammar(folder / "mrl-grammar.txt"),
        {number: shorten_numbers(row["sentence"]) for number, row in rows.items()},
        meanings,
        {number: shorten_numbers(row["syntax"]) for number, row in rows.items()},
        {
            number: [rewrite_production(shorten_numbers(line)) for line in row["mr_parse"]]
            for number, row in rows.items()
        },
        splits,
        lambda number, meaning: sort_arguments(meaning) == known[number],
        [folder / "clang300.jsonl", folder / "mrl-grammar.txt"],
    )
