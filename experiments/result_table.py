"""One table of all tasks, collected from the files that ``python -m experiments NAME --out DIR`` writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.published_results import TASKS
from rekern.core.arrays import Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.learning.reports.intervals import Interval, find_share_interval, resample_intervals

COLUMNS = ("default", "auto", "best", "embeddings")


class Figure(NamedTuple):
    """A figure of the table: its task, its column, and what is known of it."""

    task: str
    column: str
    value: float
    low: float | None = None
    high: float | None = None
    setting: str = ""
    file: str = ""


def collect_figures(folder: str | os.PathLike[str]) -> list[Figure]:
    """Collect the figures of all result files in a folder.

    A task has one figure in a column: two files that both have it are refused, because nothing says which one counts.
    """
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        remedy = f"write some with python -m experiments NAME --out {folder}"
        raise InputError(f"there are no result files in {folder}: {remedy}")
    found: dict[tuple[str, str], Figure] = {}
    for path in paths:
        for figure in list_figures(_read_result(path)):
            known = found.setdefault((figure.task, figure.column), figure._replace(file=path.name))
            if known.file != path.name:
                reason = f"{known.file} and {path.name} both have {figure.task}, {figure.column}: remove one of them"
                raise InputError(reason, file=str(path))
    return list(found.values())


def _read_result(path: Path) -> JsonObject:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a result file: {error}", file=str(path)) from None
    return result if isinstance(result, dict) else {}


def list_figures(result: JsonObject) -> list[Figure]:
    """List the figures of one result; none for what is not in the table."""
    name = str(result.get("name"))
    if name in ("pairs", "auto", "embeddings"):
        return [figure for row in result["rows"] for figure in _list_pairs(name, row)]
    if name.startswith("structural-"):
        chosen, n = result["chosen_on_train"], result["test_pairs"]
        setting = f"{chosen['method']}, C = {chosen['C']:g}"
        return [_make_accuracy(name.removeprefix("structural-") + "-trees", "best", chosen["accuracy"], n, setting)]
    if name in ("nf-cats-focus", "trec-focus"):
        return [_list_focus(row, result["test_questions"]) for row in result["rows"] if row["chosen"]]
    if name == "questions":
        return list(_list_questions(result))
    return list(_list_curves(name, result)) if name in ("geoquery", "geoquery-600", "clang") else []


def _list_pairs(name: str, row: JsonObject) -> Iterator[Figure]:
    setting = "" if name == "embeddings" else f"{row['chosen']}, C = {row['C']:g}"
    if name == "pairs":
        yield Figure(row["corpus"], "default", row["default"])
    yield Figure(row["corpus"], {"pairs": "best"}.get(name, name), row["value"], row["low"], row["high"], setting)


def _list_focus(row: JsonObject, n: int) -> Figure:
    task = row["task"] if row["task"] in TASKS else f"trec-{row['task']}"
    return _make_accuracy(task, "best", row["accuracy"], n, f"{row['method']}, C = {row['C']:g}")


def _list_questions(result: JsonObject) -> Iterator[Figure]:
    """List the classifier of questions (Markov logic on patterns) as the default of these tasks."""
    for row in result["rows"]:
        task = row["data"].replace("/", "-").replace("_", "-")
        if row["method"] == "mss" and task in TASKS:
            yield _make_accuracy(task, "default", row["all"], result["details"][row["data"]]["test"], "mss")


def _list_curves(name: str, result: JsonObject) -> Iterator[Figure]:
    """List F, or of the one split right answers, with all training examples; the ranked parser is the best one.

    The row "default" is `rekern.SemanticParser` with its default kernel.
    """
    measure = "accuracy" if name == "geoquery-600" else "f"
    most = max(row["train"] for row in result["rows"])
    curves = {curve["kernel"]: curve["points"] for curve in result.get("curves", []) if curve["train"] == most}
    can_resample = "questions" in result and result["runs"] == 1  # the points of several runs are of the same questions
    for row in result["rows"]:
        kernel = row["kernel"].partition("-")[0]  # "ranked-dependency+word" is a ranked parser, too
        column = {"default": "default", "ranked": "best"}.get(kernel)
        if row["train"] == most and column:
            figure = Figure(name, column, row[measure], setting=row["kernel"])
            if can_resample and row["kernel"] in curves:
                low, high = resample_curve(curves[row["kernel"]], result["questions"])[measure]
                figure = figure._replace(low=round(low, 2), high=round(high, 2))
            yield figure


def _make_accuracy(task: str, column: str, accuracy: float, n: int, setting: str) -> Figure:
    """Make the figure of an accuracy, with Wilson's interval."""
    low, high = find_share_interval(round(n * accuracy / 100), n)
    return Figure(task, column, accuracy, round(100 * low, 2), round(100 * high, 2), setting)


