"""Non-factoid questions (NF-CATS, those labelled by people) by words, forms and traits of questions, and word vectors.

The labels are noisy and the questions few, so sums of kernels are compared in ten shuffles of five folds of the
training and validation parts together. Questions that people have not labelled may be used for training, with a small
weight; they are never held out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from experiments.corpora import DataPath, find_file
from experiments.question_experiments import load_nf_cats
from experiments.question_kernels import list_traits
from experiments.reports import write_json
from experiments.shared_grams import N_FOLDS
from experiments.trec import START, VECTORS, add_terms, train_classifiers
from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.core.parallel_jobs import run
from rekern.core.progress import show_bars, track
from rekern.kernels import Kernel, Normalized, Spectrum
from rekern.learning.cross_validation import Fold, make_stratified_group_folds
from rekern.questions.function_words import unify_form
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
    "forms+vectors+traits": {**WORDS, "forms": 2.0, "vectors": 1.0, "traits": 1.0},  # the last: it is compared last
}


class Setting(NamedTuple):
    """A sum of kernels, C, and the weight of further questions (0: they are not used)."""

    method: str
    C: float
    further: float


class Found(NamedTuple):
    """What was measured in the folds: the settings whose scores are averaged, and the scores of held-out questions."""

    settings: tuple[Setting, ...]
    scores: Floats  # for each shuffle, question and type
    right: Floats  # in which share of the shuffles each question is right


def run_nf_cats_focus(data: DataPath = None, out: Path | None = None, n_jobs: int | None = None) -> JsonObject:
    """Choose sums of kernels, C and the weight of further questions in folds, and test the choice alone.

    First the sums without traits are compared, each with its best C; then the weights of further questions, for the
    chosen sum. Each time the choice is the first that is within one standard error of the best. Then the sum with
    traits, and the mean of its scores and those of the choice, are compared with the choice: the surest gain is taken.
    It is recorded before the test.
    """
    asked, types, n_people = load_further(data)
    classes = np.unique(types)
    shuffles = make_shuffles(asked, types, n_people)
    space = WordVectors.from_file(find_file(data, *VECTORS)).without_common_parts(2)
    grams = compute_grams(asked, None, n_people, space, n_jobs)

    def measure(setting: Setting) -> Found:
        used = n_people if setting.further == 0 else len(asked)
        gram = np.ascontiguousarray(add_terms(grams, METHODS[setting.method])[:used, :used])
        costs = spread_cost(setting.C, setting.further, n_people, used)
        return count_right((setting,), measure_shuffles(gram, types[:used], costs, shuffles, n_jobs))

    def count_right(settings: tuple[Setting, ...], scores: Floats) -> Found:
        return Found(settings, scores, np.mean(classes[scores.argmax(axis=2)] == types[:n_people], axis=0))

    def measure_costs(method: str) -> Found:
        return max((measure(Setting(method, C, 0.0)) for C in COSTS), key=lambda found: float(found.right.mean()))

    compared = [measure_costs(method) for method in track(METHODS, len(METHODS), "sums of kernels")]
    with_traits = compared.pop()
    best = compared[choose_simplest([found.right for found in compared])]
    tracked = track(FURTHER, len(FURTHER), "further questions")
    weighed = [best, *(measure(best.settings[0]._replace(further=weight)) for weight in tracked)]
    simplest = weighed[choose_simplest([found.right for found in weighed])]
    mean = count_right(simplest.settings + with_traits.settings, (simplest.scores + with_traits.scores) / 2)
    others = [with_traits, mean]
    surest = choose_surest(simplest.right, [found.right for found in others])
    chosen = simplest if surest is None else others[surest]
    listed = [*compared, *weighed[1:], *others]
    rows = [describe(found, found is chosen) for found in listed]
    row = next(row for row in rows if row["chosen"])
    if out is not None:
        sums = {setting.method: METHODS[setting.method] for setting in chosen.settings}
        record = {
            **row,
            "weights": sums,
            "settings": [setting._asdict() for setting in chosen.settings],
            "folds": N_FOLDS,
            "shuffles": N_SHUFFLES,
        }
        write_json(out / "nf-cats-focus-chosen.json", {**record, "candidates": rows})

    tested, true = load_nf_cats("test", human=True, data=data)
    blocks = compute_grams(tested, asked, n_people, space, n_jobs)
    total = np.zeros((len(tested), len(classes)))
    for setting in chosen.settings:
        used = n_people if setting.further == 0 else len(asked)
        weights = METHODS[setting.method]
        costs = spread_cost(setting.C, setting.further, n_people, used)
        (classifier,) = train_classifiers(add_terms(grams, weights)[:used, :used], types[:used], [costs], n_jobs)
        total += classifier.score(add_terms(blocks, weights)[:, :used])
    row["accuracy"] = round(100 * float(np.mean(classes[total.argmax(axis=1)] == np.array(true))), 2)
    return {
        "rows": rows,
        "chosen_on_train": row,
        "train_questions": n_people,
        "further_questions": len(asked) - n_people if any(setting.further for setting in chosen.settings) else 0,
        "test_questions": len(tested),
    }


def describe(found: Found, chosen: bool) -> JsonObject:
    """Describe what was measured, as a row of the result; a mean of two settings has the names of both."""
    row: JsonObject = {"task": TASK, "method": " and ".join(setting.method for setting in found.settings)}
    row |= {"C": found.settings[0].C, "further": found.settings[0].further}
    return {**row, "cv_accuracy": round(100 * float(found.right.mean()), 2), "chosen": chosen}


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
    """Return the scores of each held-out question: for each shuffle, question and type."""
    folds = [Fold(train[train < len(gram)], test) for shuffle in shuffles for train, test in shuffle]
    scores = np.zeros((len(shuffles), 1 + max(int(fold.test.max()) for fold in folds), len(np.unique(types))))
    places = [place for place, shuffle in enumerate(shuffles) for _ in shuffle]
    calls = [(gram, types, costs, fold) for fold in folds]
    for place, fold, of_fold in zip(places, folds, run(_score_fold, calls, n_jobs)):
        scores[place, fold.test] = of_fold
    return scores


def _score_fold(gram: Floats, types: AnyArray, costs: Floats, fold: Fold) -> Floats:
    train, test = fold
    (classifier,) = train_classifiers(gram[np.ix_(train, train)], types[train], [costs[train]], 1)
    return classifier.score(gram[np.ix_(test, train)])


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


def choose_surest(present: Floats, found: Sequence[Floats]) -> int | None:
    """Return the setting whose gain is most standard errors above the present one, or None if none gains one.

    >>> present = np.array([1.0, 0.0, 1.0, 0.0] * 9)
    >>> choose_surest(present, [present, np.array([1.0, 0.1, 1.0, 0.0] * 9), 1 - present])
    1
    >>> choose_surest(present, [1 - present]) is None
    True
    """

    def measure_gain(right: Floats) -> float:
        gain = right - present
        return float(gain.mean() / (gain.std() / len(gain) ** 0.5 or 1.0))

    gains = [measure_gain(right) for right in found]
    best = int(np.argmax(gains))
    return best if gains[best] >= 1 else None


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

    traits = [list_traits(text) for text in rows]
    train_traits = None if columns is None else [list_traits(text) for text in columns]

    with show_bars(False):
        return {
            "words": compute(Spectrum(1), stem),
            "bigrams": compute(Spectrum(2), stem),
            "forms": compute(FORMS, lambda word: stem(unify_form(word))),
            "traits": Spectrum(1).gram(traits, train_traits, n_jobs=n_jobs),
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
