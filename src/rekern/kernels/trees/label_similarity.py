"""How similar two labels are, for smoothed tree kernels: a table over the vocabulary, made once.

Labels fall into classes, and labels of different classes have similarity 0: a table is needed inside a class only.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from rekern.errors import InputError

_LEXICAL = re.compile(r"(LEX##|(?!.*##))(.+)::([^:]+)", re.DOTALL)

ROUNDING = 1e-6  # by which the similarity of two labels may exceed 1
Members = list[tuple[np.ndarray, np.ndarray]]  # for each class its labels and the matrix of their similarities


class LabelTable(NamedTuple):
    """The similarities of the labels of a vocabulary, by number."""

    class_of: np.ndarray  # the class of every label
    classes: int
    smooth: np.ndarray  # where the row of a label begins in ``values``, -1 for a label that is like itself alone
    ranks: np.ndarray  # the place of a label in such rows
    values: np.ndarray

    def similarity(self, label: int, other: int) -> float:
        """Of two labels, by number."""
        if self.class_of[label] != self.class_of[other]:
            return 0.0
        return 1.0 if self.smooth[label] < 0 else float(self.values[self.smooth[label] + self.ranks[other]])


def label_table(similarity: Any, vocabulary: list[str], used: np.ndarray, least: float) -> LabelTable:
    """The table of the used labels for a similarity of any kind (see ``SmoothedPartialTree``), 0 if below ``least``.

    >>> table = label_table(lambda a, b: float(a[0] == b[0]) / 2, ["ax", "ay", "b"], np.arange(3), 0.01)
    >>> table.similarity(0, 1), table.similarity(0, 0), table.similarity(0, 2)
    (0.5, 1.0, 0.0)
    """
    if similarity is None:
        members: Members = []
    elif isinstance(similarity, Mapping) or hasattr(similarity, "vectors"):
        members = _of_words(similarity, vocabulary, used)
    elif hasattr(similarity, "similarities"):
        members = _components(vocabulary, used, similarity.similarities, least)
    elif callable(similarity):
        members = _components(vocabulary, used, _each(similarity), least)
    else:
        raise ValueError(
            f"similarity={similarity!r}: give a function of two labels, a dict of word vectors, or an object with a "
            "method vectors(words) or similarities(labels, labels2)"
        )
    class_of = np.arange(len(vocabulary), dtype=np.int32)
    smooth = np.full(len(vocabulary), -1, np.int64)
    ranks = np.zeros(len(vocabulary), np.int32)
    values = np.zeros(sum(len(labels) ** 2 for labels, _ in members))
    filled = 0
    for labels, matrix in members:
        size = len(labels)
        class_of[labels] = labels[0]
        smooth[labels] = filled + np.arange(size) * size
        ranks[labels] = np.arange(size)
        part = values[filled : filled + size * size].reshape(size, size)
        np.copyto(part, matrix, where=matrix >= max(least, 0.0))
        np.fill_diagonal(part, 1.0)
        filled += size * size
    return LabelTable(class_of, len(vocabulary), smooth, ranks, values)


def lexical(label: str) -> tuple[str, str, str] | None:
    """The kind, lemma and part of speech of ``LEX##lemma::pos`` or ``lemma::pos``; None for any other label.

    >>> lexical("LEX##dog::n"), lexical("dog::n"), lexical("POS##NN"), lexical("COMP##root<*::*,be::v>")
    (('LEX##', 'dog', 'n'), ('', 'dog', 'n'), None, None)
    """
    match = _LEXICAL.fullmatch(label)
    return None if match is None else (match[1], match[2], match[3])


def _of_words(space: Any, vocabulary: list[str], used: np.ndarray) -> Members:
    """A class for the words of each part of speech that have a vector, with their cosines."""
    words = [(label, parts) for label in used.tolist() if (parts := lexical(vocabulary[label])) is not None]
    vectors = _unit_vectors(space, [parts for _, parts in words])
    places = defaultdict(list)
    for place, (_, (kind, _, part_of_speech)) in enumerate(words):
        if vectors[place].any():
            places[kind, part_of_speech].append(place)
    labels = np.array([label for label, _ in words], np.int64)
    return [(labels[members], vectors[members] @ vectors[members].T) for members in places.values() if len(members) > 1]


def _unit_vectors(space: Any, words: list[tuple[str, str, str]]) -> np.ndarray:
    """A vector of length 1 for every word, found as ``lemma::pos`` or as ``lemma``; zeros where there is none."""
    tagged = _vectors(space, [f"{lemma}::{part_of_speech}" for _, lemma, part_of_speech in words])
    plain = _vectors(space, [lemma for _, lemma, _ in words])
    if not tagged.shape[1] or not plain.shape[1]:
        vectors = tagged if tagged.shape[1] else plain
    else:
        vectors = np.where(tagged.any(axis=1, keepdims=True), tagged, plain)
    if not np.isfinite(vectors).all():
        wrong = words[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
        raise InputError(f"the vector of {wrong[1]!r} holds a number that is not finite; correct or leave out the word")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _vectors(space: Any, words: list[str]) -> np.ndarray:
    if not isinstance(space, Mapping):
        return np.array(space.vectors(words), dtype=float).reshape(len(words), -1) if words else np.zeros((0, 0))
    known = {place: np.asarray(space[word], dtype=float) for place, word in enumerate(words) if word in space}
    width = len(next(iter(known.values()))) if known else 0
    vectors = np.zeros((len(words), width))
    for place, vector in known.items():
        if vector.shape != (width,):
            raise InputError(f"the vector of {words[place]!r} has {vector.size} numbers, others have {width}")
        vectors[place] = vector
    return vectors


def _each(function: Callable[[str, str], float]) -> Callable[[Sequence[str], Sequence[str]], np.ndarray]:
    """A function of two labels as one of the whole vocabulary; it is symmetric, so that half of the pairs will do."""

    def similarities(labels: Sequence[str], _: Sequence[str]) -> np.ndarray:
        found = np.eye(len(labels))
        for row, label in enumerate(labels):
            for column in range(row):
                found[row, column] = found[column, row] = function(label, labels[column])
        return found

    return similarities


def _components(vocabulary: list[str], used: np.ndarray, similarities: Callable[..., Any], least: float) -> Members:
    """Classes for any similarity: labels that are connected by similar ones."""
    names = [vocabulary[label] for label in used]
    matrix = np.asarray(similarities(names, names), dtype=float)
    if matrix.shape != (len(names), len(names)):
        raise InputError(f"similarities(labels, labels) returned the shape {matrix.shape}, not {(len(names),) * 2}")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise InputError(f"the similarity of {names[row]!r} and {names[column]!r} is {matrix[row, column]}")
    beyond = matrix > 1 + ROUNDING
    np.fill_diagonal(beyond, False)
    if beyond.any():
        row, column = np.argwhere(beyond)[0]
        found = f"the similarity of {names[row]!r} and {names[column]!r} is {matrix[row, column]}"
        raise InputError(f"{found}; give numbers up to 1, the similarity of equal labels")
    links = sp.csr_array(matrix >= max(least, np.finfo(float).tiny))
    number, component = connected_components(links, directed=False)
    order = np.argsort(component, kind="stable")
    parts = np.split(order, np.searchsorted(component[order], np.arange(1, number)))
    return [(used[part], matrix[np.ix_(part, part)]) for part in parts if len(part) > 1]
