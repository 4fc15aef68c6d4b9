"""One table of all tasks, collected from the files that ``python -m experiments NAME --out DIR`` writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from experiments.curve_intervals import resample_curve
from experiments.published_results import TASKS
from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.learning.reports.intervals import find_share_interval

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
        raise InputError(
            f"there are no result files in {folder}: write some with python -m experiments NAME --out {folder}"
        )
    found: dict[tuple[str, str], Figure] = {}
    for path in paths:
        for figure in list_figures(_read_result(path)):
            known = found.get((figure.task, figure.column))
            if known is not None:
                where = f"{known.file} and {path.name}"
                raise InputError(
                    f"{where} both have {figure.task}, {figure.column}: remove one of them", file=str(path)
                )
            found[figure.task, figure.column] = figure._replace(file=path.name)
    return list(found.values())


def list_figures(result: JsonObject) -> list[Figure]:
    """List the figures of one result; none for what is not in the table.

    >>> row = {"corpus": "stsb", "default": 0.778, "value": 0.8, "low": 0.78, "high": 0.82, "chosen": "rules", "C": 1.0}
    >>> [(figure.column, figure.value) for figure in list_figures({"name": "pairs", "rows": [row]})]
    [('default', 0.778), ('best', 0.8)]
    """
    lister = _LISTERS.get(str(result.get("name")))
    return [] if lister is None else list(lister(result))


def _list_pairs(result: JsonObject) -> Iterator[Figure]:
    for row in result["rows"]:
        setting = f"{row['chosen']}, C = {row['C']:g}"
        yield Figure(row["corpus"], "default", row["default"])
        yield Figure(row["corpus"], "best", row["value"], row["low"], row["high"], setting)


def _list_auto(result: JsonObject) -> Iterator[Figure]:
    for row in result["rows"]:
        setting = f"{row['chosen']}, C = {row['C']:g}"
        yield Figure(row["corpus"], "auto", row["value"], row["low"], row["high"], setting)


def _list_embeddings(result: JsonObject) -> Iterator[Figure]:
    for row in result["rows"]:
        yield Figure(row["corpus"], "embeddings", row["value"], row["low"], row["high"])


def _list_trees(result: JsonObject) -> Iterator[Figure]:
    chosen, n = result["chosen_on_train"], result["test_pairs"]
    task = result["name"].removeprefix("structural-") + "-trees"
    yield _make_accuracy(task, "best", chosen["accuracy"], n, f"{chosen['method']}, C = {chosen['C']:g}")


def _list_questions(result: JsonObject) -> Iterator[Figure]:
    """List the classifier of questions (Markov logic on patterns) as the default of these tasks."""
    for row in result["rows"]:
        task = row["data"].replace("/", "-").replace("_", "-")
        if row["method"] == "mss" and task in TASKS:
            yield _make_accuracy(task, "default", row["all"], result["details"][row["data"]]["test"], "mss")


def _list_focus(result: JsonObject) -> Iterator[Figure]:
    for row in result["rows"]:
        if row["chosen"]:
            task = row["task"] if row["task"] in TASKS else f"trec-{row['task']}"
            setting = f"{row['method']}, C = {row['C']:g}"
            yield _make_accuracy(task, "best", row["accuracy"], result["test_questions"], setting)


def _list_curves(result: JsonObject) -> Iterator[Figure]:
    """List F, or of the one split right answers, with all training examples; the ranked parser is the best one.

    The row "default" is `rekern.SemanticParser` with its default kernel.
    """
    measure = "accuracy" if result["name"] == "geoquery-600" else "f"
    most = max(row["train"] for row in result["rows"])
    curves = {curve["kernel"]: curve["points"] for curve in result.get("curves", []) if curve["train"] == most}
    can_resample = "questions" in result and result["runs"] == 1  # the points of several runs are of the same questions
    for row in result["rows"]:
        kernel = row["kernel"].partition("-")[0]  # "ranked-dependency+word" is a ranked parser, too
        column = {"default": "default", "ranked": "best"}.get(kernel)
        if row["train"] == most and column:
            figure = Figure(result["name"], column, row[measure], setting=row["kernel"])
            if can_resample and row["kernel"] in curves:
                low, high = resample_curve(curves[row["kernel"]], result["questions"])[measure]
                figure = figure._replace(low=round(low, 2), high=round(high, 2))
            yield figure


def _make_accuracy(task: str, column: str, accuracy: float, n: int, setting: str) -> Figure:
    """Make the figure of an accuracy, with Wilson's interval."""
    low, high = find_share_interval(round(n * accuracy / 100), n)
    return Figure(task, column, accuracy, round(100 * low, 2), round(100 * high, 2), setting)


_LISTERS: dict[str, Callable[[JsonObject], Iterator[Figure]]] = {
    "pairs": _list_pairs,
    "auto": _list_auto,
    "embeddings": _list_embeddings,
    "structural-msrp": _list_trees,
    "structural-rte3": _list_trees,
    "questions": _list_questions,
    "nf-cats-focus": _list_focus,
    "trec-focus": _list_focus,
    "geoquery": _list_curves,
    "geoquery-600": _list_curves,
    "clang": _list_curves,
}


def format_markdown(figures: list[Figure]) -> str:
    """Format figures as a table in Markdown, with a row for each task; of the best one with its interval.

    >>> print(format_markdown([Figure("stsb", "default", 0.778), Figure("stsb", "best", 0.8, 0.78, 0.82)]))
    | task | measure | default | auto | best | 95 % of the best | the paper | best known without a language model |
    |---|---|---|---|---|---|---|---|
    | STS Benchmark | Pearson | 0.7780 |  | 0.8000 | 0.7800 to 0.8200 |  | 0.81 (2017) |
    """
    known = {(figure.task, figure.column): figure for figure in figures}
    columns = [column for column in COLUMNS if column != "embeddings" or any(f.column == column for f in figures)]
    head = ["task", "measure"]
    for column in columns:
        head += [column, "95 % of the best"] if column == "best" else [column]
    lines = [[*head, "the paper", "best known without a language model"]]
    lines.append(["---"] * len(lines[0]))
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
        paper = "" if task.paper is None else f"{task.paper:.{digits}f}"
        lines.append([*line, paper, task.known])
    return "\n".join(f"| {' | '.join(line)} |".replace("| --- ", "|---").replace("|--- |", "|---|") for line in lines)


def _read_result(path: Path) -> JsonObject:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is no result file: {error}", file=str(path)) from None
    return result if isinstance(result, dict) else {}
