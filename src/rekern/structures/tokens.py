"""A corpus of texts as one flat array of token numbers.

>>> corpus = Tokens.from_texts(["Cats chase mice.", "A cat chased two mice!"])
>>> corpus[1]
['a', 'cat', 'chase', 'two', 'mice', '!']
>>> corpus.ids.tolist(), corpus.offsets.tolist()
([0, 1, 2, 3, 4, 0, 1, 5, 2, 6], [0, 4, 10])
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import overload

import numpy as np

from rekern.core.arrays import Ints, Keys, RowIndices, SmallInts, resolve_rows, slice_ragged, take_ragged
from rekern.core.messages import name_value
from rekern.errors import InputError
from rekern.structures.expression_spans import find_spans, join_spans
from rekern.structures.foreign_items import is_foreign, list_words
from rekern.structures.stemmer import MAX_LENGTH, MAX_WORDS
from rekern.structures.tokenizer import Tokenizer, WordTokens, split_words

__all__ = ["Tokens"]


class Tokens:
    """A corpus of texts as one flat array of token numbers with offsets.

    Text ``i`` is ``ids[offsets[i]:offsets[i + 1]]``; ``vocabulary[number]`` is the token, in order of first occurrence.
    Slices share the vocabulary.

    >>> corpus = Tokens.from_texts(["one two", ["Two", "words"], ""])
    >>> corpus
    Tokens(3 texts, 4 tokens, 4 distinct)
    >>> list(corpus), corpus.vocabulary
    ([['one', 'two'], ['Two', 'words'], []], ['one', 'two', 'Two', 'words'])
    >>> corpus[1:].ids.tolist(), corpus[1:].offsets.tolist()
    ([2, 3], [0, 2, 2])
    """

    def __init__(self, ids: SmallInts, offsets: Ints, vocabulary: list[str]):
        self.ids = ids
        self.offsets = offsets
        self.vocabulary = vocabulary
        self._keys: list[Keys] = []  # shared with slices: the first that needs the keys computes them

    @classmethod
    def from_texts(cls, texts: Iterable[object], tokenizer: Callable[[str], list[str]] | None = None) -> "Tokens":
        """Tokenize texts: a str goes through the tokenizer, a list of tokens is used verbatim.

        The words of a document of spaCy, or of a tree of NLTK, are tokens, too.

        ``tokenizer`` is any callable from a str to a list of str; the default is ``Tokenizer()``. An error has the
        number of the text as its row.

        >>> Tokens.from_texts(["Running late", ["Running", "late"]]).vocabulary
        ['run', 'late', 'Running']
        >>> Tokens.from_texts(["fine", None])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1: the text is None; drop the row or give it a text (an empty one will do)
        """
        if isinstance(texts, Tokens):
            return texts
        if isinstance(texts, str | bytes):
            raise InputError(f"a list of texts is needed, got a {type(texts).__name__}; for one text write [text]")
        numbers = _Numbers()
        number_text = _choose_reader(Tokenizer() if tokenizer is None else tokenizer, numbers)
        ids: list[int] = []
        offsets = [0]
        for row, text in enumerate(texts):
            if isinstance(text, str):
                for part in number_text(text, row):
                    ids += part
            else:
                ids += map(numbers.__getitem__, _check_tokens(text, row))
            offsets.append(len(ids))
        return cls(np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64), list(numbers))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> "Tokens": ...
    def __getitem__(self, index: int | slice) -> "list[str] | Tokens":
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            part, offsets = slice_ragged(self.offsets, start, stop)
            return self._select(self.ids[part], offsets)
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"text {index} of {n}")
        index %= n
        numbers = self.ids[self.offsets[index] : self.offsets[index + 1]].tolist()
        return list(map(self.vocabulary.__getitem__, numbers))

    def __iter__(self) -> Iterator[list[str]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Tokens({len(self):,} texts, {len(self.ids):,} tokens, {len(self.vocabulary):,} distinct)"

    def take(self, indices: RowIndices) -> "Tokens":
        """Return the texts with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> list(Tokens.from_texts(["a b", "c", "d e f"]).take([2, 0, 2]))
        [['d', 'e', 'f'], ['a', 'b'], ['d', 'e', 'f']]
        """
        places, offsets = take_ragged(self.offsets, resolve_rows(indices, len(self)))
        return self._select(self.ids[places], offsets)

    def token_keys(self) -> Keys:
        """Return a 64-bit key of every vocabulary entry (BLAKE2b of its UTF-8), the same in every process and run.

        >>> [f"{key:016x}" for key in Tokens.from_texts(["a b"]).token_keys()]
        ['40f89e395b66422f', '8472c2e34d854f75']
        """
        if not self._keys:
            self._keys.append(hash_tokens(self.vocabulary))
        return self._keys[0]

    def _select(self, ids: SmallInts, offsets: Ints) -> "Tokens":
        part = Tokens(ids, offsets, self.vocabulary)
        part._keys = self._keys
        return part


def hash_tokens(tokens: Iterable[str]) -> Keys:
    """Return a 64-bit key of every token or label: BLAKE2b of its UTF-8, the same in every process and run.

    >>> f"{hash_tokens(['a'])[0]:016x}"
    '40f89e395b66422f'
    """
    digests = b"".join(map(_hash_token, tokens))
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


@lru_cache(maxsize=2**18)
def _hash_token(token: str) -> bytes:
    return hashlib.blake2b(token.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()


class _Numbers(dict[str, int]):
    """Numbers of tokens, in order of first occurrence."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


