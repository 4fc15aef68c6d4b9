"""Links between the two sides of a pair: REL marks on the trees above shared words, and one graph of both trees.

>>> one, other = mark_related(["(S (NP (DT the) (NN dog)) (VP barks))"], ["(NP (DT a) (NN dog))"])
>>> one[0], other[0]
('(S (NP-REL (DT the) (NN-REL dog)) (VP barks))', '(NP-REL (DT a) (NN-REL dog))')
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Ints, SmallInts
from rekern.core.parameters import check_choice
from rekern.errors import InputError
from rekern.structures.graphs import Graphs, list_neighbors
from rekern.structures.stemmer import stem
from rekern.structures.trees import Trees

__all__ = ["STOPWORDS", "linked_graphs", "mark_related"]

MARK = "-REL"
LEXICAL = "LEX##"  # the prefix of words in dependency trees, where words are not always leaves
SAME = "same"  # the label of an edge between two matching words, or between the nodes above them

# Function words: articles, pronouns, prepositions, conjunctions, auxiliaries, and the clitics of the Treebank.
STOPWORDS = frozenset(
    word
    for line in (
        "a an the this that these those some any no each every all both either neither such",
        "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one",
        "myself yourself himself herself itself ourselves themselves who whom whose which what when where why how",
        "of in on at by for with from to into onto about after before over under between among against during through",
        "within without upon up down out off as than per via until since toward towards across",
        "and or but nor so yet if because while although though whether",
        "be am is are was were been being do does did done doing have has had having will would shall should can",
        "could may might must ca wo not n't 's 'm 're 've 'll 'd ' there here also too very just only then",
    )
    for word in line.split()
)


class LinkableWords(NamedTuple):
    """The nodes of the words of two corpora of trees that may be linked."""

    nodes: tuple[Ints, Ints]  # of each side
    keys: tuple[Ints, Ints]  # equal for equal words of the two sides of one pair


def mark_related(
    trees_a: object,
    trees_b: object,
    match: str = "leaf",
    stopwords: str | Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
) -> tuple[Trees, Trees]:
    """Mark the parent and the grandparent of every word that both sides of a pair share with ``-REL``.

    Parameters
    ----------
    trees_a, trees_b
        The trees of the sources and the targets, in any form that ``Trees.from_items`` reads. A word is a leaf, or in
        dependency trees a node with a label ``LEX##…``.
    match : "leaf" or "lemma"
        A word is shared if both sides have the same label, or the same part of it before ``::``.
    stopwords : "english", a list of words, or None
        Words that are not linked. ``"english"`` means the 151 words of `STOPWORDS` and all tokens without a letter or
        a digit. By default all words are linked, and punctuation too.
    tags : list of str, optional
        The beginnings of the tags of the words that are linked, such as ``["N", "V", "J", "CD"]``; case is ignored.
        The tag is the part after ``::``, or the label above the word.

    The two results share one vocabulary. A node that has the mark already is not marked twice.

    >>> mark_related(["(NP (DT the::d) (NN dog::n))"], ["(NP (DT the::d) (NN cat::n))"], stopwords="english")[0][0]
    '(NP (DT the::d) (NN dog::n))'
    """
    sides, words = _find_words(trees_a, trees_b, match, stopwords, tags)
    vocabulary, marked_number = _mark_labels(sides)
    found = []
    for side, trees, nodes in zip((0, 1), sides, words.nodes):
        shared = nodes[np.isin(words.keys[side], words.keys[1 - side])]
        labels = trees.labels.copy()
        for level in _list_ancestors(trees, shared):
            labels[level] = marked_number[trees.labels[level]]
        found.append(Trees(labels, trees.first, trees.count, trees.offsets, vocabulary))
    return found[0], found[1]


def linked_graphs(
    trees_a: object,
    trees_b: object,
    link: str = "words",
    match: str = "leaf",
    stopwords: str | Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
) -> Graphs:
    """Make one graph of both trees of each pair, with edges labelled ``same`` from one side to the other.

    With ``link="words"`` every two shared words are linked. With ``link="rel"`` the trees are marked as by
    `mark_related`, and the parents of two shared words are linked, and so are their grandparents. The other parameters
    are those of `mark_related`. The nodes of a graph are those of the first tree, then those of the second.

    >>> linked_graphs(["(NN dog)"], ["(NP (NN dog))"])[0]
    (['NN', 'dog', 'NP', 'NN', 'dog'], [(0, 1, ''), (1, 4, 'same'), (2, 3, ''), (3, 4, '')])
    >>> linked_graphs(["(NN dog)"], ["(NP (NN dog))"], link="rel")[0][1]
    [(0, 1, ''), (0, 3, 'same'), (2, 3, ''), (3, 4, '')]
    """
    check_choice("link", link, ("words", "rel"))
    sides, words = _find_words(trees_a, trees_b, match, stopwords, tags)
    ends = [_match_words(words)]
    if link == "rel":
        ends = _link_ancestors(sides, ends[0])
        sides = mark_related(*sides, match, stopwords, tags)
    vocabulary = list(sides[0].vocabulary)
    numbers = {label: number for number, label in enumerate(vocabulary)}
    plain, same = (numbers.setdefault(label, len(numbers)) for label in ("", SAME))
    # the two trees of a pair are neighbours: the nodes of each side are shifted by the sizes of the trees of the other
    shifts = [
        np.repeat(shift, np.diff(trees.offsets))
        for shift, trees in zip((sides[1].offsets[:-1], sides[0].offsets[1:]), sides)
    ]
    edges = []
    for trees, shift in zip(sides, shifts):
        below = np.flatnonzero(trees.parents >= 0)
        above = trees.parents[below]
        edges.append(np.column_stack([above + shift[above], below + shift[below], np.full(len(below), plain)]))
    for one, other in ends:
        edges.append(np.column_stack([one + shifts[0][one], other + shifts[1][other], np.full(len(one), same)]))
    offsets = sides[0].offsets + sides[1].offsets
    labels = np.empty(offsets[-1], np.int32)
    for trees, shift in zip(sides, shifts):
        labels[np.arange(len(trees.labels)) + shift] = trees.labels
    return Graphs(labels, offsets, *list_neighbors(np.concatenate(edges), offsets), list(numbers))


def _find_words(
    trees_a: object, trees_b: object, match: str, stopwords: str | Iterable[str] | None, tags: Iterable[str] | None
) -> tuple[tuple[Trees, Trees], LinkableWords]:
    """Return both sides with one vocabulary, and the words that may be linked."""
    check_choice("match", match, ("leaf", "lemma"))
    one = Trees.from_items(trees_a)
    other = Trees.from_items(trees_b).renumber_like(one)
    if len(one) != len(other):
        raise InputError(
            f"there are {len(one)} trees of one side and {len(other)} of the other; give one for each pair"
        )
    one = Trees(one.labels, one.first, one.count, one.offsets, other.vocabulary)
    vocabulary = other.vocabulary
    forms = [label.removeprefix(LEXICAL) for label in vocabulary]
    is_stopword = _make_stopword_test(stopwords)
    wanted = np.array([not is_stopword(_cut_tag(form)) for form in forms], bool)
    numbers: dict[str, int] = {}
    word = np.array(
        [numbers.setdefault(form if match == "leaf" else _cut_tag(form), len(numbers)) for form in forms], np.int64
    )
    lexical = np.array([label.startswith(LEXICAL) for label in vocabulary], bool)
    marked = any(lexical[trees.labels].any() for trees in (one, other))
    allowed = _match_tags(tags, vocabulary, forms)
    nodes, keys = [], []
    for trees in (one, other):
        chosen = lexical[trees.labels] if marked else trees.count == 0
        chosen &= wanted[trees.labels]
        if allowed is not None:
            own, above = allowed
            parents = trees.parents
            below = (parents >= 0) & (above[trees.labels[parents]] > 0)  # a tag of a wanted kind
            chosen &= np.where(own[trees.labels] >= 0, own[trees.labels] > 0, below)
        found = np.flatnonzero(chosen)
        pair = np.searchsorted(trees.offsets, found, side="right") - 1
        nodes.append(found)
        keys.append(pair * max(len(numbers), 1) + word[trees.labels[found]])
    return (one, other), LinkableWords((nodes[0], nodes[1]), (keys[0], keys[1]))


def _cut_tag(form: str) -> str:
    return form.rpartition("::")[0] or form


def _make_stopword_test(stopwords: str | Iterable[str] | None) -> Callable[[str], bool]:
    """Return the function that tells whether a lemma is a stop word."""
    if stopwords is None:
        return lambda lemma: False
    if not isinstance(stopwords, Iterable) or (isinstance(stopwords, str) and stopwords != "english"):
        raise InputError(f"stopwords={stopwords!r}: give 'english', a list of words, or None")
    english = isinstance(stopwords, str)
    words = STOPWORDS if english else {str(word) for word in stopwords}
    known = {form for word in words for form in (word.casefold(), stem(word))}  # leaves may be stems
    return lambda lemma: lemma.casefold() in known or (english and not any(map(str.isalnum, lemma)))


def _match_tags(
    tags: Iterable[str] | None, vocabulary: list[str], forms: list[str]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]] | None:
    """Return for each label whether its own tag matches (-1 if it has no tag), and whether the label itself matches."""
    if tags is None:
        return None
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise InputError(f"tags={tags!r}: give a list of the beginnings of tags, as in ['N', 'V']")
    starts = tuple(str(tag).casefold() for tag in tags)
    own = [form.rpartition("::")[2].casefold().startswith(starts) if "::" in form else -1 for form in forms]
    above = [label.removeprefix("POS##").casefold().startswith(starts) for label in vocabulary]
    return np.array(own, np.int8), np.array(above, np.int8)


def _mark_labels(sides: tuple[Trees, Trees]) -> tuple[list[str], SmallInts]:
    """Add the marked labels to the vocabulary; return it, and the number of each label's marked form."""
    vocabulary = sides[0].vocabulary
    numbers = {label: number for number, label in enumerate(vocabulary)}
    inner = np.zeros(len(vocabulary), bool)
    for trees in sides:
        inner[trees.labels[trees.count > 0]] = True
    marked = np.arange(len(vocabulary), dtype=np.int32)
    for number in np.flatnonzero(inner).tolist():
        label = vocabulary[number]
        if not label.endswith(MARK):
            marked[number] = numbers.setdefault(label + MARK, len(numbers))
    return list(numbers), marked


def _list_ancestors(trees: Trees, nodes: Ints) -> list[Ints]:
    """Return the parents and the grandparents of these nodes."""
    parents = trees.parents
    above = parents[nodes]
    above = above[above >= 0]
    further = parents[above]
    return [above, further[further >= 0]]


def _match_words(words: LinkableWords) -> tuple[Ints, Ints]:
    """Return every two equal words of the two sides of a pair."""
    order = np.argsort(words.keys[1], kind="stable")
    keys = words.keys[1][order]
    begin = np.searchsorted(keys, words.keys[0], side="left")
    count = np.searchsorted(keys, words.keys[0], side="right") - begin
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(words.nodes[0], count), words.nodes[1][order[np.repeat(begin, count) + within]]


def _link_ancestors(sides: tuple[Trees, Trees], ends: tuple[Ints, Ints]) -> list[tuple[Ints, Ints]]:
    """Return the parents of linked nodes, and their grandparents, if both sides have them."""
    found = []
    for _ in range(2):
        one, other = sides[0].parents[ends[0]], sides[1].parents[ends[1]]
        there = (one >= 0) & (other >= 0)
        ends = one[there], other[there]
        found.append(ends)
    return found
