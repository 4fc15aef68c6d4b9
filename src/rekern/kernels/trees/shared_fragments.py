"""What two trees share, fragment by fragment, as text: the terms of the sums that the tree kernels compute.

Every function goes over the pairs of nodes with equal labels from the leaves up. At each pair it keeps the ``beam``
heaviest fragments that are rooted there.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import TypeVar

from rekern.errors import InputError
from rekern.kernels.trees.partial_tree_core import PartialTreeWeights
from rekern.structures.trees import Trees

MOST_PAIRS = 250_000

Weights = dict[str, float]
Fragment = TypeVar("Fragment")


def _keep_heaviest(found: dict[Fragment, float], beam: int) -> dict[Fragment, float]:
    if len(found) <= beam:
        return found
    return dict(heapq.nlargest(beam, found.items(), key=lambda item: item[1]))


def _match_nodes(
    left: Trees, right: Trees, similar: Callable[[int, int], float] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of nodes with equal or similar labels, children before their parents."""
    partners = defaultdict(list)
    for node, label in enumerate(right.labels.tolist()):
        partners[label].append(node)
    found: dict[int, list[int]] = {}
    labels = left.labels.tolist()
    for label in set(labels):
        others = [label] if similar is None else [other for other in partners if similar(label, other) > 0]
        found[label] = sorted((node for other in others for node in partners.get(other, ())), reverse=True)
    total = sum(len(found[label]) for label in labels)
    if total > MOST_PAIRS:
        raise InputError(f"these trees have {total:,} pairs of nodes to explain, at most {MOST_PAIRS:,} can be listed")
    for node in range(len(labels) - 1, -1, -1):
        for other in found[labels[node]]:
            yield node, other


def _list_children(trees: Trees, node: int) -> range:
    return range(int(trees.first[node]), int(trees.first[node]) + int(trees.count[node]))


# Labels of both trees are numbered alike; the right vocabulary has all of them.


def list_subset_trees(left: Trees, right: Trees, decay: float, words: bool, beam: int) -> Weights:
    """Return the fragments of whole productions; a bare label is a leaf, or a node that is not followed further."""
    names = right.vocabulary
    total: Weights = defaultdict(float)
    rooted: dict[tuple[int, int], Weights] = {}
    for x, y in _match_nodes(left, right):
        label = names[left.labels[x]]
        kids, kids2 = _list_children(left, x), _list_children(right, y)
        if not kids or not kids2:
            if words and not kids and not kids2:
                total[f"({label})"] += decay
            continue
        if left.labels[kids.start : kids.stop].tolist() != right.labels[kids2.start : kids2.stop].tolist():
            continue
        found: Weights = {f"({label}": decay}
        for child, child2 in zip(kids, kids2):
            options = {names[left.labels[child]]: 1.0, **rooted.get((child, child2), {})}
            found = _keep_heaviest({f"{a} {b}": v * w for a, v in found.items() for b, w in options.items()}, beam)
        found = {text + ")": weight for text, weight in found.items()}
        rooted[x, y] = found
        for text, weight in found.items():
            total[text] += weight
    return dict(total)


def list_complete_subtrees(left: Trees, right: Trees, decay: float) -> Weights:
    """Return the complete subtrees, except bare leaves."""
    one, other = (Counter(text for _, text in write_subtrees(trees)) for trees in (left, right))
    return {text: one[text] * other[text] * decay ** text.count("(") for text in one if text in other}


def write_subtrees(trees: Trees) -> Iterator[tuple[int, str]]:
    """Yield every node with children of the trees, and the subtree below it as text."""
    texts: dict[int, str] = {}
    for node in range(len(trees.labels) - 1, -1, -1):
        label = trees.vocabulary[trees.labels[node]]
        kids = _list_children(trees, node)
        texts[node] = f"({label} {' '.join(texts.pop(kid) for kid in kids)})" if kids else label
        if kids:
            yield node, texts[node]


