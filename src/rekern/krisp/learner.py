"""KRISP's learner (Kate and Mooney, 2006): in turn, machines are trained and the training sentences parsed with them.

The first machines see whole sentences: a class is in the meaning of a sentence or not. After that the most probable
correct derivation of every sentence gives the positive substrings of each class; incorrect derivations that are more
probable than it give as negative ones those nodes that it lacks. Negative ones are kept from round to round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rekern.core.jobs import run
from rekern.krisp.derivation_chart import LEAF, NAME, Node, Rules, search, unfold
from rekern.krisp.grammar import Derivation, Grammar
from rekern.krisp.learned_names import says
from rekern.krisp.mentions import Mention
from rekern.krisp.parsing_rules import Builder, Classes
from rekern.krisp.production_classifiers import Machine, Table, log_probabilities, train

FLOOR = float(np.log(1e-4))  # what a node counts that its machine finds impossible, in a derivation known to be correct
SPARED = 10  # of the best correct derivations, whose nodes are no negative examples …
NEARLY = 2.0  # … if their log probability is no more than this below the best one's
LEAST = (-4.0, -8.0, -16.0, -np.inf)  # log probabilities of the readings that a search looks for, pass by pass

Span = tuple[int, int, int]  # class, start, end


class Lesson(NamedTuple):
    """What one sentence teaches in a round: nodes of the correct derivation, and wrong ones."""

    right: list[Span]
    wrong: set[Span]


def learn(
    grammar: Grammar,
    classes: Classes,
    table: Table,
    mentions: Sequence[list[Mention]],
    derivations: Sequence[Derivation],
    beam: int = 30,
    threshold: float = 0.05,
    rounds: int = 3,
    C: float = 10.0,
    n_jobs: int | None = None,
) -> list[Machine]:
    """The machines of all classes; ``mentions`` are those of the sentences of the table."""
    sentences = range(len(derivations))
    absent: list[Counter[int]] = [Counter() for _ in classes.labels]
    present: list[Counter[int]] = [Counter() for _ in classes.labels]
    for place in sentences:
        whole, found = int(table.numbers[place][0, -1]), classes.of(derivations[place])
        for number in range(len(classes.labels)):
            (present if number in found else absent)[number][whole] += 1
    machines = _train_all(table, present, absent, C, n_jobs, "learning, round 1")
    first = values = log_probabilities(machines, table)
    teacher = _Teacher(grammar, classes, table, mentions, derivations, beam, threshold)
    wrong: list[set[Span]] = [set() for _ in sentences]
    for turn in range(rounds):
        calls = [(place, values, first if turn else None) for place in sentences]
        lessons = list(run(teacher.lesson, calls, n_jobs, f"parsing, round {turn + 2}"))
        positive: list[Counter[int]] = [Counter() for _ in classes.labels]
        negative = [Counter(found) for found in absent]
        for place, lesson in zip(sentences, lessons):
            numbers = table.numbers[place]
            for number, start, end in lesson.right:
                positive[number][int(numbers[start, end - 1])] += 1
            wrong[place] = (wrong[place] | lesson.wrong) - set(lesson.right)
            for number, start, end in wrong[place]:
                negative[number][int(numbers[start, end - 1])] += 1
        machines = _train_all(table, positive, negative, C, n_jobs, f"learning, round {turn + 2}")
        values = log_probabilities(machines, table)
    return machines


def _train_all(
    table: Table,
    positive: list[Counter[int]],
    negative: list[Counter[int]],
    C: float,
    n_jobs: int | None,
    label: str,
) -> list[Machine]:
    """A machine for every class."""
    table.compute({number for found in (*positive, *negative) for number in found})

    def one(number: int) -> Machine:
        good, bad = positive[number], negative[number]
        numbers = np.array([*good, *bad], dtype=np.int64)
        signs = np.repeat([1.0, -1.0], [len(good), len(bad)])
        weights = np.array([*good.values(), *bad.values()], dtype=float)
        return train(table.rows(numbers)[:, numbers], numbers, signs, weights, C)

    return list(run(one, [(number,) for number in range(len(positive))], n_jobs, label))


class _Teacher:
    """Parses training sentences, freely and to their known meanings."""

    def __init__(
        self,
        grammar: Grammar,
        classes: Classes,
        table: Table,
        mentions: Sequence[list[Mention]],
        derivations: Sequence[Derivation],
        beam: int,
        threshold: float,
    ):
        self.classes, self.table, self.mentions, self.beam, self.threshold = classes, table, mentions, beam, threshold
        self.builder, self.rules = classes.rules()
        self.root = self.builder.symbols[grammar.start]
        self.meanings = [derivation.meaning() for derivation in derivations]
        self.forced = [classes.forced(derivation) for derivation in derivations]

    def lesson(self, place: int, values: np.ndarray, first: np.ndarray | None) -> Lesson:
        """What a sentence teaches under the machines' log probabilities.

        The correct derivation is sought with the help of the ``first`` machines, whose opinion of the words no negative
        example has changed: without it, "the" may come to mean what a word nearby means.
        """
        scores = spread(values, self.table.numbers[place])
        guide = scores if first is None else scores + np.maximum(spread(first, self.table.numbers[place]), FLOOR)
        builder = self.forced[place][0]
        correct = best_correct(self.forced[place], guide, self.mentions[place], SPARED)
        if not correct:
            return Lesson([], set())
        right = self.classes.nodes(builder, correct[0])
        spared = set(right)
        for other in correct[1:]:
            if other.value > correct[0].value - NEARLY:
                spared |= set(self.classes.nodes(builder, other))
        worth = sum(max(float(scores[node]), FLOOR) for node in right) + _names(correct[0])
        mentions = self.mentions[place]
        names = [(self.builder.symbols[m.left], m.start, m.end, m.value) for m in mentions]
        scores = above(scores, self.threshold)
        for least in LEAST:
            chart = search(self.rules, scores, names, self.root, self.beam, least=max(least, worth))
            if least <= worth or chart.roots[1] - chart.roots[0] == self.beam:
                break
        wrong: set[Span] = set()
        for entry in range(*chart.roots):
            node = unfold(chart, entry)
            if as_derivation(self.builder, mentions, node).meaning() != self.meanings[place]:
                wrong |= set(self.classes.nodes(self.builder, node))
        return Lesson(right, wrong - spared)


def spread(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Log probabilities as (class, start, end), from those of the distinct substrings.

    >>> spread(np.array([[-1.0, -2.0]]), np.array([[0, 1], [-1, 0]])).tolist()
    [[[-inf, -1.0, -2.0], [-inf, -inf, -1.0]]]
    """
    words = len(numbers)
    scores = np.full((len(values), words, words + 1), -np.inf)
    starts, ends = np.nonzero(numbers >= 0)
    scores[:, starts, ends + 1] = values[:, numbers[starts, ends]]
    return scores


