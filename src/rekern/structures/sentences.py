"""Sentences with dependencies, as parsers and CoNLL-U files give them.

>>> found = sentence(["Chip", "saw", "Dale"], heads=[1, -1, 1], relations=["nsubj", "root", "obj"])
>>> found.words[found.heads[0]], found.lemmas, found.root
('saw', ('chip', 'saw', 'dale'), 1)
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rekern.core.messages import name_value
from rekern.errors import InputError
from rekern.structures.stemmer import stem

__all__ = ["HeadFault", "Sentence", "check_sentences", "find_head_fault", "sentence"]


class Sentence(NamedTuple):
    """Words with their lemmas, tags, the place of each word's head (from 0; -1 for the root) and the relation to it.

    ``sentence`` makes and checks one; ``Sentence(...)`` does not check. A sentence may be empty.

    >>> Sentence(("Go",), ("go",), ("VB",), (-1,), ("root",)).root
    0
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def root(self) -> int:
        """The place of the word without a head; -1 in an empty sentence."""
        return self.heads.index(-1) if self.heads else -1


def sentence(
    words: Iterable[str],
    heads: Iterable[int],
    lemmas: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
    relations: Iterable[str] | None = None,
    name: str = "sentence",
) -> Sentence:
    """Make a sentence and check it: a lemma, tag, head and relation for each word, one root, no cycle.

    By default lemmas are stems, tags ``_`` and relations ``dep`` (``root`` for the root). ``name`` is how messages call
    the sentence; they count words from 0, as heads do.

    >>> sentence(["Chip", "saw", "Dale"], heads=[1, 2, 1], name="sentence 7")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: sentence 7: no word is the root; one word needs the head -1
    >>> sentence(["Chip", "saw", "Dale", "run"], heads=[-1, 2, 1, 1], name="sentence 7")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: sentence 7, word 1 ('saw'): its heads lead back to it; a sentence has no cycle
    """
    words, heads = _check_texts(words, "words", name), _check_heads(heads, name)
    lemmas = tuple(map(stem, words)) if lemmas is None else _check_texts(lemmas, "lemmas", name)
    tags = ("_",) * len(words) if tags is None else _check_texts(tags, "tags", name)
    if relations is None:
        relations = tuple("root" if head == -1 else "dep" for head in heads)
    found = Sentence(words, lemmas, tags, heads, _check_texts(relations, "relations", name))
    for field, values in zip(Sentence._fields[1:], found[1:]):
        if len(values) != len(words):
            raise InputError(f"{len(words)} words but {len(values)} {field}; every word needs one", file=name)
    fault = find_head_fault(heads)
    if fault is not None:
        word = None if fault.place < 0 else f"word {fault.place} ({words[fault.place]!r})"
        raise InputError(_FAULTS[fault.kind].format(head=heads[fault.place]), file=name, column=word)
    return found


class HeadFault(NamedTuple):
    """Why heads form no tree: the place of a word (-1 for the sentence), and the kind of fault.

    >>> find_head_fault([-1, -1])
    HeadFault(place=1, kind='second root')
    """

    place: int
    kind: str


_FAULTS = {
    "second root": "a second root; only one word has the head -1",
    "no such word": "its head is {head}, and there is no such word; give -1 or a place from 0",
    "no root": "no word is the root; one word needs the head -1",
    "cycle": "its heads lead back to it; a sentence has no cycle",
}


def find_head_fault(heads: Sequence[int]) -> HeadFault | None:
    """Find out whether heads form a tree with one root; return None if they do, and the first fault otherwise.

    >>> find_head_fault([1, -1, 1]) is None
    True
    """
    roots = 0
    for place, head in enumerate(heads):
        if head == -1:
            roots += 1
            if roots > 1:
                return HeadFault(place, "second root")
        elif not 0 <= head < len(heads):
            return HeadFault(place, "no such word")
    if heads and not roots:
        return HeadFault(-1, "no root")
    safe = [head == -1 for head in heads]
    for start in range(len(heads)):
        path = []
        place = start
        seen = set()
        while not safe[place]:
            if place in seen:
                return HeadFault(place, "cycle")
            seen.add(place)
            path.append(place)
            place = heads[place]
        for place in path:
            safe[place] = True
    return None


def check_sentences(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences, and raise an error at the first item that is none.

    >>> next(check_sentences(["the dog"]))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: a list of sentences is needed, and item 0 is a str; parse raw text first
    """
    if isinstance(sentences, Sentence):
        raise InputError("a list of sentences is needed, got a Sentence; for one sentence write [sentence]")
    for number, item in enumerate(sentences):
        if not isinstance(item, Sentence):
            remedy = "parse raw text first" if isinstance(item, str) else "make it with sentence(words, heads)"
            raise InputError(f"a list of sentences is needed, and item {number} is {name_value(item)}; {remedy}")
        yield item


def _check_texts(values: Iterable[str], field: str, name: str) -> tuple[str, ...]:
    if isinstance(values, str | bytes):
        raise InputError(f"the {field} are {name_value(values)}; give a list of them", file=name)
    found = tuple(values)
    for place, value in enumerate(found):
        if not isinstance(value, str):
            reason = f"among the {field} is {name_value(value)}; give a str"
            raise InputError(reason, file=name, column=f"word {place}")
    return tuple(map(str, found))


def _check_heads(heads: Iterable[int], name: str) -> tuple[int, ...]:
    found = tuple(heads)
    for place, head in enumerate(found):
        if isinstance(head, bool) or not hasattr(head, "__index__"):
            reason = f"its head is {name_value(head)}; give a whole number, -1 for the root"
            raise InputError(reason, file=name, column=f"word {place}")
    return tuple(int(head) for head in found)
