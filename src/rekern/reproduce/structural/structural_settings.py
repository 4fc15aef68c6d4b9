"""The kernels of the structural experiments, by name: the rows of the paper's tables, and what our own is chosen from.

A new idea joins the choice on the training part by one more line in `candidates`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    Gaussian,
    Kernel,
    Neighborhoods,
    PairProduct,
    PairSum,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SoftPairing,
)
from rekern.reproduce.rewriting_settings import Setting
from rekern.reproduce.structural.tree_corpora import GRAPHS, TREES, WORDS
from rekern.similarity import LatentSemantics, Similarities, UnsharedWords, WordVectors
from rekern.structures import Trees, stem

RELATED = {"trees", "smooth", "graphs"}  # the parts with REL marks
GAMMA = 0.3  # of the Gaussian kernels, over the number of scores
CANDIDATES: list[dict[str, float]] = [
    {"scores": 1},
    {"scores": 1, "unshared": 1},
    {"scores": 3, "trees": 1},
    {"scores": 3, "unshared": 3, "trees": 1},
    {"scores": 3, "unshared": 3, "trees": 1, "graphs": 1},
    {"rules": 1, "scores": 3},
    {"rules": 1, "scores": 3, "trees": 1},
    {"rules": 1, "scores": 3, "unshared": 3},
    {"rules": 1, "scores": 3, "unshared": 3, "trees": 1},
    {"rules": 1, "scores": 3, "unshared": 3, "trees": 2},
    {"rules": 1, "scores": 3, "unshared": 3, "smooth": 1, "graphs": 1},
    {"rules": 1, "scores": 3, "unshared": 3, "trees": 1, "graphs": 1},
    {"rules": 1, "scores": 3, "unshared": 3, "trees": 0.5, "graphs": 0.5},
    {"rules": 1, "scores": 3, "unshared": 3, "trees": 0.5, "smooth": 0.5, "graphs": 1},
    {"rules": 1, "scores": 5, "unshared": 5, "trees": 1, "graphs": 1},
    {"rules": 2, "scores": 5, "unshared": 5, "trees": 1, "graphs": 1},
]

# How a kernel on trees becomes one on pairs, and how the row is called; {} is the name of the kernel on trees.
PAIRINGS: dict[str, type[Kernel]] = {
    "SM-{}": SoftPairing,
    "all×{}": AllProduct,
    "all₊{}": AllSum,
    "M-{}": BestPairing,
    "{}₊": PairSum,
    "{}×": PairProduct,
}
BALLS = ((0, 0, 2), (0, 1, 2), (0, 1, 4), (1, 1, 3), (1, 2, 4))  # smallest and largest radius, largest distance
WEIGHTS = (1.0, 3.0)  # of LK in a sum
# The scores of the paper's LK, and those that Rekern has beside them.
LINEAR = ("ngrams", "tags", "kernels", "sequences", "wordnet", "esa", "substitution")
SCORES = ("basic", *LINEAR, "differences", "links", "thesaurus", "alignment")


@dataclass(frozen=True)
class Structural(Setting):
    """A setting on structures; ``rel`` says whether its trees and graphs have REL marks.

    >>> Structural("SM-PTK", SoftPairing(PartialTree(on="stems")), rel=False).described()["rel"]
    False
    """

    rel: bool | None = None

    def at(self, price: float) -> "Structural":
        """The same with another C."""
        return replace(self, price=price)

    def described(self) -> dict[str, Any]:
        """The setting, ready for JSON."""
        found = super().described()
        del found["kmax"]
        return {"method": found.pop("method"), "rel": self.rel, **found}


@dataclass(frozen=True)
class Resources:
    """What some kernels need beside the pairs: word spaces, a thesaurus, WordNet."""

    spaces: dict[str, Any]  # the name of the smoothed kernel -> its word space
    thesaurus: Path
    wordnet: Path

    def trees(self, name: str, rel: bool) -> Kernel:
        """A kernel on trees by its name: PTK, or SPTK with the name of a space."""
        on = TREES[rel]
        return PartialTree(on=on) if name == "PTK" else SmoothedPartialTree(similarity=self.spaces[name], on=on)

    def scores(self, groups: tuple[str, ...]) -> Similarities:
        """Standardised scores inside the pairs."""
        return Similarities(
            groups=groups,
            on=WORDS,
            wordnet=str(self.wordnet),
            thesaurus=str(self.thesaurus),
            kernels=(PartialTree(on=TREES[False]),),
        )


def resources(train: Sequence[Trees], vectors: Path, thesaurus: Path, wordnet: Path) -> Resources:
    """The resources; the latent space knows the words of the training trees only."""
    texts = [text for trees in train for text in stems_of(trees)]
    spaces = {
        "SPTK-LSA": LatentSemantics().fit(texts),
        "SPTK-GloVe": of_stems(WordVectors.from_file(vectors)),
    }
    return Resources(spaces, thesaurus, wordnet)


def stems_of(trees: Trees) -> list[list[str]]:
    """The leaves of each tree without their parts of speech.

    >>> stems_of(Trees.from_items(["(NP (DT a::d) (NN dog::n))"]))
    [['a', 'dog']]
    """
    words = [label.rpartition("::")[0] or label for label in trees.vocabulary]
    leaves = np.flatnonzero(trees.count == 0)
    texts: list[list[str]] = [[] for _ in range(len(trees))]
    for tree, label in zip(np.searchsorted(trees.offsets, leaves, side="right") - 1, trees.labels[leaves]):
        texts[tree].append(words[label])
    return texts


def of_stems(space: WordVectors) -> WordVectors:
    """A space of words as one of stems: the mean vector of the words that have a stem.

    >>> of_stems(WordVectors(["dog", "dogs", "cat"], [[1, 0], [0, 1], [1, 1]])).vectors(["dog", "cat"])
    array([[0.5, 0.5],
           [1. , 1. ]])
    """
    rows = defaultdict(list)
    for row, word in enumerate(space.words):
        rows[stem(word)].append(row)
    return WordVectors(list(rows), [space.array[chosen].mean(axis=0) for chosen in rows.values()])


def tree_settings(corpus: str, found: Resources) -> list[Structural]:
    """Kernels on trees, in every pairing; on MSRP, which is large, smoothed ones in those of the paper's table only."""
    settings = []
    for rel in (False, True):
        for name in ("PTK", *found.spaces):
            for pattern, pairing in PAIRINGS.items():
                if corpus == "rte3" or name == "PTK" or not pattern.startswith("{}"):
                    settings.append(Structural(pattern.format(name), pairing(found.trees(name, rel)), rel=rel))
    return settings


