"""The table of all experiments, and how one is run and shown."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.clang import run_clang
from experiments.corpora import DataPath
from experiments.embedding_baseline import run_embeddings
from experiments.fold_mistakes import format_mistakes, run_mistakes
from experiments.geoquery import run_geoquery, run_geoquery_split
from experiments.learning_curve_report import draw_curves, format_curves
from experiments.nf_cats_focus import run_nf_cats_focus
from experiments.query_mistakes import format_query_mistakes, run_query_mistakes
from experiments.question_experiments import format_questions, run_questions
from experiments.reports import TITLES, draw_nothing, format_result, write_json
from experiments.rewriting_experiments import (
    draw_rewriting,
    run_msrp,
    run_paws,
    run_qqp,
    run_rte3,
    run_rte3_ablation,
    run_sick,
    run_stsb,
    run_wikiqa,
)
from experiments.score_experiments import format_pairs, run_auto, run_pairs
from experiments.structural_experiments import (
    draw_structural,
    format_structural,
    run_structural_msrp,
    run_structural_rte3,
)
from experiments.trec import run_trec, run_trec_focus
from rekern.cli.evaluation_plot import check_library
from rekern.core.files import make_folder
from rekern.core.json_values import JsonObject
from rekern.errors import InputError


@dataclass(frozen=True)
class Experiment:
    """An experiment: the function that runs it, the options that it takes, and how its result is shown and drawn."""

    run: Callable[..., JsonObject]
    options: tuple[str, ...] = ()
    format: Callable[[JsonObject], str] = format_result
    draw: Callable[[JsonObject, Path], list[Path]] = draw_rewriting


CURVES = ("kernel", "train", "runs", "folds")  # the options of learning curves

EXPERIMENTS: dict[str, Experiment] = {
    "msrp": Experiment(run_msrp),
    "rte3": Experiment(run_rte3),
    "rte3-ablation": Experiment(run_rte3_ablation),
    "qqp": Experiment(run_qqp),
    "sick": Experiment(run_sick),
    "stsb": Experiment(run_stsb),
    "wikiqa": Experiment(run_wikiqa),
    "paws": Experiment(run_paws),
    "pairs": Experiment(run_pairs, ("only",), format_pairs, draw_nothing),
    "auto": Experiment(run_auto, ("only", "minutes"), format_pairs, draw_nothing),
    "embeddings": Experiment(run_embeddings, ("only", "model"), format_pairs, draw_nothing),
    "mistakes": Experiment(run_mistakes, ("only",), format_mistakes, draw_nothing),
    "questions": Experiment(run_questions, ("only",), format_questions, draw_nothing),
    "nf-cats-focus": Experiment(run_nf_cats_focus, draw=draw_nothing),
    "trec": Experiment(run_trec, (), format_structural, draw_structural),
    "trec-focus": Experiment(run_trec_focus, draw=draw_structural),
    "structural-msrp": Experiment(run_structural_msrp, ("cache",), format_structural, draw_structural),
    "structural-rte3": Experiment(run_structural_rte3, ("cache",), format_structural, draw_structural),
    "geoquery": Experiment(run_geoquery, CURVES, format_curves, draw_curves),
    "geoquery-600": Experiment(run_geoquery_split, CURVES, format_curves, draw_curves),
    "clang": Experiment(run_clang, CURVES, format_curves, draw_curves),
    "query-mistakes": Experiment(run_query_mistakes, ("only", "kernel"), format_query_mistakes, draw_nothing),
}

# Why an experiment refuses an option.
REFUSALS = {
    "only": "has one data set: leave --only (only=) out",
    "cache": "keeps no Grams: leave --cache (cache=) out",
    "minutes": "searches for no kernel: leave --minutes (minutes=) out",
    "model": "reads no model of sentences: leave --model (model=) out",
    **dict.fromkeys(CURVES, "has no learning curve: leave --kernel, --train, --runs and --folds out"),
}


def run(
    name: str,
    data: DataPath = None,
    out: DataPath = None,
    n_jobs: int | None = None,
    only: str | None = None,
    **given: object,
) -> JsonObject:
    """Run one experiment and return its figures, ready for JSON. Accuracies are in per cent.

    The options are those of ``python -m experiments``. ``out`` is a folder for plots and the result (``NAME.json``
    or ``NAME-ONLY.json``); what was chosen on the training part is written there before the test part is read.
    """
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}: choose {', '.join(TITLES)}")
    started = time.perf_counter()
    folder = None if out is None else _make_output_folder(out)
    experiment = EXPERIMENTS[name]
    options = {option: value for option, value in {"only": only, **given}.items() if value is not None}
    for option in options:
        if option not in experiment.options:
            raise InputError(f"{name} {REFUSALS[option]}")
    result = {"name": name, **experiment.run(data, folder, n_jobs, **options)}
    drawn = [] if folder is None else experiment.draw(result, folder)
    result["seconds"] = round(time.perf_counter() - started, 1)
    if folder is not None:
        path = folder / (f"{name}.json" if only is None else f"{name}-{only.replace('/', '-')}.json")
        write_json(path, result)  # without the paths of this machine, since such files are handed on
        result["files"] = [*map(str, drawn), str(path)]
    return result


def render(result: JsonObject) -> str:
    """Format a result as text tables."""
    return EXPERIMENTS[result["name"]].format(result)


def _make_output_folder(out: str | os.PathLike[str]) -> Path:
    check_library()  # before minutes of work, not after
    return make_folder(out, "the figures")
