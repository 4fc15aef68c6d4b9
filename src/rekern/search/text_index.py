"""An index of texts: for each word the texts that contain it, with BM25 scores (Robertson and Zaragoza, 2009).

The score of a text for a query is the sum, over the words of the query, of
``idf ** 1.5 * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean length))``. The text has the word ``count``
times, ``found`` of all ``n`` texts have it, and ``idf = ln(1 + (n - found + 0.5) / (found + 0.5))``. In BM25 itself the
exponent is 1.

>>> index = TextIndex.from_texts(["Cats chase mice.", "A dog barks", "The mouse and the cat"])
>>> candidates = index.find_candidates(index.count_texts(["a cat"]), 2)
>>> candidates.rows.tolist(), candidates.scores.round(3).tolist()
([[1, 0]], [[1.049, 0.348]])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Booleans, Floats, Ints, Keys, SmallInts, offsets_of
from rekern.core.explanations import Explanation, Part
from rekern.core.inverted_lists import invert_numbers
from rekern.core.key_index import number_keys
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.errors import InputError, ModelFileError
from rekern.search.text_index_core import count_words, find_best, find_shares, merge_lists
from rekern.structures import Tokenizer, Tokens
from rekern.structures.stemmer import find_stemmer
from rekern.structures.token_table import hash_token

BLOCK = 10_000  # texts that are read at a time
QUERIES = 256  # that one thread looks for at a time
MOST_TEXTS = (1 << 31) - 1

K1, B = 1.2, 0.75  # how soon more of the same word adds nothing; how much long texts are held back
POWER = 1.5  # of the inverse document frequency: with 1, as in BM25, fewer duplicates of the questions of QQP are found


class WordCounts(NamedTuple):
    """The distinct words of texts, as 64-bit keys in ascending order, and how often each is in its text.

    >>> counts = TextIndex().count_texts(["to be or not to be", ""])
    >>> counts.starts.tolist(), len(counts.keys), counts.lengths.tolist()
    ([0, 4, 4], 4, [6, 0])
    """

    starts: Ints
    keys: Keys
    counts: SmallInts
    lengths: SmallInts  # of the texts, in words


class Candidates(NamedTuple):
    """The best texts for each query, a row for each: numbers of texts (-1 where there are no more) and scores."""

    rows: SmallInts
    scores: Floats


class Weigher(Protocol):
    """Who says which words of an index count for queries, and how much: the index itself, or one with related words."""

    def weigh(self, queries: WordCounts) -> tuple[Ints, Ints, Floats]:
        """Return for each query where its words begin, their numbers in the index and their weights."""


class WordLists(NamedTuple):
    """For each word the rows that contain it, in ascending order, and how often each does."""

    keys: Keys  # of the words, in ascending order
    starts: Ints
    rows: SmallInts
    counts: SmallInts


NO_LISTS = WordLists(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))


class EncodedTexts(NamedTuple):
    """Texts as UTF-8, one after the other."""

    starts: Ints
    content: npt.NDArray[np.uint8]

    def decode(self, row: int) -> str:
        """Return the text of a row."""
        content = self.content[self.starts[row] : self.starts[row + 1]].tobytes()
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise ModelFileError(f"the index is damaged: its text {row} is not UTF-8; make it again") from None


NO_TEXTS = EncodedTexts(np.zeros(1, np.int64), np.zeros(0, np.uint8))


class TextIndex:
    """Texts, and the lists of their words; it does not change: `extend` returns a larger one.

    ``language`` is that of the stemmer, None for no stemming.

    >>> index = TextIndex.from_texts(["one", "two words"]).extend(["three"])
    >>> len(index), index.read_text(1)
    (3, 'two words')
    """

    def __init__(
        self,
        language: str | None = "english",
        lists: WordLists = NO_LISTS,
        lengths: SmallInts = NO_LISTS.rows,
        texts: EncodedTexts = NO_TEXTS,
    ):
        self.language = language
        self.lists = lists
        self.lengths = lengths  # of the texts, in words
        self.texts = texts

    @classmethod
    def from_texts(cls, texts: Iterable[str], language: str | None = "english") -> TextIndex:
        """Return the index of texts, which are read in blocks."""
        return cls(language).extend(texts)

    def __len__(self) -> int:
        return len(self.lengths)

    def read_text(self, row: int) -> str:
        """Return the text of a row."""
        return self.texts.decode(row)

    def read_texts(self, first: int, last: int) -> list[str]:
        """Return the texts of the rows ``first`` to ``last - 1``."""
        return [self.read_text(row) for row in range(first, last)]

    def count_texts(self, texts: Sequence[str]) -> WordCounts:
        """Return the words of texts: stems in lower case, without punctuation."""
        tokens = Tokens.from_texts(texts, Tokenizer(self.language, punctuation=False))
        words = [name_word(token, self.language) for token in tokens.vocabulary]
        keys = np.array([hash_token(word) for word in words], np.uint64)
        is_word: Booleans = np.array([bool(word) for word in words], bool)
        return WordCounts(*count_words(tokens.ids, tokens.offsets, keys, is_word))

    def extend(self, texts: Iterable[str]) -> TextIndex:
        """Return an index with more texts, the same as that of all texts together."""
        counts: list[WordCounts] = []
        encoded: list[bytes] = []
        sizes: list[int] = []
        for block in cut_blocks(texts, BLOCK, first_row=len(self)):
            counts.append(self.count_texts(block))
            contents = [text.encode("utf-8", "surrogatepass") for text in block]
            sizes += map(len, contents)
            encoded.append(b"".join(contents))
            if len(self) + len(sizes) > MOST_TEXTS:
                raise InputError(f"an index has at most {MOST_TEXTS:,} texts: divide them into several")
        if not counts:
            return self
        added = _invert(counts)
        lengths = np.concatenate([self.lengths, *(block.lengths for block in counts)])
        starts, content = self.texts
        joined = EncodedTexts(
            np.concatenate([starts, starts[-1] + offsets_of(sizes)[1:]]),
            np.concatenate([content, *(np.frombuffer(block, np.uint8) for block in encoded)]),
        )
        lists = _merge(self.lists, added, len(self)) if len(self) else added
        return TextIndex(self.language, lists, lengths, joined)

    @cached_property
    def norms(self) -> Floats:
        """What the length of each text adds to the denominator of a word's share."""
        mean = max(float(self.lengths.mean()), 1e-300) if len(self) else 1.0
        norms: Floats = K1 * (1.0 - B + B * (self.lengths / mean))
        return norms

    @cached_property
    def weights(self) -> Floats:
        """The weight of each word: its inverse document frequency, times what its share is multiplied with."""
        found = np.diff(self.lists.starts)
        frequencies = np.log(1.0 + (len(self) - found + 0.5) / (found + 0.5))
        weights: Floats = frequencies**POWER * (K1 + 1.0)
        return weights

    @cached_property
    def shares(self) -> Floats:
        """The largest share of each word in a text, by which lists are skipped."""
        lists = self.lists
        shares: Floats = find_shares(lists.starts, lists.rows, lists.counts, self.norms)
        return shares

    def explain(self, query: str, row: int, related: Weigher | None = None) -> Explanation:
        """Take the score of a text for a query apart: what each word adds that they share, or that is related.

        >>> index = TextIndex.from_texts(["Cats chase mice.", "A dog barks"])
        >>> [part.name for part in index.explain("the cat", 0).parts]
        ['cat']
        """
        _, places, weights = (self if related is None else related).weigh(self.count_texts([query]))
        weight_of = dict(zip(places.tolist(), weights.tolist()))
        own = set(self.list_words(query))
        parts = []
        for word, count in Counter(self.list_words(self.read_text(row))).items():
            place = int(np.searchsorted(self.lists.keys, np.uint64(hash_token(word))))
            if place in weight_of:
                share = count / (count + float(self.norms[row]))
                name = word if word in own else f"{word} (related)"
                parts.append(Part("word", name, share, weight_of[place]))
        parts.sort(key=lambda part: -part.contribution)
        return Explanation(decision=sum(part.contribution for part in parts), parts=parts)

    def list_words(self, text: str) -> list[str]:
        """Return the words of a text.

        >>> TextIndex().list_words("The cats. Mice!")
        ['the', 'cat', 'mice']
        """
        tokens = Tokenizer(self.language, punctuation=False)(text)
        return [word for token in tokens if (word := name_word(token, self.language))]

    def weigh(self, queries: WordCounts) -> tuple[Ints, Ints, Floats]:
        """Return for each query where its words begin, their numbers in the index and their weights."""
        lists = self.lists
        numbers = np.searchsorted(lists.keys, queries.keys)
        known = numbers < len(lists.keys)
        known[known] = lists.keys[numbers[known]] == queries.keys[known]
        words = numbers[known]
        return offsets_of(known)[queries.starts], words, self.weights[words] * queries.counts[known]

    def find_candidates(
        self,
        queries: WordCounts,
        n: int,
        own: int | None = None,
        n_jobs: int | None = None,
        related: Weigher | None = None,
    ) -> Candidates:
        """Return the ``n`` best texts for each query: those with a word of it, by score and then by row.

        If the queries are texts of the index, ``own`` is the row of the first; no text is a candidate of itself. With
        ``related``, texts with related words are found, too.
        """
        lists = self.lists
        size = len(queries.lengths)
        best = Candidates(np.full((size, n), -1, np.int32), np.zeros((size, n)))
        starts, words, weights = (self if related is None else related).weigh(queries)
        index = (lists.starts, lists.rows, lists.counts, self.norms, self.shares)
        place = -1 if own is None else own
        calls = [
            (first, last, starts, words, weights, index, place, n, best.rows, best.scores)
            for first, last in split_range(size, QUERIES)
        ]
        run_in_threads(find_best, calls, n_jobs)
        return best


