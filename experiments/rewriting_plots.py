"""Figures 6, 7 and 8 of "String Re-writing Kernel" with our own numbers; the best published values are dashed."""

from __future__ import annotations

from pathlib import Path

from experiments import published_results as published
from experiments.reports import save_with_legend
from rekern.cli.evaluation_plot import BLUE, GREEN, ORANGE, make_figure
from rekern.core.json_values import JsonObject

COLOURS = {"kb-srk": BLUE, "ps-srk": ORANGE, "pw-srk": GREEN, "pr": "#666666"}
MARKERS = {"kb-srk": "o", "ps-srk": "s", "pw-srk": "^", "pr": ""}
TITLES = {"msrp": "MSR Paraphrase Corpus", "rte3": "RTE-3"}


def draw_rewriting(result: JsonObject, folder: Path) -> list[Path]:
    """Draw the figures of a result and return their files; a result may have no figures."""
    files = []
    if result["name"] in published.FIGURE:
        number = published.FIGURE[result["name"]]
        files.append(folder / f"figure{number}-{result['name']}.png")
        _draw_accuracies(result, files[-1])
    if "figure6" in result:
        files.append(folder / f"figure6-{result['name']}.png")
        _draw_counts(result["figure6"], files[-1])
    return files


def _draw_accuracies(result: JsonObject, path: Path) -> None:
    """Draw accuracy over kmax: with PR on the left, without PR on the right, which has another scale."""
    figure, panels = make_figure(1, 2, (10, 4.4))
    own = published.OWN[result["name"]]
    for panel, suffix in zip(panels, ("+pr", "")):
        for family in ("kb-srk", "ps-srk", "pw-srk"):
            rows = [row for row in result["rows"] if row["method"] == family + suffix]
            panel.plot(
                [row["kmax"] for row in rows],
                [row["accuracy"] for row in rows],
                color=COLOURS[family],
                marker=MARKERS[family],
                label="" if suffix else family.replace("srk", "SRK"),
            )
        panel.set_title("with precision and recall (PR)" if suffix else "without PR")
        panel.set_xlabel("largest window size kmax")
        panel.set_xticks(sorted({row["kmax"] for row in result["rows"] if row["kmax"]}))
    panels[0].axhline(_find_pr_accuracy(result), color=COLOURS["pr"], label="PR alone (left)")
    for family, value in own.items():
        panels[0].axhline(value, color=COLOURS[family], linestyle="--", linewidth=1)
    panels[0].plot([], [], color="black", linestyle="--", linewidth=1, label="published best, same colour (left)")
    panels[0].set_ylabel("test accuracy (%)")
    figure.suptitle(f"{TITLES[result['name']]} (Figure {published.FIGURE[result['name']]})")
    save_with_legend(figure, panels, path)


def _draw_counts(rows: list[JsonObject], path: Path) -> None:
    figure, panels = make_figure(1, 1, (5.6, 4))
    for name, marker, colour in (("worst", "s", ORANGE), ("average", "o", BLUE)):
        panels[0].plot([row["k"] for row in rows], [row[name] for row in rows], marker=marker, color=colour, label=name)
    panels[0].set_xlabel("window size k")
    panels[0].set_ylabel(r"$C / n_{avg}^2$")
    panels[0].set_xticks([row["k"] for row in rows])
    panels[0].set_ylim(bottom=0)
    panels[0].set_title("Calls of g in Algorithm 2 (Figure 6)")
    save_with_legend(figure, panels, path)


def _find_pr_accuracy(result: JsonObject) -> float:
    return next(float(row["accuracy"]) for row in result["rows"] if row["method"] == "pr")
