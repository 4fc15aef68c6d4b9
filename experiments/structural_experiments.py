"""Tables 1 and 2 of "Structural Representations for Learning Relations between Pairs of Texts" (Filice et al., 2015).

Paraphrases (MSRP) and entailment (RTE-3) by kernels on trees, graphs and scores, and their sums. A new idea joins the
choice on the training part by one more line in `CANDIDATES`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from experiments import published_results as published
from experiments.corpora import DataPath, find_file
from experiments.reports import save_with_legend, write_choice
from experiments.rewriting_settings import COSTS, Setting
from experiments.shared_grams import N_FOLDS, SharedGrams, choose_setting, make_evaluation_folds, train_settings
from experiments.tree_corpora import GRAPHS, TREES, WORDS, TreeCorpusPart, load_part
from rekern import kernels
from rekern.cli.evaluation_plot import BLUE, ORANGE, make_figure
from rekern.core.arrays import AnyArray, Booleans, Ints
from rekern.core.files import make_folder
from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.kernels import Kernel
from rekern.learning.cross_validation import Fold
from rekern.similarity import LatentSemantics, Similarities, UnsharedWords, WordVectors
from rekern.structures import Trees, stem

RELATED = {"trees", "smooth", "graphs"}  # the parts with REL marks
GAMMA = 0.3  # of the Gaussian kernels, over the number of scores
CANDIDATES = [
    "1 scores",
    "1 scores + 1 unshared",
    "3 scores + 1 trees",
    "3 scores + 3 unshared + 1 trees",
    "3 scores + 3 unshared + 1 trees + 1 graphs",
    "1 rules + 3 scores",
    "1 rules + 3 scores + 1 trees",
    "1 rules + 3 scores + 3 unshared",
    "1 rules + 3 scores + 3 unshared + 1 trees",
    "1 rules + 3 scores + 3 unshared + 2 trees",
    "1 rules + 3 scores + 3 unshared + 1 smooth + 1 graphs",
    "1 rules + 3 scores + 3 unshared + 1 trees + 1 graphs",
    "1 rules + 3 scores + 3 unshared + 0.5 trees + 0.5 graphs",
    "1 rules + 3 scores + 3 unshared + 0.5 trees + 0.5 smooth + 1 graphs",
    "1 rules + 5 scores + 5 unshared + 1 trees + 1 graphs",
    "2 rules + 5 scores + 5 unshared + 1 trees + 1 graphs",
]

# How a kernel on trees becomes one on pairs, by the name of the row; {} is the name of the kernel on trees.
PAIRINGS: dict[str, type[Kernel]] = {
    "SM-{}": kernels.SoftPairing,
    "all×{}": kernels.AllProduct,
    "all₊{}": kernels.AllSum,
    "M-{}": kernels.BestPairing,
    "{}₊": kernels.PairSum,
    "{}×": kernels.PairProduct,
}
INSIDE = "+inside"  # ends the name of a row to which K(a1, a2) · K(b1, b2) is added, as KeLP's kernels on pairs can do
# of kernels on neighbourhoods of graphs: the smallest and the largest radius, and the largest distance
GRAPH_SETTINGS = ((0, 0, 2), (0, 1, 2), (0, 1, 4), (1, 1, 3), (1, 2, 4))
LINEAR_WEIGHTS = (1.0, 3.0)  # of the linear kernel over scores (LK) in a sum
# The scores of the paper's LK, and all scores of Rekern.
LINEAR = ("ngrams", "tags", "kernels", "sequences", "wordnet", "esa", "substitution")
SCORES = ("basic", *LINEAR, "differences", "links", "thesaurus", "alignment")


@dataclass(frozen=True)
class StructuralSetting(Setting):
    """A setting on trees and graphs; ``rel`` says whether they have REL marks on what both texts share."""

    rel: bool | None = None

    def to_dict(self) -> JsonObject:
        """Return the setting as plain data for JSON."""
        found = super().to_dict()
        del found["kmax"]
        return {"method": found.pop("method"), "rel": self.rel, **found}


class Resources(NamedTuple):
    """What some kernels need besides the pairs: word spaces, a thesaurus, WordNet."""

    spaces: dict[str, LatentSemantics | WordVectors]  # the name of a smoothed kernel -> its word space
    thesaurus: Path
    wordnet: Path

    def make_tree_kernel(self, name: str, rel: bool) -> Kernel:
        """Make a kernel on trees by its name: PTK, or SPTK with the name of a space."""
        if name == "PTK":
            return kernels.PartialTree(on=TREES[rel])
        return kernels.SmoothedPartialTree(similarity=self.spaces[name], on=TREES[rel])

    def make_scores(self, groups: tuple[str, ...]) -> Similarities:
        """Make a kernel over standardized scores of similarity inside a pair."""
        trees = (kernels.PartialTree(on=TREES[False]),)
        wordnet, thesaurus = str(self.wordnet), str(self.thesaurus)
        return Similarities(groups=groups, on=WORDS, wordnet=wordnet, thesaurus=thesaurus, kernels=trees)


def load_resources(train: Sequence[Trees], vectors: Path, thesaurus: Path, wordnet: Path) -> Resources:
    """Load the resources; the latent space is learned from the training trees only."""
    latent = LatentSemantics().fit([text for trees in train for text in list_stems(trees)])
    spaces: dict[str, LatentSemantics | WordVectors] = {
        "SPTK-LSA": latent,
        "SPTK-GloVe": average_by_stem(WordVectors.from_file(vectors)),
    }
    return Resources(spaces, thesaurus, wordnet)


def list_stems(trees: Trees) -> list[list[str]]:
    """List the leaves of each tree without their parts of speech.

    >>> list_stems(Trees.from_items(["(NP (DT a::d) (NN dog::n))"]))
    [['a', 'dog']]
    """
    words = [label.rpartition("::")[0] or label for label in trees.vocabulary]
    leaves = np.flatnonzero(trees.count == 0)
    texts: list[list[str]] = [[] for _ in range(len(trees))]
    for tree, label in zip(np.searchsorted(trees.offsets, leaves, side="right") - 1, trees.labels[leaves]):
        texts[tree].append(words[label])
    return texts


def average_by_stem(space: WordVectors) -> WordVectors:
    """Make a space of stems from a space of words: the vector of a stem is the mean of its words' vectors.

    >>> average_by_stem(WordVectors(["dog", "dogs", "cat"], [[1, 0], [0, 1], [1, 1]])).vectors(["dog", "cat"])
    array([[0.5, 0.5],
           [1. , 1. ]])
    """
    rows = defaultdict(list)
    for row, word in enumerate(space.words):
        rows[stem(word)].append(row)
    return WordVectors(list(rows), [space.array[chosen].mean(axis=0) for chosen in rows.values()])


def list_tree_settings(corpus: str, resources: Resources) -> list[StructuralSetting]:
    """List kernels on trees in every pairing; on MSRP, which is large, smoothed ones only in the paper's pairings.

    Each is listed alone, and with the value of the two trees inside a pair as a score.
    """
    settings = []
    for rel in (False, True):
        for name in ("PTK", *resources.spaces):
            trees = resources.make_tree_kernel(name, rel)
            inside = Similarities(groups=("kernels",), kernels=(trees,), standardize=False)
            for pattern, pairing in PAIRINGS.items():
                if corpus == "rte3" or name == "PTK" or not pattern.startswith("{}"):
                    row, kernel = pattern.format(name), pairing(trees)
                    settings.append(StructuralSetting(row, kernel, rel=rel))
                    settings.append(StructuralSetting(row + INSIDE, kernel + inside, rel=rel))
    return settings


def list_graph_settings(rel: bool) -> list[StructuralSetting]:
    """List the kernels on neighbourhoods among which the folds choose."""
    settings = []
    for smallest, radius, distance in GRAPH_SETTINGS:
        kernel = kernels.Neighborhoods(radius, distance, smallest, on=GRAPHS[rel])
        note = f"radius {smallest} to {radius}, distance up to {distance}"
        settings.append(StructuralSetting("GK", kernel, rel=rel, note=note))
    return settings


def list_sums(
    corpus: str, resources: Resources, graphs: dict[bool, StructuralSetting]
) -> list[list[StructuralSetting]]:
    """List LK and the sums of the paper's tables, each with several weights of LK among which the folds choose.

    The scores are standardized, so K(x, x) of LK is about the number of its scores. Divided by that number, LK weighs
    as much as a normalised kernel.
    """
    scores = resources.make_scores(LINEAR)
    name = "SM-SPTK-GloVe" if corpus == "msrp" else "SPTK-GloVe×"
    pairing = kernels.SoftPairing if corpus == "msrp" else kernels.PairProduct
    trees, on_graphs = pairing(resources.make_tree_kernel("SPTK-GloVe", True)), graphs[True].kernel
    n = len(scores.names())

    def list_versions(method: str, *others: Kernel, rel: bool = True) -> list[StructuralSetting]:
        versions = {weight: reduce(add, others, scores * (weight / n)) for weight in LINEAR_WEIGHTS}
        return [
            StructuralSetting(method, kernel, rel=rel, note=f"{weight:g}/{n} × LK")
            for weight, kernel in versions.items()
        ]

    return [
        list_versions("LK", rel=False),
        [StructuralSetting(f"GK+{name}", on_graphs + trees, rel=True)],
        list_versions("LK+GK", on_graphs),
        list_versions(f"LK+{name}", trees),
        list_versions(f"LK+GK+{name}", on_graphs, trees),
    ]


def list_candidates(corpus: str, resources: Resources, graphs: StructuralSetting) -> list[StructuralSetting]:
    """List what our own row is chosen from by cross-validation, besides the rows of the tables.

    Each is a weighted sum of some of: *rules* (kb-SRK, kmax 4), *trees* (the pairing of the paper, over PTK with REL),
    *smooth* (the same over SPTK-GloVe), *graphs* (GK with REL), and two Gaussian kernels: over all *scores* of
    `Similarities`, and over those of `UnsharedWords`.
    """
    pairing = kernels.AllProduct if corpus == "msrp" else kernels.PairSum
    scores, unshared = resources.make_scores(SCORES), UnsharedWords(on=WORDS)
    parts: dict[str, Kernel] = {
        "rules": kernels.Rewriting(k=(1, 4)),
        "trees": pairing(resources.make_tree_kernel("PTK", True)),
        "smooth": kernels.SoftPairing(resources.make_tree_kernel("SPTK-GloVe", True)),
        "graphs": graphs.kernel,
        "scores": kernels.Gaussian(scores, GAMMA / len(scores.names())),
        "unshared": kernels.Gaussian(unshared, GAMMA / len(unshared.names())),
    }
    settings = []
    for note in CANDIDATES:
        weights = {name: float(weight) for weight, name in (term.split() for term in note.split(" + "))}
        first, *others = [parts[name] * weight for name, weight in weights.items()]
        has_rel = not RELATED.isdisjoint(weights)
        settings.append(StructuralSetting("+".join(weights), reduce(add, others, first), rel=has_rel, note=note))
    return settings


FINALISTS = 4
SHUFFLES = 3  # of the folds of the training part, for our own row
MEASURES = ("accuracy", "precision", "recall", "f1")


class FoldAccuracy(NamedTuple):
    """The accuracy over all folds (%), and its standard deviation between folds."""

    accuracy: float
    deviation: float

    def to_dict(self, name: str) -> dict[str, float]:
        """Return both values by name, for JSON."""
        return {f"{name}_accuracy": self.accuracy, f"{name}_sd": self.deviation}


def run_structural_msrp(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, cache: DataPath = None
) -> JsonObject:
    """Run the experiment on paraphrases: Table 1."""
    return _run_tables("msrp", data, out, n_jobs, cache)


def run_structural_rte3(
    data: DataPath = None, out: Path | None = None, n_jobs: int | None = None, cache: DataPath = None
) -> JsonObject:
    """Run the experiment on entailment: Table 2."""
    return _run_tables("rte3", data, out, n_jobs, cache)


def _run_tables(corpus: str, data: DataPath, out: Path | None, n_jobs: int | None, cache: DataPath) -> JsonObject:
    """Run the rows of a table with C = 1, each cross-validated in 5 folds of the training part, and our own row.

    Our own row is chosen among the candidates and the best rows, first with C = 1, then the best of them with other
    values of C. Three shuffles of the folds decide, because one shuffle alone may mislead a close choice. The choice is
    written before the test part is read.
    """
    if cache is not None:
        make_folder(cache, "the Grams")  # before minutes of work, not after
    train = load_part(corpus, "train", data)
    signs = _convert_labels(train, np.unique(np.array(train.table.labels)))
    resources = load_resources(
        [train.items.trees(f"{side}.{TREES[False]}") for side in ("source", "target")],
        find_file(data, "glove_twitter_25d_12k", "vectors.txt"),
        find_file(data, "ppdb_lexical", "pairs.tsv"),
        find_file(data, "oewn", "synsets.tsv").parent,
    )
    with _open_folder(cache) as folder:
        grams = SharedGrams(train.items, n_jobs, folder, resources.make_scores(SCORES))
        folds = make_evaluation_folds(train.pairs, signs, shuffles=SHUFFLES)
        in_one_shuffle: dict[StructuralSetting, FoldAccuracy] = {}

        def cross_validate(settings: Sequence[StructuralSetting], label: str) -> list[StructuralSetting]:
            """Cross-validate settings in one shuffle, and return them, the best first; equal ones keep their order."""
            for setting, found in zip(settings, train_settings(grams, settings, signs, folds[:N_FOLDS], label)):
                in_one_shuffle[setting] = summarize_folds([result.right for result in found])
            return sorted(settings, key=lambda setting: -in_one_shuffle[setting].accuracy)

        graphs = {rel: cross_validate(list_graph_settings(rel), "graphs")[0] for rel in (False, True)}
        rows = list_tree_settings(corpus, resources)
        cross_validate(rows, "trees")
        rows += graphs.values()
        rows += [cross_validate(versions, "sums")[0] for versions in list_sums(corpus, resources, graphs)]
        best_rows = sorted(rows, key=lambda setting: -in_one_shuffle[setting].accuracy)[:FINALISTS]
        *found, (chosen, accuracy) = choose_setting(
            [*list_candidates(corpus, resources, graphs[True]), *best_rows],
            lambda some: [
                summarize_folds([result.right for result in results])
                for results in train_settings(grams, some, signs, folds, "candidates")
            ],
            lambda accuracy: accuracy.accuracy,
            COSTS,
            FINALISTS,
        )
        record = {**chosen.to_dict(), **accuracy.to_dict("cv"), "folds": N_FOLDS, "shuffles": SHUFFLES}
        write_choice(out, f"structural-{corpus}", record)

        test = load_part(corpus, "test", data)
        grams.add_test(test.items)
        tested = rows if chosen in rows else [*rows, chosen]
        shown = {**in_one_shuffle, chosen: accuracy}
        table = _test_settings(corpus, grams, tested, chosen, shown, [train, test])
    result = next(row for row in table if row["chosen"])
    tried = [*((*pair, 1) for pair in in_one_shuffle.items()), *((*pair, SHUFFLES) for pair in dict(found).items())]
    return {
        "rows": table,
        "chosen_on_train": {**record, **{name: result[name] for name in MEASURES}},
        "candidates": [
            {**one.to_dict(), **found.to_dict("cv"), "shuffles": shuffles} for one, found, shuffles in tried
        ],
        "train_pairs": len(train.pairs),
        "test_pairs": len(test.pairs),
    }


def _test_settings(
    corpus: str,
    grams: SharedGrams,
    settings: Sequence[StructuralSetting],
    chosen: StructuralSetting,
    accuracies: dict[StructuralSetting, FoldAccuracy],
    parts: Sequence[TreeCorpusPart],
) -> list[JsonObject]:
    """Make the rows of a table: the fixed split and, as in the paper, folds of both parts together."""
    classes = np.unique(np.array(parts[0].table.labels))
    signs = np.concatenate([_convert_labels(part, classes) for part in parts])
    first = len(parts[0].pairs)
    split = Fold(np.arange(first), np.arange(first, len(signs)))
    together = make_evaluation_folds([pair for part in parts for pair in part.pairs], signs)
    rows = []
    for setting, found in zip(settings, train_settings(grams, settings, signs, [split, *together], "test")):
        right = [result.right for result in found]
        values = published.STRUCTURAL[corpus].get((setting.method.removesuffix(INSIDE), setting.rel))
        rows.append(
            {
                "method": setting.method,
                "rel": setting.rel,
                **measure_right(right[0], signs[first:]),
                **accuracies[setting].to_dict("cv"),
                **summarize_folds(right[1:]).to_dict("all_cv"),
                "published": values and values[0],
                "published_f1": values and values[1],
                "published_all_cv": values and values[2],
                "C": setting.C,
                "note": setting.note,
                "chosen": setting == chosen,
            }
        )
    return rows


def _convert_labels(part: TreeCorpusPart, classes: AnyArray) -> Ints:
    """Convert labels to 1 for the larger of the two classes and -1 for the other."""
    labels = np.array(part.table.labels)
    if len(classes) != 2 or not np.isin(labels, classes).all():
        listed = ", ".join(map(str, np.unique(labels)))
        raise InputError(f"{part.table.path or 'the corpus'} must have two labels, but it has {listed}")
    return np.where(labels == classes[1], 1, -1)


@contextmanager
def _open_folder(cache: DataPath) -> Iterator[Path]:
    """Open the folder for Grams of trees: the user's, which stays, or a temporary one."""
    if cache is not None:
        yield make_folder(cache, "the Grams")
        return
    with TemporaryDirectory(prefix="rekern-") as folder:
        yield Path(folder)


