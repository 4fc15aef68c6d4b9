"""Non-factoid questions (NF-CATS, those labelled by people) by words, by what they ask for, and by word vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.core.progress import show_bars, track
from rekern.datasets.public_corpora import DataPath, data_directory
from rekern.kernels import Spectrum, Subsequence
from rekern.questions import QuestionFocus
from rekern.reproduce.question_data_sets import load_nf_cats
from rekern.reproduce.result_files import write_json
from rekern.reproduce.shared_grams import N_FOLDS, make_evaluation_folds
from rekern.reproduce.structural.tree_corpora import find_file
from rekern.reproduce.trec import cross_validate_costs, train_classifiers
from rekern.reproduce.trec_focus import START, VECTORS, add_terms
from rekern.similarity import WordVectors
from rekern.structures.tokenizer import Tokenizer

TASK = "nf-cats-human"  # its name in the table of all tasks
COSTS = (0.3, 0.6, 1.0)
COMMON = 0.01  # a word in this share of the questions has half the weight of a rare one

# The kernels that are added to each other, with their weights: each method has all terms of the one above it and more.
WORDS = {"words": 1.0, "bigrams": 1.0}
PAIRS = {**WORDS, "pairs": 1.0}
FOCUS = {**PAIRS, "focus": 1.0, "kinds": 1.0}
METHODS: dict[str, dict[str, float]] = {
    "words": WORDS,
    "pairs": PAIRS,
    "focus": FOCUS,
    "vectors": {**FOCUS, "vectors": 1.0},
    "3 vectors": {**FOCUS, "vectors": 3.0},
}


def run_nf_cats_focus(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Run the sums of kernels; the one that is best in folds of the training part is recorded before the test."""
    asked, kinds = load_nf_cats("train", human=True, data=data)
    types = np.array(kinds)
    folds = make_evaluation_folds([(question,) * 2 for question in asked], types)
    wordnet = str(data_directory(data) / "oewn")
    space = WordVectors.from_file(find_file(data, *VECTORS)).without_common_parts(2)
    grams = _compute_grams(asked, None, wordnet, space, n_jobs)
    rows: list[JsonObject] = []
    for method in track(METHODS, len(METHODS), "training"):
        accuracies = cross_validate_costs(add_terms(grams, METHODS[method]), types, folds, COSTS, n_jobs)
        best = int(np.argmax(accuracies))
        row: JsonObject = {"task": TASK, "method": method, "C": COSTS[best], "cv_accuracy": round(accuracies[best], 2)}
        rows.append({**row, "chosen": False})
    chosen = max(rows, key=lambda row: float(row["cv_accuracy"]))
    chosen["chosen"] = True
    if out is not None:
        record = {**chosen, "weights": METHODS[chosen["method"]], "folds": N_FOLDS}
        write_json(out / "nf-cats-focus-chosen.json", record)

    tested, true = load_nf_cats("test", human=True, data=data)
    blocks = _compute_grams(tested, asked, wordnet, space, n_jobs)
    for row in rows:
        weights = METHODS[row["method"]]
        (classifier,) = train_classifiers(add_terms(grams, weights), types, [float(row["C"])], n_jobs)
        predicted = classifier.predict(add_terms(blocks, weights))
        row["accuracy"] = round(100 * float(np.mean(predicted == np.array(true))), 2)
    return {
        "rows": rows,
        "chosen_on_train": chosen,
        "train_questions": len(asked),
        "test_questions": len(tested),
    }


def _compute_grams(
    rows: list[str], columns: list[str] | None, wordnet: str, space: WordVectors, n_jobs: int | None
) -> dict[str, Floats]:
    """Compute the Gram of each term: of ``rows``, or of new rows with the training questions in the columns."""
    tokenize, split = Tokenizer(), Tokenizer(None)
    stems, train_stems = (
        None if texts is None else [[START, *tokenize(text)] for text in texts] for texts in (rows, columns)
    )
    train = rows if columns is None else columns
    counts = Counter(word for text in train for word in set(split(text)))
    shares = {word: count / len(train) for word, count in counts.items()}
    means = compute_means([split(text) for text in rows], space, shares)
    train_means = means if columns is None else compute_means([split(text) for text in columns], space, shares)
    with show_bars(False):
        return {
            "words": Spectrum(1).gram(stems, train_stems, n_jobs=n_jobs),
            "bigrams": Spectrum(2).gram(stems, train_stems, n_jobs=n_jobs),
            "pairs": Subsequence(2).gram(stems, train_stems, n_jobs=n_jobs),
            "focus": QuestionFocus(("question", "focus"), wordnet).gram(rows, columns, n_jobs=n_jobs),
            "kinds": QuestionFocus(("kinds",), wordnet).gram(rows, columns, n_jobs=n_jobs),
            "vectors": means @ train_means.T,
        }


def compute_means(texts: Sequence[Sequence[str]], space: WordVectors, shares: dict[str, float]) -> Floats:
    """Return the mean vector of each text, of length 1; words in a large share of all texts weigh less.

    >>> space = WordVectors(["how", "tea"], [[1.0, 0.0], [0.0, 2.0]])
    >>> compute_means([["how", "tea"], ["gnu"]], space, {"how": 0.99}).round(3)
    array([[0.005, 1.   ],
           [0.   , 0.   ]])
    """
    found = np.zeros((len(texts), space.dimensions))
    for row, words in enumerate(texts):
        weights = np.array([COMMON / (COMMON + shares.get(word, 0.0)) for word in words])
        mean = weights @ space.vectors(words)
        found[row] = mean / (np.linalg.norm(mean) or 1.0)
    return found
