"""Rules, and rules with scores, curves or a Gaussian kernel over the same scores, in the folds of six corpora.

    python benchmarks/curves.py [--corpora msrp rte …] [--pairs 6000] [--folds 5] [--shuffles 1] [--only curves]

After the settings of each corpus come differences: the default setting minus the other ones that are worth comparing,
with the standard error of the difference. Both settings are tested on the same pairs, or questions.

Only training parts are read (of PAWS the dev part, which has no training part). Pairs that share a text are in one
fold, and so are the candidates of a question. Larger corpora of pairs are sampled: ``--pairs`` says how many are kept.
With ``--shuffles`` the folds are made anew so many times, and the outcomes of each pair or question averaged: WikiQA
has few questions, and the differences of settings vary with the folds. What a kernel learns without labels (idf,
ranges and means of scores) it learns once from all folds. C is 1.
Accuracy in percent; for WikiQA 100 · MAP.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from experiments import corpora as corpora
from rekern.core.arrays import AnyArray, Floats
from rekern.datasets.tables import Table
from rekern.kernels import Curves, Rewriting
from rekern.learning.candidate_groups import number_groups
from rekern.learning.cross_validation import Fold, make_text_folds
from rekern.learning.dual_descent import order_gram
from rekern.learning.gram_svm import classify_held_out
from rekern.learning.measures import ranking_measures
from rekern.learning.named_kernels import PRODUCTS
from rekern.learning.pair_ranker import subtract_candidates
from rekern.similarity import PrecisionRecall, Similarities
from rekern.structures.pairs import Pairs

CORPORA: dict[str, Callable[[str | None], Table]] = {
    "msrp": lambda data: corpora.load_msrp("train", data),
    "rte": lambda data: corpora.load_rte("train", data),
    "paws": lambda data: corpora.load_paws("dev", data),
    "sick": lambda data: corpora.load_sick("train", "entailment", data),
    "qqp": lambda data: corpora.load_qqp("train", data),
    "wikiqa": lambda data: corpora.load_wikiqa("train", data=data),
}
TEXT_GROUPS = ("basic", "ngrams", "sequences", "differences")  # the scores of the default kernel
DEFAULT = "rules + curves, products (all)"
COMPARED = ("rules + curves (all)", "rules + 3 Gaussian 0.3/n (all)", "rules + 10 Gaussian 0.3/n (all)")
SCORES = {"basic": ("basic",), "all": TEXT_GROUPS, "all, order, contexts": (*TEXT_GROUPS, "order", "contexts")}
WIDTHS = (0.1, 0.3, 1.0)  # of the Gaussian: γ times the number of scores
WEIGHTS = (3, 10)  # of the Gaussian


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--pairs", type=int, default=6000)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--shuffles", type=int, default=1)
    parser.add_argument("--only", default="", help="the settings whose names have this in them, such as curves")
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    options = parser.parse_args()
    for name in options.corpora:
        table = sample(CORPORA[name](options.data), options.pairs)
        print(f"\n{name}: {len(table):,} pairs", flush=True)
        compare(table, [make_splits(table, options.folds, seed) for seed in range(options.shuffles)], options.only)


def sample(table: Table, pairs: int) -> Table:
    """Choose pairs at random, the same ones in every run; all questions with all their candidates are kept."""
    if table.groups is not None:
        return table
    return table.select(sorted(np.random.default_rng(0).permutation(len(table))[:pairs].tolist()))


def make_splits(table: Table, folds: int, seed: int) -> list[Fold]:
    """Make folds that keep pairs of one text, or candidates of one question, together."""
    if table.groups is None:
        return make_text_folds(table.pairs, np.array(table.labels), folds, seed)
    numbers = number_groups(table.groups)
    shuffled = np.random.default_rng(seed).permutation(numbers.max() + 1)
    parts = [np.isin(numbers, part) for part in np.array_split(shuffled, folds)]
    return [Fold(np.flatnonzero(~part), np.flatnonzero(part)) for part in parts]


def compare(table: Table, shuffles: list[list[Fold]], only: str = "") -> None:
    """Print a line for each setting."""
    labels = np.array(table.labels)
    outcomes: dict[str, Floats] = {}

    def report(name: str, gram: Floats) -> None:
        if only not in name:
            return
        started = time.perf_counter()
        found = [measure(gram, labels, table.groups, splits) for splits in shuffles]
        outcomes[name] = np.mean(found, axis=0)
        took = time.perf_counter() - started
        print(f"  {outcomes[name].mean():6.2f}  {name:<44} {took:6.1f} s", flush=True)

    tokens = Pairs.from_items(table.pairs)
    rules = Rewriting(k=(1, 4)).gram(tokens)
    report("rules", rules)
    report("rules, k=1-2", Rewriting(k=(1, 2)).gram(tokens))
    report("paper: rules + precision, recall", rules + PrecisionRecall().gram(tokens))
    for count, groups in SCORES.items():
        scores = Similarities(groups=groups).fit(table.pairs)
        found = scores.scores(table.pairs)
        products = found @ found.T
        report(f"rules + scores ({count})", rules + products)
        report(f"rules + curves ({count})", rules + Curves(scores).fit(table.pairs).gram(table.pairs))
        with_products = Curves(scores, products=PRODUCTS).fit(table.pairs)
        report(f"rules + curves, products ({count})", rules + with_products.gram(table.pairs))
        if "order" in count:  # Gaussian kernels are compared over the scores that the table of experiments/results has
            continue
        squares = np.diag(products)[:, None] + np.diag(products) - 2 * products
        for width in WIDTHS:
            bell = np.exp(-width / found.shape[1] * np.maximum(squares, 0.0))
            for weight in WEIGHTS:
                report(f"rules + {weight} Gaussian {width:g}/n ({count})", rules + weight * bell)
    gaussians = [name for name in outcomes if "Gaussian" in name and "(all)" in name]
    best = max(gaussians, key=lambda name: float(outcomes[name].mean()), default="")
    for name in dict.fromkeys([*COMPARED, best]):
        if name in outcomes and DEFAULT in outcomes:
            gains = outcomes[DEFAULT] - outcomes[name]
            error = gains.std(ddof=1) / len(gains) ** 0.5
            print(f"  {gains.mean():+6.2f}  ± {error:.2f}  compared with {name}", flush=True)


def measure(gram: Floats, labels: AnyArray, groups: list[object] | None, splits: list[Fold]) -> Floats:
    """100 for each pair that is right in the folds, else 0; or 100 · the average precision of each question."""
    if groups is not None:
        values = np.zeros(len(labels))
        numbers = number_groups(groups)
        for train, test in splits:
            rows = subtract_candidates(labels[train].astype(float), numbers[train]).matrix
            inner = rows @ (rows @ gram[np.ix_(train, train)]).T
            multipliers = order_gram(np.ascontiguousarray(inner), np.ones(rows.shape[0]))
            values[test] = gram[np.ix_(test, train)] @ (rows.T @ multipliers)
        answered = [np.flatnonzero(numbers == number) for number in np.unique(numbers[labels.astype(float) > 0])]
        found = [ranking_measures(values[rows], labels[rows].tolist(), [0] * len(rows))["map"] for rows in answered]
        return 100 * np.array(found)
    classes = np.unique(labels)
    right = np.zeros(len(labels))
    for train, test in splits:
        outputs = classes[1:] if len(classes) == 2 else classes
        values = np.array([classify_held_out(gram, np.where(labels == k, 1, -1), 1.0, train, test) for k in outputs])
        chosen = (values[0] > 0).astype(int) if len(classes) == 2 else values.argmax(axis=0)
        right[test] = classes[chosen] == labels[test]
    return 100 * right


if __name__ == "__main__":
    main()
