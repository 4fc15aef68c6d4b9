"""What is asked of every word of a corpus, found out once for each word in a process.

Words have numbers in a process (`rekern.structures.token_table`): what was found out is one look-up in an array.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import AnyArray, Ints, offsets_of
from rekern.structures.token_table import Vocabulary

MOST_QUESTIONS = 64  # whose answers are kept; other models ask other questions

T = TypeVar("T")
Array = TypeVar("Array", bound=AnyArray)
Characters = npt.NDArray[np.uint32]


class _Answers:
    """The answers to one question about words, by the number of a word; any thread may ask."""

    def __init__(self, arguments: tuple[object, ...]):
        self.arguments = arguments  # kept, because the question is known by their identities
        self._arrays: tuple[npt.NDArray[np.bool_], AnyArray] | None = None  # which words are known, and the answers

    def look_up(self, find: Callable[..., Array], vocabulary: Vocabulary) -> Array:
        numbers, size = vocabulary.numbers, len(vocabulary.known.names)
        arrays = self._arrays
        if arrays is None:
            arrays = np.zeros(0, bool), np.zeros(0, find([], *self.arguments).dtype)
        if len(arrays[0]) < size:  # the marks are copied first: what is marked then is in the answers, too
            arrays = _enlarge(arrays[0], 2 * size), _enlarge(arrays[1], 2 * size)
            self._arrays = arrays
        is_known, answers = arrays
        missing = np.flatnonzero(~is_known[numbers])
        if len(missing):
            answers[numbers[missing]] = find([vocabulary[place] for place in missing.tolist()], *self.arguments)
            is_known[numbers[missing]] = True
        return cast(Array, answers[numbers])


def find_facts(find: Callable[..., Array], vocabulary: Sequence[str], *arguments: object) -> Array:
    """Return ``find(vocabulary, *arguments)``: an array whose entry for a word depends on this word alone.

    For words that have a number in the process, the answers are kept: ``find`` is called only for words that were not
    asked for before with the very same arguments.

    >>> from rekern.structures.tokens import Tokens
    >>> def measure(words):
    ...     print("asked for", words)
    ...     return np.array([len(word) for word in words], np.int64)
    >>> find_facts(measure, Tokens.from_texts(["the cat"]).vocabulary).tolist()
    asked for []
    asked for ['the', 'cat']
    [3, 3]
    >>> find_facts(measure, Tokens.from_texts(["the dogs"]).vocabulary).tolist()
    asked for ['dog']
    [3, 3]
    """
    if not isinstance(vocabulary, Vocabulary):
        return find(vocabulary, *arguments)
    facts = vocabulary.known.facts
    question = find, *map(id, arguments)
    answers = facts.get(question)
    if answers is None:
        if len(facts) >= MOST_QUESTIONS:
            facts.clear()
        answers = facts[question] = _Answers(arguments)
    return cast(_Answers, answers).look_up(find, vocabulary)


class _Spelling:
    """The characters of words, one word after the other; any thread may add words."""

    def __init__(self, fold_case: bool):
        self._fold_case = fold_case
        self._size = 0
        self._lock = threading.Lock()
        self.characters: Characters = np.empty(0, np.uint32)  # grows by being replaced

    def measure(self, words: Sequence[str]) -> Ints:
        return np.fromiter(map(len, self._fold(words)), np.int64, len(words))

    def add(self, words: Sequence[str]) -> Ints:
        """Append the characters of words, and return where each begins."""
        codes = np.frombuffer("".join(self._fold(words)).encode("utf-32-le", "surrogatepass"), np.uint32)
        with self._lock:
            first, self._size = self._size, self._size + len(codes)
            if self._size > len(self.characters):
                self.characters = _enlarge(self.characters, 2 * self._size if first else self._size)
            self.characters[first : self._size] = codes
        return first + offsets_of(self.measure(words))[:-1]

    def _fold(self, words: Sequence[str]) -> Sequence[str]:
        return list(map(str.casefold, words)) if self._fold_case else words


def spell_words(vocabulary: Sequence[str], fold_case: bool) -> tuple[Characters, Ints, Ints]:
    """Return the characters of words, and where those of each word begin and end among them.

    >>> spell_words(["Ab", "c"], fold_case=True)
    (array([97, 98, 99], dtype=uint32), array([0, 2]), array([2, 3]))
    """
    spelling = keep_beside(vocabulary, ("spelling", fold_case), lambda: _Spelling(fold_case))
    begins = find_facts(spelling.add, vocabulary)
    return spelling.characters, begins, begins + find_facts(spelling.measure, vocabulary)


def keep_beside(vocabulary: Sequence[str], name: object, make: Callable[[], T]) -> T:
    """Return what is kept beside the facts about the words of a process; of words without numbers, something new.

    >>> keep_beside(["a"], "name", list)
    []
    """
    return cast(T, vocabulary.known.facts.setdefault(name, make())) if isinstance(vocabulary, Vocabulary) else make()


def _enlarge(array: Array, size: int) -> Array:
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return cast(Array, larger)
