"""The ranking of readings: a few scores of every reading, with weights that are learned from training sentences.

The parser looks at the parts of a reading one by one, so it may prefer a reading that ignores a word. Scores of the
whole reading tell more: does it use all names, does it have what the words ask for? The weights of the scores make the
right readings of training sentences as probable as possible among all their readings (a log-linear model). The parser
that found these readings was trained on other sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple, Self

import numpy as np

from rekern.core.arrays import AnyArray, Floats
from rekern.krisp.mentions import Mention, NameSpans
from rekern.krisp.productions import Derivation
from rekern.krisp.reading import Reading, Readings
from rekern.krisp.second_opinion import PartBits, SecondOpinion, TellingWords
from rekern.learning.calibration import Sigmoid

NOTHING = ""  # the part that translates words that no part of a meaning asks for
ROUNDS = 6
LEAST = 1e-4  # the probability of a word that no part of the meaning came with

Table = dict[str, dict[str, float]]  # part -> word -> probability


class WordTranslation:
    """The probabilities of words given the parts of a meaning: how well it explains the words of its sentence.

    Every word of a sentence is the translation of one part of its meaning, or of none (IBM model 1: Brown et al.,
    1993). The probabilities are learned from the training sentences by expectation maximisation. A reading that has no
    part for *smallest* explains this word badly.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})", "S -> red({S})"])
    >>> meanings = [grammar.parse(text) for text in ("all", "big(all)", "red(all)")]
    >>> translation = WordTranslation.learn([["things"], ["large", "things"], ["red", "things"]], meanings)
    >>> [round(value, 1) for value in translation.explain_all(["large", "things"], map(list_parts, meanings))]
    [-3.8, -1.5, -4.6]
    """

    def __init__(self, table: Mapping[str, Mapping[str, float]]):
        self.table = table

    @classmethod
    def learn(cls, sentences: Sequence[Sequence[str]], derivations: Iterable[Derivation]) -> WordTranslation:
        """Learn from sentences, as the kernels see them, and their meanings."""
        pairs = [(words, [NOTHING, *list_parts(derivation)]) for words, derivation in zip(sentences, derivations)]
        table: Table = {}
        for turn in range(ROUNDS):
            counts: Table = {}
            for words, parts in pairs:
                for word in words:
                    shares = [table[part].get(word, 0.0) for part in parts] if turn else [1.0] * len(parts)
                    total = sum(shares)
                    for part, share in zip(parts, shares):
                        row = counts.setdefault(part, {})
                        row[word] = row.get(word, 0.0) + share / total
            table = {part: _to_probabilities(row) for part, row in counts.items()}
        return cls(table)

    def explain_all(self, words: Sequence[str], meanings: Iterable[Sequence[str]]) -> list[float]:
        """The log probabilities of the words of a sentence given the parts of each of several meanings."""
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(part, len(numbers)) for part in (NOTHING, *parts)] for parts in meanings]
        known = [self.table.get(part, {}) for part in numbers]
        shares = np.array([[row.get(word, 0.0) for word in words] for row in known] + [[0.0] * len(words)])
        places = np.array(list(zip_longest(*rows, fillvalue=len(numbers))), dtype=np.int64)
        total = np.zeros((len(rows), len(words)))
        for column in places:  # one after the other: numbers that are added in another order are rounded in another way
            total += shares[column]
        lengths = np.array([len(row) for row in rows])
        return [sum(map(math.log, row)) for row in ((total + LEAST) / lengths[:, None]).tolist()]


def _to_probabilities(counts: Mapping[str, float]) -> dict[str, float]:
    """Numbers that are 1 together; those that will never count are left out."""
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items() if count > 1e-9 * total}


def list_parts(derivation: Derivation) -> list[str]:
    """The parts of a meaning that words may express: its predicates, and the types of its names and numbers.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> size({S})", "S -> big({S})", "S -> '{name}'", "names S = utah"])
    >>> list_parts(grammar.parse("size(big('utah'))"))
    ['size', 'big', '<S>']
    """
    return [*list_own_parts(derivation), *(part for child in derivation.children for part in list_parts(child))]


def list_own_parts(derivation: Derivation) -> tuple[str, ...]:
    """The part of a meaning that its first production is, if it is one."""
    production = derivation.production
    if production.kind != "rule":
        return () if derivation.children else (f"<{production.left}>",)  # a pronoun has the parts of what it repeats
    if not production.predicate:
        return ()
    return (production.predicate if production.slots else str(production),)


class MeaningSummary(NamedTuple):
    """A meaning, or a part of one.

    ``repeats`` is the number of productions that stand directly below one with the same predicate, as in
    ``state(state(all))``. ``labels`` has the bits of `rekern.krisp.second_opinion.find_parts`, ``answered`` those of
    the telling words that it does not overlook, and ``used`` those of the spans of names that it uses. ``tops`` are
    the predicates that have none above them, ``parts`` those of `rekern.krisp.reading_ranker.list_parts`.
    """

    predicate: str
    repeats: int
    labels: int
    answered: int
    used: int
    tops: tuple[str, ...]
    parts: tuple[str, ...]


class MeaningSummarizer:
    """Summarizes the meanings of one sentence; what they share is looked at once.

    >>> from rekern.krisp import read_grammar
    >>> grammar = read_grammar(["Q -> {S}", "S -> all", "S -> big({S})"])
    >>> bits = PartBits({"all": 0, "big": 1, "big / big": 2, "big / all": 3, "top / big": 4})
    >>> summarizer = MeaningSummarizer(bits, TellingWords(["big"], 1, {"big": 1}, {}), NameSpans([]))
    >>> summarizer.summarize_whole(grammar.parse("big(big(all))"))[1:]
    (1, 31, 1, 0, ('big',), ('big', 'big', 'S -> all'))
    """

    def __init__(self, bits: PartBits, telling: TellingWords, names: NameSpans):
        self._bits, self._telling, self._names = bits, telling, names
        self._known: dict[int, MeaningSummary] = {}

    def summarize_whole(self, derivation: Derivation) -> MeaningSummary:
        """Summarize a whole meaning; the caller keeps it, as it is known by its address."""
        found = self._summarize(derivation)
        labels = found.labels
        for top in found.tops:
            labels |= self._bits[f"top / {top}"]
        return found._replace(labels=labels)

    def _summarize(self, node: Derivation) -> MeaningSummary:
        found = self._known.get(id(node))
        if found is not None:
            return found
        production = node.production
        predicate, is_rule = production.predicate, production.kind == "rule"
        answered = self._telling.find_answered(production)
        used = 0 if is_rule else self._names.find_used(node)
        parts = list_own_parts(node)
        is_label = is_rule and predicate != ""
        repeats, labels = 0, self._bits[predicate] if is_label else 0
        tops: tuple[str, ...] = (predicate,) if is_label else ()
        for child in node.children:
            below = self._summarize(child)
            repeats += below.repeats + (below.predicate == predicate != "")
            labels |= below.labels
            answered |= below.answered
            used |= below.used if is_rule else 0  # what a pronoun repeats is named elsewhere
            parts += below.parts
            if is_label:
                for top in below.tops:
                    labels |= self._bits[f"{predicate} / {top}"]
            else:
                tops += below.tops
        found = self._known[id(node)] = MeaningSummary(predicate, repeats, labels, answered, used, tops, parts)
        return found


SCORES = (
    "log probability",
    "nodes",
    "mean log probability",
    "repeated predicates",
    "unused names",
    "agreement with the words",
    "overlooked words",
    "explained words",
)
CERTAINTY = ("log share", "mean log probability", "agreement with the words", "overlooked words", "intercept")
UNTRAINED = (1.0, *[0.0] * (len(SCORES) - 1))  # the weights of a parser without examples: by probability
SCALES = np.array([0.25, 0.1, 3.0, 1.0, 1.0, 1.0, 1.0, 0.3])  # bring the scores to similar sizes
PENALTY = 0.1  # on the squares of the weights
CERTAINTY_PENALTY = 1.0
SIGMOID = Sigmoid(1.0, 0.0)


class SentenceKnowledge(NamedTuple):
    """What scores of readings know of the training sentences: which parts go with which words."""

    opinion: SecondOpinion
    translation: WordTranslation

    @classmethod
    def learn(cls, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]) -> Self:
        """Learn from sentences, as the kernels see them, and their meanings."""
        opinion = SecondOpinion(sentences, derivations, distant=True)
        return cls(opinion, WordTranslation.learn(sentences, derivations))


@dataclass(frozen=True)
class ReadingRanker:
    """Orders the readings of a sentence and tells how probable it is that the best one is right.

    ``weights`` are those of `SCORES`, ``certainty`` those of `CERTAINTY`; ``known`` is learned from the training
    sentences.
    """

    known: SentenceKnowledge
    weights: Floats
    certainty: Floats

    def rank(
        self, words: Sequence[str], mentions: Sequence[Mention], readings: Sequence[Reading], n: int | None = None
    ) -> Readings:
        """The ``n`` best readings, or all, the best first, with their confidences.

        ``words`` are those that the kernels see.

        The confidence of the best reading is the probability that it is right. The others share the rest.
        """
        if not readings:
            return Readings()
        table = measure_readings(self.known, words, mentions, readings)
        values = table @ self.weights
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        order = np.argsort(-values, kind="stable")
        first = float(
            SIGMOID.probabilities(describe_certainty(table[order[0]], float(shares[order[0]])) @ self.certainty)
        )
        others = max(1.0 - float(shares[order[0]]), 1e-12)
        result = Readings()
        for rank, place in enumerate(order[:n].tolist()):
            confidence = first if rank == 0 else min(first, (1.0 - first) * float(shares[place]) / others)
            result.append(replace(readings[place], confidence=confidence))
        return result


def measure_readings(
    known: SentenceKnowledge, words: Sequence[str], mentions: Sequence[Mention], readings: Sequence[Reading]
) -> Floats:
    """The scores of readings, one row each; the columns are `SCORES`."""
    if not readings:
        return np.zeros((0, len(SCORES)))
    opinion, translation = known
    spans, asked, bits = NameSpans(mentions), opinion.find_telling(words), opinion.list_part_bits()
    summarizer = MeaningSummarizer(bits, asked, spans)
    found = [summarizer.summarize_whole(reading.derivation) for reading in readings]
    scores = np.empty((len(readings), len(SCORES)))
    scores[:, 0] = [reading.log_probability for reading in readings]
    scores[:, 1] = [reading.scored for reading in readings]
    scores[:, 2] = scores[:, 0] / np.maximum(1, scores[:, 1])
    scores[:, 3] = [one.repeats for one in found]
    scores[:, 4] = [len(spans.spans) - one.used.bit_count() for one in found]
    scores[:, 5] = opinion.measure_agreements(opinion.expect_parts(words), [one.labels for one in found])
    scores[:, 6] = [asked.find_missed(one.answered).bit_count() for one in found]
    scores[:, 7] = translation.explain_all(words, [one.parts for one in found])
    scores *= SCALES
    return scores


def describe_certainty(scores: Floats, share: float) -> Floats:
    """The columns `CERTAINTY` of a reading, from its scores and its share of the probability of all readings."""
    return np.array([np.log(max(share, 1e-12)), scores[2], scores[5], scores[6], 1.0])


def learn_ranker(known: SentenceKnowledge, tables: Sequence[Floats], right: Sequence[AnyArray]) -> ReadingRanker:
    """Learn the weights from the scores of the readings of sentences, and from which of them are right."""
    weights = learn_weights(tables, right)
    rows, truth = [], []
    for table, correct in zip(tables, right):
        if len(table):
            values = table @ weights
            best = int(np.argmax(values))
            rows.append(describe_certainty(table[best], float(1 / np.exp(values - values[best]).sum())))
            truth.append(bool(correct[best]))
    certainty = _fit_logistic(np.array(rows).reshape(-1, len(CERTAINTY)), np.array(truth, dtype=bool))
    return ReadingRanker(known, weights, certainty)


def learn_weights(tables: Sequence[Floats], right: Sequence[AnyArray]) -> Floats:
    """The weights that make the right readings of every sentence most probable among its readings.

    Sentences whose readings are all right or all wrong teach nothing.

    >>> table = np.zeros((2, len(SCORES)))
    >>> table[0, 4] = 1.0  # the first reading leaves a name out
    >>> weights = learn_weights([table], [np.array([False, True])])
    >>> bool(weights[4] < 0)
    True
    """
    from scipy.optimize import minimize

    labelled = [(table, np.asarray(correct, dtype=bool)) for table, correct in zip(tables, right)]
    useful = [(table, correct) for table, correct in labelled if 0 < np.count_nonzero(correct) < len(table)]
    start = np.array(UNTRAINED)
    if not useful:
        return start
    scores, correct = np.concatenate([t for t, _ in useful]), np.concatenate([r for _, r in useful])
    sizes = [len(t) for t, _ in useful]
    first = np.cumsum([0, *sizes[:-1]])
    group = np.repeat(np.arange(len(useful)), sizes)

    def sum_logs(values: Floats) -> Floats:
        highest = np.maximum.reduceat(values, first)
        total: Floats = highest + np.log(np.add.reduceat(np.exp(values - highest[group]), first))
        return total

    def measure_loss(weights: Floats) -> tuple[float, Floats]:
        values = scores @ weights
        chosen = np.where(correct, values, -1e9)
        everything, good = sum_logs(values), sum_logs(chosen)
        slope = np.exp(values - everything[group]) - np.exp(chosen - good[group])
        loss = float((everything - good).sum() + 0.5 * PENALTY * weights @ weights)
        return loss, slope @ scores + PENALTY * weights

    found: Floats = minimize(measure_loss, start, jac=True, method="L-BFGS-B").x
    return found


def _fit_logistic(rows: Floats, truth: AnyArray) -> Floats:
    """Logistic regression; the last column is the intercept, which has no penalty. Without a choice, only it counts."""
    from scipy.optimize import minimize

    start, n = np.zeros(rows.shape[1]), np.count_nonzero(truth)
    if n in (0, len(truth)):
        start[-1] = math.log((n + 1) / (len(truth) - n + 1))
        return start
    signs = np.where(truth, 1.0, -1.0)
    penalty = np.full(rows.shape[1], CERTAINTY_PENALTY)
    penalty[-1] = 0.0

    def measure_loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (rows @ weights)
        loss = float(np.logaddexp(0.0, -margins).sum() + 0.5 * (penalty * weights) @ weights)
        return loss, -(signs * SIGMOID.probabilities(-margins)) @ rows + penalty * weights

    found: Floats = minimize(measure_loss, start, jac=True, method="L-BFGS-B").x
    return found
