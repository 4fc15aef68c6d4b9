"""Learning curves of semantic parsers: precision, recall and the best F by kernel and number of training examples.

The predictions of each fold are written to a file as soon as it is finished, so that an interrupted run can resume.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypedDict

import joblib
import numpy as np
from scipy.stats import ttest_rel

import rekern
from rekern.core.cache_folder import cache_folder
from rekern.core.files import write_atomically
from rekern.core.json_values import JsonObject
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.reading import Reading
from rekern.krisp.semantic_parser import DEFAULT, SemanticParser
from rekern.krisp.substring_kernels import make_substring_kernel

KERNELS = ("dependency", "word", "syntactic")
SUMS = ("dependency+word", "dependency+syntactic", "word+syntactic", "dependency+word+syntactic")
CHOSEN = "chosen"  # the kernel that the training part of each fold chooses among all of these
RANKED = "ranked"  # the sum of all kernels, by a parser that learns to rank its readings; ranked-KERNEL: another one
RANKING_FOLDS = 4


class Prediction(NamedTuple):
    """The best reading of a sentence: the number of the sentence, the meaning (None if there is none), its score."""

    number: int
    meaning: str | None
    score: float


class Point(NamedTuple):
    """Precision and recall, in per cent, at one threshold of the score."""

    precision: float
    recall: float


class BestPoint(NamedTuple):
    """The best F over all thresholds, with its precision and recall."""

    f: float
    precision: float
    recall: float


FoldPredictions = dict[tuple[str, int], list[list[list[Prediction]]]]  # (kernel, size) -> run -> fold


class CurveOptions(TypedDict, total=False):
    """The options of a reproduction: kernels and numbers of training examples, by commas; the runs and the folds."""

    kernel: str | None
    train: str | int | None
    runs: int | None
    folds: int | None


@dataclass
class ParsingCorpus:
    """Sentences with trees, meanings and derivations, a grammar, and the folds: ``splits[run][fold][part]``."""

    name: str
    grammar: Grammar
    sentences: dict[int, str]
    meanings: dict[int, str]
    trees: dict[int, str]
    productions: dict[int, list[str]]
    splits: dict[str, dict[str, dict[str, list[int]]]]
    is_correct: Callable[[int, str], bool]  # whether a meaning is as good as the known one
    files: list[Path] = field(default_factory=list)

    def sizes(self) -> list[int]:
        """List the numbers of training examples of the folds, whose parts have names such as ``train-N40``."""
        fold = self.splits["run-0"]["fold-0"]
        return sorted(int(part.removeprefix("train-N")) for part in fold if part.startswith("train-N"))


def read_rows(path: Path) -> list[JsonObject]:
    """Read the lines of a JSON Lines file."""
    if not path.is_file():
        reason = f"{path} is missing: give the folder with the corpora by --data DIR (data=) or REKERN_DATA"
        raise InputError(reason, file=str(path), names_file=True)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def run_learning_curves(
    corpus: ParsingCorpus,
    sizes: Sequence[int],
    settings: JsonObject,
    published: dict[tuple[str, int], float],
    out: Path | None,
    n_jobs: int | None,
    kernel: str | None = None,
    train: str | int | None = None,
    runs: int | None = None,
    folds: int | None = None,
) -> JsonObject:
    """Run `measure_learning_curves` with the options of a reproduction; ``sizes`` are those of the published table."""
    kernels, asked = read_options(kernel, train, corpus.sizes(), KERNELS)
    work = out / "folds" if out is not None else cache_folder() / "experiments"
    most = len(corpus.splits["run-0"])
    n_runs, n_folds = check_limit("runs", runs, len(corpus.splits), 1), check_limit("folds", folds, most, most)
    wanted = asked if train else sizes
    return measure_learning_curves(corpus, kernels, wanted, n_runs, n_folds, settings, published, work, n_jobs)


def measure_learning_curves(
    corpus: ParsingCorpus,
    kernels: Sequence[str],
    sizes: Sequence[int],
    runs: int,
    folds: int,
    settings: JsonObject,
    published: dict[tuple[str, int], float],
    work: Path,
    n_jobs: int | None = None,
) -> JsonObject:
    """Measure all rows of the table, the curves of precision and recall, and tests between kernels.

    ``settings`` are the parameters of the parser, ``work`` is the folder for finished folds. See `measure_predictions`
    for the measures of a row.
    """
    tasks = list(product(kernels, sizes, range(runs), range(folds)))
    found: FoldPredictions = {}
    choices = []
    for kernel, size, run, fold in track(tasks, len(tasks), "folds"):
        per_run = found.setdefault((kernel, size), [[] for _ in range(runs)])
        used, predicted = run_fold(corpus, kernel, size, run, fold, settings, work, n_jobs)
        per_run[run].append(predicted)
        if kernel == CHOSEN:
            choices.append({"train": size, "run": run, "fold": fold, "kernel": used})
    rows, curves = [], []
    for (kernel, size), per_run in found.items():
        each = [measure_predictions(corpus, [one for part in parts for one in part]) for parts in per_run]
        mean = {name: round(float(np.mean([row[name] for row in each])), 2) for name in each[0]}
        rows.append({"kernel": kernel, "train": size, **mean, "published": published.get((kernel, size))})
        if size == max(sizes):
            pooled = [one for parts in per_run for part in parts for one in part]
            curves.append({"kernel": kernel, "train": size, "points": compute_curve(corpus, pooled)})
    return {
        "rows": rows,
        "curves": curves,
        "tests": _compare_kernels(corpus, found, kernels, sizes),
        "choices": choices,
        "settings": settings,
        "questions": sum(len(corpus.splits["run-0"][f"fold-{fold}"]["test"]) for fold in range(folds)),
        "runs": runs,
        "folds": folds,
    }


def run_fold(
    corpus: ParsingCorpus,
    kernel: str,
    size: int,
    run: int,
    fold: int,
    settings: JsonObject,
    work: Path,
    n_jobs: int | None,
) -> tuple[str, list[Prediction]]:
    """Return the kernel and the predictions of one fold, from the file of an earlier run if the code is the same."""
    path = work / f"{corpus.name}-{kernel}-{size}-run{run}-fold{fold}-{_compute_key(settings, corpus.files)}.json"
    if path.is_file():
        kept = json.loads(path.read_text(encoding="utf-8"))
        predictions = [Prediction(int(number), meaning, float(score)) for number, meaning, score in kept["predicted"]]
        return kept["kernel"], predictions
    part = corpus.splits[f"run-{run}"][f"fold-{fold}"]
    train = part[f"train-N{size}"]
    used, settings = find_parser_settings(kernel, settings)
    if kernel == CHOSEN:
        used = choose_kernel(corpus, (*KERNELS, *SUMS), train, settings, n_jobs)
    predicted = train_and_parse(corpus, used, train, part["test"], settings, n_jobs)
    work.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps({"kernel": used, "predicted": predicted}), encoding="utf-8")
    return used, predicted


def find_parser_settings(name: str, settings: JsonObject) -> tuple[str, JsonObject]:
    """Return the kernel and the settings of a parser from its name; "ranked" and "ranked-word" rank their readings.

    >>> find_parser_settings("word", {"stems": True}), find_parser_settings("ranked-word", {})
    (('word', {'stems': True}), ('word', {'ranking': 4}))
    """
    if not name.startswith(RANKED):
        return name, settings
    return name.removeprefix(RANKED).removeprefix("-") or SUMS[-1], {**settings, "ranking": RANKING_FOLDS}


def choose_kernel(
    corpus: ParsingCorpus,
    kernels: Sequence[str],
    train: Sequence[int],
    settings: JsonObject,
    n_jobs: int | None = None,
) -> str:
    """Choose the kernel with the best F on every fourth training sentence, trained on the others."""
    held_out, rest = train[::4], [number for place, number in enumerate(train) if place % 4]
    predictions = [train_and_parse(corpus, kernel, rest, held_out, settings, n_jobs) for kernel in kernels]
    return kernels[int(np.argmax([measure_predictions(corpus, found)["f"] for found in predictions]))]


def train_and_parse(
    corpus: ParsingCorpus,
    kernel: str,
    train: Sequence[int],
    test: Sequence[int],
    settings: JsonObject,
    n_jobs: int | None = None,
) -> list[Prediction]:
    """Train a parser on some sentences and return its predictions for others."""
    parser = SemanticParser(corpus.grammar, kernel=kernel, n_jobs=n_jobs, **settings)
    parser.fit(
        [corpus.sentences[number] for number in train],
        [corpus.meanings[number] for number in train],
        [corpus.trees[number] for number in train],
        [corpus.productions[number] for number in train],
    )
    readings = parser.parse_all([corpus.sentences[n] for n in test], [corpus.trees[n] for n in test], 1)
    return [
        Prediction(number, found[0].meaning, round(_find_score(found[0]), 6))
        if found
        else Prediction(number, None, 0.0)
        for number, found in zip(test, readings)
    ]


def _find_score(reading: Reading) -> float:
    """The confidence of a reading, or its mean probability if the parser does not rank readings."""
    return reading.mean_probability if reading.confidence is None else reading.confidence


def _compute_key(settings: JsonObject, files: Iterable[Path]) -> str:
    """Compute a key that differs for other settings, another version of the code, or other data."""
    sources = sorted(Path(rekern.__file__).parent.rglob("*.py"))
    return str(
        joblib.hash([json.dumps(settings, sort_keys=True), [path.read_text("utf-8") for path in [*sources, *files]]])
    )


def compute_curve(corpus: ParsingCorpus, predicted: Sequence[Prediction], exact: bool = False) -> list[Point]:
    """Compute precision and recall, in per cent, at every threshold of the score, the highest first.

    With ``exact`` only the known meaning itself is correct.
    """
    ordered = sorted((one for one in predicted if one.meaning is not None), key=lambda one: -one.score)
    points = []
    right = 0
    for place, (number, meaning, score) in enumerate(ordered, 1):
        assert meaning is not None
        right += meaning == corpus.meanings[number] if exact else corpus.is_correct(number, meaning)
        if place == len(ordered) or ordered[place].score < score:  # predictions of equal score are not separated
            points.append(Point(round(100 * right / place, 2), round(100 * right / len(predicted), 2)))
    return points


def find_best_point(points: Sequence[Point]) -> BestPoint:
    """Find the best F over all thresholds.

    >>> find_best_point([Point(100.0, 50.0), Point(80.0, 80.0), Point(70.0, 82.0)])
    BestPoint(f=80.0, precision=80.0, recall=80.0)
    """
    found = [BestPoint(2 * p * r / (p + r) if p + r else 0.0, p, r) for p, r in points]
    return max(found, default=BestPoint(0.0, 0.0, 0.0))


def measure_predictions(corpus: ParsingCorpus, predicted: Sequence[Prediction]) -> dict[str, float]:
    """Measure the best F, its precision and recall; the best F by equal meanings (``f_exact``); and the accuracy.

    ``accuracy`` is the share of sentences whose best reading is correct, whatever its score.
    """
    points = compute_curve(corpus, predicted)
    f, precision, recall = find_best_point(points)
    exact = find_best_point(compute_curve(corpus, predicted, exact=True)).f
    accuracy = points[-1].recall if points else 0.0
    return {"precision": precision, "recall": recall, "f": f, "f_exact": exact, "accuracy": accuracy}


def _compare_kernels(
    corpus: ParsingCorpus, found: FoldPredictions, kernels: Sequence[str], sizes: Sequence[int]
) -> list[JsonObject]:
    """Compare kernels by paired t-tests over the folds, on the best F of each fold."""
    tests = []
    for size in sizes:
        for place, one in enumerate(kernels):
            for other in kernels[place + 1 :]:
                pairs = [
                    [
                        find_best_point(compute_curve(corpus, part)).f
                        for parts in found[(kernel, size)]
                        for part in parts
                    ]
                    for kernel in (one, other)
                ]
                if len(pairs[0]) < 2:
                    continue
                same = bool(np.allclose(pairs[0], pairs[1]))
                p = 1.0 if same else float(ttest_rel(pairs[0], pairs[1]).pvalue)
                difference = float(np.mean(pairs[0]) - np.mean(pairs[1]))
                tests.append(
                    {"train": size, "kernels": [one, other], "difference": round(difference, 2), "p": round(p, 4)}
                )
    return tests


def read_options(
    kernel: str | None, train: str | int | None, sizes: Sequence[int], kernels: Sequence[str]
) -> tuple[list[str], list[int]]:
    """Read the kernels and the sizes from options, separated by commas; all of them by default.

    >>> read_options("word,word+dependency", "40", [10, 40], ["word"])
    (['word', 'word+dependency'], [40])
    """
    wanted = [name.strip() for name in str(kernel).split(",")] if kernel else list(kernels)
    for name in wanted:
        if name not in (CHOSEN, DEFAULT):  # what these stand for depends on the sentences
            make_substring_kernel(find_parser_settings(name, {})[0])
    if not train:
        return wanted, list(sizes)
    listed = [part.strip() for part in str(train).split(",")]
    for part in listed:
        if not part.isdigit() or int(part) not in sizes:
            raise InputError(f"--train {part}: choose among {', '.join(map(str, sizes))}")
    return wanted, [int(part) for part in listed]


def check_limit(name: str, value: int | None, most: int, default: int) -> int:
    """Check that a number of runs or folds is not more than the data has."""
    if value is None:
        return default
    if not 1 <= value <= most:
        raise InputError(f"--{name} {value}: the data has {most}, choose 1 to {most}")
    return value
