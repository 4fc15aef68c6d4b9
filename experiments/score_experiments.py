"""Ten tasks on pairs: all scores of `Similarities` with WordNet, word vectors and a thesaurus, and what --auto chooses.

Settings are compared on the training part (in folds, or on the development part where there is one). The chosen one is
written down before the test part is read; besides it, only the default kernel is tested.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from experiments.corpora import DataPath, find_file
from experiments.pair_corpora import (
    CORPORA,
    DEPENDENCIES,
    CorpusPart,
    PairCorpus,
    balance_classes,
    choose_corpora,
    join_parts,
    load_items,
    make_folds,
    make_task,
    measure_predictions,
)
from experiments.pair_models import Judge, Judgements, TwoClassModel, fit_logistic, train_model
from experiments.published_results import TASKS
from experiments.reports import write_choice
from experiments.rewriting_settings import Setting
from experiments.rte3.role_scores import StatedRelation
from experiments.shared_grams import choose_setting
from experiments.tree_corpora import GRAPHS, TREES, WORDS
from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
from rekern.datasets.tables import Table
from rekern.kernels import (
    AllProduct,
    Curves,
    Gaussian,
    Kernel,
    Landmarks,
    Neighborhoods,
    PairSum,
    PartialTree,
    Rewriting,
    Spectrum,
    Symmetric,
)
from rekern.learning.auto_pair_models import AutoPairClassifier, AutoPairRanker, AutoPairRegressor
from rekern.learning.cross_validation import Fold
from rekern.learning.kernel_choice import CHOSEN, ON_SAMPLE
from rekern.learning.named_kernels import resolve_kernel
from rekern.learning.search_tasks import ClassTask, SearchTask, list_rows
from rekern.learning.training_matrices import SharedMatrices, TrainingMatrix
from rekern.similarity import Similarities, UnsharedWords, WordVectors

TEXT = ("basic", "ngrams", "sequences", "differences", "order", "contexts")
LEXICAL = ("wordnet", "relations", "esa", "thesaurus", "alignment", "vectors")
ALIGNED = (*TEXT, *LEXICAL, "aligner")
OF_TREES = (*ALIGNED, "tags", "links", "inclusion")
N_LANDMARKS = 1000
COST_OF_JUDGE = {"hinge": 0.3, "logistic": 0.5}  # as chosen for RTE-3 with the same kernel
MINUTES = 5.0  # of a search, as --minutes of rekern train


class Resources(NamedTuple):
    """What scores need besides the texts."""

    wordnet: str
    thesaurus: str
    space: WordVectors

    def make_scores(self, groups: tuple[str, ...], on: str | None = None) -> Similarities:
        """Make a kernel over groups of scores, of the words of the texts or of trees."""
        return Similarities(groups=groups, on=on, wordnet=self.wordnet, thesaurus=self.thesaurus, space=self.space)


def load_resources(data: DataPath) -> Resources:
    """Load WordNet, the thesaurus and the word vectors of the data folder."""
    space = WordVectors.from_file(find_file(data, "glove_6b_100d", "vectors.bin")).without_common_parts(2)
    wordnet, thesaurus = find_file(data, "oewn", "synsets.tsv").parent, find_file(data, "ppdb_lexical", "pairs.tsv")
    return Resources(str(wordnet), str(thesaurus), space)


def list_settings(corpus: PairCorpus, resources: Resources, data: DataPath = None) -> list[Setting]:
    """List what is compared; the first one is the default kernel. A judge is trained on its own corpus in ``data``."""
    default = Setting("default", resolve_kernel(None, on_features=corpus.is_large))
    if not corpus.is_large:
        return [default, *_list_sums(corpus, resources), *_list_aligned(corpus, resources, data)]
    if corpus.is_symmetric:
        return [default, _make_landmark_setting(resources)]
    groups = TEXT if corpus.measure != "map" else (*TEXT, "answers")
    return [default] + [  # sums of rules and curves: they have features, and so need no Gram
        Setting(f"rules 1-{k} + curves over {name}", Rewriting(k=(1, k)) + Curves(resources.make_scores(chosen)))
        for name, chosen in {"text scores": groups, "all scores": (*groups, *LEXICAL)}.items()
        for k in corpus.windows
    ]


def _make_landmark_setting(resources: Resources) -> Setting:
    """Make the sum of rules and a Gaussian kernel, both for both orders of a pair, by features: it needs no Gram."""
    gaussian = Symmetric(_make_gaussian(resources.make_scores((*TEXT, *LEXICAL, "answers")), 0.3))
    kernel = Symmetric(Rewriting(k=(1, 2))) * 2 + Landmarks(gaussian, N_LANDMARKS) * 20
    name = f"both orders: rules 1-2 + 10 Gaussian 0.3/n over all scores, {N_LANDMARKS} landmarks"
    return Setting(name, kernel)


def _list_sums(corpus: PairCorpus, resources: Resources) -> Iterator[Setting]:
    """List sums of rules and Gaussian kernels over scores, and of words of the target where these tell something."""
    rules, many = Rewriting(k=(1, 4)), resources.make_scores((*TEXT, *LEXICAL))
    for weight in (10, 30) if corpus.is_symmetric else ():
        name = f"both orders: rules + {weight // 2} Gaussian 0.3/n over all scores"
        yield Setting(name, Symmetric(rules * 2 + weight * _make_gaussian(many, 0.3)))
    few = 10 * _make_gaussian(resources.make_scores(TEXT), 0.3)
    yield Setting("rules + 10 Gaussian 0.3/n over text scores", rules + few)
    for width in corpus.widths:
        for weight in (10, 30):
            name = f"rules + {weight} Gaussian {width:g}/n over all scores"
            yield Setting(name, rules + weight * _make_gaussian(many, width))
    words = Spectrum(1, on="target") + Spectrum(2, on="target")
    for weight in (1, 2) if corpus.has_telling_targets else ():
        name = f"rules + 10 Gaussian 0.3/n over all scores + {weight} x words and bigrams of the target"
        yield Setting(name, rules + 10 * _make_gaussian(many, 0.3) + weight * words)


def _list_aligned(corpus: PairCorpus, resources: Resources, data: DataPath) -> Iterator[Setting]:
    """List sums with the scores of aligned words, and where there are trees, with these, and with a judge."""
    rules, scores = Rewriting(k=(1, 4)), resources.make_scores(ALIGNED)
    for width in corpus.widths:
        name, gaussian = f"Gaussian {width:g}/n over all scores and aligned words", _make_gaussian(scores, width)
        if not corpus.is_symmetric:
            yield Setting(f"rules + 10 {name}", rules + 10 * gaussian)
            if corpus.has_trees:
                yield from _list_directed(corpus, resources, data, width, name, gaussian * 3)
            continue
        for weight in (10, 15):
            both: Kernel = Symmetric(rules * 2 + 2 * weight * gaussian)
            yield Setting(f"both orders: rules + {weight} {name}", both)
            if corpus.has_trees:
                kernel = reduce(add, _list_tree_kernels(), both)
                yield Setting(f"both orders: rules + {weight} {name}; unshared words, trees, graphs", kernel)
    if corpus.has_trees and corpus.is_symmetric:  # for paraphrases: sums without aligned words
        sums = rules + 10 * _make_gaussian(resources.make_scores((*TEXT, *LEXICAL)), 0.3)
        for number, name in ((1, "unshared words"), (3, "unshared words, trees, graphs")):
            kernel = reduce(add, _list_tree_kernels()[:number], sums)
            yield Setting(f"rules + 10 Gaussian 0.3/n over all scores + {name}", kernel)


def _list_tree_kernels() -> list[Kernel]:
    return [
        _make_gaussian(UnsharedWords(on=WORDS), 0.3) * 3,
        AllProduct(PartialTree(on=TREES[True])) * 0.5,
        Neighborhoods(1, 2, 0, on=GRAPHS[True]) * 0.5,
    ]


def _list_directed(
    corpus: PairCorpus, resources: Resources, data: DataPath, width: float, name: str, aligned: Kernel
) -> Iterator[Setting]:
    """List sums with trees for entailment: with inclusion, a judge, roles and ways."""
    trees = PairSum(PartialTree(on=TREES[True]))
    inside = 3 * _make_gaussian(resources.make_scores(("inclusion",), WORDS), width)
    whole = trees + 3 * _make_gaussian(resources.make_scores(OF_TREES, WORDS), width)
    yield Setting(f"3 {name} + trees", trees + aligned)
    yield Setting(f"3 {name} + 3 over inclusion + trees", trees + aligned + inside)
    name = f"3 Gaussian {width:g}/n over all scores of trees, with inclusion + trees"
    yield Setting(name, whole)
    if corpus.judge is not None:
        judge = make_judge(corpus, whole, data)
        asked = 3 * Gaussian(Judgements(judge), 0.3)
        yield Setting(f"{name} + 3 Gaussian 0.3 over the decision of {judge.name}", whole + asked)
    if not corpus.has_roles or width != min(corpus.widths):
        return
    # logistic regression on a sum with the scores of roles, and with those of ways besides
    roles = whole + inside + 3 * _make_gaussian(resources.make_scores(("roles",), DEPENDENCIES), width)
    ways = _make_gaussian(resources.make_scores(("ways",), DEPENDENCIES), 1.0)
    stated = Gaussian(StatedRelation(DEPENDENCIES, resources.space), 0.5)
    name = f"logistic: {name} + 3 over inclusion + 3 over roles"
    for kernel, title in (
        (roles, name),
        (roles + 0.5 * (ways * stated), f"{name} + 0.5 over ways x Gaussian 0.5 over what is stated"),
    ):
        if corpus.judge is None:
            yield Setting(title, kernel, loss="logistic")
        else:
            judge = make_judge(corpus, kernel, data, "logistic")
            yield Setting(f"{title} + the decision of {judge.name}", kernel + Judgements(judge), loss="logistic")


def make_judge(corpus: PairCorpus, kernel: Kernel, data: DataPath, loss: str = "hinge") -> Judge:
    """Make a model of another corpus, which the corpus names, with the same kind of scores and trees."""
    assert corpus.judge is not None
    name, parts = corpus.judge
    used = corpus._replace(has_roles=f"source.{DEPENDENCIES}" in kernel.reads())

    def train(model: TwoClassModel) -> object:
        part = join_parts(*(load_items(used, part, data) for part in parts))
        with show_bars(False):
            return model.fit(part.items, part.table.labels or [])

    return Judge(f"a model of {name}", clone(kernel, safe=False), train, COST_OF_JUDGE[loss], loss)


def _make_gaussian(scores: Similarities | UnsharedWords, width: float) -> Gaussian:
    return Gaussian(scores, width / len(scores.names()))


def run_pairs(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, only: str | None = None
) -> JsonObject:
    """Run all corpora, or the one that ``only`` names."""
    names = choose_corpora(only)
    resources = load_resources(data)
    return {"rows": [_run_corpus(name, data, out, n_jobs, resources) for name in names]}


def _run_corpus(name: str, data: DataPath, out: Path | None, n_jobs: int | None, resources: Resources) -> JsonObject:
    corpus = CORPORA[name]
    train = load_items(corpus, corpus.train, data)
    settings = list_settings(corpus, resources, data)
    *tried, (best, score) = _compare_settings(name, corpus, train, settings, data, n_jobs)
    row: JsonObject = {
        "corpus": name,
        "measure": corpus.measure,
        "chosen": best.method,
        "C": best.C,
        "on_train": score,
        "default_on_train": tried[0][1],
        "paper": TASKS[name].paper,
        "known": TASKS[name].known,
        "candidates": [{"setting": setting.method, "C": setting.C, "on_train": value} for setting, value in tried],
    }
    write_choice(out, f"pairs-{name}", row)

    test = load_items(corpus, corpus.test, data)
    row["test_pairs"] = len(test.table)
    if corpus.dev is not None and corpus.trains_on_dev:
        train = join_parts(train, corpus.load(corpus.dev, data))
    row["train_pairs"] = len(train.table)
    row["default"] = _test_setting(corpus, settings[0], train, test, n_jobs)["value"]
    return {**row, **_test_setting(corpus, best, train, test, n_jobs)}


def _compare_settings(
    name: str, corpus: PairCorpus, train: CorpusPart, settings: Sequence[Setting], data: DataPath, n_jobs: int | None
) -> list[tuple[Setting, float]]:
    """Measure all settings with C = 1, then the best ones with other values of C; the best one of all is the last."""
    parts, items = [train.table], train.items
    if corpus.dev is None:
        folds = make_folds(name, train.table, data, corpus.shuffles)
    else:
        dev = corpus.load(corpus.dev, data)
        parts, items = [train.table, dev.table], [*items, *dev.items]
        folds = [Fold(np.arange(len(train.table)), np.arange(len(train.table), len(items)))]
    labels = [label for part in parts for label in part.labels or []]
    groups = [(place, group) for place, part in enumerate(parts) for group in part.groups or []]
    weights = balance_classes(train.table.labels or [], labels) if corpus.is_balanced else np.ones(len(labels))
    task = make_task(corpus.measure, labels, groups, weights)
    matrices = SharedMatrices(items, not corpus.is_large, n_jobs, task.needs_all_features)

    def measure(some: Sequence[Setting]) -> list[float]:
        tracked = track(some, len(some), f"{name}: settings")
        return [measure_setting(task, matrices, setting, folds, n_jobs) for setting in tracked]

    return choose_setting(settings, measure, float, corpus.costs, 1 if corpus.is_large else 2)


def measure_setting(
    task: SearchTask, matrices: SharedMatrices, setting: Setting, folds: Sequence[Fold], n_jobs: int | None = None
) -> float:
    """Measure a setting on the held-out rows of folds: accuracy in per cent, else a correlation or MAP."""
    with show_bars(False):
        matrix = matrices.build(setting.kernel)
        calls = [(matrix, setting.C, fold, output) for fold in folds for output in range(task.outputs)]
        decide = task.decide
        if setting.loss == "logistic" and isinstance(task, ClassTask):
            decide = partial(_decide_logistic, task)
        found = list(run(decide, calls, n_jobs))
    columns = [np.concatenate(found[output :: task.outputs]) for output in range(task.outputs)]
    score = task.measure(np.column_stack(columns), list_rows(folds)).score
    return round(100 * score, 2) if task.measure_name == "accuracy" else round(score, 4)


def _decide_logistic(task: ClassTask, matrix: TrainingMatrix, C: float, fold: Fold, output: int) -> Floats:
    """Return what kernel logistic regression decides about the test rows of a fold."""
    assert matrix.gram is not None
    rows, signs = matrix.gram.astype(np.float64, copy=False), task.signs[output, fold.train]
    return fit_logistic(rows[np.ix_(fold.train, fold.train)], signs, C).decide(rows[np.ix_(fold.test, fold.train)])


def _test_setting(
    corpus: PairCorpus, setting: Setting, train: CorpusPart, test: CorpusPart, n_jobs: int | None
) -> JsonObject:
    """Train a setting on the whole training part, and measure it on the test part."""
    labels, groups = train.table.labels or [], train.table.groups or []
    model = train_model(corpus.measure, setting, train.items, labels, groups, n_jobs, corpus.is_balanced)
    predicted = np.asarray(model.predict(test.items))
    return measure_predictions(corpus.measure, predicted, test.table.labels or [], test.table.groups or [])


def run_auto(
    data: DataPath = None,
    out: Path | None = None,
    n_jobs: int | None = None,
    only: str | None = None,
    minutes: float = MINUTES,
) -> JsonObject:
    """Run the kernel that ``rekern train --auto`` chooses from the texts alone, with a search of so many minutes."""
    return {"rows": [_run_search(name, data, out, n_jobs, minutes) for name in choose_corpora(only)]}


def _run_search(name: str, data: DataPath, out: Path | None, n_jobs: int | None, minutes: float) -> JsonObject:
    corpus = CORPORA[name]
    train = corpus.load(corpus.train, data).table
    used = time.process_time()
    model = _train_auto(corpus.measure, train, minutes, n_jobs)
    used = time.process_time() - used
    trials = model.results_
    (trial,) = [trial for trial in trials if trial.outcome.startswith(CHOSEN)]
    complete = [found for found in trials if found.folds == trial.folds and not found.outcome.endswith(ON_SAMPLE)]
    best = max(complete, key=lambda found: found.score or 0.0)
    scale, digits = (100, 2) if corpus.measure == "accuracy" else (1, 4)
    row: JsonObject = {
        "corpus": name,
        "measure": corpus.measure,
        "chosen": trial.kernel,
        "C": trial.C,
        "on_train": None if trial.score is None else round(scale * trial.score, digits),
        "best_on_train": None if best.score is None else round(scale * best.score, digits),
        "tried": len(trials),
        "skipped": sum(trial.folds == 0 for trial in trials),
        "search_seconds": round(sum(trial.seconds for trial in trials), 1),
        "processor_seconds": round(used, 1),  # of all threads, for the search and the training of the model
        "train_pairs": len(train),
    }
    write_choice(out, f"auto-{name}", row)

    test = corpus.load(corpus.test, data).table
    predicted = np.asarray(model.best_estimator_.predict(test.pairs))
    row["test_pairs"] = len(test)
    return {**row, **measure_predictions(corpus.measure, predicted, test.labels or [], test.groups or [])}


def _train_auto(
    measure: str, train: Table, minutes: float, n_jobs: int | None
) -> AutoPairClassifier | AutoPairRegressor | AutoPairRanker:
    labels = train.labels or []
    if measure == "accuracy":
        return AutoPairClassifier(minutes, calibration=0, n_jobs=n_jobs).fit(train.pairs, labels)
    if measure == "pearson":
        return AutoPairRegressor(minutes, n_jobs=n_jobs).fit(train.pairs, labels)
    return AutoPairRanker(minutes, n_jobs=n_jobs).fit(train.pairs, labels, train.groups or [])
