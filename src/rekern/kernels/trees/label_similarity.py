"""How similar two labels are, for smoothed tree kernels: a table over the vocabulary, made once for a Gram."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from threadpoolctl import threadpool_limits

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.messages import name_value, show_value
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.core.parameters import is_number
from rekern.errors import InputError
from rekern.kernels.trees.label_cut_core import place_similarities
from rekern.kernels.trees.label_table import LabelTable
from rekern.structures.lexical_labels import split_lexical_label
from rekern.structures.word_space import WordSpace

FEW_LABELS = 256  # of a class, for which one thread is enough
ROUNDING = 1e-6  # by which the similarity of two labels may exceed 1
Similarities = Callable[[Sequence[str], Sequence[str]], Floats]


@runtime_checkable
class SimilaritySource(Protocol):
    """Similarities of labels."""

    def similarities(self, labels: Sequence[str], labels2: Sequence[str]) -> Floats:
        """Return the matrix of the similarities of labels."""
        ...


WordVectors = Mapping[str, Sequence[float]] | WordSpace
LabelSimilarity = WordVectors | SimilaritySource | Callable[[str, str], float]


class LabelClass(NamedTuple):
    """Labels that may be similar to each other, and what their similarities are."""

    labels: Ints
    vectors: Floats | None  # of length 1: the similarities are their products
    values: Floats | None  # the similarities, where there are no vectors

    def write(self, out: Floats, least: float) -> None:
        """Write the similarities, with 0 for what is below ``least``."""
        if self.vectors is not None:
            _write_products(self.vectors, out, least)
        elif self.values is not None:
            out[:] = np.where(self.values >= least, self.values, 0.0)
            np.fill_diagonal(out, 1.0)


class LabelPlan(NamedTuple):
    """The table of the similarities of labels before they are computed."""

    class_of: SmallInts  # and the other places, as in the table
    smooth: Ints
    ranks: SmallInts
    size: int  # how many similarities there are
    classes: list[LabelClass]
    least: float

    def compute(self) -> LabelTable:
        """Return the table."""
        values = np.empty(self.size)
        filled = 0
        for members in self.classes:
            size = len(members.labels)
            members.write(values[filled : filled + size * size].reshape(size, size), self.least)
            filled += size * size
        return LabelTable(self.class_of, len(self.class_of), self.smooth, self.ranks, values)


def plan_label_table(similarity: LabelSimilarity | None, vocabulary: list[str], used: Ints, least: float) -> LabelPlan:
    """Return which of the used labels are in one class, and where their similarities will be in the table.

    ``similarity`` is of any kind that ``SmoothedPartialTree`` takes. Similarities below ``least`` count as 0.

    >>> plan = plan_label_table(lambda a, b: float(a[0] == b[0]) / 2, ["ax", "ay", "b"], np.arange(3), 0.01)
    >>> table = plan.compute()
    >>> table.find_similarity(0, 1), table.find_similarity(0, 0), table.find_similarity(0, 2)
    (0.5, 1.0, 0.0)
    >>> plan_label_table({"a": [1.0], "b": [2.0]}, ["a::n", "b::n", "c::n"], np.arange(3), 0.01).class_of.tolist()
    [0, 0, 2]
    """
    if similarity is None:
        members: list[LabelClass] = []
    elif isinstance(similarity, Mapping | WordSpace):
        members = _group_words(similarity, vocabulary, used)
    elif isinstance(similarity, SimilaritySource):
        members = _group_similar(vocabulary, used, similarity.similarities, least)
    elif callable(similarity):
        members = _group_similar(vocabulary, used, _compare_each(similarity), least)
    else:
        raise InputError(
            f"similarity={show_value(similarity)}: give a function of two labels, a dict of word vectors, or an object "
            "with a method vectors(words) or similarities(labels, labels2)"
        )
    class_of = np.arange(len(vocabulary), dtype=np.int32)
    smooth = np.full(len(vocabulary), -1, np.int64)
    ranks = np.zeros(len(vocabulary), np.int32)
    filled = 0
    for labels, _, _ in members:
        size = len(labels)
        class_of[labels] = labels[0]
        smooth[labels] = filled + np.arange(size) * size
        ranks[labels] = np.arange(size)
        filled += size * size
    return LabelPlan(class_of, smooth, ranks, filled, members, max(least, 0.0))


def _group_words(space: WordVectors, vocabulary: list[str], used: Ints) -> list[LabelClass]:
    """Return a class for the words of each part of speech that have a vector, with their cosines."""
    words: Container[str] | None = space if isinstance(space, Container) else None
    places, lemmas, tagged = list[int](), list[str](), dict[int, str]()
    parts, groups = list[int](), dict[tuple[str, str], int]()
    for label in used.tolist():
        found = split_lexical_label(vocabulary[label])
        if found is None:
            continue
        prefix, lemma, part_of_speech = found
        word = f"{lemma}::{part_of_speech}"
        if words is None or word in words:  # most spaces have no word with its part of speech
            tagged[len(places)] = word
        elif lemma not in words:
            continue
        places.append(label)
        lemmas.append(lemma)
        parts.append(groups.setdefault((prefix, part_of_speech), len(groups)))
    vectors, lengths = _find_vectors_of_words(space, lemmas, tagged)
    known = np.flatnonzero(lengths)
    part = np.array(parts, np.int64)[known]
    order = known[np.argsort(part, kind="stable")]
    vectors = vectors[order]
    vectors /= lengths[order, np.newaxis]
    ends = np.cumsum(np.bincount(part, minlength=len(groups)))[:-1]
    labels = np.split(np.array(places, np.int64)[order], ends)
    return [LabelClass(own, unit, None) for own, unit in zip(labels, np.split(vectors, ends)) if len(own) > 1]


def _write_products(vectors: Floats, out: Floats, least: float) -> None:
    """Write the products of vectors, in threads, each of which writes some rows and the same columns."""
    if len(out) <= FEW_LABELS:
        _write_rows(vectors, out, least, 0, len(out))
        return
    calls = [(vectors, out, least, *span) for span in split_range(len(out), max(FEW_LABELS, len(out) // 64))]
    with threadpool_limits(1, user_api="blas"):
        run_in_threads(_write_rows, calls)


def _write_rows(vectors: Floats, out: Floats, least: float, first: int, last: int) -> None:
    products = vectors[first:last] @ vectors[first:].T
    place_similarities(products, out, first, least)


def _find_vectors_of_words(space: WordVectors, lemmas: list[str], tagged: dict[int, str]) -> tuple[Floats, Floats]:
    """Return the vector of every word and its length, zeros if it has none.

    The vector is that of ``lemma::pos``, which is given for some places, or else that of ``lemma``.
    """
    own = _find_vectors(space, list(tagged.values())).copy()  # a space may use its array again
    vectors = _find_vectors(space, lemmas)
    is_known = own.any(axis=1)
    if is_known.any():
        places = np.array(list(tagged))
        if not vectors.shape[1]:
            vectors = np.zeros((len(lemmas), own.shape[1]))
        if own.shape[1] != vectors.shape[1]:
            word = tagged[int(places[int(np.argmax(is_known))])]
            raise InputError(f"the vector of {word!r} has {own.shape[1]} numbers, others have {vectors.shape[1]}")
        vectors = vectors.copy()  # which may be the space's own
        vectors[places[is_known]] = own[is_known]
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all() and not np.isfinite(vectors).all():
        wrong = lemmas[int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])]
        raise InputError(f"the vector of {wrong!r} holds a number that is not finite; correct or leave out the word")
    return vectors, lengths


def _find_vectors(space: WordVectors, words: list[str]) -> Floats:
    if not isinstance(space, Mapping):
        return np.asarray(space.vectors(words), dtype=float).reshape(len(words), -1) if words else np.zeros((0, 0))
    known = {place: np.asarray(space[word], dtype=float) for place, word in enumerate(words) if word in space}
    width = len(next(iter(known.values()))) if known else 0
    vectors = np.zeros((len(words), width))
    for place, vector in known.items():
        if vector.shape != (width,):
            raise InputError(f"the vector of {words[place]!r} has {vector.size} numbers, others have {width}")
        vectors[place] = vector
    return vectors


def _compare_each(function: Callable[[str, str], float]) -> Similarities:
    """Turn a symmetric function of two labels into one of two lists; it is called for half of the pairs."""

    def similarities(labels: Sequence[str], _: Sequence[str]) -> Floats:
        found = np.eye(len(labels))
        for row, label in enumerate(labels):
            for column in range(row):
                value: object = function(label, labels[column])
                if not is_number(value):
                    raise InputError(f"similarity: the function returned {name_value(value)}; a number is needed")
                found[row, column] = found[column, row] = value
        return found

    return similarities


def _group_similar(vocabulary: list[str], used: Ints, similarities: Similarities, least: float) -> list[LabelClass]:
    """Return classes for any similarity: labels that are connected by similar ones."""
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
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    links = csr_array(matrix >= max(least, np.finfo(float).tiny))
    number, component = connected_components(links, directed=False)
    order = np.argsort(component, kind="stable")
    parts = np.split(order, np.searchsorted(component[order], np.arange(1, number)))
    classes = [part for part in parts if len(part) > 1]
    return [LabelClass(used[part], None, matrix[np.ix_(part, part)]) for part in classes]
