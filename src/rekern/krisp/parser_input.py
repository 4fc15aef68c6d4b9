"""From a question to what the parser sees of it: its words, the words of its kernels, its trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rekern.errors import InputError
from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import split, typed
from rekern.krisp.rare_word_stems import Stems
from rekern.krisp.substring_kernels import Item
from rekern.structures.sentences import Sentence


class Asked(NamedTuple):
    """A question: its words as they are written, and as the kernels see them."""

    words: tuple[str, ...]
    item: Item


def seen(grammar: Grammar, words: Sequence[str], names: str, stems: Stems | None) -> tuple[str, ...]:
    """The words as the kernels see them: in lower case, names as what they name (``names="type"``), stems if given."""
    found = typed(grammar, words) if names == "type" else tuple(word.lower() for word in words)
    return found if stems is None else stems.seen(found)


def asked(
    grammar: Grammar, sentence: Any, tree: Any, needs: frozenset[str], names: str, stems: Stems | None, where: str
) -> Asked:
    """A question with what the kernel needs; the words of a tree are taken as they are.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> {State}", "State -> '{name}'", "names State = utah"])
    >>> asked(grammar, "Where is Utah?", None, frozenset(["words"]), "type", None, "question 1").item.words
    ('where', 'is', '<State>')
    """
    heads: tuple[int, ...] | None = None
    nested = None
    if isinstance(sentence, Sentence):
        words, heads = sentence.words, sentence.heads
    elif tree is not None:
        nested = nest(tree, where)
        words = tuple(_leaves(nested))
    elif isinstance(sentence, str):
        words = split(sentence)
    elif isinstance(sentence, list | tuple) and all(isinstance(word, str) for word in sentence):
        words = tuple(sentence)
    else:
        raise InputError(f"{where} is {type(sentence).__name__}, not a text, a list of words or a Sentence")
    if heads is None and nested is not None and "heads" in needs and words:
        from rekern.structures.head_rules import to_dependencies

        heads = to_dependencies([nested])[0].heads
    for need, missing in (("heads", heads is None), ("tree", nested is None)):
        if need in needs and missing and words:
            kernel = "dependency" if need == "heads" else "syntactic"
            raise InputError(
                f"{where} has no tree, which the {kernel} kernel needs: give trees, a parser, or kernel='word'"
            )
    shown = seen(grammar, words, names, stems)
    return Asked(words, Item(shown, heads, None if nested is None else _relabelled(nested, iter(shown))))


def nest(tree: Any, where: str) -> Any:
    """A constituent tree as (label, child, …) from brackets or from such a tuple.

    >>> nest("(NP (DT the) (NN dog))", "question 1")
    ('NP', ('DT', 'the'), ('NN', 'dog'))
    """
    if isinstance(tree, tuple):
        return tree
    from rekern.structures.trees import Trees

    try:
        trees = Trees.from_items([tree])
    except InputError as error:
        raise InputError(f"{where}: {str(error).removeprefix('row 0, ')}") from None
    if not len(trees.labels):
        return ("", "")

    def build(node: int) -> Any:
        label = trees.vocabulary[trees.labels[node]]
        if not trees.count[node]:
            return label
        return (label, *(build(int(trees.first[node]) + c) for c in range(int(trees.count[node]))))

    found = build(0)
    return found if isinstance(found, tuple) else ("", found)


def _leaves(tree: Any) -> list[str]:
    return [tree] * bool(tree) if isinstance(tree, str) else [leaf for child in tree[1:] for leaf in _leaves(child)]


def _relabelled(tree: Any, words: Any) -> Any:
    return next(words) if isinstance(tree, str) else (tree[0], *(_relabelled(child, words) for child in tree[1:]))
