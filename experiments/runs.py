"""The table of all experiments, and how one is run and shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from experiments import clang, embedding_baseline, fold_mistakes, geoquery, nf_cats_focus, query_mistakes, trec
from experiments import learning_curve_report as curves
from experiments import question_experiments as questions
from experiments import rewriting_experiments as rewriting
from experiments import score_experiments as scores
from experiments import structural_experiments as structural
from experiments.corpora import DataPath
from experiments.published_results import TITLES
from experiments.reports import format_result, write_json
from rekern.cli.evaluation_plot import check_library
from rekern.core.files import make_folder
from rekern.core.json_values import JsonObject
from rekern.errors import InputError


class Experiment(NamedTuple):
    """An experiment: the function that runs it, the options that it takes, and how it is drawn."""

    run: Callable[..., JsonObject]
    options: tuple[str, ...] = ()
    draw: Callable[[JsonObject, Path], list[Path]] | None = None


CURVES = ("kernel", "train", "runs", "folds")  # the options of learning curves

EXPERIMENTS: dict[str, Experiment] = {
    "msrp": Experiment(rewriting.run_msrp, draw=rewriting.draw_rewriting),
    "rte3": Experiment(rewriting.run_rte3, draw=rewriting.draw_rewriting),
    "rte3-ablation": Experiment(rewriting.run_rte3_ablation),
    "qqp": Experiment(rewriting.run_qqp),
    "sick": Experiment(rewriting.run_sick),
    "stsb": Experiment(rewriting.run_stsb),
    "wikiqa": Experiment(rewriting.run_wikiqa),
    "paws": Experiment(rewriting.run_paws),
    "pairs": Experiment(scores.run_pairs, ("only",)),
    "auto": Experiment(scores.run_auto, ("only", "minutes")),
    "embeddings": Experiment(embedding_baseline.run_embeddings, ("only", "model")),
    "mistakes": Experiment(fold_mistakes.run_mistakes, ("only",)),
    "questions": Experiment(questions.run_questions, ("only",)),
    "nf-cats-focus": Experiment(nf_cats_focus.run_nf_cats_focus),
    "trec": Experiment(trec.run_trec, draw=structural.draw_structural),
    "trec-focus": Experiment(trec.run_trec_focus, draw=structural.draw_structural),
    "structural-msrp": Experiment(structural.run_structural_msrp, ("cache",), draw=structural.draw_structural),
    "structural-rte3": Experiment(structural.run_structural_rte3, ("cache",), draw=structural.draw_structural),
    "geoquery": Experiment(geoquery.run_geoquery, CURVES, draw=curves.draw_curves),
    "geoquery-600": Experiment(geoquery.run_geoquery_split, CURVES, draw=curves.draw_curves),
    "clang": Experiment(clang.run_clang, CURVES, draw=curves.draw_curves),
    "query-mistakes": Experiment(query_mistakes.run_query_mistakes, ("only", "kernel")),
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
    folder = None
    if out is not None:
        check_library()  # before minutes of work, not after
        folder = make_folder(out, "the figures")
    experiment = EXPERIMENTS[name]
    options = {option: value for option, value in {"only": only, **given}.items() if value is not None}
    for option in options:
        if option not in experiment.options:
            raise InputError(f"{name} {REFUSALS[option]}")
    result = {"name": name, **experiment.run(data, folder, n_jobs, **options)}
    drawn = [] if folder is None or experiment.draw is None else experiment.draw(result, folder)
    result["seconds"] = round(time.perf_counter() - started, 1)
    if folder is not None:
        path = folder / (f"{name}.json" if only is None else f"{name}-{only.replace('/', '-')}.json")
        write_json(path, result)  # without the paths of this machine, since such files are handed on
        result["files"] = [*map(str, drawn), str(path)]
    return result


def render(result: JsonObject) -> str:
    """Format a result as text tables."""
    return format_result(f"{result['name']}: {TITLES[result['name']]}", result)
