"""Texts as tokens: what a text is cut into, and a whole corpus as one flat array of token numbers.

>>> corpus = Tokens.from_texts(["Cats chase mice.", "A cat chased two mice!"])
>>> corpus[1]
['a', 'cat', 'chase', 'two', 'mice', '!']
>>> corpus.ids.tolist(), corpus.offsets.tolist()
([0, 1, 2, 3, 4, 0, 1, 5, 2, 6], [0, 4, 10])
"""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, overload

import numpy as np
import snowballstemmer
from sklearn.base import BaseEstimator

from rekern.core.registry import register
from rekern.errors import InputError
from rekern.structures.treebank_tokenizer import tokenize

__all__ = ["Tokenizer", "Tokens"]

_MOST_FORMS = 1_000_000  # a cache is emptied when it has grown past this
_LONGEST_FORM = 64  # what is longer is hardly a word: it is not stemmed, nor kept

Starts = dict[tuple[str, str], list[tuple[str, ...]]]  # expressions by their first two tokens, the longest first


@register
class Tokenizer(BaseEstimator):
    """Cuts a text into Treebank tokens, folds their case and stems them.

    ``language`` names a Snowball stemmer (any of ``snowballstemmer.algorithms()``), or is None for no stemming.
    ``lowercase=False`` leaves the case as it is. ``punctuation=False`` drops every token without a letter or a digit.
    ``expressions`` is a list of texts whose tokens become one token wherever they stand side by side, from left to
    right, the longest first; `Expressions` learns such a list from a collection of texts.

    >>> Tokenizer()("The cats weren't chasing mice.")
    ['the', 'cat', 'were', "n't", 'chase', 'mice', '.']
    >>> Tokenizer(language=None, lowercase=False, punctuation=False)("The cats weren't chasing mice.")
    ['The', 'cats', 'were', "n't", 'chasing', 'mice']
    >>> Tokenizer("german")("Die Katzen jagten Mäuse")
    ['die', 'katz', 'jagt', 'maus']
    >>> Tokenizer(expressions=["in spite of", "United States"])("The United States, in spite of it")
    ['the', 'unit_state', ',', 'in_spite_of', 'it']
    """

    def __init__(
        self,
        language: str | None = "english",
        lowercase: bool = True,
        punctuation: bool = True,
        expressions: Sequence[str] | None = None,
    ):
        self.language = language
        self.lowercase = lowercase
        self.punctuation = punctuation
        self.expressions = expressions

    def __call__(self, text: str) -> list[str]:
        """The tokens of one text."""
        tokens = list(chain.from_iterable(map(self._lookup().__getitem__, _words(text))))
        return tokens if self.expressions is None else joined(tokens, spans(tokens, self._starts()))

    def as_written(self) -> Callable[[str], list[str]]:
        """A function that cuts a text at the same places, but neither folds the case nor stems.

        >>> Tokenizer(expressions=["new york"]).as_written()("New York's trains")
        ['New_York', "'s", 'trains']
        """
        written = Tokenizer(None, lowercase=False, punctuation=self.punctuation)
        if self.expressions is None:
            return written
        finished, starts = Tokenizer(self.language, self.lowercase, self.punctuation), self._starts()
        return lambda text: joined(written(text), spans(finished(text), starts))

    def _key(self) -> tuple[str | None, bool, bool]:
        return self.language, bool(self.lowercase), bool(self.punctuation)

    def _lookup(self) -> "_TokensOfWord":
        key = self._key()
        return _LOOKUPS[key] if key in _LOOKUPS else _new_lookup(key)

    def _starts(self) -> Starts:
        """The expressions as tokens, by their first two."""
        given = self.expressions
        if not isinstance(given, list | tuple):
            raise InputError(f"expressions must be a list of texts, not {in_words(given)}; write ['in spite of']")
        for position, expression in enumerate(given):
            if not isinstance(expression, str):
                raise InputError(f"expression {position} is {in_words(expression)}; give a list of texts")
        return _starts(self._key(), tuple(given))


@lru_cache(maxsize=16)
def _starts(key: tuple[str | None, bool, bool], expressions: tuple[str, ...]) -> Starts:
    # no line's end behind the last word: an expression may stand inside a text, where a word keeps its full stop
    tokens_of = Tokenizer(*key)._lookup().__getitem__
    return starts_of(tuple(chain.from_iterable(map(tokens_of, text.split()))) for text in expressions)


def starts_of(expressions: Iterable[tuple[str, ...]]) -> Starts:
    """Expressions of two tokens or more, by their first two, the longest first.

    >>> starts_of([("as", "well"), ("as", "well", "as"), ("one",)])
    {('as', 'well'): [('as', 'well', 'as'), ('as', 'well')]}
    """
    found: Starts = {}
    for expression in sorted(set(expressions), key=lambda tokens: (-len(tokens), tokens)):
        if len(expression) > 1:
            found.setdefault((expression[0], expression[1]), []).append(expression)
    return found


