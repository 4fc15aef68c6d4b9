"""SemanticParser: learns from sentences and their meanings to give a new sentence its meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from rekern.core.model_archive import ModelContent, OpenArchive, save_model
from rekern.core.registry import register
from rekern.errors import InputError
from rekern.krisp import production_classifiers as machinery
from rekern.krisp.derivation_chart import LEAF, NAME, Chart, Node, search, unfold
from rekern.krisp.grammar import Derivation, Grammar, Production
from rekern.krisp.learned_names import taught, unsaid, within
from rekern.krisp.learner import above, as_derivation, learn
from rekern.krisp.mentions import Mention, mentions, split
from rekern.krisp.parser_input import Asked, asked, seen
from rekern.krisp.parsing_rules import Classes
from rekern.krisp.rare_word_stems import Stems, learned_stems
from rekern.krisp.substring_kernels import Corpus, Substring, SubstringKernel, all_substrings, substring_kernel

STEPS = 100_000_000  # of a search, before it is cut: about a second
LEAST = (-8.0, -16.0, -math.inf)  # log probabilities of the readings that a search looks for, pass by pass
LONGEST = 100  # words of a sentence that is parsed


@dataclass(frozen=True)
class Reading:
    """A meaning that a sentence may have.

    ``nodes`` lists (label, start, end, depth) of its derivation, the top first: what part of the meaning which words
    express. ``scored`` is the number of probabilities whose product ``probability`` is.
    """

    meaning: str
    log_probability: float
    derivation: Derivation
    nodes: tuple[tuple[str, int, int, int], ...]
    scored: int

    @property
    def probability(self) -> float:
        """The product of the probabilities of its nodes."""
        return math.exp(self.log_probability)

    @property
    def confidence(self) -> float:
        """The geometric mean of these probabilities, which can be compared between short and long sentences."""
        return math.exp(self.log_probability / max(1, self.scored))


class Readings(list[Reading]):
    """The best readings of a sentence; ``cut`` says that the search for more was given up."""

    cut: bool = False


class _Learned(NamedTuple):
    """What is kept of a training: the substrings that machines use, and for each class their coefficients."""

    productions: tuple[Production, ...]
    corpus: Corpus
    substrings: list[Substring]
    norms: np.ndarray
    coefficients: np.ndarray
    sigmoids: np.ndarray


@register
class SemanticParser(BaseEstimator):
    """KRISP (Kate and Mooney, 2006; Kate, 2008): a support vector machine for every production of a meaning grammar.

    A machine tells how probable it is that some words of a sentence express its production. The meaning of a sentence
    is the most probable derivation whose nodes divide its words among themselves. ``kernel`` compares words: "word"
    (common subsequences), "dependency" (common paths in dependency trees), "syntactic" (common fragments of
    constituents), a sum such as "word+dependency", or any kernel of the package; all but "word" need trees.

    ``threshold`` is the least probability of a node, ``beam`` the number of derivations kept for each part,
    ``rounds`` how often the training sentences are parsed, ``C`` the price of errors. A word beside a name that belongs
    to nothing else costs the factor ``stretch``. With ``names="type"`` the kernels see of a name only what it may
    name, with ``names="word"`` its words; with ``stems`` they see rare words as more frequent ones of the same
    (English) stem. ``parser`` is a function from a list of texts to their constituent trees, for sentences that come
    without. ``grammar_`` has the names as the training sentences
    use them, see `rekern.krisp.learned_names.taught`.

    >>> from rekern.krisp.grammar import read_grammar
    >>> grammar = read_grammar(["Query -> answer({Num})", "Num -> size({State})", "Num -> population({State})",
    ...                         "State -> state({Name})", "Name -> '{name}'", "names Name = utah | ohio | new york"])
    >>> sentences = ["how big is utah", "how many people live in ohio", "size of ohio", "population of new york"]
    >>> meanings = ["size(state('utah'))", "population(state('ohio'))", "size(state('ohio'))",
    ...             "population(state('new york'))"]
    >>> parser = SemanticParser(grammar).fit(sentences, [f"answer({meaning})" for meaning in meanings])
    >>> parser.predict(["How big is New York?", "the population of Utah"])
    ["answer(size(state('new york')))", "answer(population(state('utah')))"]
    """

    def __init__(
        self,
        grammar: Grammar,
        kernel: Any = "word",
        beam: int = 30,
        threshold: float = 0.05,
        rounds: int = 3,
        C: float = 3.0,
        stretch: float = 0.5,
        names: str = "type",
        stems: bool = False,
        parser: Callable[[list[str]], Sequence[Any]] | None = None,
        n_jobs: int | None = None,
    ):
        self.grammar = grammar
        self.kernel = kernel
        self.beam = beam
        self.threshold = threshold
        self.rounds = rounds
        self.C = C
        self.stretch = stretch
        self.names = names
        self.stems = stems
        self.parser = parser
        self.n_jobs = n_jobs

    def fit(
        self,
        sentences: Sequence[Any],
        meanings: Sequence[str],
        trees: Sequence[Any] | None = None,
        productions: Sequence[Iterable[str] | None] | None = None,
    ) -> SemanticParser:
        """Learn from sentences (texts, lists of words, or `Sentence`) and their meanings.

        ``trees`` are their constituent trees, whose leaves are then their words. ``productions`` may tell the
        derivation of a meaning that has several, see `Grammar.parse`.
        """
        self._check()
        sentences, meanings = list(sentences), list(meanings)
        if len(sentences) != len(meanings):
            raise InputError(f"there are {len(sentences)} sentences but {len(meanings)} meanings")
        if not sentences:
            raise InputError("there are no sentences to learn from")
        kernel = substring_kernel(self.kernel)
        given = list(productions) if productions is not None else [None] * len(meanings)
        derivations = []
        for row, (meaning, wanted) in enumerate(zip(meanings, given)):
            try:
                derivations.append(self.grammar.parse(meaning, wanted))
            except InputError as error:
                raise InputError(f"meaning {row + 1}: {error}") from None
        self.grammar_: Grammar = self.grammar
        self.stems_: Stems | None = None
        found = self._asked(kernel, sentences, trees)
        self.grammar_ = taught(self.grammar, [question.words for question in found], derivations)
        if self.grammar_ is not self.grammar:
            derivations = [within(self.grammar_, derivation) for derivation in derivations]
        if self.stems:
            self.stems_ = learned_stems(self._seen(question.words) for question in found)
        if self.stems or self.grammar_ is not self.grammar:
            found = self._asked(kernel, sentences, trees)
        for row, question in enumerate(found):
            if not question.words:
                raise InputError(f"sentence {row + 1} is empty: drop it, with its meaning")
        mentioned = [self._mentions(question.words) for question in found]
        derivations = unsaid(derivations, mentioned)
        used = {p for derivation in derivations for p in derivation.productions() if p.learned}
        classes = Classes(self.grammar_, used)
        table = machinery.Table(kernel, Corpus(question.item for question in found), self.n_jobs)
        trained = learn(
            self.grammar_,
            classes,
            table,
            mentioned,
            derivations,
            self.beam,
            self.threshold,
            self.rounds,
            self.C,
            self.n_jobs,
        )
        self.kernel_ = kernel
        self.notes: dict[str, Any] = {}
        self._learn(_kept(tuple(classes.productions), table, trained))
        return self

    def _learn(self, learned: _Learned) -> None:
        """Keep what was learned, or read from a file, and lay out the search."""
        self.learned_ = learned
        self.classes_ = Classes(self.grammar_, learned.productions)
        self._builder, self._rules = self.classes_.rules()

    def predict(self, sentences: Sequence[Any], trees: Sequence[Any] | None = None) -> list[str | None]:
        """The most probable meaning of each sentence, or None where none is found."""
        readings = [found[0] if found else None for found in self.parse_all(sentences, trees, 1)]
        return [None if reading is None else reading.meaning for reading in readings]

    def parse(self, sentence: Any, number: int = 5, tree: Any = None) -> Readings:
        """The ``number`` most probable meanings of a sentence, the best first; none if it fits nothing learned.

        A search is cut after a number of steps that takes about a second; then ``cut`` is true and there are fewer
        readings, or none, but those are the best ones. A sentence of more than 100 words is an error.
        """
        return self.parse_all([sentence], None if tree is None else [tree], number)[0]

    def parse_all(
        self, sentences: Sequence[Any], trees: Sequence[Any] | None = None, number: int = 5
    ) -> list[Readings]:
        """The readings of many sentences."""
        self._check_fitted()
        return [self._readings(question, number) for question in self._asked(self.kernel_, list(sentences), trees)]

    def words(self, sentence: Any) -> tuple[str, ...]:
        """The words of a sentence as the parser splits it.

        >>> from rekern.krisp.grammar import read_grammar
        >>> SemanticParser(read_grammar(["Query -> all"])).words("Which ones, please?")
        ('Which', 'ones', 'please')
        """
        return split(sentence) if isinstance(sentence, str) else tuple(getattr(sentence, "words", sentence))

    def seen(self, sentence: Any) -> tuple[str, ...]:
        """The words of a sentence as the kernels see them."""
        return self._seen(self.words(sentence))

    def _seen(self, words: Sequence[str]) -> tuple[str, ...]:
        return seen(self.grammar_, words, self.names, self.stems_)

    def mentioned(self, sentence: Any) -> list[tuple[int, int]]:
        """The spans of the names, numbers and words in a sentence that productions may take, the longest ones."""
        exact = {(m.start, m.end) for m in mentions(self.grammar_, self.words(sentence), 0.0)}
        found: list[tuple[int, int]] = []
        for start, end in sorted(exact, key=lambda span: (span[0] - span[1], span[0])):
            if all(end <= first or last <= start for first, last in found):
                found.append((start, end))
        return sorted(found)

    def save(self, path: str | Path) -> None:
        """Write the trained parser to a file that `rekern.load_model` reads."""
        save_model(self, path)

    def to_archive(self) -> ModelContent:
        """What the parser keeps in its file."""
        from rekern.krisp.parser_files import pack_parser

        self._check_fitted()
        return pack_parser(self)

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> SemanticParser:
        """The parser of a file that is being read."""
        from rekern.krisp.parser_files import unpack_parser

        return unpack_parser(archive)

    def _readings(self, question: Asked, number: int) -> Readings:
        result = Readings()
        words = len(question.words)
        if words == 0:
            return result
        if words > LONGEST:
            raise InputError(f"the sentence has {words} words: the parser reads up to {LONGEST}")
        found = self._mentions(question.words)
        symbols = self._builder.symbols
        names = [(symbols[m.left], m.start, m.end, m.value) for m in found]
        scores = above(self._scores(question), self.threshold)
        for least in LEAST:  # the first pass finds the readings of most sentences, and is fast
            root, beam = symbols[self.grammar_.start], max(self.beam, number)
            chart = search(self._rules, scores, names, root, beam, STEPS, least)
            if chart.cut:
                result.cut = True  # what an earlier pass has found is still the best
                break
            result = self._listed(chart, found, number)
            if len(result) == number:
                break
        return result

    def _listed(self, chart: Chart, found: list[Mention], number: int) -> Readings:
        """The meanings of a finished search, each once."""
        result = Readings()
        known: set[str] = set()
        for entry in range(*chart.roots):
            node = unfold(chart, entry)
            derivation = as_derivation(self._builder, found, node)
            meaning = derivation.meaning()
            if meaning in known:  # the same meaning, its words divided in another way
                continue
            known.add(meaning)
            nodes = tuple(self._described(node, found, 0))
            scored = len(self.classes_.nodes(self._builder, node))
            result.append(Reading(meaning, node.value, derivation, nodes, scored))
            if len(result) == number:
                break
        return result

    def _scores(self, question: Asked) -> np.ndarray:
        """Log probabilities of all classes on all substrings of a sentence, (class, start, end)."""
        learned = self.learned_
        corpus = learned.corpus.extended([question.item])
        words = len(question.words)
        substrings = all_substrings(words, len(corpus) - 1)
        own = machinery.norms(self.kernel_, corpus, substrings)
        gram = machinery.gram(self.kernel_, corpus, learned.substrings, substrings, learned.norms, own)
        intercept, slope, shift = learned.sigmoids[:, :, None]
        values = slope * (learned.coefficients @ gram + intercept) + shift
        scores = np.full((len(values), words, words + 1), -np.inf)
        places = np.array(substrings)
        scores[:, places[:, 1], places[:, 2]] = -np.logaddexp(0.0, -values)
        return scores

    def _described(self, node: Node, found: list[Mention], depth: int) -> list[tuple[str, int, int, int]]:
        """The nodes of a derivation for people."""
        if node.kind == NAME:
            label = repr(found[node.number].text)
        elif node.kind == LEAF:
            _, number, production = self._builder.leaves[node.number]
            label = self.classes_.labels[number] if production is None else str(production)
        else:
            label = str(self._builder.rules[node.number][3])
        below = [part for child in node.children for part in self._described(child, found, depth + 1)]
        return [(label, node.start, node.end, depth), *below]

    def _mentions(self, words: Sequence[str]) -> list[Mention]:
        return mentions(self.grammar_, words, self.stretch)

    def _asked(self, kernel: SubstringKernel, sentences: list[Any], trees: Sequence[Any] | None) -> list[Asked]:
        """The sentences as the parser sees them, with trees where the kernel needs them."""
        needs = frozenset(part.needs for part, _ in machinery.parts(kernel))
        if trees is None and needs != {"words"} and self.parser is not None:
            texts = [sentence if isinstance(sentence, str) else " ".join(sentence) for sentence in sentences]
            trees = self.parser(texts)
        if trees is not None and len(trees) != len(sentences):
            raise InputError(f"there are {len(sentences)} sentences but {len(trees)} trees")
        given = trees if trees is not None else [None] * len(sentences)
        return [
            asked(self.grammar_, sentence, tree, needs, self.names, self.stems_, f"sentence {row + 1}")
            for row, (sentence, tree) in enumerate(zip(sentences, given))
        ]

    def _check(self) -> None:
        """Refuse parameters that make no sense."""
        for name, low, high in (("beam", 1, 10**6), ("rounds", 0, 10**6)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or not low <= value <= high:
                raise InputError(f"{name}={value!r}: give a whole number of at least {low}")
        for name in ("threshold", "stretch"):
            if not 0 <= float(getattr(self, name)) < 1:
                raise InputError(f"{name}={getattr(self, name)!r}: give a probability below 1")
        if not (math.isfinite(float(self.C)) and float(self.C) > 0):
            raise InputError(f"C={self.C!r}: give a number above 0")
        if self.names not in ("type", "word"):
            raise InputError(f'names={self.names!r}: choose "type" or "word"')

    def _check_fitted(self) -> None:
        if not hasattr(self, "learned_"):
            raise InputError("this parser is not trained: call fit first")


def _kept(productions: tuple[Production, ...], table: machinery.Table, trained: list[machinery.Machine]) -> _Learned:
    """What the machines use of the training sentences."""
    numbers = np.unique(np.concatenate([np.zeros(0, np.int64), *(machine.numbers for machine in trained)]))
    coefficients = np.zeros((len(trained), len(numbers)))
    for place, machine in enumerate(trained):
        # a substring may be a positive and a negative example of one machine
        np.add.at(coefficients[place], np.searchsorted(numbers, machine.numbers), machine.coefficients)
    chosen = [table.substrings[number] for number in numbers]
    sentences = sorted({sentence for sentence, _, _ in chosen})
    renumbered = {sentence: new for new, sentence in enumerate(sentences)}
    substrings = [(renumbered[sentence], start, end) for sentence, start, end in chosen]
    corpus = Corpus(table.corpus.items[sentence] for sentence in sentences)
    sigmoids = np.array([[m.intercept for m in trained], [m.slope for m in trained], [m.shift for m in trained]])
    return _Learned(productions, corpus, substrings, table.norms[:, numbers], coefficients, sigmoids)


__all__ = ["LONGEST", "STEPS", "Reading", "Readings", "SemanticParser"]
