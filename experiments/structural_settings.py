"""Settings of the structural experiments: the rows of the paper's tables, and what our own row is chosen from.

A new idea joins the choice on the training part by one more line in `CANDIDATES`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.rewriting_settings import Setting
from experiments.tree_corpora import GRAPHS, TREES, WORDS
from rekern import kernels
from rekern.core.json_values import JsonObject
from rekern.kernels import Kernel
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
