"""The groups of scores that `Similarities` can add to its basic ones: their names, and how each group is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rekern.core.files import show_path
from rekern.core.text_files import iterate_lines
from rekern.errors import InputError
from rekern.similarity import best_match_core as matching
from rekern.similarity import sequence_core as sequences
from rekern.similarity.lexicons.explicit_semantics import ExplicitSemantics
from rekern.similarity.lexicons.wordnet import WordNet, find_wordnet
from rekern.similarity.overlap_core import _number
from rekern.structures.head_rules import to_dependencies
from rekern.structures.lexical_labels import split_lexical_label
from rekern.structures.representations import Representations
from rekern.structures.stemmer import stem
from rekern.structures.tokenizer import Tokenizer
from rekern.structures.tokens import Tokens

LONGEST_GRAM = 4

GROUPS = {
    "ngrams": tuple(f"lemma {n}-gram cosine" for n in range(1, LONGEST_GRAM + 1)),
    "tags": tuple(f"tag {n}-gram cosine" for n in range(1, LONGEST_GRAM + 1)),
    "sequences": ("common substring", "common subsequence", "string tiling", "tiles", "edit similarity"),
    "differences": (
        "source rarest unshared",
        "target rarest unshared",
        "source unshared idf",
        "target unshared idf",
        "source unshared content",
        "target unshared content",
        "numbers equal",
        "numbers contained",
        "names equal",
        "names contained",
        "length ratio",
    ),
    "links": ("link precision", "link recall", "relation precision", "relation recall"),
    "wordnet": ("resnik precision", "resnik recall", "synonym precision", "synonym recall", "antonyms"),
    "esa": ("esa",),
    "substitution": ("substituted resnik precision", "substituted resnik recall", "substituted esa"),
    "thesaurus": ("thesaurus precision", "thesaurus recall"),
    "alignment": ("vector precision", "vector recall", "vector cosine"),
}
NEED_TREES = ("tags", "links")
NOUNS = ("NN", "NNS")  # names are no common nouns: they have no generalisation


@dataclass(frozen=True)
class Sides:
    """The words of all sides of the pairs: side ``2i`` is the source of pair ``i``, side ``2i + 1`` its target.

    ``lemmas``, ``forms`` (the words as written) and ``tags`` run in parallel; ``tags`` and ``heads`` (the places of the
    words' heads) are known of trees only.
    """

    lemmas: Tokens
    forms: Tokens
    tags: Tokens | None = None
    heads: list[tuple[int, ...]] | None = None
    relations: Tokens | None = None


def sides_of_trees(X: Any, on: str) -> Sides:
    """The words of the trees in a representation of the pairs, with their tags and heads."""
    table, sources, targets = Representations.from_items(X).texts([on])
    found = to_dependencies(table.trees(on), lemma=_lemma)
    chosen = [found[number] for pair in zip(sources.tolist(), targets.tolist()) for number in pair]
    lemmas, forms, tags, relations = (
        Tokens.from_texts([list(getattr(sentence, name)) for sentence in chosen])
        for name in ("lemmas", "words", "tags", "relations")
    )
    # A leaf may be a word with its part of speech, as in dog::n.
    forms = Tokens(forms.ids, forms.offsets, [_bare(form) for form in forms.vocabulary])
    return Sides(lemmas, forms, tags, [sentence.heads for sentence in chosen], relations)


def _bare(leaf: str) -> str:
    parts = split_lexical_label(leaf)
    return leaf if parts is None else parts[1]


def _lemma(leaf: str, tag: str) -> str:
    parts = split_lexical_label(leaf)
    return stem(leaf) if parts is None else parts[1]


@dataclass
class Resources:
    """What the groups may need beside the words; each is found when a group first asks for it."""

    wordnet_at: str | None
    thesaurus_at: Any
    space: Any
    concepts: ExplicitSemantics | None
    tokenizer: Any
    min_match: int
    idf: dict[str, float]  # of lemmas, learned from the training pairs
    unseen_idf: float
    frequent: frozenset[str]

    def weights(self, lemmas: Tokens) -> np.ndarray:
        """The idf of every lemma number."""
        return np.array([self.idf.get(lemma, self.unseen_idf) for lemma in lemmas.vocabulary], float)

    def wordnet(self) -> WordNet:
        """WordNet, read once in a process."""
        return self.wordnet_at if isinstance(self.wordnet_at, WordNet) else find_wordnet(self.wordnet_at)

    def explicit(self) -> ExplicitSemantics:
        """The given concepts, or those of WordNet's definitions."""
        if self.concepts is not None:
            return self.concepts
        return _of_definitions(self.wordnet(), self.tokenizer)

    def listed(self) -> dict[str, list[str]]:
        """Word → the words that the thesaurus lists with it."""
        if self.thesaurus_at is None:
            raise InputError("the group 'thesaurus' needs thesaurus=: a file of word pairs, or a list of them")
        if isinstance(self.thesaurus_at, str | Path):
            return _thesaurus_file(str(self.thesaurus_at))
        return _neighbors(self.thesaurus_at)


def _of_definitions(wordnet: WordNet, tokenizer: Any) -> ExplicitSemantics:
    # Kept with the WordNet it is made of; a tokenizer is known by its parameters, one without any by itself.
    kept = wordnet.__dict__.setdefault("_concepts", {})
    key = repr(Tokenizer() if tokenizer is None else tokenizer)
    if key not in kept:
        kept[key] = ExplicitSemantics(wordnet.documents(), tokenizer)
    return kept[key]


@lru_cache(maxsize=4)
def _thesaurus_file(path: str) -> dict[str, list[str]]:
    pairs = []
    for number, line in enumerate(iterate_lines(path), 1):
        fields = line.split("\t")
        if len(fields) < 2:
            raise InputError("two words are needed, separated by a tab", file=show_path(path), row=number, unit="line")
        pairs.append((fields[0], fields[1]))
    return _neighbors(pairs)


def _neighbors(pairs: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    listed: dict[str, list[str]] = {}
    for one, other in pairs:
        listed.setdefault(one, []).append(other)
        listed.setdefault(other, []).append(one)
    return listed


def group_scores(group: str, sides: Sides, resources: Resources) -> np.ndarray:
    """The scores of one group, a row for each pair."""
    return _FUNCTIONS[group](sides, resources)


def _ngrams(sides: Sides, resources: Resources) -> np.ndarray:
    return sequences.ngram_cosines(sides.lemmas.ids, sides.lemmas.offsets, LONGEST_GRAM)


def _tags(sides: Sides, resources: Resources) -> np.ndarray:
    assert sides.tags is not None
    return sequences.ngram_cosines(sides.tags.ids, sides.tags.offsets, LONGEST_GRAM)


def _sequences(sides: Sides, resources: Resources) -> np.ndarray:
    texts = [" ".join(text).casefold() for text in sides.forms]
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    distinct = _number(codes)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(text) for text in texts], dtype=np.int64)])
    lemmas = sides.lemmas
    return np.column_stack(
        [
            sequences.common_lengths(codes, offsets, max(distinct, 1)),
            sequences.tilings(lemmas.ids, lemmas.offsets, resources.min_match),
            sequences.edit_similarities(lemmas.ids, lemmas.offsets),
        ]
    )


