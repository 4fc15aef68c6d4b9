"""The words of both sides of pairs, with their tags and heads if the pairs have trees."""

from __future__ import annotations

from dataclasses import dataclass

from rekern.structures.head_rules import to_dependencies
from rekern.structures.lexical_labels import split_lexical_label
from rekern.structures.representations import Representations
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

    >>> trees = {"source.tree": ["(S (NNS Dogs) (VBP bark))"], "target.tree": ["(S (NNS cats))"]}
    >>> sides = read_tree_sides(trees, "tree")
    >>> list(sides.lemmas), list(sides.tags)
    ([['dog', 'bark'], ['cat']], [['NNS', 'VBP'], ['NNS']])
    """
    table, sources, targets = Representations.from_items(X).texts([on])
    found = to_dependencies(table.trees(on), lemma=_find_lemma)
    chosen = [found[number] for pair in zip(sources.tolist(), targets.tolist()) for number in pair]
    lemmas, forms, tags, relations = (
        Tokens.from_texts([list(getattr(sentence, name)) for sentence in chosen])
        for name in ("lemmas", "words", "tags", "relations")
    )
    # A leaf may be a word with its part of speech, such as dog::n.
    forms = Tokens(forms.ids, forms.offsets, [_strip_tag(form) for form in forms.vocabulary])
    return Sides(lemmas, forms, tags, [sentence.heads for sentence in chosen], relations)


def _strip_tag(leaf: str) -> str:
    parts = split_lexical_label(leaf)
    return leaf if parts is None else parts.lemma


def _find_lemma(leaf: str, tag: str) -> str:
    parts = split_lexical_label(leaf)
    return stem(leaf) if parts is None else parts.lemma
