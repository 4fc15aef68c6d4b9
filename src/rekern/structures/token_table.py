"""The tokens of all words that a process has read, as numbers: a corpus costs one look-up a word.

>>> table = find_token_table(Tokenizer())
>>> words, offsets = table.number_texts(["Dogs bark.", "A cat"])
>>> table.gather(words, table.tokens).vocabulary, table.gather(words, table.forms).vocabulary
(['dog', 'bark', '.', 'a', 'cat'], ['Dogs', 'bark', '.', 'A', 'cat'])
"""

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Ints, Keys, SmallInts, offsets_of
from rekern.structures.tokenizer import Tokenizer, WordTokens, split_words
from rekern.structures.word_split_core import gather_tokens, index_words, split_texts

__all__ = ["VERBATIM", "GatheredTokens", "TokenNumbers", "TokenTable", "Vocabulary", "find_token_table", "hash_token"]

VERBATIM = "\n"  # a word with this before it is one token, as it stands; no word of `split_words` begins like that
MAX_SIZE = 1 << 28  # bytes; a larger table is replaced before the next corpus is read
WORD_SIZE = 640  # bytes that a word costs beside its characters, measured on 400,000 words
MANY = 256  # so many texts or words, now or before, are worth the loading of compiled code
CHARACTERS_IN_BLOCK = 1 << 16  # small enough for the processor's cache

Array = TypeVar("Array", bound=AnyArray)


class GatheredTokens(NamedTuple):
    """The tokens of words in a row: numbers in a vocabulary of their own, and where the tokens of each word begin."""

    ids: SmallInts
    offsets: Ints
    vocabulary: "Vocabulary"
    keys: Keys  # of the vocabulary


