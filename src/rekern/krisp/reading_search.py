"""The parser at work: the search over the scores of all substrings of a sentence, and the readings that it finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rekern.core.arrays import Floats
from rekern.core.compiling import Function
from rekern.errors import InputError
from rekern.krisp.derivation_chart import (
    Chart,
    ChartNode,
    NameSpan,
    drop_improbable,
    search_derivations,
    unfold_entry,
)
from rekern.krisp.derivation_steps_core import LEAF, NAME
from rekern.krisp.mentions import Mention, find_mentions
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import Derivation, Production
from rekern.krisp.reading import Reading, ReadingNode, Readings
from rekern.krisp.reading_ranker import ReadingRanker
from rekern.krisp.word_reader import ParserInput, WordReader

STEPS = 100_000_000  # of a search, before it is cut: about a second
LEAST = (
    -8.0,
    -16.0,
    -24.0,
    -36.0,
    -math.inf,
)  # log probabilities that a search looks for, pass by pass
LONGEST = 100  # words of a sentence that is parsed
# Readings that are ranked: the right one is often improbable, but among the first.
RANKED = 60
RANKED_THRESHOLD = 0.002
RANKED_BEAM = 300  # many derivations have the same meaning, with its words divided in another way


class SearchSettings(NamedTuple):
    """How readings are searched for: the scores of all classes on all substrings of a sentence, beam and threshold.

    ``search`` is `rekern.krisp.derivation_steps_core.search_chart`, plain or compiled.
    """

    score: Callable[[ParserInput], Floats]
    beam: int
    threshold: float
    search: Function


class ReadingSearch:
    """Finds the readings of a sentence with a trained parser."""

    def __init__(self, reader: WordReader, productions: Sequence[Production], settings: SearchSettings):
        self._reader, self._settings = reader, settings
        classes = ParserClasses(reader.grammar, productions)
        self._labels = classes.labels
        self._builder, self._rules = classes.build_rules()

    def find_readings(self, question: ParserInput, n: int) -> Readings:
        """The ``n`` most probable readings of a sentence."""
        # The best reading is the best derivation, unless that has a pronoun that refers to nothing.
        beam = max(self._settings.beam, n) if n > 1 or self._builder.has_pronouns else 1
        return self._find_probable(question, n, self._settings.threshold, beam)

    def find_candidates(self, question: ParserInput, scores: Floats | None = None) -> Readings:
        """Readings of a sentence to be ranked: more of them, and less probable ones.

        ``scores`` are the log probabilities of all classes on all substrings, if they are known.
        """
        threshold, beam = min(RANKED_THRESHOLD, self._settings.threshold), max(RANKED_BEAM, self._settings.beam)
        return self._find_probable(question, RANKED, threshold, beam, scores, distinct=True)

    def rank_readings(self, ranker: ReadingRanker, question: ParserInput, n: int) -> Readings:
        """The ``n`` best readings of a sentence, as a ranker orders them."""
        candidates = self.find_candidates(question)
        mentions = find_mentions(self._reader.grammar, question.words, 0.0)
        result = Readings(ranker.rank(question.annotated.words, mentions, candidates)[:n])
        result.cut = candidates.cut
        return result

    def _find_probable(
        self,
        question: ParserInput,
        n: int,
        threshold: float,
        beam: int,
        scores: Floats | None = None,
        distinct: bool = False,
    ) -> Readings:
        result = Readings()
        words = len(question.words)
        if words == 0:
            return result
        if words > LONGEST:
            raise InputError(f"the sentence has {words} words: the parser reads up to {LONGEST}")
        mentions = self._reader.find_mentions(question.words)
        symbols = self._builder.symbols
        keys: dict[tuple[Production, str | None], int] = {}
        names = [
            NameSpan(
                symbols[m.left],
                m.start,
                m.end,
                m.log_probability,
                keys.setdefault((m.production, None if m.production.kind == "name" else m.text), len(keys)),
            )
            for m in mentions
        ]
        scores = drop_improbable(self._settings.score(question) if scores is None else scores, threshold)
        root = symbols[self._reader.grammar.start]
        kept: Chart | None = None
        for least in LEAST:  # the first pass finds the readings of most sentences, and is fast
            chart = search_derivations(
                self._rules, scores, names, root, beam, STEPS, least, self._settings.search, distinct
            )
            if kept is None or chart.n_roots >= kept.n_roots:  # otherwise the earlier pass has found more of the best
                kept = chart
            is_last = chart.cut or chart.n_roots == beam or least == -math.inf
            if is_last or chart.n_roots >= n:
                result = self._list_readings(kept, mentions, n)
                if is_last or len(result) == n:
                    result.cut = chart.cut
                    break
        return result

    def _list_readings(self, chart: Chart, mentions: Sequence[Mention], n: int) -> Readings:
        """The meanings of a finished search, each once."""
        result = Readings()
        known: set[str] = set()
        unfolded: dict[int, ChartNode] = {}
        derived: dict[int, Derivation | None] = {}
        for entry in range(*chart.roots):
            node = unfold_entry(chart, entry, unfolded)
            derivation = self._builder.to_derivation(mentions, node, derived)
            if derivation is None:  # a pronoun that refers to nothing
                continue
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
