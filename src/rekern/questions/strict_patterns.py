"""Strict patterns: sequences of function words with gaps for the content words (Algorithm 1 of the paper).

A question becomes a template in which every content word is a gap. The n-grams of the template, with ``.*`` for a gap,
are patterns. Of patterns that match the same questions one is kept, and of those the most informative ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import Floats, Ints
from rekern.questions.function_words import INTERROGATIVES
from rekern.questions.pattern_index import GAP, UNKNOWN, PatternIndex
from rekern.questions.question_units import HAN, Units, split_words

Template = Sequence[str | None]
Pattern = tuple[str | None, ...]  # words, and None for a gap
INTERROGATIVE_UNITS = frozenset(unit for word in INTERROGATIVES for unit in split_words(word))


def make_template(units: Units, keywords: frozenset[str] = frozenset()) -> list[str | None]:
    """Return the function words of a question, and its ``keywords``, with None in the place of every other unit.

    >>> from rekern.questions.question_units import cut
    >>> make_template(cut("How do I bake a cake?"))
    ['how', 'do', 'i', None, 'a', None]
    """
    return [word if function or word in keywords else None for word, function in zip(units.words, units.function)]


def list_patterns(parts: Template, shortest: int = 2, longest: int = 4) -> set[Pattern]:
    """List the patterns of one template, of ``shortest`` to ``longest`` words.

    An n-gram inside the template gets a gap on both sides. An n-gram at the start or at the end of the template gives
    two patterns: one that is tied to that end, and one with gaps on both sides.

    >>> sorted(map(write_pattern, list_patterns(["how", "to", None])))
    ['.* how to .*', 'how to .*']
    """
    places = [place for place, part in enumerate(parts) if part is not None]
    found: set[Pattern] = set()
    for first in range(len(places)):
        middle: Pattern = ()
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


def write_pattern(pattern: Sequence[str | None]) -> str:
    """Write a pattern as text, with spaces between words but not between Chinese characters.

    >>> write_pattern((None, "what", "is", None)), write_pattern(("怎", "么", None, "吗"))
    ('.* what is .*', '怎么.*吗')
    """
    text = " ".join(".*" if part is None else part for part in pattern)
    return re.sub(rf"(?<=[{HAN}*]) (?=[{HAN}])|(?<=[{HAN}]) (?=\.\*)", "", text)


class StrictPatterns:
    """Strict patterns over the words of a question, or over their shapes with ``of="shapes"``.

    ``frequencies`` says in how many training questions each word occurs; it only makes matching faster.

    >>> from rekern.questions.question_units import cut
    >>> found = StrictPatterns([("why", None), (None, "how", "to", None)])
    >>> found.match([cut("Why is it so?"), cut("Please say how to do it")]).toarray().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, patterns: Sequence[Pattern], frequencies: Mapping[str, int] | None = None, of: str = "words"):
        self.patterns = list(patterns)
        self.of = of
        self.number: dict[str, int] = {}
        for pattern in self.patterns:
            for part in pattern:
                if part is not None:
                    self.number.setdefault(part, len(self.number))
        self.frequencies = frequencies or Counter(
            part for pattern in self.patterns for part in set(pattern) if part is not None
        )
        coded = [tuple(GAP if part is None else self.number[part] for part in pattern) for pattern in self.patterns]
        self.index = PatternIndex(coded, [self.frequencies.get(word, 0) for word in self.number])

    def match(self, questions: Iterable[Units]) -> csr_array:
        """Return a sparse matrix, questions × patterns, with 1 where a pattern matches."""
        number = self.number
        return self.index.match_questions(
            [UNKNOWN if word is None else number.get(word, UNKNOWN) for word in _get_words(units, self.of)]
            for units in questions
        )

    def names(self) -> list[str]:
        """Return the patterns as text."""
        return [write_pattern(pattern) for pattern in self.patterns]

    def select(self, columns: Sequence[int]) -> StrictPatterns:
        """Keep the patterns with these numbers."""
        return StrictPatterns([self.patterns[number] for number in columns], self.frequencies, self.of)