def measure_right(right: Booleans, signs: Ints) -> dict[str, float]:
    """Measure accuracy, and precision, recall and F1 of the positive class, in per cent.

    ``right`` says which pairs are classified correctly, ``signs`` are their true classes, ±1.
    """
    positive = signs > 0
    hits, said, wanted = (int(np.sum(chosen)) for chosen in (right & positive, right == positive, positive))
    values = (float(np.mean(right)), hits / max(said, 1), hits / max(wanted, 1), 2 * hits / max(said + wanted, 1))
    return {name: round(100 * value, 2) for name, value in zip(MEASURES, values)}


def summarize_folds(right: Sequence[Booleans]) -> FoldAccuracy:
    """Compute the accuracy over all folds (%), and its standard deviation between folds."""
    each = [100 * float(np.mean(fold)) for fold in right]
    return FoldAccuracy(round(100 * float(np.mean(np.concatenate(right))), 2), round(float(np.std(each)), 2))


def draw_structural(result: JsonObject, folder: Path) -> list[Path]:
    """Draw test accuracies, one line per row, with the published ones."""
    rows = result["rows"][::-1]
    figure, (panel,) = make_figure(1, 1, (7.5, 1.2 + 0.2 * len(rows)))
    places = range(len(rows))
    panel.plot([row["accuracy"] for row in rows], places, "o", color=BLUE, label="ours")
    known = [(row["published"], place) for row, place in zip(rows, places) if row.get("published") is not None]
    panel.plot([value for value, _ in known], [place for _, place in known], "D", color=ORANGE, mfc="none")
    panel.plot([], [], "D", color=ORANGE, mfc="none", label="published")
    panel.set_yticks(places, [_format_label(row) for row in rows], fontsize=8)
    panel.set_xlabel("test accuracy (%)")
    panel.set_title(result["name"])
    path = folder / f"{result['name']}.png"
    save_with_legend(figure, [panel], path)
    return [path]


def _format_label(row: JsonObject) -> str:
    on = row.get("tree") or row.get("task")
    if on:
        return f"{row['method']}, {on}, C = {row['C']:g}"
    return str(row["method"]) + (", REL" if row["rel"] else "") + (" (chosen)" if row["chosen"] else "")
