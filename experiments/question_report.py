"""Results of the experiments on questions as text tables and as a plot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from experiments.reports import format_table, format_title, join_parts
from rekern.cli.evaluation_plot import BLUE, make_figure, save_figure
from rekern.core.json_values import JsonObject

COLUMNS = ("method", "formulas", "easy", "all", "p", "cv", "seconds", "published_easy", "published")
MANY_TYPES = 10  # with more types than this, the measures of single types are not shown


def format_questions(result: JsonObject) -> str:
    """Format the result as text tables."""
    parts = [format_title("questions"), result["remark"]]
    for name, details in result["details"].items():
        rows = [{**row, "p": _format_chance(row["p"])} for row in result["rows"] if row["data"] == name]
        heading = f"{name}: {details['train']:,} training questions, {details['test']:,} tested"
        parts += [f"{heading}\n{format_table(rows, COLUMNS)}", *_format_details(details)]
    return join_parts(parts, result)


def _format_details(details: JsonObject) -> list[str]:
    parts = []
    types = [{"type": kind, **row} for kind, row in details["types"].items()]
    if len(types) <= MANY_TYPES:
        parts.append("MSS by type (Table 5)\n" + format_table(types, ("type", "questions", "precision", "recall", "f")))
    if details["soft_patterns"]:
        lines = [f"{', '.join(p['terms'])}: {_format_shares(p['types'])}" for p in details["soft_patterns"]]
        parts.append("Soft patterns (Table 6)\n" + "\n".join(lines))
    if "options" in details:
        table = format_table(details["options"], ("worlds", "prior", "formulas", "all"))
        printed = details["as_printed"]
        line = f"MSS with the patterns as printed: {printed['all']:.2f}, {printed['formulas']:,} formulas"
        parts += [f"MSS, worlds and prior\n{table}", f"{line} (no single words, keywords or shapes)"]
    if "linear_svm" in details:
        svm = details["linear_svm"]
        parts.append(
            f"Linear SVM on unigrams and bigrams: {svm['all']:.2f} (cross-validation {svm['cv']:.2f}, "
            f"C = {svm['C']:g}; McNemar's p against MSS {svm['p_against_mss']:.4f})"
        )
    for language, found in details.get("languages", {}).items():
        worst = min(row["f"] for row in found["types"].values())
        parts.append(f"{language}: {found['accuracy']:.1f} % of {found['questions']}; lowest F of a type {worst:.2f}")
    return parts


def _format_chance(p: float | None) -> str | None:
    return None if p is None else f"{p:.4f}"


def _format_shares(types: Mapping[str, float]) -> str:
    return ", ".join(f"{kind} {share:.1f} %" for kind, share in types.items())


def draw_questions(result: JsonObject, folder: Path) -> list[Path]:
    """Draw Figure 1, the distribution of the types in each data set, and return its file."""
    shown = {name: details["distribution"] for name, details in result["details"].items()}
    figure, panels = make_figure(len(shown), 1, (10, 1.2 + 1.9 * len(shown)))
    for panel, (name, shares) in zip(panels, shown.items()):
        most = dict(list(shares.items())[:10])
        panel.bar(list(most), list(most.values()), color=BLUE)
        panel.set_title(name, loc="left", fontsize=10)
        panel.set_ylabel("%")
        panel.tick_params(axis="x", labelsize=8)
        panel.spines[["top", "right"]].set_visible(False)
    figure.suptitle("Types of training questions (Figure 1)")
    path = folder / "figure1-questions.png"
    save_figure(figure, path)
    return [path]