def spans(tokens: Sequence[str], starts: Starts) -> list[tuple[int, int]]:
    """Where expressions stand among tokens: first and last + 1, from left to right, the longest first.

    >>> spans(["as", "well", "as", "well"], starts_of([("as", "well"), ("as", "well", "as")]))
    [(0, 3)]
    """
    found = []
    end = 0
    for first, two in enumerate(pairwise(tokens)):
        if two in starts and first >= end:
            for expression in starts[two]:
                if tuple(tokens[first : first + len(expression)]) == expression:
                    end = first + len(expression)
                    found.append((first, end))
                    break
    return found


def joined(tokens: list[str], places: list[tuple[int, int]]) -> list[str]:
    """The tokens, those of each place as one.

    >>> joined(["the", "united", "states"], [(1, 3)])
    ['the', 'united_states']
    """
    if not places:
        return tokens
    found = []
    end = 0
    for first, last in places:
        found += tokens[end:first]
        found.append("_".join(tokens[first:last]))
        end = last
    return found + tokens[end:]


def _words(text: str) -> list[str]:
    """What stands between blanks; the last one gets a line's end, for only there a full stop is split off."""
    words = text.split()
    if words:
        words[-1] += "\n"
    return words


class _TokensOfWord(dict[str, tuple[str, ...]]):
    """A word between blanks -> its finished tokens, worked out when it is first asked for, in any thread.

    Apart from the full stop that ends a text, Treebank tokens depend on nothing beyond a blank. So a corpus costs one
    look-up a word, and each distinct form is folded and stemmed once in a process.
    """

    def __init__(self, language: str | None, lowercase: bool, punctuation: bool):
        super().__init__()
        self.stemmer = None if language is None else _stemmer(language)
        self.lowercase = lowercase
        self.punctuation = punctuation
        self.stems: dict[str, str] = {}  # of folded forms: dog and Dog and dog, are stemmed once
        self.lock = threading.Lock()  # a Snowball stemmer has a state

    def __missing__(self, word: str) -> tuple[str, ...]:
        # A word after it keeps the full stop of a word that does not end its text.
        tokens = tokenize(word) if word.endswith("\n") else tokenize(word + " .")[:-1]
        if not self.punctuation:
            tokens = [token for token in tokens if any(map(str.isalnum, token))]
        result = tuple(map(self.finish, tokens))
        if len(word) <= _LONGEST_FORM:
            if len(self) >= _MOST_FORMS:
                self.clear()
            self[word] = result
        return result

    def finish(self, token: str) -> str:
        """One Treebank token, folded and stemmed."""
        form = token.casefold() if self.lowercase else token
        if self.stemmer is None or len(form) > _LONGEST_FORM:
            return form
        stem = self.stems.get(form)
        if stem is None:
            with self.lock:
                stem = self.stemmer.stemWord(form) or form
            if len(self.stems) >= _MOST_FORMS:
                self.stems.clear()
            self.stems[form] = stem
        return stem


_LOOKUPS: dict[tuple[str | None, bool, bool], _TokensOfWord] = {}
_LOOKUPS_LOCK = threading.Lock()


def _new_lookup(key: tuple[str | None, bool, bool]) -> _TokensOfWord:
    with _LOOKUPS_LOCK:
        if key not in _LOOKUPS:
            _LOOKUPS[key] = _TokensOfWord(*key)
        return _LOOKUPS[key]


def _stemmer(language: str) -> Any:
    known = snowballstemmer.algorithms()
    if language not in known:
        raise InputError(f"no stemmer for language {language!r}: use None or one of {', '.join(sorted(known))}")
    return snowballstemmer.stemmer(language)


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

    def __init__(self, ids: np.ndarray, offsets: np.ndarray, vocabulary: list[str]):
        self.ids = ids
        self.offsets = offsets
        self.vocabulary = vocabulary
        self._fingerprints: list[np.ndarray] = []  # shared with the slices: filled once, by whichever asks first

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str | Sequence[str]],
        tokenizer: Callable[[str], list[str]] | None = None,
        name: Callable[[int], str] = lambda i: f"row {i}",
    ) -> "Tokens":
        """The corpus of these texts: a str goes through the tokenizer, a list of tokens is taken as it is.

        ``tokenizer`` is any callable from a str to a list of str, ``Tokenizer()`` unless given. ``name(i)`` is what an
        error calls text ``i``.

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
        number = _Numbers()
        numbers_of = _reader(Tokenizer() if tokenizer is None else tokenizer, number)
        ids: list[int] = []
        offsets = [0]
        for i, text in enumerate(texts):
            if isinstance(text, str):
                for numbers in numbers_of(text, i, name):
                    ids += numbers
            else:
                ids += map(number.__getitem__, _verbatim(text, i, name))
            offsets.append(len(ids))
        return cls(np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64), list(number))

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
            offsets = self.offsets[start : max(start, stop) + 1]
            return self._part(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])
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

    def take(self, indices: Sequence[int] | np.ndarray) -> "Tokens":
        """The texts with these numbers (or where this mask is true), in this order; the vocabulary is shared.

        >>> list(Tokens.from_texts(["a b", "c", "d e f"]).take([2, 0, 2]))
        [['d', 'e', 'f'], ['a', 'b'], ['d', 'e', 'f']]
        """
        chosen = positions(indices, len(self))
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], lengths)
        return self._part(self.ids[places], offsets)

    def fingerprints(self) -> np.ndarray:
        """A 64-bit hash of every vocabulary entry (BLAKE2b of its UTF-8), the same in every process and run.

        >>> [f"{value:016x}" for value in Tokens.from_texts(["a b"]).fingerprints()]
        ['40f89e395b66422f', '8472c2e34d854f75']
        """
        if not self._fingerprints:
            digests = b"".join(map(_fingerprint, self.vocabulary))
            self._fingerprints.append(np.frombuffer(digests, dtype=">u8").astype(np.uint64))
        return self._fingerprints[0]

    def _part(self, ids: np.ndarray, offsets: np.ndarray) -> "Tokens":
        part = Tokens(ids, offsets, self.vocabulary)
        part._fingerprints = self._fingerprints
        return part


def positions(indices: Sequence[int] | np.ndarray, n: int) -> np.ndarray:
    """Indices as NumPy understands them (negative ones, or a mask) as numbers from 0 to n - 1.

    >>> positions([-1, 0], 3).tolist(), positions(np.array([True, False, True]), 3).tolist(), positions([], 3).tolist()
    ([2, 0], [0, 2], [])
    """
    chosen = np.asarray(indices)
    return np.arange(n)[chosen if len(chosen) else chosen.astype(np.intp)]


@lru_cache(maxsize=2**18)
def _fingerprint(token: str) -> bytes:
    return hashlib.blake2b(token.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()


class _Numbers(dict[str, int]):
    """Token -> its number, in order of first occurrence."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


