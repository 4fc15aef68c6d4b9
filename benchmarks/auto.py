"""How good the kernels are that a search chooses, beside the best settings of docs/results, in the same folds.

    REKERN_DATA=... python benchmarks/auto.py msrp rte --minutes 10

The reference of each corpus is the best setting that docs/results has for texts without other resources. It is tested
in the folds of the search: pairs that share a text stay together.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rekern.datasets.public_corpora import load_msrp, load_paws, load_qqp, load_rte, load_sick, load_stsb, load_wikiqa
from rekern.datasets.tables import Table
from rekern.kernels import Gaussian, Kernel
from rekern.learning.auto_search import group_texts, make_search_folds, read_training_pairs
from rekern.learning.candidate_groups import number_groups
from rekern.learning.kernel_ladder import Candidate, Resources, Step, Windows, list_steps
from rekern.learning.kernel_search import KernelSearch
from rekern.learning.search_tasks import ClassTask, NumberTask, OrderTask, SearchTask
from rekern.similarity import Similarities

NARROW = Gaussian(Similarities(), 1 / 28)
WIDE = 3 * Gaussian(Similarities(), 0.3 / 28)


class Corpus(NamedTuple):
    """A corpus, what is learned from it, and the best setting of docs/results."""

    load: Callable[[], Table]
    task: str
    windows: Windows
    kernel: Kernel
    C: float


CORPORA = {
    "msrp": Corpus(load_msrp, "classes", (1, 4), NARROW, 1.0),
    "rte": Corpus(load_rte, "classes", (1, 4), WIDE, 3.0),
    "sick-entailment": Corpus(lambda: load_sick(response="entailment"), "classes", (1, 4), WIDE, 1.0),
    "sick-relatedness": Corpus(load_sick, "numbers", (1, 4), WIDE, 1.0),
    "wikiqa": Corpus(load_wikiqa, "orders", (1, 4), WIDE, 0.1),
    "stsb": Corpus(load_stsb, "numbers", (1, 4), WIDE, 1.0),
    "paws": Corpus(load_paws, "classes", (1, 4), WIDE, 3.0),
    "qqp": Corpus(load_qqp, "classes", (1, 2), Similarities(), 1.0),
}


def make_task(name: str, table: Table) -> SearchTask:
    """Make the task of a corpus."""
    labels, weights = np.array(table.labels), np.ones(len(table))
    if name == "classes":
        return ClassTask(labels, weights)
    if name == "numbers":
        return NumberTask(labels.astype(float), weights, 0.1)
    return OrderTask(labels.astype(float), number_groups(table.groups or []), weights)


def compare(name: str, minutes: float, gram_limit: int) -> dict[str, object]:
    """Search on the training part of a corpus, then test the reference in the same folds."""
    corpus = CORPORA[name]
    table = corpus.load()
    task, pairs = make_task(corpus.task, table), read_training_pairs(table.pairs)
    together = group_texts(pairs.texts, table.groups if corpus.task == "orders" else None)
    classes = np.unique(table.labels, return_inverse=True)[1] if corpus.task == "classes" else None
    folds = make_search_folds(together, classes, 5, 0)
    assert folds is not None
    started, used = time.monotonic(), time.process_time()
    search = KernelSearch(task, pairs.items, folds, together, 60 * minutes, gram_limit)
    search.on_trial = lambda trial: print(f"  {trial.kernel}, C {trial.C:g}: {trial.score} {trial.outcome}", flush=True)
    winner = search.trials[search.climb(list_steps(Resources())).place]
    seconds, used = time.monotonic() - started, time.process_time() - used
    best = max(trial.score for trial in search.trials if trial.folds == len(folds) and trial.score is not None)
    search.runs.clear()  # so that the reference is not dropped after the first folds
    search.try_kernel(Candidate(Step(99, "reference", corpus.kernel), corpus.windows), corpus.C)
    reference = search.trials[-1]
    return {
        "corpus": name,
        "pairs": len(table),
        "measure": task.measure_name,
        "chosen": f"{winner.kernel}, C = {winner.C:g}",
        "score": winner.score,
        "error": winner.error,
        "best": best,
        "reference": reference.score,
        "seconds": seconds,
        "cpu_seconds": used,
        "skipped": sum(trial.folds == 0 for trial in search.trials),
    }


def main() -> None:
    """Compare the corpora that are named, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=list(CORPORA), choices=[*CORPORA, []])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--gram-limit", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.corpora:
        print(name, flush=True)
        row = compare(name, arguments.minutes, arguments.gram_limit)
        rows.append(row)
        print(json.dumps(row), flush=True)
    print(
        "\n| corpus | chosen | score | best tried | reference | difference | seconds |\n|---|---|---|---|---|---|---|"
    )
    for row in rows:
        scale = 100 if row["measure"] == "accuracy" else 1
        digits = 2 if scale == 100 else 4
        score, best, reference = (scale * float(str(row[key])) for key in ("score", "best", "reference"))
        cells = [f"{value:.{digits}f}" for value in (score, best, reference)] + [f"{score - reference:+.{digits}f}"]
        cells += [f"{row[key]:.0f}" for key in ("seconds", "cpu_seconds")]
        print(f"| {row['corpus']} | {row['chosen']} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
