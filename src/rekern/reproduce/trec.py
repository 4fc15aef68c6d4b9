"""TREC questions by tree kernels: KeLP's own trees, six coarse types, one machine for each type against the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rekern.core.jobs import run
from rekern.core.progress import show_bars, track
from rekern.datasets.public_corpora import DataPath
from rekern.kernels import Kernel, PartialTree, SmoothedPartialTree, SubsetTree
from rekern.learning.gram_svm import classify_gram
from rekern.learning.submatrix_core import take_submatrix
from rekern.reproduce import published_results as published
from rekern.reproduce.shared_grams import FOLDS, grouped_folds
from rekern.reproduce.structural.structural_report import as_text, draw
from rekern.reproduce.structural.tree_corpora import find_file
from rekern.reproduce.two_class_experiment import write_json
from rekern.similarity import LatentSemantics, WordVectors
from rekern.structures import KelpExample, Trees, read_klp, trees_named

__all__ = ["as_text", "draw", "trec"]

TREES = ("grct", "lct", "loct")
PRICES = (3.0, 10.0, 30.0)
PUBLISHED_PRICE = 10.0
PARTS = {"train": "train_5500.coarse.klp", "test": "TREC_10.coarse.klp"}
VECTORS = ("glove_twitter_25d_12k", "vectors.txt")


@dataclass(frozen=True)
class Machines:
    """One machine for each class: the score of class j is Σ coefficients[:, j] · K + intercepts[j]."""

    classes: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray

    def predict(self, gram: np.ndarray) -> np.ndarray:
        """The class with the highest score, for every row of a Gram of new items with the training items."""
        return self.classes[np.argmax(gram @ self.coefficients + self.intercepts, axis=1)]


def trec(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Subset trees, partial trees and smoothed partial trees on GRCT, LCT and LOCT trees.

    Every kernel and tree is cross-validated on the training part at three values of C; the best one is recorded before
    the test part is read. The rows have C = 10, as published, and the best C of the folds where it is another.
    """
    train = load_questions("train", data)
    labels = np.array([example.labels[0] for example in train])
    # A question that is there twice, and so has the same tree, is in one fold.
    folds = grouped_folds([(example.trees["grct"],) * 2 for example in train], labels)
    kernels = methods(train, find_file(data, *VECTORS))
    found: list[dict[str, Any]] = []
    trained: list[tuple[dict[str, Any], Machines]] = []
    for tree in TREES:
        trees = trees_named(train, tree)
        for method, kernel in track(kernels.items(), len(kernels), f"training on {tree}"):
            with show_bars(False):
                gram = kernel.gram(trees, n_jobs=n_jobs)
                accuracies = _cross_validated(gram, labels, folds, PRICES, n_jobs)
                rows: list[dict[str, Any]] = [
                    {"method": method, "tree": tree, "C": C, "cv_accuracy": round(accuracy, 2)}
                    for C, accuracy in zip(PRICES, accuracies)
                ]
                found += rows
                best = max(rows, key=lambda row: row["cv_accuracy"])
                prices = [PUBLISHED_PRICE] + [best["C"]] * (best["C"] != PUBLISHED_PRICE)
                machines = one_against_all(gram, labels, prices, n_jobs)
                trained += [(row, machines[prices.index(row["C"])]) for row in rows if row["C"] in prices]
    chosen = max(found, key=lambda row: row["cv_accuracy"])
    kernel_text = " ".join(repr(kernels[chosen["method"]]).split())
    record = {**chosen, "note": f"on {chosen['tree']}", "kernel": kernel_text, "folds": FOLDS}
    if out is not None:
        write_json(out / "trec-chosen.json", record)

    test = load_questions("test", data)
    truth = np.array([example.labels[0] for example in test])
    tested: list[dict[str, Any]] = []
    for tree in TREES:
        old, new = (trees_named(part, tree) for part in (train, test))
        for method, kernel in track(kernels.items(), len(kernels), f"test on {tree}"):
            with show_bars(False):
                block = kernel.gram(new, old, n_jobs=n_jobs)
            for row, machine in trained:
                if (row["method"], row["tree"]) != (method, tree):
                    continue
                accuracy = 100 * float(np.mean(machine.predict(block) == truth))
                value = published.TREC.get((method, tree)) if row["C"] == PUBLISHED_PRICE else None
                tested.append({**row, "accuracy": round(accuracy, 2), "published": value, "chosen": row is chosen})
    accuracy = next(row["accuracy"] for row in tested if row["chosen"])
    return {
        "rows": tested,
        "chosen_on_train": {**record, "accuracy": accuracy},
        "candidates": found,
        "train_questions": len(train),
        "test_questions": len(test),
    }


def load_questions(part: str, data: DataPath = None) -> list[KelpExample]:
    """The questions of one part (``train`` or ``test``), each with its type and its trees."""
    return read_klp(find_file(data, "trec_qc", "kelp_trees", PARTS[part]))


def methods(train: Sequence[KelpExample], vectors: Path) -> dict[str, Kernel]:
    """The kernels that are compared; the latent space knows the words of the training questions only."""
    space = LatentSemantics().fit(lemmas_of(trees_named(train, "loct")))
    return {
        "sst": SubsetTree(),
        "ptk": PartialTree(),
        "sptk-lsa": SmoothedPartialTree(similarity=space),
        "sptk-glove": SmoothedPartialTree(similarity=WordVectors.from_file(vectors)),
    }


def lemmas_of(trees: Trees) -> list[list[str]]:
    """The words of each tree with their parts of speech, as word spaces are asked for them.

    >>> lemmas_of(Trees.from_items(["(LEX##be::v (LEX##far::r (LEX##how::w)) (POS##VBZ))"]))
    [['be::v', 'far::r', 'how::w']]
    """
    names = [label.removeprefix("LEX##") if label.startswith("LEX##") else "" for label in trees.vocabulary]
    bounds = trees.offsets.tolist()
    labels = trees.labels.tolist()
    return [[names[label] for label in labels[a:b] if names[label]] for a, b in pairwise(bounds)]


def one_against_all(
    gram: np.ndarray, labels: np.ndarray, prices: Sequence[float], n_jobs: int | None = None
) -> list[Machines]:
    """Machines for each value of C, trained on a Gram.

    >>> machines, = one_against_all(np.eye(3), np.array(["a", "b", "c"]), [10.0])
    >>> machines.predict(np.eye(3))
    array(['a', 'b', 'c'], dtype='<U1')
    """
    classes = np.unique(labels)
    calls = [(gram, labels == name, C) for C in prices for name in classes]
    fitted = list(run(classify_gram, calls, n_jobs))
    found = []
    for first in range(0, len(calls), len(classes)):
        coefficients, intercepts = zip(*fitted[first : first + len(classes)])
        found.append(Machines(classes, np.column_stack(coefficients), np.array(intercepts)))
    return found


def _cross_validated(
    gram: np.ndarray,
    labels: np.ndarray,
    folds: Sequence[tuple[np.ndarray, np.ndarray]],
    prices: Sequence[float],
    n_jobs: int | None,
) -> list[float]:
    """The accuracy in the folds (%) for each value of C."""
    right = np.zeros(len(prices))
    for part, held in folds:
        machines = one_against_all(take_submatrix(gram, part, part), labels[part], prices, n_jobs)
        block = take_submatrix(gram, held, part)
        right += [np.sum(machine.predict(block) == labels[held]) for machine in machines]
    return (100 * right / sum(len(held) for _, held in folds)).tolist()