class _NumbersOfWord(dict[str, tuple[int, ...]]):
    """A word between blanks -> the numbers of its tokens."""

    def __init__(self, tokens_of: _TokensOfWord, number: _Numbers):
        super().__init__()
        self.tokens_of = tokens_of
        self.number = number

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = tuple(map(self.number.__getitem__, self.tokens_of[word]))
        if len(word) <= _LONGEST_FORM:
            if len(self) >= _MOST_FORMS:
                self.clear()
            self[word] = numbers
        return numbers


def _reader(tokenizer: Callable[[str], list[str]], number: _Numbers) -> Callable[..., Iterable[Sequence[int]]]:
    """The function (text, i, name) -> its token numbers, in pieces."""
    if isinstance(tokenizer, Tokenizer) and type(tokenizer).__call__ is Tokenizer.__call__:
        if tokenizer.expressions is None:
            numbers_of_word = _NumbersOfWord(tokenizer._lookup(), number).__getitem__
            return lambda text, i, name: map(numbers_of_word, _words(text))
        tokens_of_word, starts = tokenizer._lookup().__getitem__, tokenizer._starts()

        def read_joined(text: str, i: int, name: Callable[[int], str]) -> Iterable[Sequence[int]]:
            tokens = list(chain.from_iterable(map(tokens_of_word, _words(text))))
            return ([number[token] for token in joined(tokens, spans(tokens, starts))],)

        return read_joined

    known: dict[str, list[int]] = {}  # somebody else's tokenizer may be slow: ask it once for equal texts

    def read(text: str, i: int, name: Callable[[int], str]) -> Iterable[Sequence[int]]:
        if text not in known:
            tokens = tokenizer(text)
            if not isinstance(tokens, list | tuple | np.ndarray) or not all(isinstance(t, str) for t in tokens):
                raise InputError(f"{name(i)}: the tokenizer returned {in_words(tokens)}; it must return a list of str")
            known[text] = [number[str(token)] for token in tokens]
        return (known[text],)

    return read


def _verbatim(text: Any, i: int, name: Callable[[int], str]) -> Sequence[str]:
    """The caller's own tokens, checked."""
    if not isinstance(text, list | tuple) and not (isinstance(text, np.ndarray) and text.ndim == 1):
        raise InputError(f"{name(i)}: the text is {in_words(text)}; {_remedy(text)}")
    for position, token in enumerate(text):
        if not isinstance(token, str):
            raise InputError(f"{name(i)}: token {position} is {in_words(token)}; a list of tokens holds str only")
    return [str(token) for token in text]  # plain ones: NumPy's str_ is a str too


def in_words(value: Any) -> str:
    """What a value is, in words for an error.

    >>> in_words(None), in_words(float("nan")), in_words(3), in_words(b"x"), in_words({})
    ('None', 'NaN', 'the number 3', 'bytes', 'a dict')
    """
    if value is None:
        return "None"
    if isinstance(value, bool | np.bool_):
        return f"the truth value {value}"
    if isinstance(value, int | float | np.number):
        return "NaN" if value != value else f"the number {value}"
    if isinstance(value, np.ndarray):
        return f"an array with {value.ndim} dimensions"
    kind = type(value).__name__
    if kind in ("NAType", "NaTType"):  # of pandas
        return "missing"
    return kind if kind == "bytes" else f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _remedy(value: Any) -> str:
    kind = in_words(value)
    if kind in ("None", "NaN", "missing"):
        return "drop the row or give it a text (an empty one will do)"
    if kind == "bytes":
        return "decode it to a str"
    return "give a str or a list of tokens"
