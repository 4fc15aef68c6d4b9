"""How similar two labels are, for smoothed tree kernels: a table over the vocabulary, made once for a Gram."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.messages import name_value, show_value
from rekern.core.parallel_jobs import run_in_threads, split_range, use_one_blas_thread
from rekern.core.parameters import is_number
from rekern.errors import InputError
from rekern.structures.lexical_labels import split_lexical_label
from rekern.structures.word_space import WordSpace

ROWS_AT_ONCE = 64  # of similarities that a thread computes
NOTHING = np.zeros((0, 0))
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


class LabelTable(NamedTuple):
    """The similarities of the labels of a vocabulary, by number.

    Labels fall into classes, and labels of different classes have similarity 0: values are stored inside a class only.
    """

    class_of: SmallInts  # the class of every label
    classes: int
    smooth: Ints  # where the row of a label begins in ``values``, -1 for a label that is similar to itself alone
    ranks: SmallInts  # the place of a label in such rows
    values: Floats

    def find_similarity(self, label: int, other: int) -> float:
        """Return the similarity of two labels, by number."""
        if self.class_of[label] != self.class_of[other]:
            return 0.0
        return 1.0 if self.smooth[label] < 0 else float(self.values[self.smooth[label] + self.ranks[other]])


class LabelClass(NamedTuple):
    """Labels that may be similar to each other, and their similarities, or vectors whose products these are."""

    labels: Ints
    similarities: Floats | None
    vectors: Floats

    def write(self, out: Floats, least: float) -> None:
        """Write the similarities, with 0 for what is below ``least``, in threads."""

        def write_rows(first: int, last: int) -> None:
            if self.similarities is None:
                rows = self.vectors[first:last] @ self.vectors[first:].T
            else:
                rows = self.similarities[first:last, first:].copy()
            rows[rows < least] = 0.0
            out[first:last, first:] = rows
            out[first:, first:last] = rows.T

        with use_one_blas_thread():
            run_in_threads(write_rows, split_range(len(out), ROWS_AT_ONCE))
        np.fill_diagonal(out, 1.0)


def make_label_table(similarity: LabelSimilarity | None, vocabulary: list[str], used: Ints, least: float) -> LabelTable:
    """Return which of the used labels are in one class, and the table of their similarities.

    ``similarity`` is of any kind that ``SmoothedPartialTree`` takes. Similarities below ``least`` count as 0.

    >>> table = make_label_table(lambda a, b: float(a[0] == b[0]) / 2, ["ax", "ay", "b"], np.arange(3), 0.01)
    >>> table.find_similarity(0, 1), table.find_similarity(0, 0), table.find_similarity(0, 2)
    (0.5, 1.0, 0.0)
    >>> make_label_table({"a": [1.0], "b": [2.0]}, ["a::n", "b::n", "c::n"], np.arange(3), 0.01).class_of.tolist()
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
    values = np.empty(sum(len(labels) ** 2 for labels, _, _ in members))
    filled = 0
    for own in members:
        size = len(own.labels)
        class_of[own.labels] = own.labels[0]
        smooth[own.labels] = filled + np.arange(size) * size
        ranks[own.labels] = np.arange(size)
        own.write(values[filled : filled + size * size].reshape(size, size), max(least, 0.0))
        filled += size * size
    return LabelTable(class_of, len(class_of), smooth, ranks, values)


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
    return [LabelClass(own, None, unit) for own, unit in zip(labels, np.split(vectors, ends)) if len(own) > 1]


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
    return [LabelClass(used[part], matrix[np.ix_(part, part)], NOTHING) for part in classes]