def graph_settings(rel: bool) -> list[Structural]:
    """The neighbourhoods among which the folds choose.

    >>> graph_settings(True)[1].note
    'radius 0 to 1, distance up to 2'
    """
    return [
        Structural(
            "GK",
            Neighborhoods(radius, distance, smallest, on=GRAPHS[rel]),
            rel=rel,
            note=f"radius {smallest} to {radius}, distance up to {distance}",
        )
        for smallest, radius, distance in BALLS
    ]


def sums(corpus: str, found: Resources, graphs: dict[bool, Structural]) -> list[list[Structural]]:
    """LK, and the sums of the paper's tables, each with several weights of LK among which the folds choose.

    The scores are standardised, so that K(x, x) of LK is about the number of its scores; divided by that number it
    weighs as much as a normalised kernel.
    """
    scores = found.scores(LINEAR)
    name = "SM-SPTK-GloVe" if corpus == "msrp" else "SPTK-GloVe×"
    pairing = SoftPairing if corpus == "msrp" else PairProduct
    trees, balls = pairing(found.trees("SPTK-GloVe", True)), graphs[True].kernel
    number = len(scores.names())
    linear: dict[float, Any] = {weight: scores * (weight / number) for weight in WEIGHTS}

    def versions(method: str, *others: Kernel, rel: bool = True) -> list[Structural]:
        return [
            Structural(method, sum(others, kernel), rel=rel, note=f"{weight:g}/{number} × LK")
            for weight, kernel in linear.items()
        ]

    return [
        versions("LK", rel=False),
        [Structural(f"GK+{name}", balls + trees, rel=True)],
        versions("LK+GK", balls),
        versions(f"LK+{name}", trees),
        versions(f"LK+GK+{name}", balls, trees),
    ]


def candidates(corpus: str, found: Resources, graphs: Structural) -> list[Structural]:
    """What our own row is chosen from by cross-validation, besides the rows of the tables.

    Each is a weighted sum of some of: *rules* (kb-SRK, kmax 4), *trees* (the pairing of the paper, over PTK with REL),
    *smooth* (the same over SPTK-GloVe), *graphs* (GK with REL), and two Gaussian kernels: over all *scores* of
    `Similarities`, and over those of `UnsharedWords`.
    """
    pairing = AllProduct if corpus == "msrp" else PairSum
    scores, unshared = found.scores(SCORES), UnsharedWords(on=WORDS)
    parts = {
        "rules": Rewriting(k=(1, 4)),
        "trees": pairing(found.trees("PTK", True)),
        "smooth": SoftPairing(found.trees("SPTK-GloVe", True)),
        "graphs": graphs.kernel,
        "scores": Gaussian(scores, GAMMA / len(scores.names())),
        "unshared": Gaussian(unshared, GAMMA / len(unshared.names())),
    }
    settings = []
    for weights in CANDIDATES:
        kernel: Any = sum(weight * parts[name] for name, weight in weights.items())
        note = " + ".join(f"{weight:g} {name}" for name, weight in weights.items())
        settings.append(Structural("+".join(weights), kernel, rel=not RELATED.isdisjoint(weights), note=note))
    return settings
