"""KRISP's learner (Kate and Mooney, 2006): it trains classifiers and parses the training sentences with them, in turn.

The first classifiers see whole sentences: a class is in the meaning of a sentence or not. After that, the most probable
correct derivation of every sentence gives the positive substrings of each class. Incorrect derivations that are more
probable give the negative ones: the nodes that the correct derivation lacks. Negative substrings are kept from round to
round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.parallel_jobs import run
from rekern.krisp.derivation_chart import (
    ChartNode,
    NameSpan,
    drop_improbable,
    list_derivations,
    search_derivations,
)
from rekern.krisp.derivation_chart_core import NAME
from rekern.krisp.grammar import Grammar
from rekern.krisp.mentions import Mention
from rekern.krisp.name_learning import is_mention_of
from rekern.krisp.parsing_rules import ClassSpan, DerivationRules, ParserClasses
from rekern.krisp.productions import Derivation
from rekern.krisp.substring_gram import GramPart, SingleFloats, SubstringGram
from rekern.learning.calibration import fit_sigmoid
from rekern.learning.dual_descent import classify_dense_gram

Float = TypeVar("Float", np.float32, np.float64)

TOLERANCE = 0.01  # between the primal and the dual objective of a machine, as a share of the former
SWEEPS = 200
SURE = 4.0  # the intercept of a classifier that has only seen examples of one side
LEAST_SLOPE = 1e-3
EXACT = 1e-9  # the tolerance of the sigmoid; with a coarse one, probabilities of products of many nodes differ visibly


class ProductionClassifier(NamedTuple):
    """A trained classifier: the coefficients of substrings (by their numbers) and the intercept of its values.

    The probability of a value is 1 / (1 + exp(-(slope · value + offset))).
    """

    numbers: Ints
    coefficients: Floats
    intercept: float
    slope: float
    offset: float


def train_classifier(
    gram: SingleFloats, numbers: Ints, signs: Floats, weights: Floats, C: float
) -> ProductionClassifier:
    """Train a support vector machine with a probability (Platt, 1999) from the Gram of its examples.

    The positive examples together weigh at least as much as the negative ones, so that a rare production is not
    improbable everywhere.

    >>> examples = np.eye(2, dtype=np.float32), np.array([7, 8]), np.array([1.0, -1.0]), np.ones(2)
    >>> classifier = train_classifier(*examples, C=10.0)
    >>> classifier.numbers.tolist(), classifier.coefficients.round(2).tolist()
    ([7, 8], [1.0, -1.0])
    """
    if len(signs) == 0 or (signs == signs[0]).all():  # nothing to tell apart: always expressed, or never
        intercept = SURE * float(signs[0]) if len(signs) else -SURE
        return ProductionClassifier(numbers[:0], np.zeros(0), intercept, 1.0, 0.0)
    positive, negative = weights[signs > 0].sum(), weights[signs < 0].sum()
    weights = weights * np.where(signs > 0, max(1.0, negative / positive), 1.0)
    coefficients, values = classify_dense_gram(np.ascontiguousarray(gram), signs, C * weights, TOLERANCE, SWEEPS)
    sigmoid = fit_sigmoid(values, signs, weights, smooth=True, tolerance=EXACT)
    used = coefficients != 0
    slope = max(sigmoid.slope, LEAST_SLOPE)
    intercept = float(coefficients.sum())
    return ProductionClassifier(numbers[used], coefficients[used], intercept, slope, sigmoid.offset)


def compute_log_probabilities(classifiers: Sequence[ProductionClassifier], gram: SubstringGram | GramPart) -> Floats:
    """The log probability of every distinct substring under every classifier, (classifiers, substrings)."""
    numbers, coefficients = join_coefficients(classifiers, np.float32)
    found = gram.combine_rows(coefficients, numbers).astype(np.float64)
    for values, classifier in zip(found, classifiers):
        values += classifier.intercept
        values[:] = -np.logaddexp(0.0, -(classifier.slope * values + classifier.offset))
    return found


def join_coefficients(
    classifiers: Sequence[ProductionClassifier], kind: type[Float]
) -> tuple[Ints, npt.NDArray[Float]]:
    """The numbers of the substrings that classifiers use, and their coefficients, a row for each classifier."""
    numbers = np.unique(np.concatenate([np.zeros(0, np.int64), *(classifier.numbers for classifier in classifiers)]))
    coefficients = np.zeros((len(classifiers), len(numbers)), kind)
    for row, classifier in zip(coefficients, classifiers):  # a substring may be a positive and a negative example
        np.add.at(row, np.searchsorted(numbers, classifier.numbers), classifier.coefficients)
    return numbers, coefficients


FLOOR = float(np.log(1e-4))  # the score in a correct derivation of a node that its classifier finds impossible
SPARED = 10  # best correct derivations whose nodes are no negative examples …
NEARLY = 2.0  # … if their log probability is at most this much below that of the best


@dataclass(frozen=True)
class LearnerSettings:
    """The parameters of a `rekern.krisp.SemanticParser` that its learner needs."""

    beam: int
    threshold: float
    rounds: int
    C: float
    n_jobs: int | None


class TrainingSet(NamedTuple):
    """The training sentences: their kernel values, what they mention, and their derivations."""

    gram: SubstringGram | GramPart
    mentions: Sequence[list[Mention]]
    derivations: Sequence[Derivation]


class _Lesson(NamedTuple):
    """What one sentence gives in a round: the nodes of the correct derivation, and wrong nodes."""

    right: list[ClassSpan]
    wrong: set[ClassSpan]


class Lessons(NamedTuple):
    """What was learned: the classifiers, and the log probabilities of the distinct substrings under each of them."""

    classifiers: list[ProductionClassifier]
    values: Floats


def learn_classifiers(
    grammar: Grammar, classes: ParserClasses, training: TrainingSet, settings: LearnerSettings
) -> Lessons:
    """Train a classifier for every class."""
    gram, derivations, n_jobs = training.gram, training.derivations, settings.n_jobs
    sentences = range(len(derivations))
    absent: list[Counter[int]] = [Counter() for _ in classes.labels]
    present: list[Counter[int]] = [Counter() for _ in classes.labels]
    for place in sentences:
        whole, found = int(gram.numbers[place][0, -1]), classes.find_classes(derivations[place])
        for label in range(len(classes.labels)):
            (present if label in found else absent)[label][whole] += 1
    classifiers = _train_all(gram, present, absent, settings, "learning, round 1")
    first = values = compute_log_probabilities(classifiers, gram)
    teacher = _Teacher(grammar, classes, training, settings)
    wrong: list[set[ClassSpan]] = [set() for _ in sentences]
    for turn in range(settings.rounds):
        calls = [(place, values, first if turn else None) for place in sentences]
        lessons: list[_Lesson] = list(run(teacher.teach, calls, n_jobs, f"parsing, round {turn + 2}"))
        positive: list[Counter[int]] = [Counter() for _ in classes.labels]
        negative = [Counter(found) for found in absent]
        for place, lesson in zip(sentences, lessons):
            numbers = gram.numbers[place]
            for label, start, end in lesson.right:
                positive[label][int(numbers[start, end - 1])] += 1
            wrong[place] = (wrong[place] | lesson.wrong) - set(lesson.right)
            for label, start, end in wrong[place]:
                negative[label][int(numbers[start, end - 1])] += 1
        classifiers = _train_all(gram, positive, negative, settings, f"learning, round {turn + 2}")
        values = compute_log_probabilities(classifiers, gram)
    return Lessons(classifiers, values)


def _train_all(
    gram: SubstringGram | GramPart,
    positive: list[Counter[int]],
    negative: list[Counter[int]],
    settings: LearnerSettings,
    label: str,
) -> list[ProductionClassifier]:
    """Train a classifier for every class."""
    gram.compute({number for found in (*positive, *negative) for number in found})

    def train_one(place: int) -> ProductionClassifier:
        good, bad = positive[place], negative[place]
        numbers = np.array([*good, *bad], dtype=np.int64)
        signs = np.repeat([1.0, -1.0], [len(good), len(bad)])
        weights = np.array([*good.values(), *bad.values()], dtype=float)
        return train_classifier(gram.square(numbers), numbers, signs, weights, settings.C)

    return list(run(train_one, [(place,) for place in range(len(positive))], settings.n_jobs, label))


class _Teacher:
    """Parses training sentences, freely and to their known meanings."""

    def __init__(self, grammar: Grammar, classes: ParserClasses, training: TrainingSet, settings: LearnerSettings):
        self._numbers, self._mentions, self._settings = training.gram.numbers, training.mentions, settings
        self._rules = classes.build_rules()
        self._root = self._rules.builder.symbols[grammar.start]
        self._meanings = [derivation.meaning() for derivation in training.derivations]
        self._known = [classes.build_derivation_rules(derivation) for derivation in training.derivations]

    def teach(self, place: int, values: Floats, first: Floats | None) -> _Lesson:
        """What a sentence gives under the log probabilities of the classifiers.

        The correct derivation is chosen with the help of the ``first`` classifiers, which no negative example has
        changed. Without them, "the" may come to mean what a word nearby means.
        """
        numbers, mentions, known = self._numbers[place], self._mentions[place], self._known[place]
        scores = spread_values(values, numbers)
        guide = scores if first is None else scores + np.maximum(spread_values(first, numbers), FLOOR)
        correct = find_correct_derivations(known, guide, mentions, SPARED)
        if not correct:
            return _Lesson([], set())
        right = known.builder.list_class_spans(correct[0])
        spared = set(right)
        for other in correct[1:]:
            if other.value > correct[0].value - NEARLY:
                spared |= set(known.builder.list_class_spans(other))
        worth = sum(max(float(scores[span]), FLOOR) for span in right) + _sum_names(correct[0])
        builder, rules = self._rules
        names = [NameSpan(builder.symbols[m.left], m.start, m.end, m.log_probability) for m in mentions]
        scores = drop_improbable(scores, self._settings.threshold)
        beam = self._settings.beam
        chart = search_derivations(rules, scores, names, self._root, beam, least=worth)
        wrong: set[ClassSpan] = set()
        derived: dict[int, Derivation | None] = {}
        nodes = list_derivations(chart)  # all of them at once: ``derived`` knows nodes by their ids
        for node in nodes:
            found = builder.to_derivation(mentions, node, derived)
            if found is None or found.meaning() != self._meanings[place]:
                wrong |= set(builder.list_class_spans(node))
        return _Lesson(right, wrong - spared)


def spread_values(values: Floats, numbers: SmallInts) -> Floats:
    """Spread the values of distinct substrings over a sentence: (class, start, end).

    >>> spread_values(np.array([[-1.0, -2.0]]), np.array([[0, 1], [-1, 0]], np.int32)).tolist()
    [[[-inf, -1.0, -2.0], [-inf, -inf, -1.0]]]
    """
    words = len(numbers)
    scores = np.full((len(values), words, words + 1), -np.inf)
    starts, ends = np.nonzero(numbers >= 0)
    scores[:, starts, ends + 1] = values[:, numbers[starts, ends]]
    return scores


def find_correct_derivations(
    known: DerivationRules, scores: Floats, mentions: Sequence[Mention], beam: int = 1
) -> list[ChartNode]:
    """The most probable ways to divide the words among the nodes of a known derivation.

    No node is impossible, whatever its classifier says.
    """
    words = scores.shape[1]
    learned = {leaf.symbol for leaf in known.builder.leaves}
    times = Counter((node.production, node.value) for _, node in known.names)
    names: list[NameSpan] = []
    for symbol, node in known.names:
        matching = [NameSpan(symbol, m.start, m.end, m.log_probability) for m in mentions if is_mention_of(m, node)]
        said = sum(name.end == name.start + 1 for name in matching)
        again = node.value is not None and said < times[node.production, node.value]  # "him" may be "player 5" again
        if (again or not matching) and symbol not in learned:  # it has another name here: any words may be it
            spans = ((start, end) for start in range(words) for end in range(start + 1, words + 1))
            matching += [NameSpan(symbol, start, end, FLOOR) for start, end in spans]
        names += matching
    floored = np.where(np.isneginf(scores), -np.inf, np.maximum(scores, 2 * FLOOR))
    return list_derivations(search_derivations(known.arrays, floored, names, 0, beam))


def _sum_names(node: ChartNode) -> float:
    """The log probability of the names in a derivation."""
    return (node.value if node.kind == NAME else 0.0) + sum(map(_sum_names, node.children))
