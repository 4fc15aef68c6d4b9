"""Strict patterns: what the function words of a question look like, the content words left open (Algorithm 1).

A question becomes a template, its content words gaps; the template's n-grams, with ``.*`` for a gap, are patterns.
Patterns that match the same questions are merged, and the most informative ones are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rekern.questions.closed_class_words import INTERROGATIVES
from rekern.questions.pattern_matching import GAP, UNKNOWN, Matcher
from rekern.questions.question_units import HAN, Units, plain_units

Template = Sequence[str | None]
ASKING = frozenset(unit for word in INTERROGATIVES for unit in plain_units(word))


def template(units: Units, keywords: frozenset[str] = frozenset()) -> list[str | None]:
    """The function words of a question (and the keywords), with None for every other unit.

    >>> from rekern.questions.question_units import cut
    >>> template(cut("How do I bake a cake?"))
    ['how', 'do', 'i', None, 'a', None]
    """
    return [word if function or word in keywords else None for word, function in zip(units.words, units.function)]


def patterns_of(parts: Template, shortest: int = 2, longest: int = 4) -> set[tuple[str | None, ...]]:
    """The patterns of one template; None is a gap.

    A side that lies inside the template gets a gap; an n-gram that touches the template's start or end is kept as it
    stands there, and once more with gaps on both sides.

    >>> sorted(map(in_text, patterns_of(["how", "to", None])))
    ['.* how to .*', 'how to .*']
    """
    places = [place for place, part in enumerate(parts) if part is not None]
    found: set[tuple[str | None, ...]] = set()
    for first in range(len(places)):
        middle: tuple[str | None, ...] = ()
        for last in range(first, min(first + longest, len(places))):
            if last > first and places[last] - places[last - 1] > 1:
                middle += (None,)
            middle += (parts[places[last]],)
            if last - first + 1 < shortest:
                continue
            found.add((None, *middle, None))
            starts, ends = places[first] == 0, places[last] == len(parts) - 1
            if starts or ends:
                found.add((*(() if starts else (None,)), *middle, *(() if ends else (None,))))
    return found


def in_text(pattern: Sequence[str | None]) -> str:
    """A pattern to read: a space between words, none between Chinese characters.

    >>> in_text((None, "what", "is", None)), in_text(("怎", "么", None, "吗"))
    ('.* what is .*', '怎么.*吗')
    """
    text = " ".join(".*" if part is None else part for part in pattern)
    return re.sub(rf"(?<=[{HAN}*]) (?=[{HAN}])|(?<=[{HAN}]) (?=\.\*)", "", text)


class StrictPatterns:
    """Patterns and the index that finds those of a question, by its words or, with ``of="shapes"``, their shapes.

    >>> from rekern.questions.question_units import cut
    >>> found = StrictPatterns([("why", None), (None, "how", "to", None)])
    >>> found.match([cut("Why is it so?"), cut("Please say how to do it")]).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(
        self, patterns: Sequence[tuple[str | None, ...]], rarity: Mapping[str, int] | None = None, of: str = "words"
    ):
        self.patterns = list(patterns)
        self.of = of
        self.number: dict[str, int] = {}
        for pattern in self.patterns:
            for part in pattern:
                if part is not None:
                    self.number.setdefault(part, len(self.number))
        self.rarity = rarity or Counter(part for pattern in self.patterns for part in set(pattern) if part is not None)
        coded = [tuple(GAP if part is None else self.number[part] for part in pattern) for pattern in self.patterns]
        self.matcher = Matcher(coded, [self.rarity.get(word, 0) for word in self.number])

    def match(self, questions: Iterable[Units]) -> Any:
        """A sparse matrix, questions × patterns, with 1 where a pattern matches."""
        number = self.number
        return self.matcher(
            [UNKNOWN if word is None else number.get(word, UNKNOWN) for word in _view(units, self.of)]
            for units in questions
        )

    def names(self) -> list[str]:
        """The patterns to read."""
        return [in_text(pattern) for pattern in self.patterns]

    def select(self, columns: Sequence[int]) -> StrictPatterns:
        """The patterns of these numbers."""
        return StrictPatterns([self.patterns[number] for number in columns], self.rarity, self.of)