def resample_curve(points: Iterable[Sequence[float]], questions: int) -> dict[str, Interval]:
    """Return the intervals of 95 % of the best F (``f``) and of the share of right answers (``accuracy``), in per cent.

    ``points`` are precision and recall, in per cent, at every threshold (`compute_curve`). They tell how many questions
    each threshold adds, and how many of these are right. The ``questions`` are resampled, those without a reading
    among them, and the threshold with the best F is found again in every resample.
    """
    steps, right = list_outcomes(points, questions)
    n_steps = int(steps.max(initial=0)) + 1

    def measure(rows: Ints) -> dict[str, float | None]:
        answered = np.cumsum(np.bincount(steps[rows], minlength=n_steps)[1:])
        found = np.cumsum(np.bincount(steps[rows], right[rows], n_steps)[1:])
        best = float((2 * found / (answered + questions)).max(initial=0.0))  # F, since the recall is found / questions
        return {"f": 100 * best, "accuracy": 100 * float(right[rows].mean())}

    return resample_intervals(measure, questions)


def list_outcomes(points: Iterable[Sequence[float]], questions: int) -> tuple[Ints, Floats]:
    """List for every question the threshold that adds it, from 1 on, and 1 if it is right; 0 and 0 without a reading.

    Points without a right answer do not tell how many questions they have: these are counted at the next point.

    >>> [found.tolist() for found in list_outcomes([(100.0, 40.0), (75.0, 60.0)], 5)]
    [[1, 1, 2, 2, 0], [1.0, 1.0, 0.0, 1.0, 0.0]]
    """
    steps, right = np.zeros(questions, np.int64), np.zeros(questions)
    answered = known = 0
    for step, (precision, recall) in enumerate(points, 1):
        found = round(recall * questions / 100)
        until = round(100 * found / precision) if found else answered
        steps[answered:until] = step
        right[until - (found - known) : until] = 1.0
        answered, known = until, found
    return steps, right


def format_markdown(figures: list[Figure]) -> str:
    """Format figures as a table in Markdown, with a row for each task; of the best one with its interval.

    >>> print(format_markdown([Figure("stsb", "default", 0.778), Figure("stsb", "best", 0.8, 0.78, 0.82)]))
    | task | measure | default | auto | best | 95 % of the best | the paper | best known without a language model |
    |---|---|---|---|---|---|---|---|
    | STS Benchmark | Pearson | 0.7780 |  | 0.8000 | 0.7800 to 0.8200 |  | 0.81 (2017) |
    """
    known = {(figure.task, figure.column): figure for figure in figures}
    columns = [column for column in COLUMNS if column != "embeddings" or any(f.column == column for f in figures)]
    titles = [title for column in columns for title in (column, *["95 % of the best"] * (column == "best"))]
    lines = [["task", "measure", *titles, "the paper", "best known without a language model"]]
    for name, task in TASKS.items():
        if not any((name, column) in known for column in COLUMNS):
            continue
        digits = 4 if task.measure in ("Pearson", "MAP") else 2
        line = [task.title, task.measure]
        for column in columns:
            figure = known.get((name, column))
            line.append("" if figure is None else f"{figure.value:.{digits}f}")
            if column == "best":
                has_interval = figure is not None and figure.low is not None and figure.high is not None
                line.append(f"{figure.low:.{digits}f} to {figure.high:.{digits}f}" if figure and has_interval else "")
        lines.append([*line, "" if task.paper is None else f"{task.paper:.{digits}f}", task.known])
    head, *rows = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, "|---" * len(lines[0]) + "|", *rows])
