"""Trees for tree kernels, made from dependencies: GRCT, LCT, LOCT and plain word trees.

>>> found = sentence(["Chip", "saw", "Dale"], [1, -1, 1], ["Chip", "see", "Dale"], ["NNP", "VBD", "NNP"],
...                  ["nsubj", "root", "dobj"])
>>> grct([found])[0]
'(SYNT##root (SYNT##nsubj (POS##NNP LEX##Chip::n)) (POS##VBD LEX##see::v) (SYNT##dobj (POS##NNP LEX##Dale::n)))'
>>> lct([found])[0]
'(LEX##see::v (LEX##Chip::n (POS##NNP) (SYNT##nsubj)) (LEX##Dale::n (POS##NNP) (SYNT##dobj)) (POS##VBD) (SYNT##root))'
>>> loct([found])[0], word_trees([found])[0]
('(LEX##see::v (LEX##Chip::n) (LEX##Dale::n))', '(saw (Chip) (Dale))')
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.parameters import check_choice
from rekern.errors import InputError
from rekern.structures.head_rules import PUNCTUATION
from rekern.structures.sentences import Sentence, check_sentences, sentence
from rekern.structures.stemmer import stem
from rekern.structures.trees import Trees

__all__ = ["from_grct", "grct", "lct", "lemma_leaves", "loct", "word_trees"]

_PUNCTUATION_TAGS = PUNCTUATION | {"PUNCT"}  # the second is a tag of CoNLL-U


def grct(sentences: Iterable[Sentence], punctuation: bool = False) -> Trees:
    """Make grammatical relation centered trees (GRCT): a node for every relation.

    The children of a relation are, in the order of the sentence, the relations of the word's dependents and the tag of
    the word; the child of a tag is the lemma. Without ``punctuation``, punctuation without dependents is left out, as
    in KeLP.

    >>> grct([sentence(["Go", "!"], [-1, 0], tags=["VB", "."])])[0]
    '(SYNT##root (POS##VB LEX##go::v))'
    """
    return _make_trees(sentences, punctuation, _list_grct_nodes)


def lct(sentences: Iterable[Sentence], punctuation: bool = False) -> Trees:
    """Make lexical centered trees (LCT): a node for every lemma, with its dependents, its tag and its relation below.

    >>> lct([sentence(["Go", "!"], [-1, 0], tags=["VB", "."])])[0]
    '(LEX##go::v (POS##VB) (SYNT##root))'
    """
    return _make_trees(sentences, punctuation, _list_lct_nodes)


def loct(sentences: Iterable[Sentence], punctuation: bool = False) -> Trees:
    """Make lexical only centered trees (LOCT): a node for every lemma, with its dependents below.

    >>> loct([sentence(["Go", "!"], [-1, 0], tags=["VB", "."])], punctuation=True)[0]
    '(LEX##go::v LEX##!::.)'
    """
    return _make_trees(sentences, punctuation, _list_loct_nodes)


def word_trees(sentences: Iterable[Sentence], labels: str = "words", punctuation: bool = True) -> Trees:
    """Make plain dependency trees, for ``DependencyPaths``: a node for every word, with its dependents below.

    ``labels`` is ``"words"`` or ``"lemmas"``.

    >>> word_trees([sentence(["Chip", "saw", "Dale"], [1, -1, 1])], labels="lemmas")[0]
    '(saw (chip) (dale))'
    """
    check_choice("labels", labels, ("words", "lemmas"))

    def list_nodes(item: Sentence) -> _Nodes:
        return _Nodes(item.heads, item.words if labels == "words" else item.lemmas, _list_places(item))

    return _make_trees(sentences, punctuation, list_nodes)


def join_tag(lemma: str, tag: str) -> str:
    """Join a lemma and the first letter of its tag; word spaces and ``SmoothedPartialTree`` expect this form.

    >>> join_tag("dog", "NNS"), join_tag("?", "."), join_tag("new york", "")
    ('dog::n', '?::.', 'new_york::_')
    """
    return f"{_replace_blanks(lemma)}::{_replace_blanks(tag).lower()[:1]}"


def lemma_leaves(trees: object, lemma: Callable[[str, str], str] | None = None) -> Trees:
    """Replace every word of constituent trees (bracket strings or ``Trees``) by ``lemma::p``.

    ``p`` is the first letter of the tag, which is the label above the word. ``lemma(word, tag)`` returns the lemma; by
    default it is the stem.

    >>> lemma_leaves(["(NP (DT The) (NNS dogs))"])[0]
    '(NP (DT the::d) (NNS dog::n))'
    """
    corpus = Trees.from_items(trees)
    parents = corpus.parents
    leaves = np.flatnonzero((corpus.count == 0) & (parents >= 0))
    words, above = corpus.labels[leaves].astype(np.int64), corpus.labels[parents[leaves]]
    pairs, inverse = np.unique(words * max(len(corpus.vocabulary), 1) + above, return_inverse=True)
    numbers = {label: number for number, label in enumerate(corpus.vocabulary)}
    new = np.empty(len(pairs), np.int32)
    for place, pair in enumerate(pairs.tolist()):
        word, tag = (corpus.vocabulary[number] for number in divmod(pair, len(corpus.vocabulary)))
        leaf = join_tag(stem(word) if lemma is None else lemma(word, tag), tag)
        new[place] = numbers.setdefault(leaf, len(numbers))
    labels = corpus.labels.copy()
    labels[leaves] = new[inverse]
    return Trees(labels, corpus.first, corpus.count, corpus.offsets, list(numbers))


def from_grct(trees: object) -> list[Sentence]:
    """Make sentences from GRCT trees (bracket strings or ``Trees``), which have lemmas in place of words.

    >>> found = from_grct(["(SYNT##root(SYNT##nsubj(POS##NNP(LEX##chip::n)))(POS##VBD(LEX##see::v)))"])
    >>> found[0].lemmas, found[0].tags, found[0].heads, found[0].relations
    (('chip', 'see'), ('NNP', 'VBD'), (1, -1), ('nsubj', 'root'))
    """
    corpus = Trees.from_items(trees)
    names = [corpus.vocabulary[label] for label in corpus.labels.tolist()]
    first, count, offsets = corpus.first.tolist(), corpus.count.tolist(), corpus.offsets.tolist()
    return [_read_grct(tree, offsets[tree], offsets[tree + 1], names, first, count) for tree in range(len(corpus))]


def _read_grct(tree: int, begin: int, end: int, names: list[str], first: list[int], count: list[int]) -> Sentence:
    lemmas: list[str] = []
    tags: list[str] = []
    word_of: dict[int, int] = {}  # the word of each relation node
    relation_of: list[int] = []  # the relation node of each word
    above = {begin: -1}
    todo = [begin] if begin < end else []
    while todo:
        node = todo.pop()
        below = range(first[node], first[node] + count[node])
        above.update(dict.fromkeys(below, node))
        if names[node].startswith("SYNT##"):
            todo += reversed(below)
        elif names[node].startswith("POS##") and len(below) == 1 and above[node] >= 0 and above[node] not in word_of:
            word_of[above[node]] = len(lemmas)
            relation_of.append(above[node])
            lemmas.append(re.sub("::.$", "", names[below[0]].removeprefix("LEX##")))
            tags.append(names[node].removeprefix("POS##"))
        else:
            reason = f"{names[node]!r} does not belong there in a GRCT; give trees as grct makes them"
            raise InputError(reason, row=tree)
    heads = [word_of.get(above[node], -2) if above[node] >= 0 else -1 for node in relation_of]
    relations = [names[node].removeprefix("SYNT##") for node in relation_of]
    try:
        return sentence(lemmas, heads, lemmas, tags, relations)
    except InputError as error:
        raise InputError(error.reason, row=tree, column=error.column) from None


class _Nodes(NamedTuple):
    """The nodes of a tree: parents (-1 for the root), labels, and sort keys that order siblings."""

    parents: Sequence[int]
    labels: Sequence[str]
    places: Sequence[tuple[int, int]]


def _list_places(item: Sentence) -> list[tuple[int, int]]:
    return [(place, 0) for place in range(len(item.words))]


def _list_grct_nodes(item: Sentence) -> _Nodes:
    size = len(item.words)
    # relations are the nodes 0 to size - 1, tags come next, lemmas last
    parents = [*item.heads, *range(size), *range(size, 2 * size)]
    lemmas = [f"LEX##{join_tag(lemma, tag)}" for lemma, tag in zip(item.lemmas, item.tags)]
    labels = [*(f"SYNT##{x}" for x in item.relations), *(f"POS##{x}" for x in item.tags), *lemmas]
    return _Nodes(parents, labels, _list_places(item) * 3)


def _list_lct_nodes(item: Sentence) -> _Nodes:
    size = len(item.words)
    parents = [*item.heads, *range(size), *range(size)]
    lemmas = [f"LEX##{join_tag(lemma, tag)}" for lemma, tag in zip(item.lemmas, item.tags)]
    labels = [*lemmas, *(f"POS##{x}" for x in item.tags), *(f"SYNT##{x}" for x in item.relations)]
    return _Nodes(parents, labels, [*_list_places(item), *[(size, 0)] * size, *[(size, 1)] * size])


def _list_loct_nodes(item: Sentence) -> _Nodes:
    labels = [f"LEX##{join_tag(lemma, tag)}" for lemma, tag in zip(item.lemmas, item.tags)]
    return _Nodes(item.heads, labels, _list_places(item))


def _make_trees(sentences: Iterable[Sentence], punctuation: bool, list_nodes: Callable[[Sentence], _Nodes]) -> Trees:
    numbers: dict[str, int] = {}
    parents: list[int] = []
    labels: list[int] = []
    offsets = [0]
    for item in check_sentences(sentences):
        if not punctuation:
            item = _drop_punctuation(item)
        above, names, places = list_nodes(item)
        # siblings are ordered by their numbers: nodes are renumbered by their places
        sequence = sorted(range(len(above)), key=places.__getitem__)
        number = {node: offsets[-1] + place for place, node in enumerate(sequence)}
        parents += [number[above[node]] if above[node] >= 0 else -1 for node in sequence]
        labels += [numbers.setdefault(_replace_blanks(names[node]), len(numbers)) for node in sequence]
        offsets.append(len(parents))
    arrays = np.array(parents, np.int64), np.array(labels, np.int32), np.array(offsets, np.int64)
    return Trees.from_parents(*arrays, list(numbers))


def _drop_punctuation(item: Sentence) -> Sentence:
    """Remove punctuation without dependents; a sentence of nothing but punctuation keeps its root."""
    heads = set(item.heads)
    kept = [
        place
        for place, (tag, relation, head) in enumerate(zip(item.tags, item.relations, item.heads))
        if head < 0 or place in heads or not (tag in _PUNCTUATION_TAGS or relation == "punct")
    ]
    number = {place: new for new, place in enumerate(kept)} | {-1: -1}
    words, lemmas, tags, relations = (
        tuple(field[place] for place in kept) for field in (item.words, item.lemmas, item.tags, item.relations)
    )
    return Sentence(words, lemmas, tags, tuple(number[item.heads[place]] for place in kept), relations)


def _replace_blanks(label: str) -> str:
    """Replace blanks by underscores, because a blank ends a label in brackets; an empty label becomes ``_``."""
    return re.sub(r"[\x00-\x20]+", "_", label) or "_"