def cut_blocks(texts: Iterable[str], size: int, first_row: int = 0) -> Iterator[list[str]]:
    """Yield lists of at most ``size`` texts; an error names the row of what is no text.

    >>> list(cut_blocks(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    if isinstance(texts, str | bytes):
        raise InputError(f"a list of texts is needed, got a {type(texts).__name__}; for one text write [text]")
    rest = iter(texts)
    while block := list(islice(rest, size)):
        for place, text in enumerate(block):
            if not isinstance(text, str):
                remedy = "give a str (an empty one will do)"
                raise InputError(f"the text is a {type(text).__name__}; {remedy}", row=first_row + place)
        yield block
        first_row += len(block)


@lru_cache(maxsize=1 << 18)
def name_word(token: str, language: str | None) -> str:
    """Return the word of a token: without punctuation at its ends, such as the full stop inside of a text.

    >>> name_word("dog", "english"), name_word("dogs.", "english"), name_word("--", "english")
    ('dog', 'dog', '')
    """
    word = strip_punctuation(token)
    return word if word in (token, "") or language is None else strip_punctuation(find_stemmer(language)(word))


def strip_punctuation(token: str) -> str:
    """Return a token without what is neither a letter nor a digit at its ends.

    >>> strip_punctuation("(U.S.)")
    'U.S'
    """
    first, last = 0, len(token)
    while first < last and not token[first].isalnum():
        first += 1
    while last > first and not token[last - 1].isalnum():
        last -= 1
    return token[first:last]


def _invert(blocks: list[WordCounts]) -> WordLists:
    """Return the lists of the words of texts in blocks."""
    starts = offsets_of(np.concatenate([np.diff(block.starts) for block in blocks]))
    counts = np.concatenate([block.counts for block in blocks])
    numbers, distinct = number_keys(np.concatenate([block.keys for block in blocks]))
    order = np.argsort(distinct)
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    offsets, rows, entries = invert_numbers(starts, places[numbers], len(distinct))
    return WordLists(distinct[order], offsets, rows, counts[entries])


def _merge(lists: WordLists, added: WordLists, shift: int) -> WordLists:
    """Return the lists of two sets of texts; the rows of the second come after those of the first."""
    keys = np.union1d(lists.keys, added.keys)
    places, places2 = np.searchsorted(keys, lists.keys), np.searchsorted(keys, added.keys)
    return WordLists(keys, *merge_lists(len(keys), places, *lists[1:], places2, *added[1:], shift))
