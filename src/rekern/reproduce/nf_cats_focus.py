"""Non-factoid questions (NF-CATS, those labelled by people) by words, by the forms of questions, and by word vectors.

The labels are noisy and the questions few, so sums of kernels are compared in ten shuffles of five folds of the
training and validation parts together. Questions that people have not labelled may be used for training, with a small
weight; they are never held out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from rekern.core.arrays import AnyArray, Booleans, Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
from rekern.datasets.public_corpora import DataPath
from rekern.kernels import Kernel, Normalized, Spectrum
from rekern.learning.cross_validation import Fold, make_stratified_group_folds
from rekern.questions.function_words import unify_form
from rekern.reproduce.question_data_sets import load_nf_cats
from rekern.reproduce.result_files import write_json
from rekern.reproduce.shared_grams import N_FOLDS
from rekern.reproduce.structural.tree_corpora import find_file
from rekern.reproduce.trec import train_classifiers
from rekern.reproduce.trec_focus import START, VECTORS, add_terms
from rekern.similarity import WordVectors
from rekern.structures.stemmer import stem
from rekern.structures.tokenizer import Tokenizer

TASK = "nf-cats-human"  # its name in the table of all tasks
PARTS = ("train", "valid")  # both are for training: nothing else is chosen on the validation part
COSTS = (0.5, 1.0, 1.5)
FURTHER = (0.003, 0.01, 0.03)  # the weight in training of a question that people have not labelled
N_SHUFFLES = 10
NEAR = 0.7  # questions with this share of all their words in common are never on both sides of a fold
COMMON = 0.01  # a word in this share of the questions has half the weight of a rare one

# One to three words in a row, with auxiliaries and pronouns in their base form: how a question is asked.
FORMS = Normalized(Spectrum(1, normalize=False) + Spectrum(2, normalize=False) + Spectrum(3, normalize=False))

# The kernels that are added to each other, with their weights; the simplest sum first.
WORDS = {"words": 1.0, "bigrams": 1.0}
METHODS: dict[str, dict[str, float]] = {
    "words": WORDS,
    "forms": {**WORDS, "forms": 2.0},
    "vectors": {**WORDS, "vectors": 1.0},
    "forms+vectors": {**WORDS, "forms": 2.0, "vectors": 1.0},
}


def run_nf_cats_focus(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Choose a sum of kernels, C and the weight of further questions in folds, and test that one alone.

    First the sums are compared, each with its best C; then the weights of further questions, for the chosen sum. Each
    time the choice is the first that is within one standard error of the best. It is recorded before the test.
    """
    asked, types, n_people = load_further(data)
    shuffles = make_shuffles(asked, types, n_people)
    space = WordVectors.from_file(find_file(data, *VECTORS)).without_common_parts(2)
    grams = compute_grams(asked, None, n_people, space, n_jobs)

    def measure(method: str, C: float, weight: float) -> tuple[JsonObject, Floats]:
        used = n_people if weight == 0 else len(asked)
        gram = np.ascontiguousarray(add_terms(grams, METHODS[method])[:used, :used])
        right = measure_shuffles(gram, types[:used], spread_cost(C, weight, n_people, used), shuffles, n_jobs)
        row: JsonObject = {"task": TASK, "method": method, "C": C, "further": weight}
        return {**row, "cv_accuracy": round(100 * float(right.mean()), 2), "chosen": False}, right

    found = [
        max((measure(method, C, 0.0) for C in COSTS), key=lambda pair: float(pair[1].mean()))
        for method in track(METHODS, len(METHODS), "sums of kernels")
    ]
    place = choose_simplest([right for _, right in found])
    best = found[place][0]
    tracked = track(FURTHER, len(FURTHER), "further questions")
    weighed = [found[place], *(measure(best["method"], best["C"], weight) for weight in tracked)]
    chosen = weighed[choose_simplest([right for _, right in weighed])][0]
    rows = [row for row, _ in [*found, *weighed[1:]]]
    chosen["chosen"] = True
    if out is not None:
        record = {**chosen, "weights": METHODS[chosen["method"]], "folds": N_FOLDS, "shuffles": N_SHUFFLES}
        write_json(out / "nf-cats-focus-chosen.json", {**record, "candidates": rows})

    tested, true = load_nf_cats("test", human=True, data=data)
    used = n_people if chosen["further"] == 0 else len(asked)
    blocks = compute_grams(tested, asked, n_people, space, n_jobs)
    weights = METHODS[chosen["method"]]
    costs = spread_cost(chosen["C"], chosen["further"], n_people, used)
    (classifier,) = train_classifiers(add_terms(grams, weights)[:used, :used], types[:used], [costs], n_jobs)
    predicted = classifier.predict(add_terms(blocks, weights)[:, :used])
    chosen["accuracy"] = round(100 * float(np.mean(predicted == np.array(true))), 2)
    return {
        "rows": rows,
        "chosen_on_train": chosen,
        "train_questions": n_people,
        "further_questions": used - n_people,
        "test_questions": len(tested),
    }


def load_further(data: DataPath) -> tuple[list[str], AnyArray, int]:
    """Load the questions for training and their types: first those labelled by people, then others of the same types.

    The last value is how many people have labelled.
    """
    parts = [load_nf_cats(part, human=True, data=data) for part in PARTS]
    asked = [text for texts, _ in parts for text in texts]
    kinds = [kind for _, named in parts for kind in named]
    known, types = set(asked), set(kinds)
    others = [
        (text, kind)
        for part in PARTS
        for text, kind in zip(*load_nf_cats(part, human=False, data=data))
        if text not in known and kind in types
    ]
    return asked + [text for text, _ in others], np.array(kinds + [kind for _, kind in others]), len(asked)


