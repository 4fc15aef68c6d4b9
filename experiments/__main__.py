"""``python -m experiments``: repeat a published experiment on its corpus."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from experiments import runs
from experiments.published_results import TITLES
from experiments.result_table import collect_figures, format_markdown
from rekern.cli import output
from rekern.core.progress import show_bars
from rekern.errors import InputError, MissingExtraError

EPILOG = """\
examples:
  python -m experiments                                       list all experiments
  REKERN_DATA=corpora python -m experiments msrp --out figures
  python -m experiments pairs --only sick-entailment --json > sick.json
  python -m experiments table --from figures
"""


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the options. Options that are not given are not in what it returns."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="Repeat a published experiment on its corpus, and print the published results beside the new ones",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    add = parser.add_argument
    add("name", nargs="?", metavar="NAME", help="an experiment, or table; all are listed if it is left out")
    add("--data", metavar="DIR", help="folder with the corpora; REKERN_DATA by default")
    add("--out", "-o", metavar="DIR", help="folder for figures (PNG) and results (JSON)")
    add("--only", metavar="DATA", help="one data set of an experiment that has several")
    add("--cache", metavar="DIR", help="folder in which the Grams of trees are kept for later runs")
    kernels = "word, dependency, syntactic, their sums, default, chosen, or ranked (ranked-K)"
    add("--kernel", metavar="K,…", help=f"geoquery, clang: {kernels}")
    add("--train", metavar="N,…", help="geoquery, clang: numbers of training examples")
    add("--runs", type=int, metavar="N", help="geoquery, clang: the first N runs")
    add("--folds", type=int, metavar="N", help="geoquery, clang: the first N folds of a run")
    add("--minutes", type=float, metavar="M", help="auto: the time for each search; 5 by default")
    add("--model", metavar="DIR", help="embeddings: folder of a sentence-transformers model of yours")
    add("--from", dest="source", metavar="DIR", help="table: folder with the results that other runs wrote with --out")
    add("--jobs", dest="n_jobs", type=int, metavar="N", help="number of threads; all cores by default")
    add("--json", action="store_true", help="print JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; what went wrong is one line on standard error."""
    options = vars(make_parser().parse_args(arguments))
    is_json = options.pop("json", False)
    try:
        with show_bars():
            result, text = _run(**options)
    except KeyboardInterrupt:
        output.say("stopped")
        return 130
    except (ValueError, OSError, MissingExtraError) as error:
        if os.environ.get("REKERN_TRACEBACK"):
            traceback.print_exc()
        output.say(str(error))
        return 2
    if is_json:
        output.print_json(result)
    else:
        print(text)
    return 0


def _run(name: str | None = None, source: str | None = None, **options: Any) -> tuple[object, str]:
    """Return what is printed as JSON, and as text."""
    if name is None:
        width = max(map(len, TITLES))
        return TITLES, "\n".join(f"{known:{width}}  {title}" for known, title in TITLES.items())
    if name == "table":
        if source is None:
            raise InputError("table needs a folder with results: python -m experiments table --from DIR")
        figures = collect_figures(source)
        return [figure._asdict() for figure in figures], format_markdown(figures)
    if source is not None:
        raise InputError(f"--from is for table: python -m experiments table --from {source}")
    result = runs.run(name, **options)
    return result, runs.render(result)


if __name__ == "__main__":
    sys.exit(main())