def _differences(sides: Sides, resources: Resources) -> np.ndarray:
    lemmas = sides.lemmas
    vocabulary = lemmas.vocabulary
    content = [token not in resources.frequent and any(map(str.isalnum, token)) for token in vocabulary]
    number = [any(map(str.isdigit, token)) for token in vocabulary]
    upper = np.array([form[:1].isupper() for form in sides.forms.vocabulary], bool)
    return sequences.differences(
        lemmas.ids,
        lemmas.offsets,
        resources.weights(lemmas),
        np.array(content, bool),
        np.array(number, bool),
        upper[sides.forms.ids] if len(upper) else np.zeros(0, bool),
    )


def _links(sides: Sides, resources: Resources) -> np.ndarray:
    """Shares of the links between a word and its head, by lemmas, and by lemmas and relation."""
    assert sides.heads is not None and sides.relations is not None
    columns = []
    for labelled in (False, True):
        texts = []
        for lemmas, relations, heads in zip(sides.lemmas, sides.relations, sides.heads):
            texts.append(
                [
                    "\t".join((lemma, lemmas[head] if head >= 0 else "", relation if labelled else ""))
                    for lemma, relation, head in zip(lemmas, relations, heads)
                    if any(map(str.isalnum, lemma))
                ]
            )
        links = Tokens.from_texts(texts)
        columns.append(
            matching.listed_averages(
                links.ids,
                links.ids,
                links.offsets,
                np.ones(max(len(links.vocabulary), 1)),
                np.empty(0, np.int64),
                np.zeros(len(links.vocabulary) + 1, np.int64),
            )
        )
    return np.column_stack(columns)


def _flat(lists: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(item) for item in lists], dtype=np.int64)])
    return (np.concatenate(lists).astype(np.int64) if lists else np.empty(0, np.int64)), starts


def _resnik(lemmas: Tokens, forms: Tokens, resources: Resources) -> np.ndarray:
    wordnet = resources.wordnet()
    ancestors, starts = _flat([wordnet.ancestors(form) for form in forms.vocabulary])
    weights = resources.weights(lemmas)
    return matching.resnik_averages(lemmas.ids, forms.ids, lemmas.offsets, weights, ancestors, starts, wordnet.by_rank)


