"""Training on landmarks beside the exact machine: accuracy in folds of the training part, time and memory.

    python benchmarks/landmarks.py msrp [--data DIR] [--landmarks 1000] [--shuffles 5] [--seeds 1] [--costs 1 2 4 8]
    python benchmarks/landmarks.py sick [--data DIR] [--landmarks 1000] [--trees spacy]
    python benchmarks/landmarks.py qqp [--data DIR] [--landmarks 1000] [--pairs 45773]
    python benchmarks/landmarks.py many [--data DIR] [--landmarks 1000] [--pairs 100000]

``msrp``: paraphrases by all×PTK on constituent trees with REL marks, for several costs of errors. ``sick``:
relatedness and entailment by SM-PTK on dependency trees (LCT) that spaCy makes, or on those of the corpus, the exact
machine beside it. ``qqp``: duplicate questions by SM-PTK on dependency trees (LCT) that spaCy makes, in minutes
in the first run; the last tenth of the training part is held out. ``many``: pairs of SICK with the trees of the corpus,
drawn again and again with a made-up word in each; a tenth of the corpus is held out before. No test part is read.
"""

import argparse
import gzip
import json
import resource
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from experiments.corpora import data_directory, load_qqp
from experiments.shared_grams import fit_fold, make_evaluation_folds
from experiments.structural_experiments import summarize_folds
from experiments.tree_corpora import TREES, load_part
from rekern import PairClassifier, PairRegressor
from rekern.kernels import AllProduct, Kernel, Landmarks, PartialTree, SoftPairing
from rekern.kernels.gram_plan import GramPlan
from rekern.learning.cross_validation import make_text_folds
from rekern.learning.dense_descent import DenseTrainer
from rekern.learning.landmark_features import list_landmark_features, scale_costs
from rekern.structures import Representations, Sentence, lct, sentence, stem
from rekern.structures.parsers import parse_trees, parser


def time_call(label: str, call: Callable[[], str]) -> None:
    """Print what a call returns, with its time and the most memory that the process has had."""
    begin = time.perf_counter()
    found = call()
    taken = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{label:<44} {found:<32} {taken:8.1f} s  {memory:5.2f} GB", flush=True)


def cross_validate(items: Representations, labels: np.ndarray, folds: list, make: Callable[[], object]) -> list:
    """Return the predictions of the held-out pairs of each fold, with their labels."""
    found = []
    for train, test in folds:
        model = make().fit(items.take(train), labels[train])
        found.append((model.predict(items.take(test)), labels[test]))
    return found


def measure_msrp(data: str | None, landmarks: int, shuffles: int, seeds: int, costs: list[float]) -> None:
    part = load_part("msrp", "train", data)
    labels = np.array(part.table.labels)
    signs = np.where(labels == np.unique(labels)[1], 1, -1)
    folds = make_evaluation_folds(part.pairs, signs, shuffles=shuffles)
    kernel = AllProduct(PartialTree(on=TREES[True]))
    print(f"MSRP, {len(labels):,} training pairs, all×PTK with REL, accuracy in {len(folds)} folds")
    grams: list[np.ndarray] = []
    time_call("  the Gram of all pairs", lambda: str(grams.append(kernel.gram(part.items)) or ""))
    for C in costs:
        right = lambda C=C: [fit_fold(grams[0], signs, C, fold).right for fold in folds]  # noqa: E731
        time_call(f"  exact, C={C:g}", lambda right=right: f"{summarize_folds(right()).accuracy:.2f} %")
    for choice in ("k-means++", "random"):
        for seed in range(seeds):
            found: dict[float, list] = {C: [] for C in costs}
            marks = Landmarks(KnownGram(grams[0]), landmarks, choice, random_state=seed)
            time_call(f"  {landmarks:,} landmarks, {choice}", partial(_decide_folds, marks, signs, folds, found))
            for C, right in found.items():
                print(f"    C={C:g}  {summarize_folds(right).accuracy:.2f} %", flush=True)


class KnownGram(Kernel):
    """A kernel whose values are in a Gram; the items are numbers of its rows. So no fold computes them again."""

    def __init__(self, gram: np.ndarray):
        self.known = gram

    def read_items(self, X: object) -> np.ndarray:
        return np.asarray(X, dtype=np.int64)

    def plan_gram(self, X: object, Y: object, n_jobs: int | None) -> GramPlan:
        rows = self.read_items(X)
        columns = rows if Y is None else self.read_items(Y)
        look_up = lambda first, last: self.known[np.ix_(rows[first:last], columns)]  # noqa: E731
        return GramPlan(len(rows), len(columns), False, look_up)

    def diag(self, X: object) -> np.ndarray:
        return self.known.diagonal()[self.read_items(X)]


