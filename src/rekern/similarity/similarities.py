"""Scores of how similar the two sides of a pair are, as a kernel: the class `Similarities`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Self, cast

import numpy as np
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import Floats
from rekern.core.messages import list_names, show_value
from rekern.core.object_descriptions import State
from rekern.core.parallel_jobs import run_in_threads, split_evenly
from rekern.core.parameters import check_whole
from rekern.core.registry import register
from rekern.errors import InputError, ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_items import add_sides, materialize_items
from rekern.kernels.score_kernel import ScoreKernel
from rekern.similarity.kernel_scores import compare_sides, name_kernels
from rekern.similarity.lexical_resources import LexicalResources, Thesaurus, list_word_pairs
from rekern.similarity.lexicons.explicit_semantics import ExplicitSemantics
from rekern.similarity.lexicons.latent_semantics import LatentSemantics
from rekern.similarity.overlap_core import score_pairs, spell_texts
from rekern.similarity.pair_sides import Sides, read_tree_sides
from rekern.similarity.score_descriptions import describe_score
from rekern.similarity.score_groups import GROUPS
from rekern.similarity.similarities_schema import SIMILARITIES_SCHEMA
from rekern.similarity.symmetric_scores import ONE_SIDED, rename_side, sort_sides
from rekern.similarity.token_traits import find_traits
from rekern.similarity.used_words import count_words, drop_unused_words, mark_words, recall, weigh_words
from rekern.similarity.word_facts import spell_words
from rekern.structures.column_selection import select_pairs
from rekern.structures.pairs import Pairs
from rekern.structures.representation_columns import WORDS
from rekern.structures.tokenizer import Tokenize
from rekern.structures.tokens import Tokens
from rekern.structures.word_space import WordSpace

NAMES = (
    "precision",
    "recall",
    "idf precision",
    "idf recall",
    "bigram precision",
    "bigram recall",
    "trigram precision",
    "trigram recall",
    "content precision",
    "content recall",
    "capital precision",
    "capital recall",
    "number precision",
    "number recall",
    "subsequence precision",
    "subsequence recall",
    "substring precision",
    "substring recall",
    "character precision",
    "character recall",
    "source length",
    "target length",
    "prefix precision",
    "prefix recall",
    "window recall",
    "source negation",
    "target negation",
    "negation differs",
)
FEW_PAIRS, MANY_PAIRS = 512, 1024  # in a block, which needs scratch space for the whole vocabulary
COMPILED = {"basic", "ngrams", "sequences", "differences"}  # groups of which threads score blocks
SMALLEST_SPREAD = 1e-9  # a score with a smaller standard deviation is constant, apart from rounding

CHOICES = ("only", "groups", "standardize")  # parameters that do not change a score, but say which are used, and how


@register
class Similarities(ScoreKernel):
    """Linear kernel on scores of how similar the two sides of a pair are, by default 28 basic scores.

    The basic scores need no lexicon and no parser. Precision is the share of the source that is found in the target,
    recall the share of the target that is found in the source. Both are computed for tokens, tokens weighted by idf,
    bigrams, trigrams, content tokens (with a letter or a digit, and not among the 100 most frequent tokens of
    training), capitalised tokens, tokens with a digit, the longest common subsequence, the longest common run
    (substring), character 4-grams, and idf-weighted tokens that have the same first 4 characters (prefix). A repeated
    token or n-gram counts as often as both sides have it; for capitals and prefixes one occurrence is enough. The
    other basic scores are the best idf recall in a window of the source that is twice as long as the target (at least
    8 tokens), ln(1 + length)/5 of both sides, and whether the source, the target, or only one of them has a negation.
    If there is nothing to count, a share is 1; a share of bigrams or trigrams is then 0.

    The other ``groups`` are described in docs/reference/similarity.md. ``"ngrams"``, ``"sequences"``,
    ``"differences"``, ``"order"``, ``"contexts"`` and ``"answers"`` need no further data, ``"tags"`` and ``"links"``
    need constituent trees (``on``), ``"wordnet"``, ``"relations"``, ``"esa"`` and ``"substitution"`` need WordNet,
    ``"thesaurus"`` needs a list of word pairs, ``"alignment"`` and ``"vectors"`` need a word space, and ``"aligner"``
    needs all three. ``"kernels"`` are the values K(source, target) of the ``kernels``.

    ``fit`` learns from the training pairs the idf of every token (ln((n + 1)/(df + 1)), if df of n sides have it), the
    frequent tokens, and the mean and standard deviation of every score. The order of the pairs does not matter.

    Parameters
    ----------
    only : tuple of str, optional
        The names of the scores to use, in this order; they may belong to any group. By default all scores of
        ``groups`` are used.
    standardize : bool
        Whether to subtract the mean of the training scores and to divide by their standard deviation; a score that is
        constant in training is then 0.
    tokenizer : callable, optional
        A function from a str to a list of tokens, by default ``Tokenizer()``. Ready-made tokens are used verbatim.
    groups : tuple of str
        The groups of scores to use.
    symmetric : bool
        Whether a pair and its reverse have the same scores. The lower and the higher share then replace precision and
        recall, and likewise for all scores that each side has. "window recall", which has no counterpart, is left out.
        The order of ties in string tiling may still differ.
    on : str, optional
        The representation of the pairs that has constituent trees, or dependencies in CoNLL-U. All groups except the
        basic one then take their words, stems and tags from these.
    wordnet : str, optional
        The folder of WordNet's tables, or ``"wn:"`` and a lexicon of the ``wn`` library. By default it is searched in
        the folder that the environment variable ``REKERN_DATA`` names.
    concepts : ExplicitSemantics, optional
        The concepts of explicit semantic analysis (ESA), by default the definitions of WordNet.
    space : WordVectors or LatentSemantics, optional
        The word space of "alignment", "vectors" and "aligner", by default latent semantics of the training texts.
    thesaurus : str or list of pairs, optional
        A file, plain or gzipped, with two words in each line, separated by a tab; or the pairs of words.
    kernels : tuple of kernels
        Kernels on single texts or trees, such as ``PartialTree(on="constituents")``.
    min_match : int
        The smallest number of tokens in a tile of string tiling.

    Attributes
    ----------
    idf_ : dict
        The weight of every training token.
    unseen_idf_ : float
        The weight of all other tokens.
    frequent_ : tuple of str
        The frequent tokens, the most frequent first.
    space_ : word space
        The given word space, or the one learned from the training texts.
    mean_, scale_ : arrays
        The mean and standard deviation of the training scores; a scale of 0 marks a constant score.

    >>> pairs = [("Tom sold the car to Ann.", "Ann bought the car."), ("It rains.", "It does not rain.")]
    >>> kernel = Similarities(only=("recall", "idf recall", "negation differs"), standardize=False).fit(pairs)
    >>> kernel.scores([("The car was sold to Ann.", "Ann owns the car."), ("It rains.", "It never rains.")])
    array([[0.8       , 0.48775253, 0.        ],
           [0.75      , 0.38829974, 1.        ]])
    >>> Similarities().fit(pairs).gram(pairs).shape
    (2, 2)
    >>> more = Similarities(groups=("ngrams", "sequences"), standardize=False).fit(pairs)
    >>> list(zip(more.names(), more.scores(pairs)[1].round(3).tolist()))[:2]
    [('lemma 1-gram cosine', 0.775), ('lemma 2-gram cosine', 0.354)]
    """

    reads_tokens = True
    reads_forms = True

    schema = SIMILARITIES_SCHEMA

    def __init__(
        self,
        only: tuple[str, ...] | None = None,
        standardize: bool = True,
        tokenizer: Tokenize | None = None,
        groups: tuple[str, ...] = ("basic",),
        symmetric: bool = False,
        on: str | None = None,
        wordnet: str | None = None,
        concepts: ExplicitSemantics | None = None,
        space: WordSpace | None = None,
        thesaurus: Thesaurus | None = None,
        kernels: tuple[Kernel, ...] = (),
        min_match: int = 3,
    ):
        self.only = only
        self.standardize = standardize
        self.tokenizer = tokenizer
        self.groups = groups
        self.symmetric = symmetric
        self.on = on
        self.wordnet = wordnet
        self.concepts = concepts
        self.space = space
        self.thesaurus = thesaurus
        self.kernels = kernels
        self.min_match = min_match

    def get_stored_params(self) -> dict[str, object]:
        """Return the parameters for a model file, which names nothing outside: a thesaurus is part of it."""
        stored: dict[str, object] = self.get_params(deep=False)
        if self.thesaurus is not None:
            stored["thesaurus"] = list_word_pairs(self.thesaurus)
        return {**stored, "wordnet": None if self.wordnet is None else "given"}

    def names(self) -> list[str]:
        """Return the names of the scores.

        >>> Similarities(only=("prefix recall", "window recall")).names()
        ['prefix recall', 'window recall']
        """
        offered = self._list_groups()
        if self.only is None:
            if isinstance(self.groups, str) or not len(self.groups):
                raise InputError(f"groups={self.groups!r}: give a tuple of names of groups")
            for group in self.groups:
                if group not in offered:
                    raise InputError(f"there is no group {group!r}; choose among {', '.join(offered)}")
            return [name for group in self.groups for name in offered[group]]
        if isinstance(self.only, str) or not len(self.only):
            raise InputError(f"only={self.only!r}: give a tuple of names of scores, or None for all")
        known = [name for names in offered.values() for name in names]
        for name in self.only:
            if name not in known:
                near = get_close_matches(str(name), known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"choose among {list_names(known)}"
                raise InputError(f"there is no score {show_value(name)}; {hint}")
        return list(self.only)

    def reads(self) -> set[str]:
        """Return the columns of a table of pairs that the scores need.

        >>> sorted(Similarities(on="constituents").reads())
        ['source', 'source.constituents', 'target', 'target.constituents']
        """
        inside = [kernel.reads() for kernel in self.kernels]
        return add_sides({WORDS}.union(set() if self.on is None else {self.on}, *inside))

    def _list_groups(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the scores of every group."""
        others = {name: group.names for name, group in GROUPS.items()}
        offered = {"basic": NAMES, **others, "kernels": name_kernels(self.kernels)}
        if not self.symmetric:
            return offered
        return {
            group: tuple(rename_side(name) for name in names if name != ONE_SIDED) for group, names in offered.items()
        }

    def fit(self, X: object, y: object = None) -> Self:
        """Learn word statistics, and the mean and spread of every score, from the training pairs."""
        self.fit_raw_scores(X, y)
        return self

    def fit_raw_scores(self, X: object, y: object = None) -> Floats:
        """Learn from the training pairs, and return their scores before they are standardised."""
        names = self.names()
        X = materialize_items(X)
        tokens, raw = self._read_tokens(X)
        if not len(tokens):
            raise InputError("there are no pairs to learn word weights from; give at least one")
        self.idf_, self.unseen_idf_, self.frequent_ = count_words(tokens)
        used = self._list_used_groups()
        if used - {"basic"}:
            sides = self._read_sides(X, tokens, raw)
            same = self.on is None
            self.lemma_idf_, _, self.frequent_lemmas_ = (
                (self.idf_, self.unseen_idf_, self.frequent_) if same else count_words(sides.lemmas)
            )
            self.space_ = self.space
            if self.space is None and any(GROUPS[name].needs_space for name in used & GROUPS.keys()):
                self.space_ = LatentSemantics().fit(sides.lemmas)
        found = self._compute_new_scores(X, tokens, raw, names)
        self.mean_ = found.mean(axis=0)
        spread = found.std(axis=0)
        self.scale_ = np.where(spread < SMALLEST_SPREAD, 0.0, spread)
        self._keep(X, found)
        return found

    def _compute_new_scores(self, X: object, tokens: Tokens, raw: Tokens, names: list[str]) -> Floats:
        """Compute the scores that no kernel with the same settings has learned from these very pairs."""
        parameters = self.get_params(deep=False).items()
        settings = {"class": type(self), **{name: value for name, value in parameters if name not in CHOICES}}
        known = _find_known_scores(X, settings)
        new = [name for name in names if name not in known]
        found = self._compute_scores(X, tokens, raw, new) if new else np.empty((len(tokens) // 2, 0))
        known.update(zip(new, found.T))
        return found if new == names else np.ascontiguousarray(np.column_stack([known[name] for name in names]))

    def _keep(self, X: object, found: Floats) -> None:
        """Keep scores of these very pairs: training asks three times for its scores, an explanation twice.

        Beside them are the attributes of the kernel, on which they depend.
        """
        if isinstance(X, Pairs):
            X.facts["scores"] = self, dict(vars(self)), found

    def scores(self, X: object) -> Floats:
        """Return an array with a row of scores for each pair."""
        return self.rescale(self.raw_scores(X))

    def raw_scores(self, X: object) -> Floats:
        """Return the scores before they are standardised."""
        names = self.names()
        if not hasattr(self, "scale_"):
            raise NotFittedError("this Similarities is not fitted yet; call fit(pairs) first")
        X = materialize_items(X)
        known = X.facts.get("scores") if isinstance(X, Pairs) else None
        if known is not None and known[0] is self and _has_same_values(vars(self), known[1]):
            return cast(Floats, known[2].copy())
        found = self._compute_scores(X, *self._read_tokens(X), names)
        if len(found) == 1:
            self._keep(X, found.copy())
        return found

    def rescale(self, raw: Floats) -> Floats:
        """Return standardised scores, if the kernel standardises them."""
        if not self.standardize:
            return raw
        constant = self.scale_ == 0
        return np.where(constant, 0.0, (raw - self.mean_) / np.where(constant, 1.0, self.scale_))

    def describe_scores(self) -> list[str]:
        """Return every score in words.

        >>> Similarities(only=("recall",)).describe_scores()
        ['words of the target that the source has too']
        """
        return [describe_score(name) for name in self.names()]

    def count_sizes(self) -> dict[str, int]:
        """Return the number of scores."""
        return {"scores": len(self.names())}

    def set_learned(self, state: State) -> None:
        """Set the word weights, the frequent words, and the mean and spread of every score, after checking them."""
        super().set_learned(state)
        if self._list_used_groups() - {"basic"} and not {"lemma_idf_", "frequent_lemmas_", "space_"} <= state.keys():
            raise ModelFileError("its word weights are damaged")
        if self.on is None and state.get("lemma_idf_") == self.idf_:
            self.lemma_idf_ = self.idf_  # as after training, so that words are looked up once
        if self.on is None and state.get("frequent_lemmas_") == self.frequent_:
            self.frequent_lemmas_ = self.frequent_

    def _list_used_groups(self) -> set[str]:
        names = set(self.names())
        return {group for group, offered in self._list_groups().items() if set(offered) & names}

    def _read_tokens(self, X: object) -> tuple[Tokens, Tokens]:
        """Return the tokens of all sides, and the same tokens as written, before lower case and stemming."""
        tokens = Pairs.from_items(select_pairs(X, None), self.tokenizer, with_forms=True).tokens
        return drop_unused_words(tokens), drop_unused_words(tokens if tokens.forms is None else tokens.forms)

    def _read_sides(self, X: object, tokens: Tokens, raw: Tokens) -> Sides:
        """Return the words for all groups except the basic one: those of the trees, if there are trees."""
        return Sides(tokens, raw) if self.on is None else read_tree_sides(X, self.on)

    def _compute_scores(self, X: object, tokens: Tokens, raw: Tokens, names: list[str]) -> Floats:
        pairs = len(tokens) // 2
        if self.on is not None or self._list_used_groups() - COMPILED or pairs < 2 * FEW_PAIRS:
            return self._score_block(X, tokens, raw, names)
        self._score_block(X, tokens[:0], raw[:0], names)  # what is asked of all words, before the threads start
        blocks = split_evenly(pairs, FEW_PAIRS, max(MANY_PAIRS, pairs // 64))
        calls = [(None, tokens[2 * first : 2 * last], raw[2 * first : 2 * last], names) for first, last in blocks]
        return np.concatenate(run_in_threads(self._score_block, calls))

    def _score_block(self, X: object, tokens: Tokens, raw: Tokens, names: list[str]) -> Floats:
        found: dict[str, Floats] = {}
        sides = resources = None
        for group, offered in self._list_groups().items():
            if not set(offered) & set(names):
                continue
            if group == "basic":
                values = self._score_basic(tokens, raw)
            elif group == "kernels":
                values = compare_sides(self.kernels, X)
            else:
                if GROUPS[group].is_directed and self.symmetric:
                    raise InputError(f"the group {group!r} distinguishes the two sides; leave symmetric=True out")
                if GROUPS[group].needs_trees and self.on is None:
                    needed = "constituent trees or dependencies: name their representation (on=...)"
                    raise InputError(f"the group {group!r} needs {needed}")
                sides = self._read_sides(X, tokens, raw) if sides is None else sides
                resources = self._gather_resources() if resources is None else resources
                values = GROUPS[group].score(sides, resources)
            if self.symmetric:
                values = sort_sides(
                    values, NAMES if group == "basic" else GROUPS[group].names if group in GROUPS else ()
                )
            found.update(zip(offered, values.T))
        # A copy in C order, because the memory layout decides the order in which NumPy later adds up a row.
        return np.ascontiguousarray(np.column_stack([found[name] for name in names]))

    def _gather_resources(self) -> LexicalResources:
        min_match = check_whole("min_match", self.min_match, 1)
        if not isinstance(self.space_, WordSpace | None):
            raise InputError(f"space={self.space_!r}: give a WordVectors or a LatentSemantics")
        if self.concepts is not None and not hasattr(self.concepts, "cosines"):
            raise InputError(f"concepts={self.concepts!r}: give an ExplicitSemantics")
        return LexicalResources(
            self.wordnet,
            self.thesaurus,
            self.space_,
            self.concepts,
            self.tokenizer,
            min_match,
            self.lemma_idf_,
            self.unseen_idf_,
            self.frequent_lemmas_,
        )

    def _score_basic(self, tokens: Tokens, raw: Tokens) -> Floats:
        vocabulary = tokens.vocabulary
        traits, frequent = recall(find_traits, vocabulary), recall(mark_words, vocabulary, self.frequent_)
        weights = np.ones((4, len(vocabulary)))
        weights[1] = recall(weigh_words, vocabulary, self.idf_, self.unseen_idf_)
        weights[2] = traits.is_word & ~frequent
        weights[3] = traits.is_number
        capital = recall(find_traits, raw.vocabulary).is_upper[raw.ids] & ~frequent[tokens.ids]
        ids, offsets = tokens.ids.astype(np.uint64), tokens.offsets
        spelled = spell_texts(ids, offsets, *recall(spell_words, vocabulary, False))
        return score_pairs(ids, offsets, capital, weights, traits.prefix, traits.is_negation, *spelled)


def _has_same_values(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.keys() == other.keys() and all(value is other[name] for name, value in one.items())


def _find_known_scores(pairs: object, settings: Mapping[str, object]) -> dict[str, Floats]:
    """Return the scores of these very pairs by their names, from kernels that have learned from them.

    ``settings`` are what the scores depend on. The caller adds what it computes; it is kept with the pairs.
    """
    if not isinstance(pairs, Pairs):
        return {}
    known = pairs.facts.setdefault("scores by settings", [])
    for others, columns in known:
        if all(others[name] is value or _is_equal(others[name], value) for name, value in settings.items()):
            return cast("dict[str, Floats]", columns)
    columns = {}
    known.append((settings, columns))
    return columns


def _is_equal(one: object, other: object) -> bool:
    return isinstance(one, str | int) and one == other
