"""A corpus of texts as one flat array of token numbers.

>>> corpus = Tokens.from_texts(["Cats chase mice.", "A cat chased two mice!"])
>>> corpus[1]
['a', 'cat', 'chase', 'two', 'mice', '!']
>>> corpus.ids.tolist(), corpus.offsets.tolist()
([0, 1, 2, 3, 4, 0, 1, 5, 2, 6], [0, 4, 10])
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import cast, overload

import numpy as np

from rekern.core.arrays import Ints, Keys, RowIndices, SmallInts, offsets_of, resolve_rows, slice_ragged, take_ragged
from rekern.core.messages import name_value, show_value
from rekern.errors import InputError
from rekern.structures.nltk_and_spacy_items import is_foreign, list_words
from rekern.structures.token_table import VERBATIM, find_token_table, hash_token
from rekern.structures.tokenizer import Tokenize, Tokenizer, split_words

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

    def __init__(self, ids: SmallInts, offsets: Ints, vocabulary: list[str], forms: "Tokens | None" = None):
        self.ids = ids
        self.offsets = offsets
        self.vocabulary = vocabulary
        self.forms = forms  # the same tokens as they are written, if they were asked for
        self._keys: list[Keys] = []  # shared with slices: the first that needs the keys computes them

    @classmethod
    def from_texts(
        cls, texts: Iterable[object], tokenizer: Tokenize | None = None, with_forms: bool = False
    ) -> "Tokens":
        """Tokenize texts: a str goes through the tokenizer, a list of tokens is used verbatim.

        The words of a document of spaCy, or of a tree of NLTK, are tokens, too.

        ``tokenizer`` is any callable from a str to a list of str; the default is ``Tokenizer()``. With ``with_forms``,
        ``forms`` has the same tokens as they are written. They differ only where a `Tokenizer` folds case or stems. An
        error has the number of the text as its row.

        >>> Tokens.from_texts(["Running late", ["Running", "late"]]).vocabulary
        ['run', 'late', 'Running']
        >>> list(Tokens.from_texts(["Running late"], with_forms=True).forms)
        [['Running', 'late']]
        >>> Tokens.from_texts(["fine", None])
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: row 1: the text is None; drop the row or give it a text (an empty one will do)
        """
        if isinstance(texts, Tokens):
            return texts
        if isinstance(texts, str | bytes):
            raise InputError(f"a list of texts is needed, got a {type(texts).__name__}; for one text write [text]")
        items = list(texts)
        tokenizer = Tokenizer() if tokenizer is None else tokenizer
        if not callable(tokenizer) or hasattr(tokenizer, "gram"):  # a kernel can be called, but with two items
            raise InputError(f"tokenizer={show_value(tokenizer)}: give a function from a str to a list of str")
        if not isinstance(tokenizer, Tokenizer) or type(tokenizer).__call__ is not Tokenizer.__call__:
            return _read_words(_split_texts(items, tokenizer), Tokenizer(), with_forms)
        if tokenizer.expressions is None:
            return _read_words(items, tokenizer, with_forms)
        corpus = _read_words(_split_texts(items, tokenizer), Tokenizer())
        if with_forms:
            corpus.forms = _read_words(_split_texts(items, tokenizer.as_written()), Tokenizer())
        return corpus

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
            return self._select(self.ids[part], offsets, None if self.forms is None else self.forms[index])
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
        return self._select(self.ids[places], offsets, None if self.forms is None else self.forms.take(indices))

    def token_keys(self) -> Keys:
        """Return a 64-bit key of every vocabulary entry (BLAKE2b of its UTF-8), the same in every process and run.

        >>> [f"{key:016x}" for key in Tokens.from_texts(["a b"]).token_keys()]
        ['40f89e395b66422f', '8472c2e34d854f75']
        """
        if not self._keys:
            self._keys.append(hash_tokens(self.vocabulary))
        return self._keys[0]

    def _select(self, ids: SmallInts, offsets: Ints, forms: "Tokens | None") -> "Tokens":
        part = Tokens(ids, offsets, self.vocabulary, forms)
        part._keys = self._keys
        return part


def hash_tokens(tokens: Iterable[str]) -> Keys:
    """Return a 64-bit key of every token or label: BLAKE2b of its UTF-8, the same in every process and run.

    >>> f"{hash_tokens(['a'])[0]:016x}"
    '40f89e395b66422f'
    """
    return np.array(list(map(_hash_token, tokens)), np.uint64)


_hash_token = lru_cache(maxsize=2**18)(hash_token)


def _read_words(texts: list[object], tokenizer: Tokenizer, with_forms: bool = False) -> Tokens:
    """Read texts and lists of tokens through the table of the words that are known already."""
    table = find_token_table(tokenizer)
    if set(map(type, texts)) <= {str}:
        words, starts = table.number_texts(cast(list[str], texts))
    else:
        lists = [
            split_words(text) if isinstance(text, str) else [VERBATIM + token for token in _check_tokens(text, row)]
            for row, text in enumerate(texts)
        ]
        words, starts = table.number_words(list(chain.from_iterable(lists))), offsets_of([len(one) for one in lists])
    corpora = []
    for what in (table.tokens, table.forms) if with_forms else (table.tokens,):
        ids, offsets, vocabulary, keys = table.gather(words, what)
        corpora.append(Tokens(ids, offsets[starts], vocabulary))
        corpora[-1]._keys.append(keys)
    if with_forms:
        corpora[0].forms = corpora[1]
    return corpora[0]


def _split_texts(texts: list[object], tokenizer: Tokenize) -> list[object]:
    """Return the tokens of each text that is a str; the tokenizer may be slow and is called once for equal texts."""
    known: dict[str, object] = {}
    for row, text in enumerate(texts):
        if isinstance(text, str) and text not in known:
            tokens: object = tokenizer(text)
            if not isinstance(tokens, list | tuple | np.ndarray) or not all(isinstance(t, str) for t in tokens):
                reason = f"the tokenizer returned {name_value(tokens)}; it must return a list of str"
                raise InputError(reason, row=row)
            known[text] = tokens
    return [known[text] if isinstance(text, str) else text for text in texts]


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