def extract(
    questions: Sequence[Units],
    types: np.ndarray,
    shortest: int = 2,
    longest: int = 4,
    top: int = 3000,
    min_count: int = 2,
    keywords: frozenset[str] = frozenset(),
    of: str = "words",
) -> StrictPatterns:
    """Algorithm 1: the ``top`` most informative patterns of some questions, whose types are numbers from 0.

    A pattern that fewer than ``min_count`` questions have is left out. With ``keywords`` every question has a second
    template, in which these content words are kept. With ``of="shapes"`` the template has the shapes of all words.

    >>> from rekern.questions.question_units import cut
    >>> asked = [cut(q) for q in ["why is it so", "why is he here", "how to go", "how to swim"]]
    >>> found = extract(asked, np.array([0, 0, 1, 1]))
    >>> sorted(map(in_text, found.patterns))
    ['.* how to .*', '.* why is .*']
    """
    counts: Counter[tuple[str | None, ...]] = Counter()
    for units in questions:
        found = patterns_of(units.shapes if of == "shapes" else template(units), shortest, longest)
        if keywords and of == "words":
            found |= patterns_of(template(units, keywords), shortest, longest)
        counts.update(found)
    kept = sorted((pattern for pattern, count in counts.items() if count >= min_count), key=_order)
    if of == "shapes":  # those of function words alone are patterns of words already
        function = {word for units in questions for word, known in zip(units.words, units.function) if known}
        kept = [pattern for pattern in kept if not function.issuperset(part for part in pattern if part is not None)]
    rarity = Counter(word for units in questions for word in set(_view(units, of)) if word is not None)
    everything = StrictPatterns(kept, rarity, of)
    matched = everything.match(questions)
    chosen = first_of_equal_columns(matched)
    gains = information_gain(matched[:, chosen], types)
    best = chosen[np.argsort(-gains, kind="stable")[:top]]
    return everything.select(best.tolist())


def _view(units: Units, of: str) -> Sequence[str | None]:
    return units.shapes if of == "shapes" else units.words


def _order(pattern: tuple[str | None, ...]) -> tuple[Any, ...]:
    """Of patterns that match the same questions the most general comes first: few words, many gaps, interrogatives."""
    words = sum(part is not None for part in pattern)
    asking = sum(part in ASKING for part in pattern)
    return words, -len(pattern), -asking, tuple(part or "" for part in pattern)


def informative_words(questions: Sequence[Units], types: np.ndarray, number: int) -> frozenset[str]:
    """The content words, of those in two questions or more, that tell most about the type.

    >>> from rekern.questions.question_units import cut
    >>> asked = [cut(q) for q in ["best phone", "best car", "fix car", "fix phone"]]
    >>> sorted(informative_words(asked, np.array([0, 0, 1, 1]), 2))
    ['best', 'fix']
    """
    from scipy.sparse import csr_array

    listed = [set(units.content) for units in questions]
    counts = Counter(word for row in listed for word in row)
    kept = sorted(word for word, count in counts.items() if count >= 2)
    if number <= 0 or not kept:
        return frozenset()
    place = {word: column for column, word in enumerate(kept)}
    cells = [(row, place[word]) for row, found in enumerate(listed) for word in found if word in place]
    matrix = csr_array((np.ones(len(cells)), tuple(zip(*cells))), shape=(len(listed), len(kept)))
    best = np.argsort(-information_gain(matrix, types), kind="stable")[:number]
    return frozenset(kept[column] for column in best)


def first_of_equal_columns(matrix: Any) -> np.ndarray:
    """The first of each set of equal columns of a 0/1 matrix, in order.

    >>> from scipy.sparse import csr_array
    >>> first_of_equal_columns(csr_array([[1, 1, 0], [0, 0, 1]])).tolist()
    [0, 2]
    """
    rng = np.random.default_rng(0)
    marks = rng.integers(0, 2**62, size=(2, matrix.shape[0]), dtype=np.int64)  # 124 bits: no two sets will collide
    columns = matrix.tocsc()
    empty = np.diff(columns.indptr) == 0
    sums = np.zeros((2, matrix.shape[1]), dtype=np.int64)
    if columns.nnz:
        filled = np.flatnonzero(~empty)
        sums[:, filled] = np.add.reduceat(marks[:, columns.indices], columns.indptr[filled], axis=1)
    _, first = np.unique(sums, axis=1, return_index=True)
    return np.sort(first)


def information_gain(matrix: Any, types: np.ndarray) -> np.ndarray:
    """How much knowing whether a pattern matches tells about the type, in nats, for every column of a 0/1 matrix.

    >>> from scipy.sparse import csr_array
    >>> information_gain(csr_array([[1, 1], [0, 1]]), np.array([0, 1])).round(3).tolist()
    [0.693, 0.0]
    """
    rows = len(types)
    present = np.eye(int(types.max()) + 1)[types]
    with_pattern = matrix.T @ present
    without = present.sum(axis=0) - with_pattern
    prior = present.mean(axis=0)
    return (_entropy_part(with_pattern) + _entropy_part(without)) / rows - float(_xlogx(prior).sum())


def _entropy_part(counts: np.ndarray) -> np.ndarray:
    """Σ n_t log (n_t / n) for every row."""
    return _xlogx(counts).sum(axis=1) - _xlogx(counts.sum(axis=1))


def _xlogx(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values * np.log(np.where(values > 0, values, 1.0)), 0.0)
