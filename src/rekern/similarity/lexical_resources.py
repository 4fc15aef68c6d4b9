"""What groups of scores need beyond the words: WordNet, concepts, a thesaurus, a word space, word weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

from rekern.core.arrays import Booleans, Floats
from rekern.core.files import show_path
from rekern.core.text_files import iterate_lines
from rekern.errors import InputError
from rekern.similarity.lexicons.explicit_semantics import ExplicitSemantics
from rekern.similarity.lexicons.wordnet import WordNet, find_wordnet
from rekern.similarity.used_words import mark_words, recall, weigh_words
from rekern.structures.tokenizer import Tokenize, Tokenizer
from rekern.structures.tokens import Tokens
from rekern.structures.word_space import WordSpace

Thesaurus = str | Path | Sequence[Sequence[str]]  # a file of word pairs, or the pairs

_CONCEPTS: WeakKeyDictionary[WordNet, dict[str, ExplicitSemantics]] = WeakKeyDictionary()


@dataclass
class LexicalResources:
    """What the groups may need beyond the words; each is found when a group first asks for it."""

    wordnet_at: str | WordNet | None
    thesaurus_at: Thesaurus | None
    space: WordSpace | None
    concepts: ExplicitSemantics | None
    tokenizer: Tokenize | None
    min_match: int
    idf: dict[str, float]  # of lemmas, learned from the training pairs
    unseen_idf: float
    frequent: tuple[str, ...]

    def weigh(self, lemmas: Tokens) -> Floats:
        """The idf of every lemma number."""
        return recall(weigh_words, lemmas.vocabulary, self.idf, self.unseen_idf)

    def mark_frequent(self, lemmas: Tokens) -> Booleans:
        """Whether each lemma number is a frequent one."""
        return recall(mark_words, lemmas.vocabulary, self.frequent)

    def find_wordnet(self) -> WordNet:
        """WordNet, read once in a process."""
        return self.wordnet_at if isinstance(self.wordnet_at, WordNet) else find_wordnet(self.wordnet_at)

    def find_concepts(self) -> ExplicitSemantics:
        """The given concepts, or those of WordNet's definitions."""
        if self.concepts is not None:
            return self.concepts
        return _describe_synsets(self.find_wordnet(), self.tokenizer)

    def read_thesaurus(self) -> dict[str, list[str]]:
        """The words that the thesaurus lists with each word."""
        if self.thesaurus_at is None:
            raise InputError("these scores need thesaurus=: a file of word pairs, or a list of them; [] for none")
        if isinstance(self.thesaurus_at, str | Path):
            return _list_file_neighbors(str(self.thesaurus_at))
        return _list_neighbors(self.thesaurus_at)


def list_word_pairs(thesaurus: Thesaurus) -> list[list[str]]:
    """Return the pairs of words of a thesaurus, read from its file if it is given as one.

    >>> list_word_pairs([("car", "auto")])
    [['car', 'auto']]
    """
    pairs = _read_thesaurus_file(str(thesaurus)) if isinstance(thesaurus, str | Path) else thesaurus
    return [[str(word) for word in pair] for pair in pairs]


def _describe_synsets(wordnet: WordNet, tokenizer: Tokenize | None) -> ExplicitSemantics:
    """The concepts of WordNet's definitions, made once for each WordNet and tokenizer."""
    # A tokenizer is known by its parameters, one without parameters by itself.
    kept = _CONCEPTS.setdefault(wordnet, {})
    key = repr(Tokenizer() if tokenizer is None else tokenizer)
    if key not in kept:
        kept[key] = ExplicitSemantics(wordnet.documents(), tokenizer)
    return kept[key]


@lru_cache(maxsize=4)
def _list_file_neighbors(path: str) -> dict[str, list[str]]:
    return _list_neighbors(_read_thesaurus_file(path))


def _read_thesaurus_file(path: str) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(iterate_lines(path), 1):
        fields = line.split("\t")
        if len(fields) < 2:
            raise InputError("two words are needed, separated by a tab", file=show_path(path), row=number, unit="line")
        pairs.append((fields[0], fields[1]))
    return pairs


def _list_neighbors(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    listed: dict[str, list[str]] = {}
    for one, other in pairs:
        listed.setdefault(one, []).append(other)
        listed.setdefault(other, []).append(one)
    return listed
