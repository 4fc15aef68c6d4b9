"""TREC questions by words, by what the question asks for, and by trees: six coarse types and fifty fine ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.corpora import DataPath, data_directory, find_file, load_trec
from experiments.question_kernels import QuestionFocus
from experiments.reports import write_json
from experiments.shared_grams import N_FOLDS, make_evaluation_folds
from experiments.trec import TypeClassifier, cross_validate_costs, load_trec_trees, train_classifiers
from rekern.core.arrays import AnyArray, Floats
from rekern.core.json_values import JsonObject
from rekern.core.progress import show_bars, track
from rekern.errors import InputError
from rekern.kernels import Kernel, PartialTree, SmoothedPartialTree, Spectrum
from rekern.similarity import WordVectors
from rekern.structures import Trees, trees_named

TASKS = {"coarse": False, "fine": True}
COSTS = (3.0, 10.0)
VECTORS = ("glove_6b_100d", "vectors.bin")
TREE = "lct"
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


class Questions(NamedTuple):
    """The questions of one part: words as written, their trees, and their types for each task."""

    words: list[list[str]]
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
        grams = {name: term(train, None, n_jobs) for name, term in terms.items()}
    found: list[JsonObject] = []
    trained: list[tuple[JsonObject, TypeClassifier]] = []
    steps = [(task, method) for task in TASKS for method in METHODS]
    for task, method in track(steps, len(steps), "training"):
        gram = add_terms(grams, METHODS[method])
        with show_bars(False):
            accuracies = cross_validate_costs(gram, train.types[task], folds, COSTS, n_jobs)
            best = int(np.argmax(accuracies))
            row: JsonObject = {
                "task": task,
                "method": method,
                "C": COSTS[best],
                "cv_accuracy": round(accuracies[best], 2),
            }
            (classifier,) = train_classifiers(gram, train.types[task], [COSTS[best]], n_jobs)
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
        blocks = {name: term(test, train, n_jobs) for name, term in terms.items()}
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
    return Questions([question.split() for question in questions], trees_named(examples, TREE), types)


Term = Callable[[Questions, "Questions | None", "int | None"], Floats]


def list_terms(data: DataPath = None) -> dict[str, Term]:
    """List the kernels, each as a function from the questions (and those of the columns) to their Gram."""
    wordnet = str(data_directory(data) / "oewn")
    vectors = WordVectors.from_file(find_file(data, *VECTORS))

    def read_lower(questions: Questions) -> list[list[str]]:
        return [[START, *(word.casefold() for word in words)] for words in questions.words]

    def read_written(questions: Questions) -> list[list[str]]:
        return questions.words

    def read_trees(questions: Questions) -> Trees:
        return questions.trees

    def make_term(kernel: Kernel, read: Callable[[Questions], object]) -> Term:
        def compute(rows: Questions, columns: Questions | None, n_jobs: int | None) -> Floats:
            return kernel.gram(read(rows), None if columns is None else read(columns), n_jobs=n_jobs)

        return compute

    return {
        "words": make_term(Spectrum(1), read_lower),
        "bigrams": make_term(Spectrum(2), read_lower),
        "focus": make_term(QuestionFocus(("question", "focus"), wordnet), read_written),
        "form": make_term(QuestionFocus(("form",), wordnet), read_written),
        "ending": make_term(QuestionFocus(("ending",), wordnet), read_written),
        "kinds": make_term(QuestionFocus(("kinds",), wordnet), read_written),
        "context": make_term(QuestionFocus(("context",), wordnet), read_written),
        "actions": make_term(QuestionFocus(("actions",), wordnet), read_written),
        "ptk": make_term(PartialTree(), read_trees),
        "sptk": make_term(SmoothedPartialTree(similarity=vectors), read_trees),
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
