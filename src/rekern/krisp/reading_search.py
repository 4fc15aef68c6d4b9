"""The parser at work: scores of all substrings of a sentence, the search, and the readings that it finds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats
from rekern.errors import InputError
from rekern.kernels.kernel import Kernel
from rekern.krisp.derivation_chart import (
    Chart,
    ChartNode,
    NameSpan,
    drop_improbable,
    search_derivations,
    unfold_entry,
)
from rekern.krisp.derivation_chart_core import LEAF, NAME
from rekern.krisp.mentions import Mention
from rekern.krisp.parser_input import InputReader, ParserInput
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.production_classifiers import ProductionClassifier
from rekern.krisp.productions import Production
from rekern.krisp.reading import Reading, ReadingNode, Readings
from rekern.krisp.sentence_corpus import SentenceCorpus
from rekern.krisp.substring_gram import SubstringGram, compute_gram, compute_norms
from rekern.krisp.substrings import Substrings, list_spans

STEPS = 100_000_000  # of a search, before it is cut: about a second
LEAST = (-8.0, -16.0, -math.inf)  # log probabilities of the readings that a search looks for, pass by pass
LONGEST = 100  # words of a sentence that is parsed


class ParserWeights(NamedTuple):
    """What a parser keeps of its training: the substrings that classifiers use, and the coefficients of every class.

    ``norms`` are those of `rekern.krisp.substring_gram.compute_norms`; the rows of ``sigmoids`` are the intercepts,
    slopes and offsets of all classes.
    """

    productions: tuple[Production, ...]
    substrings: Substrings
    norms: Floats
    coefficients: Floats
    sigmoids: Floats


def collect_weights(
    productions: tuple[Production, ...], gram: SubstringGram, classifiers: Sequence[ProductionClassifier]
) -> ParserWeights:
    """Collect what the classifiers use of the training sentences."""
    numbers = np.unique(np.concatenate([np.zeros(0, np.int64), *(found.numbers for found in classifiers)]))
    coefficients = np.zeros((len(classifiers), len(numbers)))
    for place, found in enumerate(classifiers):
        # a substring may be a positive and a negative example of one classifier
        np.add.at(coefficients[place], np.searchsorted(numbers, found.numbers), found.coefficients)
    spans = gram.substrings.spans[numbers]
    sentences, renumbered = np.unique(spans[:, 0], return_inverse=True)
    spans[:, 0] = renumbered.ravel()
    corpus = SentenceCorpus(gram.substrings.corpus.sentences[sentence] for sentence in sentences.tolist())
    sigmoids = np.array(
        [[c.intercept for c in classifiers], [c.slope for c in classifiers], [c.offset for c in classifiers]]
    )
    return ParserWeights(productions, Substrings(corpus, spans), gram.norms[:, numbers], coefficients, sigmoids)


class ReadingSearch:
    """Finds the readings of a sentence with a trained parser."""

    def __init__(self, reader: InputReader, kernel: Kernel, weights: ParserWeights, beam: int, threshold: float):
        self._reader, self._kernel, self._weights = reader, kernel, weights
        self._beam, self._threshold = beam, threshold
        classes = ParserClasses(reader.grammar, weights.productions)
        self._labels = classes.labels
        self._builder, self._rules = classes.build_rules()

    def find_readings(self, question: ParserInput, n: int) -> Readings:
        """The ``n`` best readings of a sentence."""
        result = Readings()
        words = len(question.words)
        if words == 0:
            return result
        if words > LONGEST:
            raise InputError(f"the sentence has {words} words: the parser reads up to {LONGEST}")
        mentions = self._reader.find_mentions(question.words)
        symbols = self._builder.symbols
        names = [NameSpan(symbols[m.left], m.start, m.end, m.log_probability) for m in mentions]
        scores = drop_improbable(self._score(question), self._threshold)
        root, beam = symbols[self._reader.grammar.start], max(self._beam, n)
        for least in LEAST:  # the first pass finds the readings of most sentences, and is fast
            chart = search_derivations(self._rules, scores, names, root, beam, STEPS, least)
            if chart.cut:
                result.cut = True  # what an earlier pass has found is still the best
                break
            result = self._list_readings(chart, mentions, n)
            if len(result) == n:
                break
        return result

    def _list_readings(self, chart: Chart, mentions: Sequence[Mention], n: int) -> Readings:
        """The meanings of a finished search, each once."""
        result = Readings()
        known: set[str] = set()
        for entry in range(*chart.roots):
            node = unfold_entry(chart, entry)
            derivation = self._builder.to_derivation(mentions, node)
            meaning = derivation.meaning()
            if meaning in known:  # the same meaning, with its words divided in another way
                continue
            known.add(meaning)
            nodes = tuple(self._list_nodes(node, mentions, 0))
            scored = len(self._builder.list_class_spans(node))
            result.append(Reading(meaning, node.value, derivation, nodes, scored))
            if len(result) == n:
                break
        return result

    def _score(self, question: ParserInput) -> Floats:
        """Log probabilities of all classes on all substrings of a sentence, (class, start, end)."""
        weights = self._weights
        corpus = weights.substrings.corpus.extend([question.annotated])
        words = len(question.words)
        substrings = Substrings(corpus, list_spans(words, len(corpus) - 1))
        known = weights.substrings.move_to(corpus)
        norms = compute_norms(self._kernel, substrings)
        gram = compute_gram(self._kernel, known, substrings, weights.norms, norms)
        intercept, slope, offset = weights.sigmoids[:, :, None]
        values = slope * (weights.coefficients @ gram + intercept) + offset
        scores = np.full((len(values), words, words + 1), -np.inf)
        scores[:, substrings.spans[:, 1], substrings.spans[:, 2]] = -np.logaddexp(0.0, -values)
        return scores

    def _list_nodes(self, node: ChartNode, mentions: Sequence[Mention], depth: int) -> list[ReadingNode]:
        """The nodes of a derivation, with labels that people can read."""
        if node.kind == NAME:
            label = repr(mentions[node.number].text)
        elif node.kind == LEAF:
            leaf = self._builder.leaves[node.number]
            label = self._labels[leaf.label] if leaf.production is None else str(leaf.production)
        else:
            label = str(self._builder.rules[node.number].production)
        below = [part for child in node.children for part in self._list_nodes(child, mentions, depth + 1)]
        return [ReadingNode(label, node.start, node.end, depth), *below]
