"""The words of both sides of pairs, with their tags and heads if the pairs have trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rekern.errors import InputError
from rekern.structures.formats.conllu import from_conllu
from rekern.structures.formats.format_detection import CONLLU, looks_like
from rekern.structures.head_rules import to_dependencies
from rekern.structures.lexical_labels import split_lexical_label
from rekern.structures.representations import Representations
from rekern.structures.sentences import Sentence
from rekern.structures.stemmer import stem
from rekern.structures.tokens import Tokens


@dataclass(frozen=True)
class Sides:
    """The words of all sides of the pairs: side ``2i`` is the source of pair ``i``, side ``2i + 1`` its target.

    ``lemmas``, ``forms`` (the words as written), ``tags``, ``relations`` and ``heads`` (the position of each word's
    head) have an entry for each word. Without trees, ``tags``, ``relations`` and ``heads`` are None.
    """

    lemmas: Tokens
    forms: Tokens
    tags: Tokens | None = None
    heads: list[tuple[int, ...]] | None = None
    relations: Tokens | None = None


def read_tree_sides(X: object, on: str) -> Sides:
    """Read the words of the trees in a representation of the pairs, with their tags and heads.

    The trees are constituent trees in brackets, or dependencies in CoNLL-U.

    >>> trees = {"source.tree": ["(S (NNS Dogs) (VBP bark))"], "target.tree": ["(S (NNS cats))"]}
    >>> sides = read_tree_sides(trees, "tree")
    >>> list(sides.lemmas), list(sides.tags)
    ([['dog', 'bark'], ['cat']], [['NNS', 'VBP'], ['NNS']])
    """
    table, sources, targets = Representations.from_items(X).texts([on])
    column = table[on]
    if isinstance(column, list) and _are_conllu(column):
        found = []
        for number, text in enumerate(column):
            try:
                found.append(_join_sentences(str(text)))
            except InputError as error:
                row = int(np.flatnonzero((sources == number) | (targets == number))[0])
                side = "source" if sources[row] == number else "target"
                raise InputError(str(error), row=row, column=f"{side}.{on}") from None
    else:
        found = to_dependencies(table.trees(on), lemma=_find_lemma)
    chosen = [found[number] for pair in zip(sources.tolist(), targets.tolist()) for number in pair]
    lemmas, forms, tags, relations = (
        Tokens.from_texts([list(getattr(sentence, name)) for sentence in chosen])
        for name in ("lemmas", "words", "tags", "relations")
    )
    # A leaf may be a word with its part of speech, such as dog::n.
    forms = Tokens(forms.ids, forms.offsets, [_strip_tag(form) for form in forms.vocabulary])
    return Sides(lemmas, forms, tags, [sentence.heads for sentence in chosen], relations)


def _are_conllu(column: list[object]) -> bool:
    """Whether texts are in CoNLL-U: the first that is not empty tells. An empty one has no words."""
    texts = [value for value in column if isinstance(value, str)]
    first = next((text for text in texts if text.strip()), None)
    return len(texts) == len(column) and (first is None or looks_like(first) == CONLLU)


def _join_sentences(text: str) -> Sentence:
    """Return the sentences of a text in CoNLL-U as one, which has several roots."""
    found = from_conllu(text)
    words = tuple(word for one in found for word in one.words)
    heads: list[int] = []
    for one in found:
        first = len(heads)
        heads += [head + first if head >= 0 else -1 for head in one.heads]
    tags, relations = ([value for one in found for value in getattr(one, name)] for name in ("tags", "relations"))
    return Sentence(words, tuple(map(stem, words)), tuple(tags), tuple(heads), tuple(relations))


def _strip_tag(leaf: str) -> str:
    parts = split_lexical_label(leaf)
    return leaf if parts is None else parts[1]  # the lemma


def _find_lemma(leaf: str, tag: str) -> str:
    return stem(leaf) if split_lexical_label(leaf) is None else _strip_tag(leaf)
