"""TREC questions by tree kernels on KeLP's trees: six coarse types, one machine for each type against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from experiments import published_results as published
from experiments.corpora import DataPath, find_file
from experiments.reports import write_json
from experiments.shared_grams import N_FOLDS, make_evaluation_folds
from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
from rekern.kernels import Kernel, PartialTree, SmoothedPartialTree, SubsetTree
from rekern.learning.cross_validation import Fold
from rekern.learning.gram_svm import classify_gram
from rekern.learning.submatrix_core import take_submatrix
from rekern.similarity import LatentSemantics, WordVectors
from rekern.structures import KelpExample, Trees, read_klp, trees_named

TREES = ("grct", "lct", "loct")
COSTS = (3.0, 10.0, 30.0)
PUBLISHED_COST = 10.0
PARTS = {"train": "train_5500.coarse.klp", "test": "TREC_10.coarse.klp"}
VECTORS = ("glove_twitter_25d_12k", "vectors.txt")


@dataclass(frozen=True)
class TypeClassifier:
    """One machine for each class: the score of class j is Σ coefficients[:, j] · K + intercepts[j]."""

    classes: AnyArray
    coefficients: Floats
    intercepts: Floats

    def score(self, gram: Floats) -> Floats:
        """Return the score of each class, for every row of a Gram of new items with the training items."""
        scores: Floats = gram @ self.coefficients + self.intercepts
        return scores

    def predict(self, gram: Floats) -> AnyArray:
        """Return the class with the highest score, for every row of a Gram of new items with the training items."""
        predicted: AnyArray = self.classes[np.argmax(self.score(gram), axis=1)]
        return predicted


def run_trec(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run subset trees, partial trees and smoothed partial trees on GRCT, LCT and LOCT trees.

    Every kernel and tree is cross-validated on the training part with three values of C; the best is recorded before
    the test part is read. The rows have C = 10, as published, and the best C of the folds if it is another.
    """
    train = load_trec_trees("train", data)
    labels = np.array([example.labels[0] for example in train])
    # A question that occurs twice, and so has the same tree, is in one fold.
    folds = make_evaluation_folds([(example.trees["grct"],) * 2 for example in train], labels)
    kernels = list_kernels(train, find_file(data, *VECTORS))
    found: list[JsonObject] = []
    trained: list[tuple[JsonObject, TypeClassifier]] = []
    for tree in TREES:
        trees = trees_named(train, tree)
        for method, kernel in track(kernels.items(), len(kernels), f"training on {tree}"):
            with show_bars(False):
                gram = kernel.gram(trees, n_jobs=n_jobs)
                accuracies = cross_validate_costs(gram, labels, folds, COSTS, n_jobs)
                rows: list[JsonObject] = [
                    {"method": method, "tree": tree, "C": C, "cv_accuracy": round(accuracy, 2)}
                    for C, accuracy in zip(COSTS, accuracies)
                ]
                found += rows
                best = max(rows, key=lambda row: row["cv_accuracy"])
                costs = [PUBLISHED_COST] + [best["C"]] * (best["C"] != PUBLISHED_COST)
                classifiers = train_classifiers(gram, labels, costs, n_jobs)
                trained += [(row, classifiers[costs.index(row["C"])]) for row in rows if row["C"] in costs]
    chosen = max(found, key=lambda row: row["cv_accuracy"])
    kernel_text = " ".join(repr(kernels[chosen["method"]]).split())
    record = {**chosen, "note": f"on {chosen['tree']}", "kernel": kernel_text, "folds": N_FOLDS}
    if out is not None:
        write_json(out / "trec-chosen.json", record)

    test = load_trec_trees("test", data)
    truth = np.array([example.labels[0] for example in test])
    tested: list[JsonObject] = []
    for tree in TREES:
        old, new = (trees_named(part, tree) for part in (train, test))
        for method, kernel in track(kernels.items(), len(kernels), f"test on {tree}"):
            with show_bars(False):
                block = kernel.gram(new, old, n_jobs=n_jobs)
            for row, classifier in trained:
                if (row["method"], row["tree"]) != (method, tree):
                    continue
                accuracy = 100 * float(np.mean(classifier.predict(block) == truth))
                value = published.TREC.get((method, tree)) if row["C"] == PUBLISHED_COST else None
                tested.append({**row, "accuracy": round(accuracy, 2), "published": value, "chosen": row is chosen})
    accuracy = next(row["accuracy"] for row in tested if row["chosen"])
    return {
        "rows": tested,
        "chosen_on_train": {**record, "accuracy": accuracy},
        "candidates": found,
        "train_questions": len(train),
        "test_questions": len(test),
    }


def load_trec_trees(part: str, data: DataPath = None) -> list[KelpExample]:
    """Load the questions of one part (``train`` or ``test``), each with its type and its trees."""
    return read_klp(find_file(data, "trec_qc", "kelp_trees", PARTS[part]))


def list_kernels(train: Sequence[KelpExample], vectors: Path) -> dict[str, Kernel]:
    """List the kernels that are compared; the latent space is learned from the training questions only."""
    space = LatentSemantics().fit(list_lemmas(trees_named(train, "loct")))
    return {
        "sst": SubsetTree(),
        "ptk": PartialTree(),
        "sptk-lsa": SmoothedPartialTree(similarity=space),
        "sptk-glove": SmoothedPartialTree(similarity=WordVectors.from_file(vectors)),
    }


def list_lemmas(trees: Trees) -> list[list[str]]:
    """List the lemmas of each tree with their parts of speech, as word spaces know them.

    >>> list_lemmas(Trees.from_items(["(LEX##be::v (LEX##far::r (LEX##how::w)) (POS##VBZ))"]))
    [['be::v', 'far::r', 'how::w']]
    """
    names = [label.removeprefix("LEX##") if label.startswith("LEX##") else "" for label in trees.vocabulary]
    offsets = trees.offsets.tolist()
    labels = trees.labels.tolist()
    return [[names[label] for label in labels[start:end] if names[label]] for start, end in pairwise(offsets)]


def train_classifiers(
    gram: Floats, labels: AnyArray, costs: Sequence[float | Floats], n_jobs: int | None = None
) -> list[TypeClassifier]:
    """Train a classifier on a Gram for each value of C, which is one number or one for each item.

    >>> classifier, = train_classifiers(np.eye(3), np.array(["a", "b", "c"]), [10.0])
    >>> classifier.predict(np.eye(3))
    array(['a', 'b', 'c'], dtype='<U1')
    """
    classes = np.unique(labels)
    calls = [(gram, labels == name, C) for C in costs for name in classes]
    fitted = list(run(classify_gram, calls, n_jobs))
    found = []
    for first in range(0, len(calls), len(classes)):
        coefficients, intercepts = zip(*fitted[first : first + len(classes)])
        found.append(TypeClassifier(classes, np.column_stack(coefficients), np.array(intercepts)))
    return found


def cross_validate_costs(
    gram: Floats, labels: AnyArray, folds: Sequence[Fold], costs: Sequence[float], n_jobs: int | None
) -> list[float]:
    """Measure the accuracy in the folds (%) for each value of C."""
    right = np.zeros(len(costs))
    for train, test in folds:
        classifiers = train_classifiers(take_submatrix(gram, train, train), labels[train], costs, n_jobs)
        block = take_submatrix(gram, test, train)
        right += [np.sum(classifier.predict(block) == labels[test]) for classifier in classifiers]
    accuracies: list[float] = (100 * right / sum(len(fold.test) for fold in folds)).tolist()
    return accuracies
