"""Dependencies from constituent trees: the words of a phrase depend on its head word.

The rules of Collins (1999, appendix A) find the head of a phrase. They use only the labels.

>>> found, = to_dependencies(["(S (NP (DT the) (NN dog)) (VP (VBZ chases) (NP (NNS cats))))"])
>>> for word, head, relation in zip(found.words, found.heads, found.relations):
...     print(word, found.words[head] if head >= 0 else "-", relation)
the dog DT:NP
dog chases NP:S
chases - root
cats chases NP:VP
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

from rekern.structures.formats.penn_treebank import strip_function_tags
from rekern.structures.sentences import Sentence
from rekern.structures.stemmer import stem
from rekern.structures.trees import Trees

__all__ = ["head_child", "to_dependencies"]

# For each phrase, the side from which its children are searched for a head, and the labels in order of preference.
_RULES = {
    "ADJP": ("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": ("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": ("right", "CC RB IN"),
    "FRAG": ("right", ""),
    "INTJ": ("left", ""),
    "LST": ("right", "LS :"),
    "NAC": ("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": ("right", "IN TO VBG VBN RP FW"),
    "PRN": ("left", ""),
    "PRT": ("right", "RP"),
    "QP": ("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": ("right", "VP NP ADVP ADJP PP"),
    "S": ("left", "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": ("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": ("left", "SQ S SINV SBARQ FRAG"),
    "SINV": ("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": ("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": ("right", ""),
    "VP": ("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": ("left", "CC WRB JJ ADJP"),
    "WHADVP": ("right", "CC WRB"),
    "WHNP": ("left", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": ("right", "IN TO FW"),
}
# For noun phrases, sets of labels in order of preference. A possessive mark at the end comes before all of them.
_NOUN_RULES = (
    ("right", frozenset(["NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"])),
    ("left", frozenset(["NP"])),
    ("right", frozenset(["$", "ADJP", "PRN"])),
    ("right", frozenset(["CD"])),
    ("right", frozenset(["JJ", "JJS", "RB", "QP"])),
)
PUNCTUATION = frozenset([",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"])
_UNTAGGED = "_"  # the tag of a word that has siblings but no bracket of its own


@lru_cache(maxsize=65536)
def head_child(label: str, children: tuple[str, ...]) -> int:
    """Return the position of the head among the children of a phrase, by the rules of Collins.

    Function tags are ignored. Punctuation is a head only if all children are punctuation. The head of a phrase without
    a rule (ROOT, X …) is its first child. If two heads are coordinated, the one before the conjunction is chosen.

    >>> head_child("NP", ("DT", "JJ", "NN")), head_child("NP", ("NN", "CC", "NN")), head_child("S", ("NP-SBJ", "VP"))
    (2, 0, 1)
    """
    names = [strip_function_tags(child) for child in children]
    places = [place for place, name in enumerate(names) if name not in PUNCTUATION]
    if not places:
        return 0
    names = [names[place] for place in places]
    found = _find_head(strip_function_tags(label), names)
    if found >= 2 and names[found - 1] == "CC":
        found -= 2
    return places[found]


def _find_head(label: str, names: list[str]) -> int:
    if label in ("NP", "NX"):
        if names[-1] == "POS":
            return len(names) - 1
        for side, labels in _NOUN_RULES:
            found = _find_first(names, labels, side)
            if found >= 0:
                return found
        return len(names) - 1
    side, preferred = _RULES.get(label, ("left", ""))
    for name in preferred.split():
        found = _find_first(names, (name,), side)
        if found >= 0:
            return found
    return 0 if side == "left" else len(names) - 1


def _find_first(names: list[str], labels: Iterable[str], side: str) -> int:
    """Return the position of the first child with one of these labels, searched from a side, or -1."""
    places = range(len(names)) if side == "left" else range(len(names) - 1, -1, -1)
    return next((place for place in places if names[place] in labels), -1)


def to_dependencies(trees: object, lemma: Callable[[str, str], str] | None = None) -> list[Sentence]:
    """Convert constituent trees (bracket strings or ``Trees``) to dependencies, one sentence for each tree.

    Empty nodes (``-NONE-``) and function tags are left out. The tag of a word is the label above it. Its relation has
    two parts, such as ``NP:S``: the largest phrase of which the word is the head, and the phrase that contains it. So
    ``NP:S`` is mostly a subject, and ``NP:VP`` an object. The relation of the root is ``root``. ``lemma(word, tag)``
    returns the lemma of a word; by default it is the stem.

    >>> to_dependencies(["(S (NP-SBJ (-NONE- *)) (VP (VB Go) (ADVP (RB home))) (. .))"], lemma=lambda word, tag: word)
    [Sentence(words=('Go', 'home', '.'), lemmas=('Go', 'home', '.'), tags=('VB', 'RB', '.'), heads=(-1, 0, 0), \
relations=('root', 'ADVP:VP', '.:S'))]
    """
    corpus = Trees.from_items(trees)
    labels = [corpus.vocabulary[label] for label in corpus.labels.tolist()]
    plain = {label: strip_function_tags(label) for label in corpus.vocabulary}
    names = list(map(plain.__getitem__, labels))
    arrays = labels, names, corpus.first.tolist(), corpus.count.tolist()
    offsets = corpus.offsets.tolist()
    return [_convert_tree(begin, end, *arrays, lemma) for begin, end in pairwise(offsets)]


def _convert_tree(
    begin: int,
    end: int,
    labels: list[str],
    names: list[str],
    first: list[int],
    count: list[int],
    lemma: Callable[[str, str], str] | None,
) -> Sentence:
    """Convert the tree with the nodes ``begin`` to ``end - 1``, which are in breadth-first order."""
    words: list[str] = []
    tags: list[str] = []
    word_of: dict[int, int] = {}  # the head word of a node; nodes without a word are missing
    todo = [(begin, _UNTAGGED)] if begin < end else []
    while todo:  # depth-first, so that words are numbered from left to right
        node, tag = todo.pop()
        if count[node]:
            own = names[node] if count[node] == 1 else _UNTAGGED
            todo += [(child, own) for child in range(first[node] + count[node] - 1, first[node] - 1, -1)]
        elif tag != "-NONE-":
            word_of[node] = len(words)
            words.append(labels[node])
            tags.append(tag)
    heads = [-1] * len(words)
    relations = ["root"] * len(words)
    for node in range(end - 1, begin - 1, -1):  # children before their parents
        children = [child for child in range(first[node], first[node] + count[node]) if child in word_of]
        if not children:
            continue
        below = tuple(names[child] if count[child] else _UNTAGGED for child in children)
        chosen = head_child(names[node], below)
        head = word_of[node] = word_of[children[chosen]]
        for child, name in zip(children, below):
            word = word_of[child]
            if word != head:
                heads[word] = head
                relations[word] = f"{name}:{names[node]}"
    lemmas = map(stem, words) if lemma is None else map(lemma, words, tags)
    return Sentence(tuple(words), tuple(lemmas), tuple(tags), tuple(heads), tuple(relations))