def _decide_folds(marks: Landmarks, signs: np.ndarray, folds: list, found: dict) -> str:
    """Train on each fold as `PairClassifier` does, with all costs on the same features."""
    for train, test in folds:
        features = list_landmark_features(marks.fit(train.tolist()), list(range(len(signs))), None)
        factor = scale_costs(marks, train.tolist(), features[train])
        for C, right in found.items():
            values = DenseTrainer(features, signs[None], np.full(len(signs), C * factor)).decide(0, train, test)
            right.append((values > 0) == (signs[test] > 0))
    return ""


def read_sick(data: str | None) -> tuple[list[list[str]], dict[str, int], list[tuple[Sentence, Sentence]]]:
    """Read the training pairs of SICK: their lines, the places of the columns, and the dependencies of both texts."""
    folder = data_directory(data) / "sick"
    lines = [line.split("\t") for line in (folder / "train.tsv").read_text(encoding="utf-8").splitlines()]
    place = {name: number for number, name in enumerate(lines[0])}
    with gzip.open(folder / "dependency_parses.jsonl.gz", "rt", encoding="utf-8") as file:
        parses = {parse["pair_ID"]: parse for parse in map(json.loads, file)}
    sentences = [tuple(read_sentence(parses[line[place["pair_ID"]]], letter) for letter in "AB") for line in lines[1:]]
    return lines[1:], place, sentences


def read_sentence(parse: dict, letter: str) -> Sentence:
    """Return the dependencies of one text of a pair of SICK."""
    words, heads, relations = (parse[f"{name}_{letter}"] for name in ("tokens", "head", "rel"))
    return sentence(words, [head - 1 for head in heads], [stem(word.lower()) for word in words], relations=relations)


def measure_sick(data: str | None, landmarks: int, trees: str) -> None:
    lines, place, sentences = read_sick(data)
    columns: dict[str, object] = {}
    for number, (side, letter) in enumerate((("source", "A"), ("target", "B"))):
        columns[side] = [line[place[f"sentence_{letter}"]] for line in lines]
        if trees == "corpus":
            columns[f"{side}.tree"] = lct([both[number] for both in sentences])
        else:
            columns[f"{side}.tree"] = parse_trees(columns[side], parser(trees), ["lct"]).trees["lct"]
    items = Representations(columns)
    scores = np.array([float(line[place["relatedness_score"]]) for line in lines])
    classes = np.array([line[place["entailment_judgment"]] for line in lines])
    kernel = SoftPairing(PartialTree(on="tree"))
    folds = make_text_folds(list(zip(items["source"], items["target"])), scores > 3.5, 5, 0)
    print(f"SICK, {len(scores):,} training pairs, SM-PTK on dependency trees ({trees}), 5 folds, C=1")
    share = max(np.mean(classes == name) for name in np.unique(classes))
    print(f"  the largest class has {100 * share:.2f} % of the pairs")
    for number in (landmarks, None):
        name = "exact" if number is None else f"{number:,} landmarks"
        time_call(f"  {name}, Pearson", lambda number=number: _correlation(items, scores, folds, kernel, number))
        time_call(f"  {name}, accuracy", lambda number=number: _accuracy(items, classes, folds, kernel, number))


def _correlation(items, scores, folds, kernel: Kernel, number: int | None) -> str:
    make = lambda: PairRegressor(kernel, landmarks=number)  # noqa: E731
    values = [np.corrcoef(found, known)[0, 1] for found, known in cross_validate(items, scores, folds, make)]
    return f"{np.mean(values):.4f}"


def _accuracy(items, classes, folds, kernel: Kernel, number: int | None) -> str:
    make = lambda: PairClassifier(kernel, landmarks=number, calibration=0)  # noqa: E731
    found = cross_validate(items, classes, folds, make)
    return f"{100 * np.mean(np.concatenate([one == other for one, other in found])):.2f} %"


