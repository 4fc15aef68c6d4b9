"""From a sentence to the input of the parser: its words, the words of the kernels, its trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rekern.errors import InputError
from rekern.krisp.annotated_sentence import AnnotatedSentence
from rekern.krisp.constituent_trees import list_leaves, nest_tree, replace_leaves
from rekern.krisp.question_words import split_question
from rekern.krisp.word_reader import ParserInput, WordReader
from rekern.structures.head_rules import to_dependencies
from rekern.structures.sentences import Sentence

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
