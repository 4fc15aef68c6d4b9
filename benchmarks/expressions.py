"""The effect of joining multiword expressions on rules with aligned wildcards (kb-SRK), on MSRP.

    python benchmarks/expressions.py [--data FOLDER] [--kmax 4] [--jobs 2]

Expressions are learned from the sentences of the training part, without its labels. Settings are compared by
cross-validation there (5 folds, no text on both sides, C = 1). The best of those that join is then tested once, next to
the same kernel without joining. The p value is that of McNemar's exact test.
"""

import argparse
from itertools import product

import numpy as np

from experiments.corpora import load_msrp
from experiments.pair_corpora import mcnemar
from experiments.rewriting_settings import make_rewriting_setting
from experiments.shared_grams import SharedGrams, compute_decisions, make_evaluation_folds, train_settings
from rekern.learning.cross_validation import Fold
from rekern.structures import Expressions, Tokenizer, Tokens

METHODS = ("kb-srk", "kb-srk+pr")
MIN_DOCUMENTS = (5, 20)
MAX_DISTANCES = (0.0, 0.05, 0.1, 0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--kmax", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    table = load_msrp("train", options.data)
    pairs, labels = table.pairs, np.array(table.labels)
    texts = [text for pair in pairs for text in pair]
    plain = len(Tokens.from_texts(texts).ids)
    tokenizers: dict[str, Tokenizer | None] = {"no joining": None}
    sizes = {"no joining": (0, 0.0)}
    for least, distance in product(MIN_DOCUMENTS, MAX_DISTANCES):
        found = Expressions(min_documents=least, max_distance=distance).fit(texts).texts_
        name = f"φ ≥ {least}, distance ≤ {distance:g}"
        tokenizers[name] = Tokenizer(expressions=found)
        sizes[name] = len(found), 1 - len(Tokens.from_texts(texts, tokenizers[name]).ids) / plain
    settings = [
        make_rewriting_setting(method, options.kmax, tokenizer=tokenizer, note=name)
        for name, tokenizer in tokenizers.items()
        for method in METHODS
    ]
    signs = np.where(labels == 1, 1, -1)
    grams, everything = SharedGrams(pairs, options.jobs), np.arange(len(pairs))
    folds = [*make_evaluation_folds(pairs, labels), Fold(everything, everything[:0])]
    machines, accuracies = [], []
    for *parts, whole in train_settings(grams, settings, signs, folds):
        machines.append(whole)
        accuracies.append(100 * float(np.mean(np.concatenate([result.right for result in parts]))))
    print(f"{len(pairs):,} training pairs, window sizes 1 to {options.kmax}\n")
    print(f"{'':26}{'expressions':>12}{'shorter by':>12}{'kb-SRK':>10}{'+ PR':>10}   (accuracy in the folds, %)")
    for number, name in enumerate(tokenizers):
        count, saved = sizes[name]
        figures = "".join(f"{accuracy:10.2f}" for accuracy in accuracies[2 * number : 2 * number + 2])
        print(f"{name:26}{count:12,}{saved:12.1%}{figures}")

    test = load_msrp("test", options.data)
    truth = np.where(np.array(test.labels) == 1, 1, -1)
    print(f"\n{len(test):,} test pairs\n")
    for column, method in enumerate(METHODS):
        without, *joining = range(column, len(settings), 2)
        best = max(joining, key=lambda place: accuracies[place])
        tested = [(settings[place], machines[place]) for place in (without, best)]
        predicted = np.where(compute_decisions(grams, tested, test.pairs) > 0, 1, -1)
        right = predicted == truth[:, None]
        gained, lost = int(np.sum(right[:, 1] & ~right[:, 0])), int(np.sum(right[:, 0] & ~right[:, 1]))
        p = mcnemar(truth, predicted[:, 1], predicted[:, 0])
        before, after = 100 * right.mean(axis=0)
        print(f"{method:10} no joining {before:.2f}, {settings[best].note} {after:.2f}")
        print(f"{'':10} {gained} pairs gained, {lost} lost, p = {p:.2g}")


if __name__ == "__main__":
    main()
