"""Stems of words, by the Snowball stemmers, each distinct word once in a process."""

import threading
from functools import cache

from rekern.core.messages import show_value
from rekern.errors import InputError

__all__ = ["Stemmer", "find_stemmer", "stem"]

MAX_WORDS = 1_000_000  # a cache of words is emptied when it has this many entries
MAX_LENGTH = 64  # a longer string is hardly a word: it is neither stemmed nor cached

# Private characters stand for halves of surrogate pairs in front of a stemmer that refuses these: more than a word has.
_PRIVATE = [chr(code) for code in range(0xF0000, 0xF0000 + 2 * MAX_LENGTH)]


class Stemmer:
    """A Snowball stemmer with a cache, safe to use from several threads; `find_stemmer` gives the shared one.

    >>> Stemmer("english")("cities"), Stemmer("german")("katzen")
    ('citi', 'katz')
    """

    def __init__(self, language: str):
        import snowballstemmer  # slow without PyStemmer: it then loads the stemmers of all languages

        known = snowballstemmer.algorithms()
        if language not in known:
            languages = ", ".join(sorted(known))
            raise InputError(f"no stemmer for language {show_value(language)}: use None or one of {languages}")
        self._stemmer = snowballstemmer.stemmer(language)
        if hasattr(self._stemmer, "maxCacheSize"):
            self._stemmer.maxCacheSize = 0  # PyStemmer's cache, which is slower than the one here
        self._stems: dict[str, str] = {}
        self._lock = threading.Lock()  # a Snowball stemmer has a state

    def __call__(self, word: str) -> str:
        """Return the stem of a word, which should be in lower case."""
        if len(word) > MAX_LENGTH:
            return word
        found = self._stems.get(word)
        if found is None:
            with self._lock:
                found = str(self._stem(word) or word)
            if len(self._stems) >= MAX_WORDS:
                self._stems.clear()
            self._stems[word] = found
        return found

    def _stem(self, word: str) -> str:
        try:
            return str(self._stemmer.stemWord(word))
        except UnicodeEncodeError:  # PyStemmer refuses halves of surrogate pairs: give it other characters instead
            halves = sorted({ord(sign) for sign in word if "\ud800" <= sign <= "\udfff"})
            replaced = dict(zip(halves, (ord(sign) for sign in _PRIVATE if sign not in word)))
            stemmed = str(self._stemmer.stemWord(word.translate(replaced)))
            return stemmed.translate({new: old for old, new in replaced.items()})


@cache
def find_stemmer(language: str = "english") -> Stemmer:
    """Return the stemmer of a language, one for the whole process.

    >>> find_stemmer() is find_stemmer()
    True
    """
    return Stemmer(language)


def stem(word: str) -> str:
    """Return the stem of an English word, in lower case; it replaces the lemma where no lemma is known.

    >>> stem("Cities"), stem("n't"), stem("1,000")
    ('citi', "n't", '1,000')
    """
    return find_stemmer()(word.casefold())