def above(scores: np.ndarray, threshold: float) -> np.ndarray:
    """The scores without those whose probability is below the threshold."""
    least = np.log(threshold) if threshold > 0 else -np.inf
    return np.where(scores < least, -np.inf, scores)


def best_correct(
    forced: tuple[Builder, Rules, list[tuple[int, Derivation]]], scores: np.ndarray, found: list[Mention], beam: int = 1
) -> list[Node]:
    """The most probable derivations of a given meaning, whatever the machines think of its nodes."""
    builder, rules, wanted = forced
    words = scores.shape[1]
    learned = {leaf[0] for leaf in builder.leaves}
    times = Counter((node.production, node.value) for _, node in wanted)
    names = []
    for symbol, node in wanted:
        matching = [(symbol, m.start, m.end, m.value) for m in found if says(m, node)]
        said = sum(end == start + 1 for _, start, end, _ in matching)
        again = node.value is not None and said < times[node.production, node.value]  # "him" may be "player 5" again
        if (again or not matching) and symbol not in learned:  # it is called something else here: any words may be it
            matching += [(symbol, start, end, FLOOR) for start in range(words) for end in range(start + 1, words + 1)]
        names += matching
    floored = np.where(np.isneginf(scores), -np.inf, np.maximum(scores, 2 * FLOOR))
    chart = search(rules, floored, names, 0, beam)
    return [unfold(chart, entry) for entry in range(*chart.roots)]


def _names(node: Node) -> float:
    """The log probability of the names in a derivation."""
    return (node.value if node.kind == NAME else 0.0) + sum(map(_names, node.children))


def as_derivation(builder: Builder, found: list[Mention], node: Node) -> Derivation:
    """The derivation of the meaning grammar that a found one stands for."""
    if node.kind == NAME:
        mention = found[node.number]
        return Derivation(mention.production, (), None if mention.production.kind == "name" else mention.text)
    if node.kind == LEAF:
        production = builder.leaves[node.number][2]
        assert production is not None
        return Derivation(replace(production, value=None), (), production.value)
    _, _, _, production, leaf = builder.rules[node.number]
    children = node.children[1:] if leaf else node.children
    return Derivation(production, tuple(as_derivation(builder, found, child) for child in children))
