"""Figures 6, 7 and 8 of the paper, drawn from our own numbers, with the published best values dashed."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rekern.core.files import write_atomically
from rekern.errors import missing_extra
from rekern.reproduce import published_results as published

# Okabe and Ito's colours, which colour-blind readers can tell apart
COLOURS = {"kb-srk": "#0072B2", "ps-srk": "#D55E00", "pw-srk": "#009E73", "pr": "#666666"}
MARKERS = {"kb-srk": "o", "ps-srk": "s", "pw-srk": "^", "pr": ""}
TITLES = {"msrp": "MSR Paraphrase Corpus", "rte3": "RTE-3"}


def check_library() -> None:
    """Raise the error that names the extra, if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise missing_extra("matplotlib", "plot")


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Draw the figures that belong to a result; the paths of the files, none for a result without figures."""
    files = []
    if result["name"] in published.FIGURE:
        number = published.FIGURE[result["name"]]
        files.append(folder / f"figure{number}-{result['name']}.png")
        _accuracies(result, files[-1])
    if "figure6" in result:
        files.append(folder / f"figure6-{result['name']}.png")
        _counts(result["figure6"], files[-1])
    return files


def _accuracies(result: dict[str, Any], path: Path) -> None:
    """Accuracy over kmax: with PR on the left, without on the right, where the scale is another."""
    figure, panels = _figure(2, (10, 4.4))
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
    panels[0].axhline(_alone(result), color=COLOURS["pr"], label="PR alone (left)")
    for family, value in own.items():
        panels[0].axhline(value, color=COLOURS[family], linestyle="--", linewidth=1)
    panels[0].plot([], [], color="black", linestyle="--", linewidth=1, label="published best, same colour (left)")
    panels[0].set_ylabel("test accuracy (%)")
    figure.suptitle(f"{TITLES[result['name']]} (Figure {published.FIGURE[result['name']]})")
    _save(figure, panels, path)


def _counts(rows: list[dict[str, Any]], path: Path) -> None:
    figure, panels = _figure(1, (5.6, 4))
    for name, marker, colour in (("worst", "s", "#D55E00"), ("average", "o", "#0072B2")):
        panels[0].plot([row["k"] for row in rows], [row[name] for row in rows], marker=marker, color=colour, label=name)
    panels[0].set_xlabel("window size k")
    panels[0].set_ylabel(r"$C / n_{avg}^2$")
    panels[0].set_xticks([row["k"] for row in rows])
    panels[0].set_ylim(bottom=0)
    panels[0].set_title("Calls of g in Algorithm 2 (Figure 6)")
    _save(figure, panels, path)


def _alone(result: dict[str, Any]) -> float:
    return next(row["accuracy"] for row in result["rows"] if row["method"] == "pr")


def _figure(columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    # Figure itself, not pyplot: no window, no state that a caller's own plots would share
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def _save(figure: Any, panels: Any, path: Path) -> None:
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)  # below: no curve runs through it
    with write_atomically(path) as temporary:
        figure.savefig(temporary, dpi=150)
