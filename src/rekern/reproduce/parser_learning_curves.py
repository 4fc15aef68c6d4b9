"""Learning curves of semantic parsers: folds that are trained once and kept, precision, recall and the best F.

What a finished fold predicted is written to a file at once, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rekern.core.cache_folder import cache_folder
from rekern.core.files import write_atomically
from rekern.core.progress import track
from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.source_digest import digest_source

KERNELS = ("dependency", "word", "syntactic")
SUMS = ("dependency+word", "dependency+syntactic", "word+syntactic", "dependency+word+syntactic")
CHOSEN = "chosen"  # among all of these, in each fold for itself, by its training part alone
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito's
Predicted = tuple[int, str | None, float]  # of one sentence: its number, the meaning, its mean probability


@dataclass
class Corpus:
    """Sentences with trees, meanings and derivations, a grammar, and the folds: ``splits[run][fold][part]``."""

    name: str
    grammar: Grammar
    sentences: dict[int, str]
    meanings: dict[int, str]
    trees: dict[int, str]
    productions: dict[int, list[str]]
    splits: dict[str, dict[str, dict[str, list[int]]]]
    correct: Callable[[int, str], bool]  # whether a meaning is as good as the known one
    files: list[Path] = field(default_factory=list)

    def sizes(self) -> list[int]:
        """The numbers of training examples that the folds come with.

        They are named as in ``train-N40``.
        """
        fold = self.splits["run-0"]["fold-0"]
        return sorted(int(part.removeprefix("train-N")) for part in fold if part.startswith("train-N"))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON Lines file."""
    if not path.is_file():
        raise InputError(f"{path} is missing: give the folder with the corpora by --data DIR (data=) or REKERN_DATA")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def learning_curves(
    corpus: Corpus,
    sizes: Sequence[int],
    settings: dict[str, Any],
    published: dict[tuple[str, int], float],
    out: Path | None,
    n_jobs: int | None,
    kernel: str | None,
    train: str | None,
    runs: int | None,
    folds: int | None,
) -> dict[str, Any]:
    """The `experiment` that the options of a reproduction ask for; ``sizes`` are those of its table."""
    kernels, asked = chosen(kernel, train, corpus.sizes(), KERNELS)
    work = out / "folds" if out is not None else cache_folder() / "reproduce"
    run_count, fold_count = bounded("runs", runs, len(corpus.splits), 1), bounded("folds", folds, 10, 10)
    wanted = asked if train else sizes
    return experiment(corpus, kernels, wanted, run_count, fold_count, settings, published, work, n_jobs)


def experiment(
    corpus: Corpus,
    kernels: Sequence[str],
    sizes: Sequence[int],
    runs: int,
    folds: int,
    settings: dict[str, Any],
    published: dict[tuple[str, int], float],
    work: Path,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """All rows of the table, with the curves behind them and the tests between them; see `measures` for a row.

    ``settings`` are the parameters of the parser; ``work`` is where finished folds are kept.
    """
    tasks = list(product(kernels, sizes, range(runs), range(folds)))
    found: dict[tuple[str, int], list[list[list[Predicted]]]] = {}
    choices = []
    for kernel, size, run, fold in track(tasks, len(tasks), "folds"):
        per_run = found.setdefault((kernel, size), [[] for _ in range(runs)])
        used, predicted = _fold(corpus, kernel, size, run, fold, settings, work, n_jobs)
        per_run[run].append(predicted)
        if kernel == CHOSEN:
            choices.append({"train": size, "run": run, "fold": fold, "kernel": used})
    rows, curves = [], []
    for (kernel, size), per_run in found.items():
        each = [measures(corpus, [one for part in parts for one in part]) for parts in per_run]
        mean = {name: round(float(np.mean([row[name] for row in each])), 2) for name in each[0]}
        rows.append({"kernel": kernel, "train": size, **mean, "published": published.get((kernel, size))})
        if size == max(sizes):
            pooled = [one for parts in per_run for part in parts for one in part]
            curves.append({"kernel": kernel, "train": size, "points": curve(corpus, pooled)})
    return {
        "rows": rows,
        "curves": curves,
        "tests": _tests(corpus, found, kernels, sizes),
        "choices": choices,
        "settings": settings,
        "runs": runs,
        "folds": folds,
    }


def _fold(
    corpus: Corpus,
    kernel: str,
    size: int,
    run: int,
    fold: int,
    settings: dict[str, Any],
    work: Path,
    n_jobs: int | None,
) -> tuple[str, list[Predicted]]:
    """A kernel and what the parser predicts for one fold, from the file of an earlier run if the code is the same."""
    path = work / f"{corpus.name}-{kernel}-{size}-run{run}-fold{fold}-{_mark(settings, corpus.files)}.json"
    if path.is_file():
        kept = json.loads(path.read_text(encoding="utf-8"))
        return kept["kernel"], [(int(number), meaning, float(value)) for number, meaning, value in kept["predicted"]]
    part = corpus.splits[f"run-{run}"][f"fold-{fold}"]
    train = part[f"train-N{size}"]
    used = choose(corpus, (*KERNELS, *SUMS), train, settings, n_jobs) if kernel == CHOSEN else kernel
    predicted = train_and_parse(corpus, used, train, part["test"], settings, n_jobs)
    work.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps({"kernel": used, "predicted": predicted}), encoding="utf-8")
    return used, predicted


