"""The parser at work: the search over the scores of all substrings of a sentence, and the readings that it finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rekern.core.arrays import Floats
from rekern.errors import InputError
from rekern.krisp.derivation_chart import (
    Chart,
    ChartNode,
    NameSpan,
    drop_improbable,
    search_derivations,
    unfold_entry,
)
from rekern.krisp.derivation_chart_core import LEAF, NAME
from rekern.krisp.mentions import Mention, find_mentions
from rekern.krisp.parser_input import ParserInput, WordReader
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import Derivation, Production
from rekern.krisp.reading import Reading, ReadingNode, Readings
from rekern.krisp.reading_ranker import ReadingRanker

STEPS = 100_000_000  # of a search, before it is cut: about a second
LEAST = (-8.0, -16.0, -24.0, -36.0, -math.inf)  # log probabilities that a search looks for, pass by pass
LONGEST = 100  # words of a sentence that is parsed
# Readings that are ranked: the right one is often improbable, but among the first.
RANKED = 60
RANKED_THRESHOLD = 0.002
RANKED_BEAM = 300  # many derivations have the same meaning, with its words divided in another way
NARROW = 2  # derivations for each reading that a first search keeps


class SearchSettings(NamedTuple):
    """How readings are searched for: the scores of all classes on all substrings of a sentence, beam and threshold."""

    score: Callable[[ParserInput], Floats]
    beam: int
    threshold: float


class SearchPlan(NamedTuple):
    """A search for ``n`` readings; ``distinct`` see `rekern.krisp.derivation_chart.search_derivations`."""

    n: int
    threshold: float
    beam: int
    distinct: bool

    @property
    def passes(self) -> Sequence[float]:
        """The least log probability of each pass."""
        # The first pass finds the readings of most sentences, and is fast; if many are ranked, it seldom finds enough.
        return LEAST[1:] if self.distinct else LEAST

    @property
    def beams(self) -> Sequence[int]:
        """The beams of each pass."""
        # A narrow search finds the same first derivations, and has seldom too few of them with different meanings.
        return (min(NARROW * self.n, self.beam), self.beam) if self.distinct else (self.beam,)


class StartedSearch(NamedTuple):
    """What a search needs of a sentence: scores without improbable ones, names; and the chart that it begins with."""

    plan: SearchPlan
    scores: Floats
    mentions: Sequence[Mention]
    names: Sequence[NameSpan]
    chart: Chart


class _Found(NamedTuple):
    """Readings without their nodes, the chart that they come from, and what the sentence mentions.

    ``roots`` has the entry of each reading, which is known by its meaning.
    """

    readings: Readings
    chart: Chart | None
    roots: dict[str, int]
    mentions: Sequence[Mention]


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
        plan = SearchPlan(n, self._settings.threshold, beam, distinct=False)
        found = self._finish_search(self._start_search(question, plan, None))
        return self._list_all_nodes(found, found.readings.cut)

    def _list_all_nodes(self, found: _Found, cut: bool) -> Readings:
        """The readings with their nodes, which only those that are shown need."""
        result = Readings()
        for one in found.readings:
            assert found.chart is not None
            root = unfold_entry(found.chart, found.roots[one.meaning], {})
            result.append(replace(one, nodes=tuple(self._list_nodes(root, found.mentions, 0))))
        result.cut = cut
        return result

    def find_candidates(self, question: ParserInput, scores: Floats | None = None) -> Readings:
        """Readings of a sentence to be ranked: more of them, and less probable ones. They do not list their nodes.

        ``scores`` are the log probabilities of all classes on all substrings, if they are known.
        """
        return self._finish_search(self.start_ranking(question, scores)).readings

    def start_ranking(self, question: ParserInput, scores: Floats | None = None) -> StartedSearch | None:
        """Begin the search of `find_candidates`, nearly all of it compiled code; None if the sentence has no words."""
        threshold, beam = min(RANKED_THRESHOLD, self._settings.threshold), max(RANKED_BEAM, self._settings.beam)
        return self._start_search(question, SearchPlan(RANKED, threshold, beam, distinct=True), scores)

    def rank_readings(
        self, ranker: ReadingRanker, question: ParserInput, n: int, started: StartedSearch | None
    ) -> Readings:
        """The ``n`` best readings of a sentence, as a ranker orders them; ``started`` is that of `start_ranking`."""
        found = self._finish_search(started)
        mentions = find_mentions(self._reader.grammar, question.words, 0.0)
        ranked = ranker.rank(question.annotated.words, mentions, found.readings, n)
        return self._list_all_nodes(found._replace(readings=ranked), found.readings.cut)

    def _start_search(self, question: ParserInput, plan: SearchPlan, scores: Floats | None) -> StartedSearch | None:
        words = len(question.words)
        if words > LONGEST:
            raise InputError(f"the sentence has {words} words: the parser reads up to {LONGEST}")
        if not words:
            return None
        mentions = self._reader.find_mentions(question.words)
        symbols = self._builder.symbols
        keys: dict[tuple[int, str | None], int] = {}
        names = [
            NameSpan(
                symbols[m.left],
                m.start,
                m.end,
                m.log_probability,
                keys.setdefault((id(m.production), None if m.production.kind == "name" else m.text), len(keys)),
            )
            for m in mentions
        ]
        scores = drop_improbable(self._settings.score(question) if scores is None else scores, plan.threshold)
        chart = self._search_pass(plan, scores, names, plan.passes[0], plan.beams[0])
        return StartedSearch(plan, scores, mentions, names, chart)

    def _search_pass(
        self, plan: SearchPlan, scores: Floats, names: Sequence[NameSpan], least: float, beam: int
    ) -> Chart:
        root = self._builder.symbols[self._reader.grammar.start]
        return search_derivations(self._rules, scores, names, root, beam, STEPS, least, plan.distinct)

    def _finish_search(self, started: StartedSearch | None) -> _Found:
        result = _Found(Readings(), None, {}, [])
        if started is None:
            return result
        plan, scores, mentions, names, kept = started
        first: Chart | None = started.chart
        for least in plan.passes:
            for beam in plan.beams:
                chart = first or self._search_pass(plan, scores, names, least, beam)
                first = None
                if chart.n_roots >= kept.n_roots:  # otherwise an earlier pass has found more of the best
                    kept = chart
                is_all = chart.n_roots < beam  # all derivations of this pass are found: a wide search has no others
                is_last = chart.cut or (least == -math.inf if is_all else beam == plan.beam)
                if is_last or chart.n_roots >= plan.n:
                    result = self._list_readings(kept, mentions, plan.n)
                    if is_last or len(result.readings) == plan.n:
                        result.readings.cut = chart.cut
                        return result
                if is_all:
                    break
        return result

    def _list_readings(self, chart: Chart, mentions: Sequence[Mention], n: int) -> _Found:
        """The meanings of a finished search, each once."""
        result = Readings()
        roots: dict[str, int] = {}
        nodes: dict[int, ChartNode] = {}  # derivations share their nodes
        known: dict[int, Derivation | None] = {}
        for entry in range(*chart.roots):
            node = unfold_entry(chart, entry, nodes)
            derivation = self._builder.to_derivation(mentions, node, known)
            if derivation is None:  # it has a pronoun that refers to nothing
                continue
            meaning = derivation.meaning()
            if meaning in roots:  # the same meaning, with its words divided in another way
                continue
            roots[meaning] = entry
            scored = len(self._builder.list_class_spans(node))
            result.append(Reading(meaning, float(chart.value[entry]), derivation, (), scored))
            if len(result) == n:
                break
        return _Found(result, chart, roots, mentions)

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