def measure_many(data: str | None, landmarks: int, pairs: int) -> None:
    lines, place, sentences = read_sick(data)
    related = np.array([float(line[place["relatedness_score"]]) > 3.5 for line in lines])
    random = np.random.default_rng(0)
    order = random.permutation(len(lines))
    held_out, known = order[: len(order) // 10], order[len(order) // 10 :]
    drawn = random.choice(known, pairs)
    train = make_items([sentences[row] for row in drawn], random)
    test = make_items([sentences[row] for row in held_out], random)
    print(
        f"SICK, {pairs:,} training pairs drawn from {len(known):,}, {len(test):,} held out; SM-PTK on dependency trees"
    )
    model = PairClassifier(SoftPairing(PartialTree(on="tree")), calibration=0, landmarks=landmarks)
    time_call(f"  training, {landmarks:,} landmarks", lambda: str(model.fit(train, related[drawn]).solver_)[:0])
    time_call("  related or not, accuracy", lambda: f"{100 * np.mean(model.predict(test) == related[held_out]):.2f} %")
    share = max(np.mean(related[held_out]), 1 - np.mean(related[held_out]))
    print(f"  the larger class has {100 * share:.2f} % of the held-out pairs")


def make_items(pairs: list[tuple[Sentence, Sentence]], random: np.random.Generator) -> Representations:
    """Return pairs of trees; one word of each tree, drawn at random, is a made-up word that no other tree has."""
    columns: dict[str, object] = {}
    for place, side in enumerate(("source", "target")):
        sentences = []
        for number, pair in enumerate(pairs):
            lemmas = list(pair[place].lemmas)
            lemmas[random.integers(len(lemmas))] = f"{side}{number}"
            sentences.append(pair[place]._replace(lemmas=tuple(lemmas)))
        columns[side] = [" ".join(one.words) for one in sentences]
        columns[f"{side}.tree"] = lct(sentences)
    return Representations(columns)


def measure_qqp(data: str | None, landmarks: int, pairs: int) -> None:
    table = load_qqp(data=data)
    labels = np.array(table.labels)[:pairs]
    columns: dict[str, object] = {}
    for place, side in enumerate(("source", "target")):
        columns[side] = [pair[place] for pair in table.pairs[:pairs]]
        columns[f"{side}.tree"] = parse_trees(columns[side], parser("spacy"), ["lct"]).trees["lct"]
    items = Representations(columns)
    first = len(items) * 9 // 10
    train, test = items[:first], items[first:]
    print(f"QQP, {first:,} training pairs, {len(test):,} held out; SM-PTK on dependency trees")
    model = PairClassifier(SoftPairing(PartialTree(on="tree")), C=1, calibration=0, landmarks=landmarks)
    time_call(f"  training, {landmarks:,} landmarks", lambda: str(model.fit(train, labels[:first]).solver_)[:0])
    time_call(
        "  accuracy of the held-out pairs", lambda: f"{100 * np.mean(model.predict(test) == labels[first:]):.2f} %"
    )
    share = max(np.mean(labels[first:] == label) for label in np.unique(labels))
    print(f"  the larger class is {100 * share:.2f} % of them")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("corpus", choices=("msrp", "sick", "qqp", "many"))
    options.add_argument("--data", help="the folder of the corpora (or REKERN_DATA)")
    options.add_argument("--landmarks", type=int, default=1000)
    options.add_argument("--shuffles", type=int, default=5, help="of the folds of MSRP")
    options.add_argument("--seeds", type=int, default=1, help="of the choice of landmarks for MSRP")
    options.add_argument("--costs", type=float, nargs="+", default=[1.0, 2.0, 4.0, 8.0], help="C, for MSRP")
    options.add_argument("--pairs", type=int, default=100_000, help="of QQP at most, or to be drawn from SICK")
    options.add_argument("--trees", default="spacy", help="of SICK: a parser, or corpus for those of the corpus")
    chosen = options.parse_args()
    if chosen.corpus == "msrp":
        measure_msrp(chosen.data, chosen.landmarks, chosen.shuffles, chosen.seeds, chosen.costs)
    elif chosen.corpus == "sick":
        measure_sick(chosen.data, chosen.landmarks, chosen.trees)
    elif chosen.corpus == "many":
        measure_many(chosen.data, chosen.landmarks, chosen.pairs)
    else:
        measure_qqp(chosen.data, chosen.landmarks, chosen.pairs)


if __name__ == "__main__":
    main()
