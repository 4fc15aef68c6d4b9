"""TREC questions: by tree kernels on KeLP's trees, and by words, what the question asks for, and trees together.

There are six coarse types and fifty fine ones, and one machine for each type against the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments import published_results as published
from experiments.corpora import DataPath, data_directory, find_file, load_trec
from experiments.question_kernels import QuestionFocus
from experiments.reports import write_json
from experiments.shared_grams import N_FOLDS, make_evaluation_folds
from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
from rekern.errors import InputError
from rekern.kernels import Kernel, PartialTree, SmoothedPartialTree, Spectrum, SubsetTree
from rekern.learning.cross_validation import Fold
from rekern.learning.gram_svm import classify_gram
from rekern.learning.submatrix_core import take_submatrix
from rekern.similarity import LatentSemantics, WordVectors
from rekern.structures import KelpExample, Trees, read_klp, trees_named

TREES = ("grct", "lct", "loct")
COSTS = (3.0, 10.0, 30.0)
PUBLISHED_COST = 10.0
PARTS = {"train": "train_5500.coarse.klp", "test": "TREC_10.coarse.klp"}

TASKS = {"coarse": False, "fine": True}
COSTS_OF_SUMS = (3.0, 10.0)
VECTORS = ("glove_6b_100d", "vectors.bin")
START = "^"  # stands before the first word, so that n-grams know where the question begins
# The kernels that are added to each other, with their weights: each method has all terms of the one above it.
WORDS = {"words": 1.0, "bigrams": 1.0}
FOCUS = {**WORDS, "focus": 1.0, "form": 1.0, "ending": 1.0}
KINDS = {**FOCUS, "kinds": 1.0, "context": 1.0, "actions": 1.0}
METHODS: dict[str, dict[str, float]] = {
    "words": WORDS,
    "focus": FOCUS,
    "kinds": KINDS,
    "kinds+ptk": {**KINDS, "ptk": 2.0},
    "kinds+ptk+sptk": {**KINDS, "ptk": 2.0, "sptk": 4.0},
    "2 kinds+ptk+sptk": {**KINDS, "focus": 2.0, "kinds": 2.0, "ptk": 2.0, "sptk": 4.0},
}


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
    kernels = list_kernels(train, find_file(data, "glove_twitter_25d_12k", "vectors.txt"))
    steps = [(tree, method) for tree in TREES for method in kernels]
    found: list[JsonObject] = []
    trained: list[tuple[JsonObject, TypeClassifier]] = []
    for tree, method in track(steps, len(steps), "training"):
        with show_bars(False):
            gram = kernels[method].gram(trees_named(train, tree), n_jobs=n_jobs)
            accuracies = cross_validate_costs(gram, labels, folds, COSTS, n_jobs)
            rows: list[JsonObject] = [
                {"method": method, "tree": tree, "C": C, "cv_accuracy": round(accuracy, 2)}
                for C, accuracy in zip(COSTS, accuracies)
            ]
            best = max(rows, key=lambda row: row["cv_accuracy"])
            used = [row for row in rows if row["C"] in (PUBLISHED_COST, best["C"])]
            trained += zip(used, train_classifiers(gram, labels, [row["C"] for row in used], n_jobs))
        found += rows
    chosen = max(found, key=lambda row: row["cv_accuracy"])
    kernel_text = " ".join(repr(kernels[chosen["method"]]).split())
    record = {**chosen, "note": f"on {chosen['tree']}", "kernel": kernel_text, "folds": N_FOLDS}
    if out is not None:
        write_json(out / "trec-chosen.json", record)

    test = load_trec_trees("test", data)
    truth = np.array([example.labels[0] for example in test])
    tested: list[JsonObject] = []
    for tree, method in track(steps, len(steps), "test"):
        with show_bars(False):
            block = kernels[method].gram(trees_named(test, tree), trees_named(train, tree), n_jobs=n_jobs)
        for row, classifier in trained:
            if (row["method"], row["tree"]) == (method, tree):
                accuracy = round(100 * float(np.mean(classifier.predict(block) == truth)), 2)
                value = published.TREC.get((method, tree)) if row["C"] == PUBLISHED_COST else None
                tested.append({**row, "accuracy": accuracy, "published": value, "chosen": row is chosen})
    accuracy = next(row["accuracy"] for row in tested if row["chosen"])
    return {
        "rows": tested,
        "chosen_on_train": {**record, "accuracy": accuracy},
        "candidates": found,
        "train_questions": len(train),
        "test_questions": len(test),
    }


class Questions(NamedTuple):
    """The questions of one part: words as written and in small letters, their trees, and their types for each task."""

    words: list[list[str]]
    lower: list[list[str]]
    trees: Trees
    types: dict[str, AnyArray]


def run_trec_focus(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run sums of kernels over words, over what a question asks for, and over trees, for coarse and fine types.

    Each sum is cross-validated on the training part with two values of C. The best one of each task is recorded before
    the test part is read. All are then measured on the test part.
    """
    train = load_questions_with_trees("train", data)
    # A question that occurs twice is in one fold.
    folds = make_evaluation_folds([(" ".join(words),) * 2 for words in train.words], train.types["coarse"])
    terms = list_terms(data)
    with show_bars(False):
        grams = {name: kernel.gram(getattr(train, field), n_jobs=n_jobs) for name, (kernel, field) in terms.items()}
    found: list[JsonObject] = []
    trained: list[tuple[JsonObject, TypeClassifier]] = []
    steps = [(task, method) for task in TASKS for method in METHODS]
    for task, method in track(steps, len(steps), "training"):
        gram = add_terms(grams, METHODS[method])
        with show_bars(False):
            accuracies = cross_validate_costs(gram, train.types[task], folds, COSTS_OF_SUMS, n_jobs)
            best = int(np.argmax(accuracies))
            C, accuracy = COSTS_OF_SUMS[best], round(accuracies[best], 2)
            row: JsonObject = {"task": task, "method": method, "C": C, "cv_accuracy": accuracy}
            (classifier,) = train_classifiers(gram, train.types[task], [C], n_jobs)
        found.append(row)
        trained.append((row, classifier))
    chosen = {
        task: max((row for row in found if row["task"] == task), key=lambda row: float(row["cv_accuracy"]))
        for task in TASKS
    }
    if out is not None:
        record = {task: {**row, "weights": METHODS[row["method"]], "folds": N_FOLDS} for task, row in chosen.items()}
        write_json(out / "trec-focus-chosen.json", record)

    test = load_questions_with_trees("test", data)
    with show_bars(False):
        blocks = {
            name: kernel.gram(getattr(test, field), getattr(train, field), n_jobs=n_jobs)
            for name, (kernel, field) in terms.items()
        }
    rows: list[JsonObject] = []
    for row, classifier in trained:
        predicted = classifier.predict(add_terms(blocks, METHODS[row["method"]]))
        accuracy = 100 * float(np.mean(predicted == test.types[row["task"]]))
        rows.append({**row, "accuracy": round(accuracy, 2), "chosen": row is chosen[row["task"]]})
    picked = {row["task"]: row for row in rows if row["chosen"]}
    return {
        "rows": rows,
        "chosen_on_train": {**picked["coarse"], "fine": picked["fine"]},
        "train_questions": len(train.words),
        "test_questions": len(test.words),
    }


