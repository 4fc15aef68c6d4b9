"""What experiments print and write: titles, text tables, JSON files, plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rekern.cli.evaluation_plot import save_figure, style_panels
from rekern.core.files import write_atomically
from rekern.core.json_values import JsonObject

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: dict[str, str] = {
    "msrp": "MSR Paraphrase Corpus: Table 1 and Figures 6 and 7 of the paper",
    "rte3": "RTE-3 entailment: Table 2 and Figure 8 of the paper",
    "rte3-ablation": "RTE-3 under other tokens (case, stems, punctuation) and another decay",
    "qqp": "Quora question pairs, the public part: duplicate or not",
    "sick": "SICK: entailment in three classes, relatedness from 1 to 5",
    "stsb": "STS Benchmark: similarity from 0 to 5",
    "wikiqa": "WikiQA: candidate answers, ranked",
    "paws": "PAWS-Wiki: paraphrases among pairs that share their words",
    "pairs": "Ten tasks on pairs, by all scores with WordNet, word vectors and a thesaurus",
    "auto": "The same tasks, by the kernel that --auto chooses from the texts alone",
    "embeddings": "The same tasks and questions, by sentence embeddings of a model folder of yours (--model)",
    "mistakes": "The mistakes of the default kernel on held-out pairs of the training parts, by kind",
    "questions": "What kind of answer a question wants, on four corpora: Tables 4, 5 and 6 of the paper",
    "nf-cats-focus": "NF-CATS questions by words, by forms and traits of questions, and by word vectors",
    "trec": "TREC questions by tree kernels on KeLP's trees",
    "trec-focus": "TREC questions by what they ask for, coarse and fine types",
    "structural-msrp": "MSR Paraphrase Corpus by kernels on trees and graphs: Table 1 of the paper",
    "structural-rte3": "RTE-3 by kernels on trees and graphs: Table 2 of the paper",
    "geoquery": "GeoQuery: questions become queries, by three kernels on substrings: Table 1 of the paper",
    "geoquery-600": "GeoQuery: the split into 600 training and 280 test questions",
    "clang": "CLang: instructions to a robot team become rules, by the same kernels",
    "query-mistakes": "The mistakes of a semantic parser in folds of a training part of GeoQuery and CLang, by kind",
}
MEASURES = ("accuracy", "pearson", "spearman", "map", "mrr")
DIGITS = {"pearson": 4, "spearman": 4, "map": 4, "mrr": 4}


def write_json(path: Path, content: object) -> None:
    """Write a JSON file, completely or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_choice(out: Path | None, name: str, choice: JsonObject) -> None:
    """Write what the training part chose, if there is a folder: before the test part is read."""
    if out is not None:
        write_json(out / f"{name}-chosen.json", choice)


def format_title(name: str) -> str:
    """Format the heading of a result."""
    return f"{name}: {TITLES[name]}"


def join_parts(parts: Sequence[str], result: JsonObject) -> str:
    """Join the parts of a report, and add the files that were written and the time."""
    files = ["\n".join(f"written: {path}" for path in result["files"])] if "files" in result else []
    return "\n\n".join([*parts, *files, f"{result['seconds']:.1f} seconds"])


def format_table(rows: Sequence[JsonObject], columns: tuple[str, ...], digits: int = 2) -> str:
    """Format rows under the names of their columns: numbers are aligned on the right, words on the left.

    >>> print(format_table([{"method": "pr", "accuracy": 73.5}, {"method": "kb-srk"}], ("method", "accuracy")))
    method  accuracy
    pr         73.50
    kb-srk         -
    """
    numbers = {name for name in columns if any(isinstance(row.get(name), float) for row in rows)}
    places = {name: DIGITS.get(name.removeprefix("dev_"), digits) for name in columns}
    cells = [list(columns), *([_format_cell(row.get(name), places[name]) for name in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = [
        [
            cell.rjust(width) if name in numbers else cell.ljust(width)
            for name, cell, width in zip(columns, line, widths)
        ]
        for line in cells
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _format_cell(value: object, digits: int) -> str:
    if value is None or value == "":
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def format_result(result: JsonObject) -> str:
    """Format a table for each task, or for each note if all rows have one, the tables of the paper, and the choices."""
    names = ["method", "kmax", *MEASURES, "published", "cv_accuracy", *(f"dev_{measure}" for measure in MEASURES)]
    rows = result["rows"]
    by, columns = ("note", names) if all(row.get("note") for row in rows) else ("task", [*names, "note"])
    parts = [format_title(result["name"])]
    for heading in dict.fromkeys(row.get(by) for row in rows):
        group = [row for row in rows if row.get(by) == heading]
        filled = {name for row in group for name, value in row.items() if value not in (None, "") or name == "kmax"}
        table = format_table(group, tuple(name for name in columns if name in filled))
        parts.append(f"{heading}\n{table}" if heading else table)
    if "tables" in result:
        systems = format_table(result["tables"], ("system", "published", "ours", "kmax"))
        parts.append(f"Best over kmax, with PR or without, next to the published table\n{systems}")
    if "figure6" in result:
        counts = format_table(result["figure6"], ("k", "average", "worst"), 4)
        parts.append(f"Figure 6: C / n_avg² of Algorithm 2\n{counts}")
    chosen = result["chosen_on_train"]
    parts.append(_format_choice(chosen, chosen.get("task")))
    parts += [_format_choice(value, task) for task, value in chosen.items() if isinstance(value, dict)]
    return join_parts(parts, result)


def _format_choice(chosen: JsonObject, task: str | None) -> str:
    what = [chosen["method"], *(f"kmax = {chosen[name]}" for name in ("kmax",) if chosen.get(name) is not None)]
    what += [chosen["note"]] if chosen.get("note") else []
    what += [f"C = {chosen['C']:g}"] if "C" in chosen else []
    part = "development" if any(name.startswith("dev_") for name in chosen) else "training"
    lines = [f"Chosen on the {part} part{f' for {task}' if task else ''}: {', '.join(what)}"]
    for prefix, name in (("cv_", "cross-validation"), ("dev_", "development"), ("", "test")):
        measures = [measure for measure in MEASURES if prefix + measure in chosen]
        values = [f"{measure} {_format_cell(chosen[prefix + measure], DIGITS.get(measure, 2))}" for measure in measures]
        lines += [f"  {name}: {', '.join(values)}"] * bool(values)
    return "\n".join(lines)


def draw_nothing(result: JsonObject, folder: Path) -> list[Path]:
    """Draw nothing: the table says it all."""
    return []


def save_with_legend(figure: Figure, panels: Iterable[Axes], path: Path) -> None:
    """Style panels, put one legend below all of them, so that it covers no curve, and save the figure."""
    style_panels(panels)
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    save_figure(figure, path)