def _wordnet(sides: Sides, resources: Resources) -> np.ndarray:
    wordnet = resources.wordnet()
    forms, lemmas = sides.forms, sides.lemmas
    senses = [wordnet.synsets(form) for form in forms.vocabulary]
    of_sense: dict[int, list[int]] = {}
    for number, places in enumerate(senses):
        for place in places:
            of_sense.setdefault(place, []).append(number)
    lists = [np.array(sorted({n for place in places for n in of_sense[place]}), np.int64) for places in senses]
    neighbors, starts = _flat(lists)
    synonyms = matching.listed_averages(
        lemmas.ids, forms.ids, lemmas.offsets, resources.weights(sides.lemmas), neighbors, starts
    )
    base = [wordnet.lemmas(form) for form in forms.vocabulary]
    antonyms = np.zeros((len(lemmas) // 2, 1))
    opposite: dict[str, set[str]] = {}
    for pair in wordnet.antonyms:
        for word in pair:
            opposite.setdefault(word, set()).update(pair - {word})
    opposed = [set().union(*(opposite.get(word, ()) for word in words)) for words in base]
    for row in range(len(antonyms)):
        begin, middle, end = forms.offsets[2 * row : 2 * row + 3]
        one, two = set(forms.ids[begin:middle].tolist()), set(forms.ids[middle:end].tolist())
        against = set().union(*(opposed[number] for number in one - two))
        antonyms[row] = any(word in against for number in two - one for word in base[number])
    return np.column_stack([_resnik(lemmas, forms, resources), synonyms, antonyms])


def _esa(sides: Sides, resources: Resources) -> np.ndarray:
    return resources.explicit().cosines(sides.lemmas[::2], sides.lemmas[1::2])[:, None]


def _substitution(sides: Sides, resources: Resources) -> np.ndarray:
    """Resnik and ESA on the texts whose nouns are replaced by more general words."""
    wordnet = resources.wordnet()
    cut = Tokenizer() if resources.tokenizer is None else resources.tokenizer
    general = {form: wordnet.generalization(form) for form in sides.forms.vocabulary}
    stems = {word: " ".join(cut(word)) for word in set(general.values()) if word is not None}
    if sides.tags is not None:
        noun = np.array([tag in NOUNS for tag in sides.tags.vocabulary], bool)[sides.tags.ids]
    else:
        # Without tags, a frequent word that can be a noun too (it, a, be) is none.
        noun = np.array([lemma not in resources.frequent for lemma in sides.lemmas.vocabulary], bool)[sides.lemmas.ids]
    offsets = sides.forms.offsets.tolist()
    forms, lemmas = list(sides.forms), list(sides.lemmas)
    for side, words in enumerate(forms):
        for place, word in enumerate(words):
            new = general[word]
            if new is not None and noun[offsets[side] + place]:
                words[place], lemmas[side][place] = new, stems[new]
    # A general word may be two (head of state): its concepts are those of both.
    parts = Tokens.from_texts([[part for lemma in text for part in lemma.split(" ")] for text in lemmas])
    explicit = resources.explicit().cosines(parts[::2], parts[1::2])
    return np.column_stack([_resnik(Tokens.from_texts(lemmas), Tokens.from_texts(forms), resources), explicit])


def _thesaurus(sides: Sides, resources: Resources) -> np.ndarray:
    listed = resources.listed()
    forms, lemmas = sides.forms, sides.lemmas
    folded: dict[str, list[int]] = {}
    for number, form in enumerate(forms.vocabulary):
        folded.setdefault(form.casefold(), []).append(number)
    lists = [
        np.array(sorted({n for word in listed.get(form.casefold(), ()) for n in folded.get(word, ())}), np.int64)
        for form in forms.vocabulary
    ]
    neighbors, starts = _flat(lists)
    weights = resources.weights(lemmas)
    return matching.listed_averages(lemmas.ids, forms.ids, lemmas.offsets, weights, neighbors, starts)


def _alignment(sides: Sides, resources: Resources) -> np.ndarray:
    space = resources.space
    forms, lemmas = sides.forms, sides.lemmas
    # By the form in small letters where the space knows it, else by the lemma: spaces of stems have stems only.
    pairs = np.unique(np.column_stack([forms.ids, lemmas.ids]), axis=0)
    vectors = np.array(space.vectors([forms.vocabulary[form].casefold() for form, _ in pairs.tolist()]), float)
    by_lemma = np.array(space.vectors([lemmas.vocabulary[lemma] for _, lemma in pairs.tolist()]), float)
    vectors = np.where(vectors.any(axis=1, keepdims=True), vectors, by_lemma)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    width = max(len(lemmas.vocabulary), 1)
    keys = np.searchsorted(pairs[:, 0] * width + pairs[:, 1], forms.ids.astype(np.int64) * width + lemmas.ids)
    return matching.vector_averages(lemmas.ids, keys, lemmas.offsets, resources.weights(lemmas), vectors)


_FUNCTIONS: dict[str, Callable[[Sides, Resources], np.ndarray]] = {
    "ngrams": _ngrams,
    "tags": _tags,
    "sequences": _sequences,
    "differences": _differences,
    "links": _links,
    "wordnet": _wordnet,
    "esa": _esa,
    "substitution": _substitution,
    "thesaurus": _thesaurus,
    "alignment": _alignment,
}
