"""All scores of `Similarities` on the corpora of pairs, with WordNet, word vectors and a thesaurus.

Settings are compared on the training part (in folds, or on the development part where there is one). The chosen one is
written down before the test part is read; besides it, only the default kernel is tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from experiments.corpora import DataPath, find_file
from experiments.measured_figures import measure_predictions
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
)
from experiments.pair_models import Judge, Judgements, TwoClassModel, fit_logistic, train_model
from experiments.published_results import TASKS
from experiments.reports import format_table, format_title, write_choice
from experiments.reports import join_parts as join_paragraphs
from experiments.rewriting_settings import Setting
from experiments.rte3.role_scores import StatedRelation
from experiments.shared_grams import choose_setting
from experiments.tree_corpora import GRAPHS, TREES, WORDS
from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
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
from rekern.learning.cross_validation import Fold
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
    space = WordVectors.from_file(find_file(data, "glove_6b_100d", "vectors.bin"))
    return Resources(
        str(find_file(data, "oewn", "synsets.tsv").parent),
        str(find_file(data, "ppdb_lexical", "pairs.tsv")),
        space.without_common_parts(2),
    )


def list_settings(corpus: PairCorpus, resources: Resources, data: DataPath = None) -> list[Setting]:
    """List what is compared; the first one is the default kernel. A judge is trained on its own corpus in ``data``."""
    rules = Rewriting(k=(1, 4))
    default = Setting("default", resolve_kernel(None, on_features=corpus.is_large))
    if corpus.is_large and corpus.is_symmetric:
        return [default, _make_landmark_setting(resources)]
    if corpus.is_large:
        return [default, *_list_curves(corpus, resources)]
    few, many = resources.make_scores(TEXT), resources.make_scores((*TEXT, *LEXICAL))
    found = [
        default,
        *(
            Setting(
                f"both orders: rules + {weight // 2} Gaussian 0.3/n over all scores",
                Symmetric(rules * 2 + weight * _make_gaussian(many, 0.3)),
            )
            for weight in (10, 30)
            if corpus.is_symmetric
        ),
        Setting("rules + 10 Gaussian 0.3/n over text scores", rules + 10 * _make_gaussian(few, 0.3)),
        *(
            Setting(
                f"rules + {weight} Gaussian {width:g}/n over all scores", rules + weight * _make_gaussian(many, width)
            )
            for width in corpus.widths
            for weight in (10, 30)
        ),
    ]
    if corpus.has_telling_targets:
        words = Spectrum(1, on="target") + Spectrum(2, on="target")
        found += [
            Setting(
                f"rules + 10 Gaussian 0.3/n over all scores + {weight} x words and bigrams of the target",
                rules + 10 * _make_gaussian(many, 0.3) + weight * words,
            )
            for weight in (1, 2)
        ]
    return [*found, *_list_aligned(corpus, resources, data), *_list_sums_with_trees(corpus, many)]


def _list_aligned(corpus: PairCorpus, resources: Resources, data: DataPath) -> Iterator[Setting]:
    """List sums with the scores of aligned words, and where there are trees, with these, and with a judge."""
    rules, scores = Rewriting(k=(1, 4)), resources.make_scores(ALIGNED)
    for width in corpus.widths:
        name, bells = f"Gaussian {width:g}/n over all scores and aligned words", _make_gaussian(scores, width)
        if not corpus.is_symmetric:
            yield Setting(f"rules + 10 {name}", rules + 10 * bells)
            if corpus.has_trees:
                trees = PairSum(PartialTree(on=TREES[True]))
                yield Setting(f"3 {name} + trees", trees + 3 * bells)
                inside = 3 * _make_gaussian(resources.make_scores(("inclusion",), WORDS), width)
                yield Setting(f"3 {name} + 3 over inclusion + trees", trees + 3 * bells + inside)
                whole = 3 * _make_gaussian(resources.make_scores(OF_TREES, WORDS), width)
                name = f"3 Gaussian {width:g}/n over all scores of trees, with inclusion + trees"
                yield Setting(name, trees + whole)
                if corpus.judge is not None:
                    judge = make_judge(corpus, trees + whole, data)
                    asked = 3 * Gaussian(Judgements(judge), 0.3)
                    yield Setting(f"{name} + 3 Gaussian 0.3 over the decision of {judge.name}", trees + whole + asked)
                if corpus.has_roles and width == min(corpus.widths):
                    yield from _list_logistic(corpus, resources, trees + whole + inside, name, data)
            continue
        for weight in (10, 15):
            both: Kernel = Symmetric(rules * 2 + 2 * weight * bells)
            yield Setting(f"both orders: rules + {weight} {name}", both)
            if corpus.has_trees:
                kernel = reduce(add, _list_tree_kernels(), both)
                yield Setting(f"both orders: rules + {weight} {name}; unshared words, trees, graphs", kernel)


def _list_logistic(
    corpus: PairCorpus, resources: Resources, kernel: Kernel, name: str, data: DataPath
) -> Iterator[Setting]:
    """List logistic regression on a sum with the scores of roles, and with those of ways besides, with a judge."""
    roles = 3 * _make_gaussian(resources.make_scores(("roles",), DEPENDENCIES), min(corpus.widths))
    ways = _make_gaussian(resources.make_scores(("ways",), DEPENDENCIES), 1.0)
    stated = Gaussian(StatedRelation(DEPENDENCIES, resources.space), 0.5)
    name = f"logistic: {name} + 3 over inclusion + 3 over roles"
    for used, title in (
        (kernel + roles, name),
        (kernel + roles + 0.5 * (ways * stated), f"{name} + 0.5 over ways x Gaussian 0.5 over what is stated"),
    ):
        if corpus.judge is None:
            yield Setting(title, used, loss="logistic")
        else:
            judge = make_judge(corpus, used, data, "logistic")
            yield Setting(f"{title} + the decision of {judge.name}", used + Judgements(judge), loss="logistic")


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


def _list_sums_with_trees(corpus: PairCorpus, scores: Similarities) -> Iterator[Setting]:
    """List sums with unshared words, and with trees and graphs besides, for paraphrases with trees."""
    if corpus.has_trees and corpus.is_symmetric:
        for number, name in ((1, "unshared words"), (3, "unshared words, trees, graphs")):
            kernel = reduce(add, _list_tree_kernels()[:number], Rewriting(k=(1, 4)) + 10 * _make_gaussian(scores, 0.3))
            yield Setting(f"rules + 10 Gaussian 0.3/n over all scores + {name}", kernel)


def _list_tree_kernels() -> list[Kernel]:
    return [
        _make_gaussian(UnsharedWords(on=WORDS), 0.3) * 3,
        AllProduct(PartialTree(on=TREES[True])) * 0.5,
        Neighborhoods(1, 2, 0, on=GRAPHS[True]) * 0.5,
    ]


def _make_landmark_setting(resources: Resources) -> Setting:
    """Make the sum of rules and a Gaussian kernel, both for both orders of a pair, by features: it needs no Gram."""
    bells = Symmetric(_make_gaussian(resources.make_scores((*TEXT, *LEXICAL, "answers")), 0.3))
    kernel = Symmetric(Rewriting(k=(1, 2))) * 2 + Landmarks(bells, N_LANDMARKS) * 20
    name = f"both orders: rules 1-2 + 10 Gaussian 0.3/n over all scores, {N_LANDMARKS} landmarks"
    return Setting(name, kernel)


def _list_curves(corpus: PairCorpus, resources: Resources) -> list[Setting]:
    """List sums of rules and curves: they have features, and so need no Gram."""
    groups = TEXT if corpus.measure != "map" else (*TEXT, "answers")
    return [
        Setting(f"rules 1-{k} + curves over {name}", Rewriting(k=(1, k)) + Curves(resources.make_scores(chosen)))
        for name, chosen in {"text scores": groups, "all scores": (*groups, *LEXICAL)}.items()
        for k in corpus.windows
    ]


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
            decide = partial(decide_logistic, task)
        found = list(run(decide, calls, n_jobs))
    columns = [np.concatenate(found[output :: task.outputs]) for output in range(task.outputs)]
    score = task.measure(np.column_stack(columns), list_rows(folds)).score
    return round(100 * score, 2) if task.measure_name == "accuracy" else round(score, 4)


def decide_logistic(task: ClassTask, matrix: TrainingMatrix, C: float, fold: Fold, output: int) -> Floats:
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


def format_pairs(result: JsonObject) -> str:
    """Format the result as a table with a row for each corpus."""
    rows = [{**row, "95 %": f"{row['low']:g}–{row['high']:g}"} for row in result["rows"]]
    accuracies = [row for row in rows if row["measure"] == "accuracy"]
    others = [row for row in rows if row["measure"] != "accuracy"]
    columns = ("corpus", "measure", "default", "value", "f1", "95 %", "on_train", "paper", "known", "C", "chosen")
    filled = tuple(name for name in columns if any(row.get(name) not in (None, "") for row in rows))
    tables = [format_table(part, filled, digits) for part, digits in ((accuracies, 2), (others, 4)) if part]
    return join_paragraphs([format_title(result["name"]), *tables], result)