def choose(
    corpus: Corpus,
    kernels: Sequence[str],
    train: Sequence[int],
    settings: dict[str, Any],
    n_jobs: int | None = None,
) -> str:
    """The kernel with the best F on every fourth of some sentences, when it learns from the others."""
    judged, learned = train[::4], [number for place, number in enumerate(train) if place % 4]
    found = [measures(corpus, train_and_parse(corpus, k, learned, judged, settings, n_jobs))["f"] for k in kernels]
    return kernels[int(np.argmax(found))]


def train_and_parse(
    corpus: Corpus,
    kernel: str,
    train: Sequence[int],
    test: Sequence[int],
    settings: dict[str, Any],
    n_jobs: int | None = None,
) -> list[Predicted]:
    """What a parser trained on some sentences predicts for others."""
    from rekern.krisp import SemanticParser

    parser = SemanticParser(corpus.grammar, kernel=kernel, n_jobs=n_jobs, **settings)
    parser.fit(
        [corpus.sentences[number] for number in train],
        [corpus.meanings[number] for number in train],
        [corpus.trees[number] for number in train],
        [corpus.productions[number] for number in train],
    )
    readings = parser.parse_all([corpus.sentences[n] for n in test], [corpus.trees[n] for n in test], 1)
    return [
        (number, found[0].meaning, round(found[0].mean_probability, 6)) if found else (number, None, 0.0)
        for number, found in zip(test, readings)
    ]


def _mark(settings: dict[str, Any], files: Iterable[Path]) -> str:
    """Tells folds apart that were trained with other settings, another version of the code, or other data."""
    return digest_source([json.dumps(settings, sort_keys=True), *(p.read_text("utf-8") for p in files)])


def curve(corpus: Corpus, predicted: Sequence[Predicted], exact: bool = False) -> list[tuple[float, float]]:
    """Precision and recall, in per cent, at every threshold of the mean probability, the highest first."""
    ordered = sorted((one for one in predicted if one[1] is not None), key=lambda one: -one[2])
    points = []
    right = 0
    for place, (number, meaning, value) in enumerate(ordered, 1):
        assert meaning is not None
        right += meaning == corpus.meanings[number] if exact else corpus.correct(number, meaning)
        if place == len(ordered) or ordered[place][2] < value:  # equal ones stand or fall together
            points.append((round(100 * right / place, 2), round(100 * right / len(predicted), 2)))
    return points


