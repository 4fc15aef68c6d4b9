"""How good the kernels are that a search chooses, beside the best settings of experiments/results, in the same folds.

    REKERN_DATA=... python benchmarks/auto.py msrp rte3 --minutes 10 --resources
    REKERN_DATA=... python benchmarks/auto.py msrp rte3 --from experiments/results/files

With ``--from`` there is no search: it takes what ``python -m experiments auto --out DIR`` has written.

The reference of a corpus is its best setting in experiments/results for texts alone, or with WordNet, a thesaurus and
word vectors. It is tested in the folds of the search: pairs that share a text stay together.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.corpora import (
    load_msrp,
    load_paws,
    load_qqp,
    load_rte,
    load_sick,
    load_snli,
    load_stsb,
    load_wikiqa,
)
from experiments.score_experiments import LEXICAL, N_LANDMARKS, TEXT, load_resources
from experiments.score_experiments import Resources as ScoreResources
from rekern.core.arrays import Ints
from rekern.datasets.tables import Table
from rekern.kernels import Curves, Gaussian, Kernel, Landmarks, Rewriting, Spectrum, Symmetric
from rekern.learning.auto_search import climb_ladder, group_texts, make_search_folds, read_training_pairs
from rekern.learning.candidate_groups import number_groups
from rekern.learning.kernel_choice import Trial
from rekern.learning.kernel_ladder import MORE, Candidate, Resources, Step, list_steps
from rekern.learning.kernel_search import KernelSearch
from rekern.learning.search_tasks import ClassTask, NumberTask, OrderTask, SearchTask
from rekern.similarity import Similarities

ANSWERS = (*TEXT, "answers")


class Reference(NamedTuple):
    """A setting of experiments/results."""

    groups: tuple[str, ...]  # of scores
    make: Callable[[Similarities], Kernel]
    C: float = 1.0


class Corpus(NamedTuple):
    """A corpus, what is learned, and its best settings in experiments/results: for texts, and with all resources."""

    load: Callable[[], Table]
    task: str
    texts: Reference
    resources: Reference


def add_gaussian(weight: float, width: float) -> Callable[[Similarities], Kernel]:
    """Rules and a Gaussian kernel over n scores; ``width`` is gamma times n."""
    return lambda scores: Rewriting(k=(1, 4)) + weight * Gaussian(scores, width / len(scores.names()))


def add_curves(largest: int) -> Callable[[Similarities], Kernel]:
    """Rules up to a number of words, and curves."""
    return lambda scores: Rewriting(k=(1, largest)) + Curves(scores)


def add_target_words(scores: Similarities) -> Kernel:
    """Rules, 10 times the Gaussian kernel, and words and pairs of words of the target alone."""
    return add_gaussian(10, 0.3)(scores) + Spectrum(1, on="target") + Spectrum(2, on="target")


def use_both_orders(scores: Similarities) -> Kernel:
    """Rules and 15 times the Gaussian kernel over both orders of a pair."""
    return Symmetric(Rewriting(k=(1, 4)) * 2 + 30 * Gaussian(scores, 0.3 / len(scores.names())))


def use_landmarks(scores: Similarities) -> Kernel:
    """Rules up to two words and 10 times the Gaussian kernel over both orders of a pair, by landmarks."""
    bells = Symmetric(Gaussian(scores, 0.3 / len(scores.names())))
    return Symmetric(Rewriting(k=(1, 2))) * 2 + Landmarks(bells, N_LANDMARKS) * 20


ALL = (*TEXT, *LEXICAL)
CORPORA = {
    "msrp": Corpus(
        load_msrp,
        "classes",
        Reference(TEXT, add_gaussian(10, 0.3)),
        Reference(ALL, add_gaussian(10, 0.3), 3.0),
    ),
    "rte3": Corpus(
        load_rte,
        "classes",
        Reference(TEXT, add_curves(4)),
        Reference(ALL, add_gaussian(10, 0.1), 0.3),
    ),
    "sick-entailment": Corpus(
        lambda: load_sick(response="entailment"),
        "classes",
        Reference(MORE, add_gaussian(10, 0.3)),
        Reference(ALL, add_gaussian(30, 0.3)),
    ),
    "sick-relatedness": Corpus(
        load_sick,
        "numbers",
        Reference(TEXT, add_gaussian(10, 0.3)),
        Reference(ALL, add_gaussian(30, 0.3), 0.3),
    ),
    "wikiqa": Corpus(
        load_wikiqa,
        "orders",
        Reference(ANSWERS, add_curves(4)),
        Reference((*ANSWERS, *LEXICAL), add_curves(4)),
    ),
    "stsb": Corpus(
        load_stsb,
        "numbers",
        Reference(TEXT, add_gaussian(10, 0.3)),
        Reference((*ALL, "aligner"), use_both_orders, 0.3),
    ),
    "paws": Corpus(
        load_paws,
        "classes",
        Reference(TEXT, add_gaussian(10, 0.3), 3.0),
        Reference(TEXT, add_gaussian(10, 0.3), 3.0),
    ),
    "qqp": Corpus(
        load_qqp,
        "classes",
        Reference(TEXT, add_curves(2)),
        Reference((*ALL, "answers"), use_landmarks),
    ),
    "snli": Corpus(
        load_snli,
        "classes",
        Reference(TEXT, add_curves(2)),
        Reference(ALL, add_target_words),
    ),
}


def make_task(name: str, table: Table) -> SearchTask:
    """Make the task of a corpus."""
    labels, weights = np.array(table.labels), np.ones(len(table))
    if name == "classes":
        return ClassTask(labels, weights)
    if name == "numbers":
        return NumberTask(labels.astype(float), weights, 0.1)
    return OrderTask(labels.astype(float), number_groups(table.groups or []), weights)


def take_sample(table: Table, size: int | None) -> Table:
    """Take pairs at random, or of a table with groups the first ones."""
    if size is None or size >= len(table):
        return table
    rows = np.arange(size) if table.groups is not None else np.random.default_rng(0).permutation(len(table))[:size]
    return table.select(np.sort(rows).tolist())


class Folds(NamedTuple):
    """A corpus with the folds in which kernels are tested, and a search over them."""

    corpus: Corpus
    scores: ScoreResources
    search: KernelSearch
    classes: Ints | None
    folds: int

    def measure_reference(self, use_resources: bool) -> Trial:
        """Test the reference in all folds."""
        setting = self.corpus.resources if use_resources else self.corpus.texts
        kernel = setting.make(self.scores.make_scores(setting.groups))
        self.search.runs.clear()  # so that it is not dropped after the first folds
        self.search.try_kernel(Candidate(Step(99, "reference", kernel), None), setting.C)
        return self.search.trials[-1]


def make_folds(name: str, minutes: float, gram_limit: int, sample: int | None, n_jobs: int | None = None) -> Folds:
    """Make the folds of the training part of a corpus."""
    corpus = CORPORA[name]
    table = take_sample(corpus.load(), sample)
    task, pairs = make_task(corpus.task, table), read_training_pairs(table.pairs)
    together = group_texts(pairs.texts, table.groups if corpus.task == "orders" else None)
    classes = np.unique(table.labels, return_inverse=True)[1] if corpus.task == "classes" else None
    folds = make_search_folds(together, classes, 5, 0)
    assert folds is not None
    search = KernelSearch(task, pairs.items, folds, together, 60 * minutes, gram_limit, n_jobs)
    search.on_trial = lambda trial: print(f"  {trial.kernel}, C {trial.C:g}: {trial.score} {trial.outcome}", flush=True)
    return Folds(corpus, load_resources(None), search, classes, len(folds))


def choose(made: Folds, use_resources: bool) -> dict[str, object]:
    """Search, and return what is chosen."""
    found = made.scores
    given = Resources(found.wordnet, found.space, found.thesaurus) if use_resources else Resources()
    many = not made.search.matrices.use_grams
    steps = list_steps(replace(given, answers=made.corpus.task == "orders", many_pairs=many))
    search, started, used = made.search, time.monotonic(), time.process_time()
    winner = search.trials[climb_ladder(search, steps, made.classes, made.folds, 0).place]
    seconds, used = time.monotonic() - started, time.process_time() - used
    best = max(run.score for run in search.runs)
    assert winner.score is not None
    scale = 100 if search.task.measure_name == "accuracy" else 1
    return {
        "chosen": winner.kernel,
        "C": winner.C,
        "on_train": scale * winner.score,
        "best_on_train": scale * best,
        "search_seconds": seconds,
        "processor_seconds": used,
        "skipped": sum(trial.folds == 0 for trial in search.trials),
    }


def read_choice(folder: str, name: str) -> dict[str, object]:
    """Read what ``python -m experiments auto`` has written about a corpus."""
    (row,) = json.loads(Path(folder, f"auto-{name}.json").read_text(encoding="utf-8"))["rows"]
    found: dict[str, object] = row
    return found


def main() -> None:
    """Compare the corpora that are named, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=list(CORPORA), choices=[*CORPORA, []])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--gram-limit", type=int, default=10_000)
    parser.add_argument(
        "--resources", action="store_true", help="WordNet, a thesaurus and word vectors besides the texts"
    )
    parser.add_argument("--from", dest="folder", metavar="DIR", help="results of python -m experiments auto")
    parser.add_argument("--sample", type=int, help="pairs, for a trial")
    parser.add_argument("--jobs", type=int, help="threads")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.corpora:
        print(name, flush=True)
        made = make_folds(name, arguments.minutes, arguments.gram_limit, arguments.sample, arguments.jobs)
        row = read_choice(arguments.folder, name) if arguments.folder else choose(made, arguments.resources)
        print(json.dumps(row), flush=True)
        score = made.measure_reference(arguments.resources).score
        assert score is not None
        is_share = made.search.task.measure_name == "accuracy"
        rows.append(format_row(name, row, 100 * score if is_share else score, 2 if is_share else 4))
    print("\n| corpus | chosen | score | best tried | reference | difference | seconds | of all cores |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))


def format_row(name: str, row: dict[str, object], reference: float, digits: int) -> str:
    """Format a row of the table."""
    score, best = (float(str(row[key])) for key in ("on_train", "best_on_train"))
    cells = [f"{value:.{digits}f}" for value in (score, best, reference)] + [f"{score - reference:+.{digits}f}"]
    cells += [f"{row[key]:.0f}" for key in ("search_seconds", "processor_seconds")]
    return f"| {name} | {row['chosen']}, C = {row['C']:g} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