class TokenNumbers(dict[str, int]):
    """Numbers of tokens in order of first occurrence, with the 64-bit key of each.

    ``ids`` has the numbers of the tokens of all words of a table, one word after the other.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.facts: dict[object, object] = {}  # what others have found out about the tokens, by their numbers
        self.token_keys: Keys = np.empty(64, np.uint64)
        self.ids: SmallInts = np.empty(64, np.int32)

    def __missing__(self, token: str) -> int:
        number = len(self.names)
        self.token_keys = _grow(self.token_keys, number + 1)
        self.token_keys[number] = hash_token(token)
        self.names.append(token)
        self[token] = number
        return number

    def append(self, tokens: Sequence[str], start: int) -> None:
        """Number the tokens of one more word."""
        self.ids = _grow(self.ids, start + len(tokens))
        self.ids[start : start + len(tokens)] = [self[token] for token in tokens]


class Vocabulary(list[str]):
    """The tokens of a corpus, which have numbers in the process: what was found out about a token is known by them.

    >>> table = find_token_table(Tokenizer())
    >>> some = table.gather(table.number_texts(["one two"])[0], table.tokens).vocabulary
    >>> some, some.take(np.array([1])), [some.known.names[number] for number in some.numbers]
    (['one', 'two'], ['two'], ['one', 'two'])
    """

    def __init__(self, known: TokenNumbers, numbers: Ints):
        super().__init__(map(known.names.__getitem__, numbers.tolist()))
        self.known = known
        self.numbers = numbers

    def __reduce__(self) -> tuple[type[list[str]], tuple[list[str]]]:
        """Copies are plain lists: the numbers mean nothing in another process, and a copy does not need all words."""
        return list, (list(self),)

    def take(self, places: Ints) -> "Vocabulary":
        """Return the tokens in these places."""
        return Vocabulary(self.known, self.numbers[places])


class TokenTable(dict[str, int]):
    """Numbers of words, and the tokens of each word as numbers; it fills itself, in any thread.

    A word is what `split_words` gives, or a token with ``VERBATIM`` before it. ``tokens`` has the tokens, ``forms`` the
    same tokens as they are written, as many for each word. Whoever knows the number of a word may read its part of the
    arrays, because they are filled before the number is given away. They grow by being replaced.
    """

    def __init__(self, word_tokens: WordTokens):
        super().__init__()
        self.tokens = TokenNumbers()
        self.forms = TokenNumbers()
        self.size = 0
        self._split_word = word_tokens.split_word
        self._starts: Ints = np.zeros(64, np.int64)  # of the tokens of each word, and of those of the next word
        self._words: list[str] = []
        self._n_texts = 0  # that were read so far
        self._index = WordIndex()
        self._lock = threading.Lock()

    def __missing__(self, word: str) -> int:
        verbatim = word.startswith(VERBATIM)
        tokens, forms = ([word[1:]], [word[1:]]) if verbatim else self._split_word(word)
        with self._lock:
            known = self.get(word)  # another thread may have been faster
            if known is not None:
                return known
            number = len(self._words)
            start = int(self._starts[number])
            self.tokens.append(tokens, start)
            self.forms.append(forms, start)
            self._starts = _grow(self._starts, number + 2)
            self._starts[number + 1] = start + len(tokens)
            self._words.append(word)
            self.size += WORD_SIZE + len(word)
            self[word] = number
        return number

    def number_words(self, words: Sequence[str]) -> Ints:
        """Return the number of each word."""
        return np.fromiter(map(self.__getitem__, words), np.int64, len(words))

    def number_texts(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the numbers of the words of all texts, and where the words of each text begin among them."""
        self._n_texts += len(texts)
        if self._n_texts < MANY or not texts:
            words = [split_words(text) for text in texts]
            numbers = self.number_words([word for found in words for word in found])
            return numbers, offsets_of([len(found) for found in words])
        blocks = [self._number_block(block) for block in _split_blocks(texts)]
        lengths = np.concatenate([np.diff(offsets) for _, offsets in blocks])
        return np.concatenate([numbers for numbers, _ in blocks]), offsets_of(lengths)

    def _number_block(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        whole = "".join(texts)
        codes = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        numbers, begins, stops, offsets = self._index.split(codes, ends)
        unknown = np.flatnonzero(numbers < 0)
        if len(unknown):
            is_last = np.zeros(len(numbers) + 1, bool)
            is_last[offsets[1:]] = True
            marks = np.where(is_last[unknown + 1], "\n", "").tolist()
            bounds = zip(begins[unknown].tolist(), stops[unknown].tolist(), marks)
            numbers[unknown] = self.number_words([whole[begin:stop] + mark for begin, stop, mark in bounds])
            with self._lock:
                self._index.extend(self._words[self._index.n_words :])
        return numbers, offsets

    def gather(self, words: Ints, what: TokenNumbers) -> GatheredTokens:
        """Return the ``tokens`` or ``forms`` of words in a row, in a vocabulary in order of first occurrence."""
        starts, names, keys = self._starts, what.names, what.token_keys
        if len(words) >= MANY or self._n_texts >= MANY:
            ids, offsets, distinct = gather_tokens(words, starts, what.ids, len(names))
        else:
            lengths = starts[words + 1] - starts[words]
            offsets = offsets_of(lengths)
            numbers = what.ids[np.repeat(starts[words] - offsets[:-1], lengths) + np.arange(offsets[-1])]
            distinct = np.array(list(dict.fromkeys(numbers.tolist())), np.int64)
            ids = np.empty(len(names), np.int32)
            ids[distinct] = np.arange(len(distinct), dtype=np.int32)
            ids = ids[numbers]
        return GatheredTokens(ids, offsets, Vocabulary(what, distinct), keys[distinct])


class WordIndex:
    """The words of a `TokenTable` in a hash table of their characters, which compiled code can read.

    >>> index = WordIndex()
    >>> index.extend(["Dogs", "bark.\\n"])
    >>> index.n_words
    2
    """

    def __init__(self) -> None:
        # The seed differs in each process, so that nobody can write a text whose words all have the same slot.
        self._seed = np.frombuffer(os.urandom(8), np.uint64)[0]
        self._starts: Ints = np.zeros(64, np.int64)
        self._codes = np.zeros(64, np.uint32)
        self._slots: SmallInts = np.full(64, -1, np.int32)
        self.n_words = 0

    def extend(self, words: Sequence[str]) -> None:
        """Append words; one thread at a time may do so."""
        first, last = self.n_words, self.n_words + len(words)
        codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
        begin = int(self._starts[first])
        starts, known, slots = _grow(self._starts, last + 1), _grow(self._codes, begin + len(codes)), self._slots
        starts[first : last + 1] = begin + offsets_of([len(word) for word in words])
        known[begin : begin + len(codes)] = codes
        if 2 * last > len(slots):
            slots, first = np.full(1 << (4 * last).bit_length(), -1, np.int32), 0
        index_words(slots, starts, known, first, last, self._seed)
        self._starts, self._codes, self._slots, self.n_words = starts, known, slots, last

    def split(self, codes: npt.NDArray[np.uint32], ends: Ints) -> tuple[Ints, SmallInts, SmallInts, Ints]:
        """Split texts into words, as `split_texts` does. A word that is being added may be missed."""
        n_words = self.n_words  # read first: the arrays have so many words at least
        arrays = self._slots, self._starts, self._codes
        return split_texts(codes, ends, n_words, *arrays, self._seed)


_tables: dict[tuple[str | None, bool, bool], TokenTable] = {}


def find_token_table(tokenizer: Tokenizer) -> TokenTable:
    """Return the table that all tokenizers with these parameters share; expressions are not joined in it.

    >>> find_token_table(Tokenizer()) is find_token_table(Tokenizer())
    True
    """
    key = (tokenizer.language, bool(tokenizer.lowercase), bool(tokenizer.punctuation))
    table = _tables.get(key)
    if table is None or table.size > MAX_SIZE:
        table = _tables[key] = TokenTable(tokenizer.word_tokens())
    return table


def _split_blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield texts in blocks of about ``CHARACTERS_IN_BLOCK`` characters."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    first = size = 0
    while first < len(texts):
        last = min(int(np.searchsorted(ends, size + CHARACTERS_IN_BLOCK)) + 1, len(texts))
        yield texts[first:last]
        first, size = last, int(ends[last - 1])


def _grow(array: Array, needed: int) -> Array:
    """Return an array with room for ``needed`` values; others may go on reading the old one."""
    if needed <= len(array):
        return array
    larger = np.zeros(max(needed, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return cast(Array, larger)


def hash_token(token: str) -> int:
    """Return the 64-bit key of a token: BLAKE2b of its UTF-8, the same in every process and run.

    >>> f"{hash_token('a'):016x}"
    '40f89e395b66422f'
    """
    digest = hashlib.blake2b(token.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