def best(points: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """The best F over the threshold, with its precision and recall.

    >>> best([(100.0, 50.0), (80.0, 80.0), (70.0, 82.0)])
    (80.0, 80.0, 80.0)
    """
    found = [(2 * p * r / (p + r) if p + r else 0.0, p, r) for p, r in points]
    return max(found, default=(0.0, 0.0, 0.0))


def measures(corpus: Corpus, predicted: Sequence[Predicted]) -> dict[str, float]:
    """Best F, its precision and recall, by executed answers (or what else is correct), and by equal meanings.

    ``accuracy`` is the share of sentences whose best reading is correct, whatever its probability.
    """
    points = curve(corpus, predicted)
    f, precision, recall = best(points)
    exact = best(curve(corpus, predicted, exact=True))[0]
    accuracy = points[-1][1] if points else 0.0
    return {"precision": precision, "recall": recall, "f": f, "f_exact": exact, "accuracy": accuracy}


def _tests(
    corpus: Corpus,
    found: dict[tuple[str, int], list[list[list[Predicted]]]],
    kernels: Sequence[str],
    sizes: Sequence[int],
) -> list[dict[str, Any]]:
    """Paired t-tests between kernels over the folds, of the best F of each fold."""
    from scipy.stats import ttest_rel

    tests = []
    for size in sizes:
        for place, one in enumerate(kernels):
            for other in kernels[place + 1 :]:
                pairs = [
                    [best(curve(corpus, part))[0] for parts in found[(kernel, size)] for part in parts]
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


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """The learning curve and the precision-recall curves, as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    name = result["name"]
    kernels = list(dict.fromkeys(row["kernel"] for row in result["rows"]))
    files = [folder / f"{name}-learning-curve.png", folder / f"{name}-precision-recall.png"]
    for path, kind in zip(files, ("learning", "curves")):
        figure, panel = pyplot.subplots(figsize=(6.4, 4.4))
        for kernel, colour in zip(kernels, COLOURS * len(kernels)):
            if kind == "learning":
                rows = [row for row in result["rows"] if row["kernel"] == kernel]
                panel.plot([r["train"] for r in rows], [r["f"] for r in rows], "o-", color=colour, label=kernel)
                known = [row for row in rows if row["published"] is not None]
                panel.plot([r["train"] for r in known], [r["published"] for r in known], "--", color=colour)
            else:
                points = next(found["points"] for found in result["curves"] if found["kernel"] == kernel)
                panel.plot([recall for _, recall in points], [p for p, _ in points], color=colour, label=kernel)
        panel.set_xlabel("training examples" if kind == "learning" else "recall (%)")
        panel.set_ylabel("best F (%); dashed: published" if kind == "learning" else "precision (%)")
        panel.legend(frameon=False)
        figure.tight_layout()
        with write_atomically(path) as temporary:
            figure.savefig(temporary, dpi=150)
        pyplot.close(figure)
    return files


def as_text(result: dict[str, Any]) -> str:
    """The rows and the tests as text."""
    from rekern.reproduce import NAMES
    from rekern.reproduce.text_tables import table

    columns = ("kernel", "train", "precision", "recall", "f", "f_exact", "accuracy", "published")
    parts = [f"{result['name']}: {NAMES[result['name']]}", table(result["rows"], columns)]
    if result["tests"]:
        shown = [{**test, "kernels": " - ".join(test["kernels"])} for test in result["tests"]]
        parts.append("paired t-tests over the folds\n" + table(shown, ("train", "kernels", "difference", "p"), 4))
    if "files" in result:
        parts.append("\n".join(f"written: {path}" for path in result["files"]))
    for size in dict.fromkeys(choice["train"] for choice in result["choices"]):
        counts = Counter(choice["kernel"] for choice in result["choices"] if choice["train"] == size)
        listed = ", ".join(f"{kernel} ({number})" for kernel, number in counts.most_common())
        parts.append(f"chosen at {size} examples, by the training part of each fold: {listed}")
    parts.append(f"{result['runs']} runs of {result['folds']} folds, {result['seconds']:.1f} seconds")
    return "\n\n".join(parts)


def chosen(kernel: Any, train: Any, sizes: Sequence[int], kernels: Sequence[str]) -> tuple[list[str], list[int]]:
    """The kernels and sizes that options ask for; all of them by default.

    >>> chosen("word,word+dependency", "40", [10, 40], ["word"])
    (['word', 'word+dependency'], [40])
    """
    from rekern.krisp.substring_kernels import make_substring_kernel

    wanted = [name.strip() for name in str(kernel).split(",")] if kernel else list(kernels)
    for name in wanted:
        if name != CHOSEN:
            make_substring_kernel(name)
    if not train:
        return wanted, list(sizes)
    listed = [part.strip() for part in str(train).split(",")]
    for part in listed:
        if not part.isdigit() or int(part) not in sizes:
            raise InputError(f"--train {part}: choose among {', '.join(map(str, sizes))}")
    return wanted, [int(part) for part in listed]


def bounded(name: str, value: int | None, most: int, default: int) -> int:
    """A number of runs or folds within what the data has."""
    if value is None:
        return default
    if not 1 <= value <= most:
        raise InputError(f"--{name} {value}: the data has {most}, choose 1 to {most}")
    return value
