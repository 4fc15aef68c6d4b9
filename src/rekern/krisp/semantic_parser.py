"""SemanticParser: learns from sentences and their meanings to give new sentences their meanings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import AnyArray, Floats
from rekern.core.messages import name_value, show_value
from rekern.core.model_archive import ModelContent, OpenArchive, save_model
from rekern.core.parallel_jobs import run_in_threads
from rekern.core.parameter_tables import Jobs, check_parameters, state_parameters
from rekern.core.registry import register
from rekern.core.state_schema import ObjectOf
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.grammar import Grammar
from rekern.krisp.learner import LearnerSettings, TrainingSet, learn_classifiers, spread_values
from rekern.krisp.mentions import Span, find_longest_spans, find_mentions
from rekern.krisp.name_learning import learn_names, mark_unsaid_values, rebuild_derivation
from rekern.krisp.parser_archive import PARAMETERS, PARSER_SCHEMA, ParserContent, read_content, write_content
from rekern.krisp.parser_input import (
    InputReader,
    ParserInput,
    SentenceInput,
    Stems,
    TreeInput,
    learn_stems,
    split_sentence,
)
from rekern.krisp.parser_weights import ParserWeights, collect_weights, find_nonzero, score_substrings
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import Derivation
from rekern.krisp.pronouns import mark_pronouns
from rekern.krisp.reading import Readings
from rekern.krisp.reading_ranker import ReadingRanker, SentenceKnowledge, learn_ranker, measure_readings
from rekern.krisp.reading_search import ReadingSearch, SearchSettings
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus
from rekern.krisp.substring_gram import GramPart, SubstringGram
from rekern.krisp.substring_kernels import make_substring_kernel
from rekern.structures.sentences import Sentence

# The sums were chosen by the mistakes in folds of the training parts of GeoQuery and CLang together, see
# `docs/concepts/krisp.md`.
DEFAULT = "default"
WITH_TREES = "dependency+word+syntactic"
WITH_HEADS = "dependency+word"  # a `Sentence` has heads, but no constituents
WORDS = "word"


def resolve_substring_kernel(
    kernel: str | Kernel,
    sentences: Sequence[SentenceInput],
    trees: Sequence[TreeInput | None] | None = None,
    has_parser: bool = False,
) -> Kernel:
    """Make the kernel of a parser; "default" stands for the best one for what the training sentences have.

    >>> sentences = ["which rivers run"]
    >>> resolve_substring_kernel("default", sentences)
    WordSubsequences()
    >>> sorted(resolve_substring_kernel("default", sentences, ["(S (W which) (N rivers) (V run))"]).reads())
    ['heads', 'tree', 'words']
    """
    if not isinstance(kernel, str) or kernel.strip() != DEFAULT:
        return make_substring_kernel(kernel)
    if any(isinstance(sentence, Sentence) for sentence in sentences):
        return make_substring_kernel(WITH_HEADS)
    has_trees = has_parser if trees is None else any(tree is not None for tree in trees)
    return make_substring_kernel(WITH_TREES if has_trees else WORDS)


Item = TypeVar("Item")


class ParsedExamples(NamedTuple):
    """Sentences, meanings, trees (or None), the productions that select derivations (or None), and derivations."""

    sentences: Sequence[SentenceInput]
    meanings: Sequence[str]
    trees: Sequence[TreeInput] | None
    productions: Sequence[Iterable[str] | None] | None
    derivations: Sequence[Derivation]

    def split(self, fold: int, folds: int) -> tuple[ParsedExamples, ParsedExamples]:
        """The examples of all other folds, and those of one fold: every ``folds``-th example, from ``fold`` on.

        >>> known, held_out = ParsedExamples("abcde", "12345", None, None, ()).split(1, 2)
        >>> known.sentences, held_out.sentences
        (['a', 'c', 'e'], ['b', 'd'])
        """

        def select(items: Sequence[Item], inside: bool) -> list[Item]:
            return [item for place, item in enumerate(items) if (place % folds == fold) == inside]

        def take(inside: bool) -> ParsedExamples:
            return ParsedExamples(
                select(self.sentences, inside),
                select(self.meanings, inside),
                None if self.trees is None else select(self.trees, inside),
                None if self.productions is None else select(self.productions, inside),
                select(self.derivations, inside),
            )

        return take(False), take(True)


SCORED = 64  # sentences whose scores and charts are kept at once

TreeParser = Callable[[list[str]], Sequence[TreeInput]]


@dataclass
class _KnownGram:
    """Kernel values of sentences, and the places of those that a parser learns from.

    ``values`` are those of the learner, if it could use the kernel values.
    """

    gram: SubstringGram
    places: list[int]
    values: Floats | None = None

    def fits(self, annotated: Sequence[AnnotatedSentence]) -> bool:
        """Whether the kernels see the same; names and stems that are learned from fewer sentences may differ."""
        sentences = self.gram.substrings.corpus.sentences
        return all(sentences[place] == found for place, found in zip(self.places, annotated))

    def find_scores(self, place: int, sentence: AnnotatedSentence) -> Floats | None:
        """The scores of a sentence, if they are known."""
        if self.values is None or self.gram.substrings.corpus.sentences[place] != sentence:
            return None
        return spread_values(self.values, self.gram.numbers[place])


@register
class SemanticParser(BaseEstimator):
    """A semantic parser: a support vector machine for every production of a meaning grammar.

    A machine tells how probable it is that some words of a sentence express its production. The meaning of a sentence
    is the most probable derivation whose nodes divide its words among themselves. This is KRISP (Kate and Mooney, 2006;
    Kate, 2008).

    Parameters
    ----------
    grammar : Grammar
        The grammar of the meanings, see `rekern.krisp.read_grammar`.
    kernel : str or Kernel
        How words are compared: "word" (common subsequences), "dependency" (common paths in dependency trees),
        "syntactic" (common fragments of constituents), a sum such as "word+dependency", or any kernel of the package.
        All but "word" need trees. "default" is the sum of all three if `fit` gets trees or there is a ``parser``,
        "dependency+word" if it gets `Sentence` objects, and "word" if it gets texts alone.
    beam : int
        How many derivations are kept for each part of a sentence.
    threshold : float
        The least probability of a node.
    rounds : int
        How often the training sentences are parsed.
    C : float
        The cost of errors.
    stretch : float
        The factor for a word that belongs to a name but is not part of it.
    names : {"type", "word"}
        Whether the kernels see only the type of a name, or its words.
    stems : bool
        Whether the kernels see rare words as more frequent ones of the same (English) stem.
    ranking : int
        The number of folds in which the parser learns to rank readings by more than their probabilities: by the names
        that they use and by what the words ask for. Training takes about as many times as long. Readings then have a
        confidence. With 0, readings are ranked by probability.
    parser : callable, optional
        A function from a list of texts to their constituent trees, for sentences that come without.
    n_jobs : int, optional
        The number of threads; all cores by default.

    Attributes
    ----------
    grammar_ : Grammar
        The grammar with the names as the training sentences use them.
    kernel_ : Kernel
        The kernel on substrings; the one that was chosen if ``kernel`` is "default".
    ranker_ : ReadingRanker or None
        The scores of readings and their weights, if ``ranking`` is not 0.
    calibration_ : AnswerCalibration or None
        How `rekern ask` turns scores of readings into confidences, if the parser was trained for it.

    Examples
    --------
    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Query -> answer({Num})", "Num -> size({State})", "Num -> population({State})",
    ...                         "State -> state({Name})", "Name -> '{name}'", "names Name = utah | ohio | new york"])
    >>> sentences = ["how big is utah", "how many people live in ohio", "size of ohio", "population of new york"]
    >>> meanings = ["size(state('utah'))", "population(state('ohio'))", "size(state('ohio'))",
    ...             "population(state('new york'))"]
    >>> parser = SemanticParser(grammar).fit(sentences, [f"answer({meaning})" for meaning in meanings])
    >>> parser.predict(["How big is New York?", "the population of Utah"])
    ["answer(size(state('new york')))", "answer(population(state('utah')))"]
    """

    schema = PARSER_SCHEMA

    parameter_table = state_parameters(
        grammar=ObjectOf("Grammar"), kernel=None, **PARSER_SCHEMA.parts.parts, parser=None, n_jobs=Jobs()
    )

    def __init__(
        self,
        grammar: Grammar,
        kernel: str | Kernel = DEFAULT,
        beam: int = 30,
        threshold: float = 0.05,
        rounds: int = 3,
        C: float = 3.0,
        stretch: float = 0.5,
        names: str = "type",
        stems: bool = False,
        ranking: int = 0,
        parser: TreeParser | None = None,
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
        self.ranking = ranking
        self.parser = parser
        self.n_jobs = n_jobs

    def fit(
        self,
        sentences: Sequence[SentenceInput],
        meanings: Sequence[str],
        trees: Sequence[TreeInput] | None = None,
        productions: Sequence[Iterable[str] | None] | None = None,
    ) -> Self:
        """Learn from sentences (texts, lists of words, or `Sentence`) and their meanings.

        ``trees`` are their constituent trees, whose leaves are then their words. ``productions`` selects the
        derivation of a meaning that has several, see `Grammar.parse`.
        """
        return self._fit(sentences, meanings, trees, productions, None)

    def _fit(
        self,
        sentences: Sequence[SentenceInput],
        meanings: Sequence[str],
        trees: Sequence[TreeInput] | None,
        productions: Sequence[Iterable[str] | None] | None,
        known: _KnownGram | None,
    ) -> Self:
        """Learn; ``known`` are kernel values that a parser for more sentences has computed."""
        self._check_parameters()
        sentences, meanings = list(sentences), list(meanings)
        if len(sentences) != len(meanings):
            raise InputError(f"there are {len(sentences)} sentences but {len(meanings)} meanings")
        if not sentences:
            raise InputError("there are no sentences to learn from")
        kernel = resolve_substring_kernel(self.kernel, sentences, trees, self.parser is not None)
        derivations = self._parse_meanings(meanings, productions)
        trees = self._find_trees(kernel, sentences, trees)
        reader = self._make_reader(self.grammar, None)
        inputs = _read_inputs(reader, kernel, sentences, trees)
        grammar = learn_names(self.grammar, [found.words for found in inputs], derivations)
        reader = self._make_reader(grammar, None)
        if grammar is not self.grammar:
            derivations = [rebuild_derivation(grammar, derivation) for derivation in derivations]
        if self.stems:
            stems = learn_stems(reader.normalize(found.words) for found in inputs)
            reader = self._make_reader(grammar, stems)
        if self.stems or grammar is not self.grammar:
            inputs = _read_inputs(reader, kernel, sentences, trees)
        for row, found in enumerate(inputs):
            if not found.words:
                raise InputError(f"sentence {row + 1} is empty: drop it, with its meaning")
        mentions = [reader.find_mentions(found.words) for found in inputs]
        if productions is None:
            exact = [find_mentions(grammar, found.words, 0.0) for found in inputs]
            derivations = [mark_pronouns(grammar, *example) for example in zip(derivations, exact)]
        derivations = mark_unsaid_values(derivations, mentions)
        learned = {p for derivation in derivations for p in derivation.productions() if p.is_learned}
        classes = ParserClasses(grammar, learned)
        annotated = [found.annotated for found in inputs]
        gram: SubstringGram | GramPart
        shared = known if known is not None and known.fits(annotated) else None
        if shared is not None:
            gram = GramPart(shared.gram, shared.places)
        else:
            gram = SubstringGram(kernel, SentenceCorpus(annotated), self.n_jobs)
        settings = LearnerSettings(self.beam, self.threshold, self.rounds, self.C, self.n_jobs)
        classifiers, values = learn_classifiers(grammar, classes, TrainingSet(gram, mentions, derivations), settings)
        if shared is not None:
            shared.values = values
        weights = collect_weights(tuple(classes.productions), gram, classifiers)
        ranker = None
        if self.ranking:
            assert isinstance(gram, SubstringGram)  # a part of one is only for the folds, which do not rank
            examples = ParsedExamples(sentences, meanings, trees, productions, derivations)
            knowledge = SentenceKnowledge.learn([sentence.words for sentence in annotated], derivations)
            ranker = learn_ranker(knowledge, *self._measure_folds(examples, gram))
        self._set_state(grammar, kernel, reader.stems, weights, None, ranker)
        return self

    def _measure_folds(self, examples: ParsedExamples, gram: SubstringGram) -> tuple[list[Floats], list[AnyArray]]:
        """Parse each fold after training on the others: the scores of its readings, and which of them are right."""
        tables, right = [], []
        for fold in range(self.ranking):
            known, held_out = examples.split(fold, self.ranking)
            if not known.sentences or not held_out.sentences:
                continue
            # not a clone: what parses texts may hold a process, and the trees are here already
            own = {"kernel": gram.kernel, "ranking": 0, "parser": None}  # the kernel that all sentences have chosen
            parser = type(self)(**{**self.get_params(deep=False), **own})
            places = range(len(examples.sentences))
            shared = _KnownGram(gram, [place for place in places if place % self.ranking != fold])
            parser._fit(known.sentences, known.meanings, known.trees, known.productions, shared)
            seen = _read_inputs(parser._reader, parser.kernel_, known.sentences, known.trees)
            knowledge = SentenceKnowledge.learn([found.annotated.words for found in seen], known.derivations)
            inputs = _read_inputs(parser._reader, parser.kernel_, held_out.sentences, held_out.trees)
            for place, found, derivation in zip(places[fold :: self.ranking], inputs, held_out.derivations):
                scores = shared.find_scores(place, found.annotated)
                readings = parser._search.find_candidates(found, scores)
                mentions = find_mentions(parser.grammar_, found.words, 0.0)
                tables.append(measure_readings(knowledge, found.annotated.words, mentions, readings))
                right.append(np.array([reading.meaning == derivation.meaning() for reading in readings], dtype=bool))
        return tables, right

    def _set_state(
        self,
        grammar: Grammar,
        kernel: Kernel,
        stems: Stems | None,
        weights: ParserWeights,
        calibration: AnswerCalibration | None,
        ranker: ReadingRanker | None = None,
    ) -> None:
        """Keep what was learned, or read from a file, and prepare the search."""
        self.grammar_ = grammar
        self.kernel_ = kernel
        self.stems_ = stems
        self.weights_ = weights
        self.calibration_ = calibration
        self.ranker_ = ranker
        self._reader = self._make_reader(grammar, stems)
        score = partial(score_substrings, kernel, weights, rows=find_nonzero(weights.coefficients))
        settings = SearchSettings(score, self.beam, self.threshold)
        self._search = ReadingSearch(self._reader, weights.productions, settings)

    def set_names(self, grammar: Grammar) -> Self:
        """Replace the grammar of a trained parser by one with the same rules and other names, in the same place.

        Use it if the names in a database have changed since the training.
        """
        self._check_fitted()
        self._set_state(grammar, self.kernel_, self.stems_, self.weights_, self.calibration_, self.ranker_)
        return self

    def predict(self, sentences: Sequence[SentenceInput], trees: Sequence[TreeInput] | None = None) -> list[str | None]:
        """The most probable meaning of each sentence, or None if there is none."""
        return [found[0].meaning if found else None for found in self.parse_all(sentences, trees, 1)]

    def parse(self, sentence: SentenceInput, n: int = 5, tree: TreeInput | None = None) -> Readings:
        """The ``n`` most probable meanings of a sentence, the best first; none if nothing that was learned fits.

        A search is cut after a number of steps that takes about a second; then ``cut`` is true and there are fewer
        readings, or none, but those are the best ones. A sentence of more than 100 words is an error.
        """
        return self.parse_all([sentence], None if tree is None else [tree], n)[0]

    def parse_all(
        self, sentences: Sequence[SentenceInput], trees: Sequence[TreeInput] | None = None, n: int = 5
    ) -> list[Readings]:
        """The readings of many sentences."""
        self._check_fitted()
        sentences = list(sentences)
        trees = self._find_trees(self.kernel_, sentences, trees)
        inputs = _read_inputs(self._reader, self.kernel_, sentences, trees)
        if self.ranker_ is None:
            return run_in_threads(self._search.find_readings, [(found, n) for found in inputs], self.n_jobs)
        readings: list[Readings] = []
        for first in range(0, len(inputs), SCORED):
            part = inputs[first : first + SCORED]
            # Threads only for compiled work: between Python code that takes turns, they wait more than they save.
            started = run_in_threads(self._search.start_ranking, [(found,) for found in part], self.n_jobs)
            ranked = (self._search.rank_readings(self.ranker_, found, n, own) for found, own in zip(part, started))
            readings += ranked
        return readings

    def words(self, sentence: SentenceInput) -> tuple[str, ...]:
        """The words of a sentence as the parser splits it.

        >>> from rekern.krisp import read_grammar
        >>> SemanticParser(read_grammar(["Query -> all"])).words("Which ones, please?")
        ('Which', 'ones', 'please')
        """
        return split_sentence(sentence)

    def seen(self, sentence: SentenceInput) -> tuple[str, ...]:
        """The words of a sentence as the kernels see them."""
        self._check_fitted()
        return self._reader.normalize(self.words(sentence))

    def mentioned(self, sentence: SentenceInput) -> list[Span]:
        """The spans of the names, numbers and words in a sentence that productions may take, the longest ones."""
        self._check_fitted()
        return find_longest_spans(find_mentions(self.grammar_, self.words(sentence), 0.0))

    def save(self, path: str | Path) -> None:
        """Write the trained parser to a file that `rekern.load_model` reads."""
        save_model(self, path)

    def to_archive(self) -> ModelContent:
        """What the parser keeps in its file."""
        self._check_fitted()
        parameters = {name: getattr(self, name) for name in PARAMETERS}
        return write_content(
            ParserContent(
                parameters, self.grammar_, self.kernel_, self.stems_, self.weights_, self.calibration_, self.ranker_
            )
        )

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """The parser of a file that is being read."""
        content = read_content(archive)
        given = cast("TreeParser | None", archive.context.given.get("parser"))
        parser = cls(content.grammar, kernel=content.kernel, parser=given, **content.parameters)
        parser._check_parameters()
        parser._set_state(
            content.grammar, content.kernel, content.stems, content.weights, content.calibration, content.ranker
        )
        return parser

    def _parse_meanings(
        self, meanings: Sequence[str], productions: Sequence[Iterable[str] | None] | None
    ) -> list[Derivation]:
        given = list(productions) if productions is not None else [None] * len(meanings)
        derivations = []
        for row, (meaning, wanted) in enumerate(zip(meanings, given)):
            try:
                derivations.append(self.grammar.parse(meaning, wanted))
            except InputError as error:
                raise InputError(f"meaning {row + 1}: {error}") from None
        return derivations

    def _make_reader(self, grammar: Grammar, stems: Stems | None) -> InputReader:
        return InputReader(grammar, self.names, self.stretch, stems)

    def _find_trees(
        self, kernel: Kernel, sentences: Sequence[SentenceInput], trees: Sequence[TreeInput] | None
    ) -> Sequence[TreeInput] | None:
        """The trees that are given, or those of the parser if the kernel needs trees."""
        if trees is None and kernel.reads() != {"words"} and self.parser is not None:
            texts = [
                sentence if isinstance(sentence, str) else " ".join(split_sentence(sentence)) for sentence in sentences
            ]
            trees = self.parser(texts)
            if trees is not None and not hasattr(trees, "__len__"):
                raise InputError(f"parser={show_value(self.parser)}: it gave {name_value(trees)}, not a list of trees")
        if trees is not None and len(trees) != len(sentences):
            raise InputError(f"there are {len(sentences)} sentences but {len(trees)} trees")
        return trees

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        check_parameters(self)
        if self.ranking == 1:
            raise InputError("ranking=1: give 0, or at least 2 folds")
        is_function = callable(self.parser) and not hasattr(self.parser, "gram")  # a kernel can be called, too
        if self.parser is not None and not is_function:
            raise InputError(f"parser={show_value(self.parser)}: give a function from texts to trees, or None")
        for name in ("threshold", "stretch"):
            if getattr(self, name) == 1:
                raise InputError(f"{name}={getattr(self, name)!r}: give a probability below 1")

    def _check_fitted(self) -> None:
        if not hasattr(self, "weights_"):
            raise NotFittedError("this parser is not trained: call fit first")


def _read_inputs(
    reader: InputReader,
    kernel: Kernel,
    sentences: Sequence[SentenceInput],
    trees: Sequence[TreeInput] | None,
) -> list[ParserInput]:
    """The sentences as the parser sees them, with trees if the kernel needs them."""
    needs = kernel.reads()
    given = trees if trees is not None else [None] * len(sentences)
    return [
        reader.read(sentence, tree, needs, f"sentence {row + 1}")
        for row, (sentence, tree) in enumerate(zip(sentences, given))
    ]