def list_partial_trees(
    left: Trees,
    right: Trees,
    weights: PartialTreeWeights,
    similar: Callable[[int, int], float],
    beam: int,
) -> Weights:
    """Return the fragments of any children in order; two labels that are only similar are written ``one~other``."""
    mu, decay, factor, longest, terminal = weights
    names = right.vocabulary
    total: Weights = defaultdict(float)
    rooted: dict[tuple[int, int], Weights] = {}
    for x, y in _match_nodes(left, right, similar):
        one, other = int(left.labels[x]), int(right.labels[y])
        label = names[one] if one == other else f"{names[one]}~{names[other]}"
        sigma = similar(one, other)
        kids, kids2 = _list_children(left, x), _list_children(right, y)
        single = sigma * mu * decay * decay
        found: Weights = {label: single if kids and kids2 else terminal * single}
        ending: dict[tuple[int, int], dict[tuple[str, int], float]] = {}
        for i, child in enumerate(kids):
            for j, child2 in enumerate(kids2):
                below = rooted.get((child, child2))
                if below is None:
                    continue
                here: dict[tuple[str, int], float] = defaultdict(float)
                for text, weight in below.items():
                    here[text, 1] += factor * weight
                    for (i2, j2), befores in ending.items():
                        if i2 < i and j2 < j:
                            step = factor * weight * decay ** (i - i2 + j - j2 - 2)
                            for (before, length), carried in befores.items():
                                if longest == 0 or length < longest:
                                    here[f"{before} {text}", length + 1] += carried * step
                ending[i, j] = _keep_heaviest(here, beam)
        children: Weights = defaultdict(float)
        for texts in ending.values():
            for (text, _), weight in texts.items():
                children[f"({label} {text})"] += sigma * mu * weight
        found.update(children)
        found = _keep_heaviest(found, beam)
        rooted[x, y] = found
        for text, weight in found.items():
            total[text if text.startswith("(") else f"({text})"] += weight
    return dict(total)


def list_dependency_paths(left: Trees, right: Trees, decay: float, middle: float, beam: int) -> Weights:
    """Return the paths; an arrow points from a word to the word that it depends on."""
    names = right.vocabulary
    total: Weights = defaultdict(float)
    downward: dict[tuple[int, int], dict[tuple[str, ...], float]] = {}
    for x, y in _match_nodes(left, right):
        word = names[left.labels[x]]
        total[word] += 1.0
        found: dict[tuple[str, ...], float] = defaultdict(float)
        branches: list[tuple[int, int, str, dict[tuple[str, ...], float]]] = []
        for child in _list_children(left, x):
            for child2 in _list_children(right, y):
                if left.labels[child] != right.labels[child2]:
                    continue
                below = names[left.labels[child]]
                further = downward[child, child2]
                branches.append((child, child2, below, further))
                found[(below,)] += decay
                for path, weight in further.items():
                    found[(below, *path)] += decay * weight
        found = _keep_heaviest(found, beam)
        downward[x, y] = found
        for path, weight in found.items():
            total[_write_path((), word, path)] += weight
        for place, (child, child2, below, further) in enumerate(branches):
            for before, before2, below2, further2 in branches[:place]:
                if child == before or child2 == before2:
                    continue
                total[_write_path((below,), word, (below2,))] += decay * decay
                for path, weight in further.items():
                    total[_write_path((below, *path), word, (below2,))] += middle * weight
                    for path2, weight2 in further2.items():
                        total[_write_path((below, *path), word, (below2, *path2))] += decay * decay * weight * weight2
                for path2, weight2 in further2.items():
                    total[_write_path((below,), word, (below2, *path2))] += middle * weight2
    return dict(total)


def _write_path(one: tuple[str, ...], top: str, other: tuple[str, ...]) -> str:
    """Return a path as text, the same from whichever end it is read."""
    if not one or (other and other < one):
        one, other = other, one
    return " ← ".join([" → ".join([*reversed(one), top]), *other])