class _WordNumbers(dict[str, tuple[int, ...]]):
    """The numbers of the tokens of a word, as `split_words` gives it."""

    def __init__(self, word_tokens: WordTokens, numbers: _Numbers):
        super().__init__()
        self.word_tokens = word_tokens
        self.numbers = numbers

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = tuple(map(self.numbers.__getitem__, self.word_tokens[word]))
        if len(word) <= MAX_LENGTH:
            if len(self) >= MAX_WORDS:
                self.clear()
            self[word] = found
        return found


_Reader = Callable[[str, int], Iterable[Sequence[int]]]


def _choose_reader(tokenizer: Callable[[str], list[str]], numbers: _Numbers) -> _Reader:
    """Return a function that maps a text and its row to its token numbers, in parts."""
    if isinstance(tokenizer, Tokenizer) and type(tokenizer).__call__ is Tokenizer.__call__:
        if tokenizer.expressions is None:
            word_numbers = _WordNumbers(tokenizer.word_tokens(), numbers).__getitem__
            return lambda text, row: map(word_numbers, split_words(text))
        word_tokens, index = tokenizer.word_tokens().__getitem__, tokenizer.expression_index()

        def read_with_expressions(text: str, row: int) -> Iterable[Sequence[int]]:
            tokens = list(chain.from_iterable(map(word_tokens, split_words(text))))
            return ([numbers[token] for token in join_spans(tokens, find_spans(tokens, index))],)

        return read_with_expressions

    known: dict[str, list[int]] = {}  # a tokenizer from elsewhere may be slow: it is called once for equal texts

    def read_with_other(text: str, row: int) -> Iterable[Sequence[int]]:
        if text not in known:
            tokens: object = tokenizer(text)
            if not isinstance(tokens, list | tuple | np.ndarray) or not all(isinstance(t, str) for t in tokens):
                reason = f"the tokenizer returned {name_value(tokens)}; it must return a list of str"
                raise InputError(reason, row=row)
            known[text] = [numbers[str(token)] for token in tokens]
        return (known[text],)

    return read_with_other


def _check_tokens(text: object, row: int) -> list[str]:
    """Check the tokens of a text that is tokenized already."""
    if is_foreign(text):
        return list_words(text)
    if not isinstance(text, list | tuple) and not (isinstance(text, np.ndarray) and text.ndim == 1):
        raise InputError(f"the text is {name_value(text)}; {_find_remedy(text)}", row=row)
    for position, token in enumerate(text):
        if not isinstance(token, str):
            reason = f"token {position} is {name_value(token)}; a list of tokens holds str only"
            raise InputError(reason, row=row)
    return [str(token) for token in text]  # NumPy's str_ is a str too


def _find_remedy(value: object) -> str:
    kind = name_value(value)
    if kind in ("None", "NaN", "missing"):
        return "drop the row or give it a text (an empty one will do)"
    if kind == "bytes":
        return "decode it to a str"
    return "give a str or a list of tokens"