def load_questions_with_trees(part: str, data: DataPath = None) -> Questions:
    """Load one part (``train`` or ``test``); the two files must have the same questions in the same order."""
    questions, coarse = load_trec(part, data=data)
    _, fine = load_trec(part, fine=True, data=data)
    examples = load_trec_trees(part, data)
    if [example.labels[0] for example in examples] != coarse:
        raise InputError(f"trec_qc: the trees of the {part} part are not those of its questions; get both files again")
    types = {"coarse": np.array(coarse), "fine": np.array(fine)}
    words = [question.split() for question in questions]
    lower = [[START, *(word.casefold() for word in question)] for question in words]
    return Questions(words, lower, trees_named(examples, "lct"), types)


def list_terms(data: DataPath = None) -> dict[str, tuple[Kernel, str]]:
    """List the kernels, each with what it reads of questions."""
    wordnet = str(data_directory(data) / "oewn")
    vectors = WordVectors.from_file(find_file(data, *VECTORS))
    return {
        "words": (Spectrum(1), "lower"),
        "bigrams": (Spectrum(2), "lower"),
        "focus": (QuestionFocus(("question", "focus"), wordnet), "words"),
        **{
            part: (QuestionFocus((part,), wordnet), "words")
            for part in ("form", "ending", "kinds", "context", "actions")
        },
        "ptk": (PartialTree(), "trees"),
        "sptk": (SmoothedPartialTree(similarity=vectors), "trees"),
    }


def add_terms(grams: dict[str, Floats], weights: dict[str, float]) -> Floats:
    """Return the weighted sum of Grams.

    >>> add_terms({"a": np.eye(2), "b": np.ones((2, 2))}, {"a": 1.0, "b": 2.0})
    array([[3., 2.],
           [2., 3.]])
    """
    total = np.zeros(next(iter(grams.values())).shape)
    for name, weight in weights.items():  # one after the other: a Gram of all questions has hundreds of megabytes
        total += weight * grams[name]
    return total


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
