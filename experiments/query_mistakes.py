"""The mistakes of a semantic parser in folds of a training part, counted by what is special about the known meaning.

The training part is that of the first fold of GeoQuery or CLang. No fold's test part is read.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

from experiments.clang import SETTINGS as CLANG_SETTINGS
from experiments.clang import load_clang
from experiments.corpora import DataPath
from experiments.geoquery import SETTINGS as GEOQUERY_SETTINGS
from experiments.geoquery import load_geoquery
from experiments.parser_learning_curves import ParsingCorpus, Prediction, read_options, run_fold
from rekern.core.cache_folder import cache_folder
from rekern.core.json_values import JsonObject
from rekern.datasets.tables import write_table
from rekern.errors import InputError

FOLDS = 4
CORPORA = {"geoquery": (load_geoquery, GEOQUERY_SETTINGS), "clang": (load_clang, CLANG_SETTINGS)}
KERNELS = {"geoquery": "ranked", "clang": "ranked-dependency+word"}  # those of the best figures

# What may be special about a known meaning; a meaning may be of several kinds.
KINDS: dict[str, dict[str, str]] = {
    "geoquery": {
        "all": "",
        "the most or the least of something": r"\b(largest|smallest|highest|lowest|longest|shortest|most|fewest)",
        "a negation": r"\bexclude\(",
        "two conditions": r"\bintersection\(",
        "a number or a sum": r"\b(count|sum)\(",
        "a comparison": r"\b(higher|lower|longer|shorter)",
        "a population, an area or a density": r"\b(population_1|area_1|density_1|size)\b",
    },
    "clang": {
        "all": "",
        "a definition": r"\(define",
        "a condition that is always true": r"\(true\)",
        "a mode of play": r"\(playm ",
        "a negation, or an order not to do something": r"\((not|dont) ",
        "two conditions": r"\((and|or) ",
        "a part of the field": r"\((half|penalty-area|goal-area|midfield|near-goal-line|left|right)\b",
        "a point, a circle or another shape": r"\((pt|arc|rec|tri|circle) ",
    },
}
# Readings by their confidence, or by their mean probability if the parser does not rank them.
CONFIDENCES = {
    "a confidence of 0.9 or more": (0.9, math.inf),
    "a confidence from 0.5 to 0.9": (0.5, 0.9),
    "a confidence below 0.5": (-math.inf, 0.5),
}


def run_query_mistakes(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    only: str | None = None,
    kernel: str | None = None,
) -> JsonObject:
    """Parse each fourth of a training part after training on the rest, and count the mistakes.

    With ``out``, the mistakes are written there as a table. Finished folds are kept, as those of learning curves.
    """
    if only is not None and only not in CORPORA:
        raise InputError(f"there is no corpus {only!r}: choose {', '.join(CORPORA)}")
    rows = []
    for name in CORPORA if only is None else [only]:
        load, settings = CORPORA[name]
        corpus = divide_training_part(load(data))
        work = out / "folds" if out is not None else cache_folder() / "experiments"
        names, _ = read_options(kernel, None, [], [KERNELS[name]])
        for used in names:
            predicted = _parse_folds(corpus, used, settings, work, n_jobs)
            is_wrong = [one.meaning is None or not corpus.is_correct(one.number, one.meaning) for one in predicted]
            rows += _count_kinds(corpus, KINDS[name], used, predicted, is_wrong)
            if out is not None:
                wrong = [one for one, missed in zip(predicted, is_wrong) if missed]
                _write_mistakes(out / f"mistakes-{name}-{used}.jsonl", corpus, wrong)
    return {"rows": rows}


def divide_training_part(corpus: ParsingCorpus) -> ParsingCorpus:
    """Make a corpus of the training part of the first fold, divided into folds of its own."""
    part = corpus.splits["run-0"]["fold-0"][f"train-N{corpus.sizes()[-1]}"]
    folds = {}
    for fold in range(FOLDS):
        train = [number for place, number in enumerate(part) if place % FOLDS != fold]
        folds[f"fold-{fold}"] = {f"train-N{len(train)}": train, "test": part[fold::FOLDS]}
    return replace(corpus, name=f"{corpus.name}-train", splits={"run-0": folds})


def _parse_folds(
    corpus: ParsingCorpus, kernel: str, settings: JsonObject, work: Path, n_jobs: int | None
) -> list[Prediction]:
    found = []
    for fold, parts in enumerate(corpus.splits["run-0"].values()):
        (size,) = (len(numbers) for part, numbers in parts.items() if part != "test")
        found += run_fold(corpus, kernel, size, 0, fold, settings, work, n_jobs)[1]
    return found


def _count_kinds(
    corpus: ParsingCorpus, kinds: dict[str, str], kernel: str, predicted: list[Prediction], is_wrong: list[bool]
) -> list[JsonObject]:
    both = list(zip(predicted, is_wrong))
    found = {
        kind: [missed for one, missed in both if re.search(pattern, corpus.meanings[one.number])]
        for kind, pattern in kinds.items()
    }
    found["no reading at all"] = [missed for one, missed in both if one.meaning is None]
    for kind, (low, high) in CONFIDENCES.items():
        found[kind] = [missed for one, missed in both if one.meaning is not None and low <= one.score < high]
    rows: list[JsonObject] = []
    for kind, among in found.items():
        share = round(100 * sum(among) / max(len(among), 1), 1)
        rows.append({"kind": kind, "sentences": len(among), "mistakes": sum(among), "per cent": share})
    return [{"corpus": corpus.name.removesuffix("-train"), "kernel": kernel, **row} for row in rows]


def _write_mistakes(path: Path, corpus: ParsingCorpus, wrong: list[Prediction]) -> None:
    numbers = [one.number for one in wrong]
    columns: dict[str, list[object]] = {
        "number": [*numbers],
        "sentence": [corpus.sentences[number] for number in numbers],
        "meaning": [corpus.meanings[number] for number in numbers],
        "reading": [one.meaning or "" for one in wrong],
        "score": [one.score for one in wrong],
    }
    write_table(path, columns)
