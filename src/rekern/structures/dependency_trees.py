"""From dependencies to the trees that tree kernels compare, and lemmas in place of words.

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
from typing import Any

import numpy as np

from rekern.errors import InputError
from rekern.structures.sentences import Sentence, check_sentences, sentence
from rekern.structures.stemmer import stem
from rekern.structures.trees import Trees

__all__ = ["from_grct", "grct", "lct", "lemma_leaves", "loct", "word_trees"]

_PUNCTUATION_TAGS = frozenset([",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "PUNCT"])


def grct(sentences: Iterable[Sentence], punctuation: bool = False) -> Trees:
    """Grammatical relation centered trees: a node for every relation; below it, in the order of the sentence, the
    relations to its word's dependents and the word's tag, which has the lemma below it.

    Without ``punctuation``, punctuation on which nothing depends is left out, as KeLP does.

    >>> grct([sentence(["Go", "!"], [-1, 0], tags=["VB", "."])])[0]
    '(SYNT##root (POS##VB LEX##go::v))'
    """
    return _grown(sentences, punctuation, _grct_nodes)


def lct(sentences: Iterable[Sentence], punctuation: bool = False) -> Trees:
    """Lexical centered trees: a node for every lemma; below it its dependents, and then its tag and its relation.

    >>> lct([sentence(["Go", "!"], [-1, 0], tags=["VB", "."])])[0]
    '(LEX##go::v (POS##VB) (SYNT##root))'
    """
    return _grown(sentences, punctuation, _lct_nodes)


def loct(sentences: Iterable[Sentence], punctuation: bool = False) -> Trees:
    """Lexical only centered trees: a node for every lemma, its dependents below it.

    >>> loct([sentence(["Go", "!"], [-1, 0], tags=["VB", "."])], punctuation=True)[0]
    '(LEX##go::v LEX##!::.)'
    """
    return _grown(sentences, punctuation, _loct_nodes)


def word_trees(sentences: Iterable[Sentence], labels: str = "words", punctuation: bool = True) -> Trees:
    """Plain dependency trees, as ``DependencyPaths`` wants them: a node for every word, its dependents below it.

    ``labels`` is ``"words"`` or ``"lemmas"``.

    >>> word_trees([sentence(["Chip", "saw", "Dale"], [1, -1, 1])], labels="lemmas")[0]
    '(saw (chip) (dale))'
    """
    if labels not in ("words", "lemmas"):
        raise InputError(f"labels={labels!r}: give 'words' or 'lemmas'")

    def nodes(item: Sentence) -> _Nodes:
        return item.heads, item.words if labels == "words" else item.lemmas, _order(item)

    return _grown(sentences, punctuation, nodes)


def lexical(lemma: str, tag: str) -> str:
    """A lemma with the first letter of its tag, as word spaces and ``SmoothedPartialTree`` know it.

    >>> lexical("dog", "NNS"), lexical("?", "."), lexical("new york", "")
    ('dog::n', '?::.', 'new_york::_')
    """
    return f"{_plain(lemma)}::{_plain(tag).lower()[:1]}"


def lemma_leaves(trees: Any, lemma: Callable[[str, str], str] | None = None) -> Trees:
    """Constituent trees (bracket strings or ``Trees``) with ``lemma::p`` for every word, p the first letter of its tag.

    The tag is the label above the word. ``lemma(word, tag)`` gives the lemma; without it, stems.

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
        leaf = lexical(stem(word) if lemma is None else lemma(word, tag), tag)
        new[place] = numbers.setdefault(leaf, len(numbers))
    labels = corpus.labels.copy()
    labels[leaves] = new[inverse]
    return Trees(labels, corpus.first, corpus.count, corpus.offsets, list(numbers))


