"""From a sentence to the input of the parser: its words, the words of the kernels, its trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

from rekern.errors import InputError
from rekern.krisp.constituent_trees import list_leaves, nest_tree, replace_leaves
from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import Mention, find_mentions, replace_names
from rekern.krisp.question_words import split_question
from rekern.krisp.sentence_corpus import AnnotatedSentence
from rekern.structures.head_rules import to_dependencies
from rekern.structures.sentences import Sentence
from rekern.structures.stemmer import find_stemmer

FREQUENT = 60  # training sentences that must have a word, so that it is not replaced


@cache
def stem_word(word: str) -> str:
    """The stem of an English word in lower case; the type of a name, in angle brackets, is not changed.

    >>> stem_word("rivers"), stem_word("<States>")
    ('river', '<States>')
    """
    return word if word.startswith("<") else find_stemmer("english")(word)


class Stems(NamedTuple):
    """The frequent words, and for every stem the most frequent word that has it (its representative)."""

    frequent: frozenset[str]
    representatives: dict[str, str]

    def replace_rare(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words, each rare one replaced by the representative of its stem.

        >>> Stems(frozenset(["states"]), {"state": "states"}).replace_rare(["state", "lakes"])
        ('states', 'lakes')
        """
        return tuple(
            word if word in self.frequent else self.representatives.get(stem_word(word), word) for word in words
        )


def learn_stems(sentences: Iterable[Sequence[str]], least: int = FREQUENT) -> Stems:
    """Count the words of training sentences, and choose the representative of every stem.

    >>> stems = learn_stems([["state", "bordering", "a", "state"], ["a", "state"], ["states"], ["states"]], least=2)
    >>> stems.replace_rare(["states", "bordering", "states", "border", "lakes"])
    ('states', 'bordering', 'states', 'bordering', 'lakes')
    """
    counts = Counter(word for sentence in sentences for word in set(sentence))
    representatives: dict[str, str] = {}
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        representatives.setdefault(stem_word(word), word)
    return Stems(frozenset(word for word, count in counts.items() if count >= least), representatives)


class ParserInput(NamedTuple):
    """A sentence: its words as they are written, and the sentence that the kernels see."""

    words: tuple[str, ...]
    annotated: AnnotatedSentence


@dataclass(frozen=True)
class WordReader:
    """Turns the words of a sentence into those that the kernels see.

    ``names`` is "type" if the kernels see the type of a name instead of its words, else "word". ``stretch`` is the
    factor of a word that belongs to a name but is not part of it. ``stems`` replaces rare words.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah"])
    >>> WordReader(grammar, names="type", stretch=0.5, stems=None).normalize(["Where", "is", "Utah"])
    ('where', 'is', '<State>')
    """

    grammar: Grammar
    names: str
    stretch: float
    stems: Stems | None

    def normalize(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words that the kernels see: in lower case, names and rare words replaced."""
        if self.names == "type":
            found = replace_names(self.grammar, words)
        else:
            found = tuple(word.lower() for word in words)
        return found if self.stems is None else self.stems.replace_rare(found)

    def find_mentions(self, words: Sequence[str]) -> list[Mention]:
        """The names, numbers and words that the productions of the grammar may take."""
        return find_mentions(self.grammar, words, self.stretch)


SentenceInput: TypeAlias = str | Sequence[str] | Sentence  # a text, a list of words, or a parsed sentence
TreeInput: TypeAlias = object  # a bracket string, nested tuples, or whatever else `rekern.structures.Trees` reads


def split_sentence(sentence: SentenceInput) -> tuple[str, ...]:
    """The words of a sentence, as they are written.

    >>> split_sentence("Which ones, please?"), split_sentence(["ready", "words"])
    (('Which', 'ones', 'please'), ('ready', 'words'))
    """
    if isinstance(sentence, str):
        return split_question(sentence)
    return sentence.words if isinstance(sentence, Sentence) else tuple(sentence)


def _keep_word(word: str, tag: str) -> str:
    """The word: nobody asks for its lemma, and to find it takes time."""
    return word


class InputReader(WordReader):
    """Turns sentences into the input of a parser, with the trees that its kernel needs.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah"])
    >>> reader = InputReader(grammar, names="type", stretch=0.5, stems=None)
    >>> reader.read("Where is Utah?", None, {"words"}, "question 1").annotated.words
    ('where', 'is', '<State>')
    """

    def read(self, sentence: object, tree: TreeInput | None, needs: set[str], place: str) -> ParserInput:
        """Read a sentence, with what the kernel needs ("words", "heads", "tree"); ``place`` is for messages.

        If there is a tree, its leaves are the words.
        """
        heads: tuple[int, ...] | None = None
        nested = None
        if isinstance(sentence, Sentence):
            words, heads = sentence.words, sentence.heads
        elif tree is not None:
            nested = nest_tree(tree, place)
            words = tuple(list_leaves(nested))
        elif isinstance(sentence, str):
            words = split_question(sentence)
        elif isinstance(sentence, list | tuple) and all(isinstance(word, str) for word in sentence):
            words = tuple(sentence)
        else:
            raise InputError(f"{place} is {type(sentence).__name__}, not a text, a list of words or a Sentence")
        if heads is None and nested is not None and "heads" in needs and words:
            heads = to_dependencies([nested], _keep_word)[0].heads
        for need, kernel, missing in (("heads", "dependency", heads is None), ("tree", "syntactic", nested is None)):
            if need in needs and missing and words:
                remedy = "give trees or a parser, or train with kernel='word'"
                raise InputError(f"{place} has no tree, which the {kernel} kernel needs: {remedy}")
        normal = self.normalize(words)
        relabeled = replace_leaves(nested, iter(normal)) if nested is not None and "tree" in needs else None
        return ParserInput(words, AnnotatedSentence(normal, heads, relabeled))
