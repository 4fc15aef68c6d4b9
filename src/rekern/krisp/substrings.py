"""Substrings of sentences: the items of the kernels in `rekern.krisp.substring_kernels`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Ints
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus


class Substring(NamedTuple):
    """The words of a sentence from ``start`` to ``end``, the end not included.

    >>> Substring(AnnotatedSentence(("which", "rivers", "run")), 1, 3).words
    ('rivers', 'run')
    """

    sentence: AnnotatedSentence
    start: int
    end: int

    @property
    def words(self) -> tuple[str, ...]:
        """The words."""
        return self.sentence.words[self.start : self.end]


class SubstringGroups(NamedTuple):
    """Substrings sorted by sentence and start, as the compiled cores need them.

    ``sentences`` are the sentences that have substrings; those of the g-th are ``starts[offsets[g]:offsets[g + 1]]``.
    """

    sentences: Ints
    offsets: Ints
    starts: Ints
    ends: Ints


class _Order(NamedTuple):
    """Substrings in sorted order, the place of each in the original order, and whether these are the same."""

    groups: SubstringGroups
    order: Ints
    is_sorted: bool


class Substrings(Sequence[Substring]):
    """Substrings of the sentences of a corpus, as an array of (sentence, start, end).

    >>> corpus = SentenceCorpus([AnnotatedSentence(("which", "rivers", "run"))])
    >>> substrings = Substrings(corpus, [(0, 0, 2), (0, 1, 3)])
    >>> len(substrings), substrings[1].words
    (2, ('rivers', 'run'))
    """

    def __init__(self, corpus: SentenceCorpus, spans: npt.ArrayLike):
        self.corpus = corpus
        self.spans: Ints = np.asarray(spans, dtype=np.int64).reshape(-1, 3)
        self._order: _Order | None = None

    @classmethod
    def from_items(cls, items: Iterable[Substring]) -> Substrings:
        """Collect substrings; equal sentences are stored once.

        >>> sentence = AnnotatedSentence(("which", "rivers", "run"))
        >>> len(Substrings.from_items([Substring(sentence, 0, 1), Substring(sentence, 0, 2)]).corpus)
        1
        """
        if isinstance(items, Substrings):
            return items
        places: dict[AnnotatedSentence, int] = {}
        spans = [(places.setdefault(sentence, len(places)), start, end) for sentence, start, end in items]
        return cls(SentenceCorpus(places), spans)

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, place: int) -> Substring: ...

    @overload
    def __getitem__(self, place: slice | Sequence[int] | Ints) -> Substrings: ...

    def __getitem__(self, place: int | slice | Sequence[int] | Ints) -> Substring | Substrings:
        if isinstance(place, int):
            sentence, start, end = self.spans[place].tolist()
            return Substring(self.corpus.sentences[sentence], start, end)
        return Substrings(self.corpus, self.spans[place])

    def __iter__(self) -> Iterator[Substring]:
        for sentence, start, end in self.spans.tolist():
            yield Substring(self.corpus.sentences[sentence], start, end)

    def move_to(self, corpus: SentenceCorpus, shift: int = 0) -> Substrings:
        """The same substrings in a corpus that has these sentences ``shift`` places later."""
        if shift:
            return Substrings(corpus, self.spans + np.array([shift, 0, 0]))
        moved = Substrings(corpus, self.spans)
        moved._order = self._sort()  # it depends on the spans alone
        return moved

    @property
    def groups(self) -> SubstringGroups:
        """The substrings in sorted order."""
        return self._sort().groups

    @property
    def order(self) -> Ints:
        """The places of the substrings in sorted order."""
        return self._sort().order

    @property
    def is_sorted(self) -> bool:
        """Whether the substrings are in sorted order already."""
        return self._sort().is_sorted

    def _sort(self) -> _Order:
        if self._order is None:
            order = np.lexsort((self.spans[:, 2], self.spans[:, 1], self.spans[:, 0]))
            spans = self.spans[order]
            sentences, first = np.unique(spans[:, 0], return_index=True)
            offsets = np.append(first, len(spans)).astype(np.int64)
            groups = SubstringGroups(sentences.astype(np.int64), offsets, spans[:, 1].copy(), spans[:, 2].copy())
            self._order = _Order(groups, order, bool((order[1:] > order[:-1]).all()))
        return self._order


def align_corpora(left: Substrings, right: Substrings) -> tuple[Substrings, Substrings]:
    """The same substrings with one corpus, so that equal words have equal numbers.

    >>> one = Substrings.from_items([Substring(AnnotatedSentence(("a",)), 0, 1)])
    >>> other = Substrings.from_items([Substring(AnnotatedSentence(("b", "a")), 1, 2)])
    >>> left, right = align_corpora(one, other)
    >>> left.corpus is right.corpus, right.spans.tolist()
    (True, [[1, 1, 2]])
    """
    if left.corpus is right.corpus:
        return left, right
    corpus = SentenceCorpus([*left.corpus.sentences, *right.corpus.sentences])
    return left.move_to(corpus), right.move_to(corpus, len(left.corpus))


def list_spans(n_words: int, sentence: int = 0) -> list[tuple[int, int, int]]:
    """All substrings of a sentence of ``n_words`` words, as (sentence, start, end).

    >>> list_spans(2)
    [(0, 0, 1), (0, 0, 2), (0, 1, 2)]
    """
    return [(sentence, start, end) for start in range(n_words) for end in range(start + 1, n_words + 1)]