def extract_patterns(
    questions: Sequence[Units],
    types: Ints,
    shortest: int = 2,
    longest: int = 4,
    top: int = 3000,
    min_count: int = 2,
    keywords: frozenset[str] = frozenset(),
    of: str = "words",
) -> StrictPatterns:
    """Extract the ``top`` most informative patterns of questions whose types are numbers from 0 (Algorithm 1).

    A pattern that matches fewer than ``min_count`` questions is left out. With ``keywords`` every question has a second
    template in which these content words are kept. With ``of="shapes"`` templates consist of the shapes of all words.

    >>> from rekern.questions.question_units import cut
    >>> asked = [cut(q) for q in ["why is it so", "why is he here", "how to go", "how to swim"]]
    >>> found = extract_patterns(asked, np.array([0, 0, 1, 1]))
    >>> sorted(found.names())
    ['.* how to .*', '.* why is .*']
    """
    counts: Counter[Pattern] = Counter()
    for units in questions:
        found = list_patterns(units.shapes if of == "shapes" else make_template(units), shortest, longest)
        if keywords and of == "words":
            found |= list_patterns(make_template(units, keywords), shortest, longest)
        counts.update(found)
    kept = sorted((pattern for pattern, count in counts.items() if count >= min_count), key=_rank_generality)
    if of == "shapes":  # a pattern of function words alone is a pattern of words already
        function = {word for units in questions for word, known in zip(units.words, units.function) if known}
        kept = [pattern for pattern in kept if not function.issuperset(part for part in pattern if part is not None)]
    frequencies = Counter(word for units in questions for word in set(_get_words(units, of)) if word is not None)
    everything = StrictPatterns(kept, frequencies, of)
    matched = everything.match(questions)
    chosen = find_distinct_columns(matched)
    gains = compute_information_gain(matched[:, chosen], types)
    best = chosen[np.argsort(-gains, kind="stable")[:top]]
    return everything.select(best.tolist())


def _get_words(units: Units, of: str) -> Sequence[str | None]:
    return units.shapes if of == "shapes" else units.words


def _rank_generality(pattern: Pattern) -> tuple[int, int, int, Pattern]:
    """Sort the most general pattern first: few words, many gaps, interrogatives."""
    words = sum(part is not None for part in pattern)
    interrogatives = sum(part in INTERROGATIVE_UNITS for part in pattern)
    return words, -len(pattern), -interrogatives, tuple(part or "" for part in pattern)


def select_keywords(questions: Sequence[Units], types: Ints, n: int) -> frozenset[str]:
    """Select the ``n`` content words that tell most about the type, among those that occur in two questions or more.

    >>> from rekern.questions.question_units import cut
    >>> asked = [cut(q) for q in ["best phone", "best car", "fix car", "fix phone"]]
    >>> sorted(select_keywords(asked, np.array([0, 0, 1, 1]), 2))
    ['best', 'fix']
    """
    listed = [set(units.content) for units in questions]
    counts = Counter(word for row in listed for word in row)
    kept = sorted(word for word, count in counts.items() if count >= 2)
    if n <= 0 or not kept:
        return frozenset()
    place = {word: column for column, word in enumerate(kept)}
    cells = [(row, place[word]) for row, found in enumerate(listed) for word in found if word in place]
    matrix = csr_array((np.ones(len(cells)), tuple(zip(*cells))), shape=(len(listed), len(kept)))
    best = np.argsort(-compute_information_gain(matrix, types), kind="stable")[:n]
    return frozenset(kept[column] for column in best)


def find_distinct_columns(matrix: csr_array) -> Ints:
    """Return the numbers of the distinct columns of a 0/1 matrix: the first of each set of equal columns, in order.

    >>> from scipy.sparse import csr_array
    >>> find_distinct_columns(csr_array([[1, 1, 0], [0, 0, 1]])).tolist()
    [0, 2]
    """
    rng = np.random.default_rng(0)
    marks = rng.integers(0, 2**62, size=(2, matrix.shape[0]), dtype=np.int64)  # 124 bits do not collide
    columns = matrix.tocsc()
    empty = np.diff(columns.indptr) == 0
    sums = np.zeros((2, matrix.shape[1]), dtype=np.int64)
    if columns.nnz:
        filled = np.flatnonzero(~empty)
        sums[:, filled] = np.add.reduceat(marks[:, columns.indices], columns.indptr[filled], axis=1)
    _, first = np.unique(sums, axis=1, return_index=True)
    return np.sort(first)


def compute_information_gain(matrix: csr_array, types: Ints) -> Floats:
    """Compute, for every column of a 0/1 matrix, how much it tells about the type, in nats.

    >>> from scipy.sparse import csr_array
    >>> compute_information_gain(csr_array([[1, 1], [0, 1]]), np.array([0, 1])).round(3).tolist()
    [0.693, 0.0]
    """
    rows = len(types)
    present = np.eye(int(types.max()) + 1)[types]
    with_pattern = matrix.T @ present
    without = present.sum(axis=0) - with_pattern
    prior = present.mean(axis=0)
    gains: Floats = (_sum_entropy_terms(with_pattern) + _sum_entropy_terms(without)) / rows
    return gains - float(_compute_xlogx(prior).sum())


def _sum_entropy_terms(counts: Floats) -> Floats:
    """Sum n_t log (n_t / n) over the types t, for every row."""
    terms: Floats = _compute_xlogx(counts).sum(axis=1) - _compute_xlogx(counts.sum(axis=1))
    return terms


def _compute_xlogx(values: Floats) -> Floats:
    return np.where(values > 0, values * np.log(np.where(values > 0, values, 1.0)), 0.0)