def from_grct(trees: Any) -> list[Sentence]:
    """The sentences of GRCT trees (bracket strings or ``Trees``): they hold everything but the words, so that these are
    the lemmas too.

    >>> found = from_grct(["(SYNT##root(SYNT##nsubj(POS##NNP(LEX##chip::n)))(POS##VBD(LEX##see::v)))"])
    >>> found[0].lemmas, found[0].tags, found[0].heads, found[0].relations
    (('chip', 'see'), ('NNP', 'VBD'), (1, -1), ('nsubj', 'root'))
    """
    corpus = Trees.from_items(trees)
    names = [corpus.vocabulary[label] for label in corpus.labels.tolist()]
    first, count, offsets = corpus.first.tolist(), corpus.count.tolist(), corpus.offsets.tolist()
    return [_from_grct(tree, offsets[tree], offsets[tree + 1], names, first, count) for tree in range(len(corpus))]


def _from_grct(tree: int, begin: int, end: int, names: list[str], first: list[int], count: list[int]) -> Sentence:
    lemmas: list[str] = []
    tags: list[str] = []
    word_of: dict[int, int] = {}  # a relation's node -> its word
    relation_of: list[int] = []  # a word -> its relation's node
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


# What is to grow: for every node its parent (-1 for the root), its label, and the order in which siblings stand.
_Nodes = tuple[Sequence[int], Sequence[str], Sequence[tuple[int, int]]]


def _order(item: Sentence) -> list[tuple[int, int]]:
    return [(place, 0) for place in range(len(item.words))]


def _grct_nodes(item: Sentence) -> _Nodes:
    size = len(item.words)
    # Relations are the nodes 0 … size, tags come next, lemmas last.
    parents = [*item.heads, *range(size), *range(size, 2 * size)]
    lemmas = [f"LEX##{lexical(lemma, tag)}" for lemma, tag in zip(item.lemmas, item.tags)]
    labels = [*(f"SYNT##{x}" for x in item.relations), *(f"POS##{x}" for x in item.tags), *lemmas]
    return parents, labels, _order(item) * 3


def _lct_nodes(item: Sentence) -> _Nodes:
    size = len(item.words)
    parents = [*item.heads, *range(size), *range(size)]
    lemmas = [f"LEX##{lexical(lemma, tag)}" for lemma, tag in zip(item.lemmas, item.tags)]
    labels = [*lemmas, *(f"POS##{x}" for x in item.tags), *(f"SYNT##{x}" for x in item.relations)]
    return parents, labels, [*_order(item), *[(size, 0)] * size, *[(size, 1)] * size]


def _loct_nodes(item: Sentence) -> _Nodes:
    return item.heads, [f"LEX##{lexical(lemma, tag)}" for lemma, tag in zip(item.lemmas, item.tags)], _order(item)


def _grown(sentences: Iterable[Sentence], punctuation: bool, nodes: Callable[[Sentence], _Nodes]) -> Trees:
    numbers: dict[str, int] = {}
    parents: list[int] = []
    labels: list[int] = []
    offsets = [0]
    for item in check_sentences(sentences):
        if not punctuation:
            item = _without_punctuation(item)
        above, names, order = nodes(item)
        # Siblings keep the order of their numbers: nodes are renumbered in the order in which they shall stand.
        sequence = sorted(range(len(above)), key=order.__getitem__)
        number = {node: offsets[-1] + place for place, node in enumerate(sequence)}
        parents += [number[above[node]] if above[node] >= 0 else -1 for node in sequence]
        labels += [numbers.setdefault(_plain(names[node]), len(numbers)) for node in sequence]
        offsets.append(len(parents))
    arrays = np.array(parents, np.int64), np.array(labels, np.int32), np.array(offsets, np.int64)
    return Trees.from_parents(*arrays, list(numbers))


def _without_punctuation(item: Sentence) -> Sentence:
    """The sentence without the punctuation on which nothing depends; a sentence of punctuation alone keeps its root."""
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


def _plain(label: str) -> str:
    """A label without blanks, which would break a tree in brackets; an empty one is an underscore."""
    return re.sub(r"[\x00-\x20]+", "_", label) or "_"
