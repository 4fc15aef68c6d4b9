"""How fast the groups of scores of `Similarities` are, one by one, and together with rules in the folds of a corpus.

    python benchmarks/score_groups.py [--corpus qqp] [--pairs 5000] [--folds]

Only the training part is read. The first column is the processor time of all threads for each 1,000 pairs, after a
first call with 50 pairs, which compiles and loads; the second is relative to the group "basic". With ``--folds``, rules
and a Gaussian kernel over the basic groups and one more are compared in five folds (two classes only).
"""

import argparse
import time

import numpy as np

from curves import CORPORA, TEXT_GROUPS, measure, sample
from experiments.score_experiments import LEXICAL, TEXT, load_resources
from rekern.core.arrays import Floats
from rekern.datasets.tables import Table
from rekern.kernels import Rewriting
from rekern.learning.cross_validation import make_text_folds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=list(CORPORA), default="qqp")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--folds", action="store_true")
    parser.add_argument("--data", help="folder of the corpora, by default REKERN_DATA")
    options = parser.parse_args()
    table = sample(CORPORA[options.corpus](options.data), options.pairs, options.pairs)
    resources = load_resources(options.data)
    scores, basic = {}, 0.0
    print(f"{options.corpus}: {len(table):,} pairs")
    for group in (*TEXT, "answers", *LEXICAL):
        resources.make_scores((group,)).fit(table.pairs[:50])
        started = time.process_time()
        scores[group] = resources.make_scores((group,)).fit(table.pairs).scores(table.pairs)
        spent = (time.process_time() - started) / len(table) * 1000
        basic = basic or spent
        print(f"  {group:<14} {spent:8.3f} s for 1,000 pairs   {spent / basic:6.1f} × basic", flush=True)
    if options.folds:
        compare(table, scores)


def compare(table: Table, scores: dict[str, Floats]) -> None:
    """Print the accuracy in the folds with each group."""
    labels = np.array(table.labels)
    folds = make_text_folds(table.pairs, labels, 5)
    rules = Rewriting(k=(1, 4)).gram(table.pairs)
    for group in (None, *(name for name in scores if name not in TEXT_GROUPS), "all"):
        chosen = [*TEXT_GROUPS, *([group] if group in scores else [])] if group != "all" else list(scores)
        found = np.column_stack([scores[name] for name in chosen])
        products = found @ found.T
        squares = np.diag(products)[:, None] + np.diag(products) - 2 * products
        gram = rules + 10 * np.exp(-0.3 / found.shape[1] * np.maximum(squares, 0.0))
        name = "basic groups" if group is None else f"+ {group}"
        print(f"  {measure(gram, labels, table.groups, folds):6.2f}  {name}", flush=True)


if __name__ == "__main__":
    main()
