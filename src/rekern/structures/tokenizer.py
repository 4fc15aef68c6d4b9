"""The tokenizer of raw text: Treebank tokens in lower case, stemmed, with expressions of several words joined."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import chain

from sklearn.base import BaseEstimator

from rekern.core.messages import name_value
from rekern.core.parameter_tables import check_parameters
from rekern.core.registry import register
from rekern.core.state_schema import Either, Flag, Schema, Text, Texts, parameters
from rekern.errors import InputError
from rekern.structures.expression_spans import ExpressionIndex, find_spans, index_expressions, join_spans
from rekern.structures.stemmer import MAX_LENGTH, MAX_WORDS, find_stemmer
from rekern.structures.treebank_tokenizer import tokenize

__all__ = ["Tokenize", "Tokenizer", "WordTokens", "split_words"]

Tokenize = Callable[[str], list[str]]


@register
class Tokenizer(BaseEstimator):
    """Splits a text into Treebank tokens, folds their case and stems them.

    ``language`` names a Snowball stemmer (any of ``snowballstemmer.algorithms()``), or is None for no stemming.
    ``lowercase=False`` keeps the case. ``punctuation=False`` drops every token without a letter or a digit.
    ``expressions`` is a list of texts whose tokens are joined into one token wherever they follow one another, from
    left to right and the longest first; `Expressions` learns such a list from a collection of texts.

    >>> Tokenizer()("The cats weren't chasing mice.")
    ['the', 'cat', 'were', "n't", 'chase', 'mice', '.']
    >>> Tokenizer(language=None, lowercase=False, punctuation=False)("The cats weren't chasing mice.")
    ['The', 'cats', 'were', "n't", 'chasing', 'mice']
    >>> Tokenizer("german")("Die Katzen jagten Mäuse")
    ['die', 'katz', 'jagt', 'maus']
    >>> Tokenizer(expressions=["in spite of", "United States"])("The United States, in spite of it")
    ['the', 'unit_state', ',', 'in_spite_of', 'it']
    """

    schema = Schema(
        parameters(
            language=Either(None, Text(100)),
            lowercase=Flag(),
            punctuation=Flag(),
            expressions=Either(None, Texts(kind=tuple), Texts()),
        )
    )

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
        """Return the tokens of one text."""
        tokens = list(chain.from_iterable(map(self.word_tokens().__getitem__, split_words(text))))
        return tokens if self.expressions is None else join_spans(tokens, find_spans(tokens, self.expression_index()))

    def as_written(self) -> Tokenize:
        """Return a function that splits a text at the same places, but neither folds the case nor stems.

        >>> Tokenizer(expressions=["new york"]).as_written()("New York's trains")
        ['New_York', "'s", 'trains']
        """
        literal = Tokenizer(None, lowercase=False, punctuation=self.punctuation)
        if self.expressions is None:
            return literal
        plain, index = Tokenizer(self.language, self.lowercase, self.punctuation), self.expression_index()
        return lambda text: join_spans(literal(text), find_spans(plain(text), index))

    def word_tokens(self) -> "WordTokens":
        """Return the table from words to tokens that all tokenizers with these parameters share.

        Expressions are not joined in it.

        >>> Tokenizer().word_tokens()["mice,"]
        ('mice', ',')
        """
        if not isinstance(self.language, str | None) or {type(self.lowercase), type(self.punctuation)} != {bool}:
            check_parameters(self)
        return _word_tokens(self.language, bool(self.lowercase), bool(self.punctuation))

    def expression_index(self) -> ExpressionIndex:
        """Return the tokens of the expressions, by their first two.

        >>> Tokenizer(expressions=["New York"]).expression_index()
        {('new', 'york'): [('new', 'york')]}
        """
        given = self.expressions
        if not isinstance(given, list | tuple):
            raise InputError(f"expressions must be a list of texts, not {name_value(given)}; write ['in spite of']")
        for position, expression in enumerate(given):
            if not isinstance(expression, str):
                raise InputError(f"expression {position} is {name_value(expression)}; give a list of texts")
        return _index_expressions(self.language, bool(self.lowercase), bool(self.punctuation), tuple(given))


@lru_cache(maxsize=16)
def _index_expressions(
    language: str | None, lowercase: bool, punctuation: bool, expressions: tuple[str, ...]
) -> ExpressionIndex:
    # no line end after the last word: an expression may stand inside a text, where a word keeps its full stop
    tokens_of = _word_tokens(language, lowercase, punctuation).__getitem__
    return index_expressions(tuple(chain.from_iterable(map(tokens_of, text.split()))) for text in expressions)


def split_words(text: str) -> list[str]:
    """Split a text at white space; a line end marks the last word, because only there a full stop is split off.

    >>> split_words("so it is.")
    ['so', 'it', 'is.\\n']
    """
    words = text.split()
    if words:
        words[-1] += "\n"
    return words


class WordTokens(dict[str, tuple[str, ...]]):
    """A table from words, as `split_words` gives them, to their tokens; it fills itself, in any thread.

    Except for the full stop that ends a text, Treebank tokens depend on nothing outside a word. A corpus therefore
    costs one look-up a word, and each distinct word is tokenized and stemmed once in a process.

    >>> WordTokens("english", lowercase=True, punctuation=False)["Dogs."]
    ('dogs.',)
    """

    def __init__(self, language: str | None, lowercase: bool, punctuation: bool):
        super().__init__()
        self._stem = None if language is None else find_stemmer(language)
        self._lowercase = lowercase
        self._punctuation = punctuation

    def split_word(self, word: str) -> tuple[list[str], list[str]]:
        """Return the tokens of a word, and the same tokens as they are written.

        >>> Tokenizer().word_tokens().split_word("Mice,")
        (['mice', ','], ['Mice', ','])
        """
        # the word after it makes a word inside a text keep its full stop
        forms = tokenize(word) if word.endswith("\n") else tokenize(word + " .")[:-1]
        if not self._punctuation:
            forms = [form for form in forms if any(map(str.isalnum, form))]
        tokens = [form.casefold() for form in forms] if self._lowercase else forms
        return tokens if self._stem is None else list(map(self._stem, tokens)), forms

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = tuple(self.split_word(word)[0])
        if len(word) <= MAX_LENGTH:
            if len(self) >= MAX_WORDS:
                self.clear()
            self[word] = found
        return found


@cache
def _word_tokens(language: str | None, lowercase: bool, punctuation: bool) -> WordTokens:
    return WordTokens(language, lowercase, punctuation)