def make_shuffles(asked: Sequence[str], types: AnyArray, n_people: int) -> list[list[Fold]]:
    """Make folds of the questions labelled by people, in several shuffles; the others are for training only.

    >>> texts = ["why is it", "why is it so", "how far", "how near", "why me", "How far?"]
    >>> (train, test), _ = make_shuffles(texts, np.array(list("aabbab")), 5)[0][:2]
    >>> sorted({*train.tolist(), *test.tolist()} & {0, 1}), len(train) + len(test) in (5, 6)
    ([0, 1], True)
    """
    groups = group_near_questions(asked)
    smallest = min(Counter(types[:n_people].tolist()).values())
    found = []
    for seed in range(N_SHUFFLES):
        folds = make_stratified_group_folds(groups[:n_people], types[:n_people], min(N_FOLDS, smallest), seed)
        further = [np.flatnonzero(~np.isin(groups[n_people:], groups[test])) + n_people for _, test in folds]
        found.append([Fold(np.concatenate([fold.train, rows]), fold.test) for fold, rows in zip(folds, further)])
    return found


def group_near_questions(texts: Sequence[str]) -> Ints:
    """Return the number of the group of each question: those that share most of their words are in one group.

    >>> group_near_questions(["How far is it?", "how far is it", "Why?"]).tolist()
    [0, 0, 1]
    """
    tokenize = Tokenizer()
    sets = [set(tokenize(text)) - {"?", "."} for text in texts]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(word for words in sets for word in words))}
    rows = np.repeat(np.arange(len(texts)), [len(words) for words in sets])
    columns = [numbers[word] for words in sets for word in words]
    matrix = sp.csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(texts), max(len(numbers), 1)))
    common = sp.coo_array(matrix @ matrix.T)
    sizes = np.array([len(words) for words in sets])
    near = common.data >= NEAR * (sizes[common.row] + sizes[common.col] - common.data)
    links = sp.coo_array((near[near], (common.row[near], common.col[near])), shape=common.shape)
    groups: Ints = connected_components(sp.csr_array(links), directed=False)[1].astype(np.int64)
    return groups


def spread_cost(C: float, weight: float, n_people: int, used: int) -> Floats:
    """Return C for each question, which is less for those that people have not labelled.

    >>> spread_cost(2.0, 0.5, 1, 3).tolist()
    [2.0, 1.0, 1.0]
    """
    return np.where(np.arange(used) < n_people, C, C * weight)


def measure_shuffles(
    gram: Floats, types: AnyArray, costs: Floats, shuffles: Sequence[Sequence[Fold]], n_jobs: int | None
) -> Floats:
    """Return in which share of the shuffles each held-out question is classified right."""
    folds = [Fold(train[train < len(gram)], test) for shuffle in shuffles for train, test in shuffle]
    right = np.zeros(1 + max(int(fold.test.max()) for fold in folds))
    calls = [(gram, types, costs, fold) for fold in folds]
    for fold, is_right in zip(folds, run(_test_fold, calls, n_jobs)):
        right[fold.test] += is_right
    return right / len(shuffles)


def _test_fold(gram: Floats, types: AnyArray, costs: Floats, fold: Fold) -> Booleans:
    train, test = fold
    (classifier,) = train_classifiers(gram[np.ix_(train, train)], types[train], [costs[train]], 1)
    return np.asarray(classifier.predict(gram[np.ix_(test, train)]) == types[test])


def choose_simplest(found: Sequence[Floats]) -> int:
    """Return the first setting that is not worse than the best one by more than one standard error.

    Each array says how often each question is right; the error is that of the difference on the same questions.

    >>> choose_simplest([np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 1.0])])
    0
    >>> choose_simplest([np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 1.0, 1.0, 1.0])])
    1
    """
    best = max(found, key=lambda right: float(right.mean()))
    differences = [best - right for right in found]
    errors = [float(difference.std()) / len(best) ** 0.5 for difference in differences]
    return next(n for n, (gap, error) in enumerate(zip(differences, errors)) if float(gap.mean()) <= error)


def compute_grams(
    rows: list[str], columns: list[str] | None, n_people: int, space: WordVectors, n_jobs: int | None
) -> dict[str, Floats]:
    """Compute the Gram of each term: of ``rows``, or of new rows with the training questions in the columns.

    >>> space = WordVectors(["cook", "rice"], [[1.0, 0.0], [0.0, 1.0]])
    >>> grams = compute_grams(["How do I cook rice?", "How did we cook rice?"], None, 2, space, 1)
    >>> [round(float(grams[name][0, 1]), 2) for name in ("words", "forms")]
    [0.71, 1.0]
    """
    split = Tokenizer(None)
    words = [split(text) for text in rows]
    train = words if columns is None else [split(text) for text in columns]
    counts = Counter(word for text in train[:n_people] for word in set(text))
    shares = {word: count / n_people for word, count in counts.items()}
    means = compute_means(words, space, shares)

    def compute(kernel: Kernel, change: Callable[[str], str]) -> Floats:
        changed, others = ([[START, *map(change, text)] for text in texts] for texts in (words, train))
        return kernel.gram(changed, None if columns is None else others, n_jobs=n_jobs)

    with show_bars(False):
        return {
            "words": compute(Spectrum(1), stem),
            "bigrams": compute(Spectrum(2), stem),
            "forms": compute(FORMS, lambda word: stem(unify_form(word))),
            "vectors": means @ (means if columns is None else compute_means(train, space, shares)).T,
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
