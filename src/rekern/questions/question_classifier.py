"""`QuestionClassifier`: what kind of answer a question wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from rekern.core.model_archive import ModelContent, OpenArchive, save_model
from rekern.core.registry import register
from rekern.errors import InputError
from rekern.questions import baseline_machines as machines
from rekern.questions import strict_patterns as strict
from rekern.questions import type_weights as markov
from rekern.questions.explanation import QuestionExplanation
from rekern.questions.pattern_evidence import Evidence, NGrams, Part, joined
from rekern.questions.pattern_model import Answerer
from rekern.questions.question_units import Tagger, Units, cut, named_tagger
from rekern.questions.regular_expressions import Expressions, read_expressions
from rekern.questions.soft_patterns import SoftPatterns

METHODS = ("mss", "msb", "mb", "sb", "svm")


@register
class QuestionClassifier(ClassifierMixin, BaseEstimator):
    """Classifies questions, by default by strict and soft patterns in a fuzzy Markov logic network.

    ``method`` is ``mss`` (strict and soft patterns), ``msb`` (strict patterns and n-grams of content words), ``mb``
    (bigrams), ``sb`` (a support vector machine on bigrams), or ``svm`` with a ``kernel`` of this package.

    Strict patterns have ``shortest`` to ``longest`` words, the ``top`` most informative are kept; ``keywords`` is how
    many content words they may hold besides function words, and ``shapes`` adds patterns over the spelling of words.
    ``expressions`` are regular expressions of your own, a list or the name of a file. Soft patterns and n-grams are
    over n-grams of ``orders`` content words, ``stems`` or not, with ``idf`` or not; ``near`` is the cosine that joins a
    question to a cluster, ``floor`` the cosine from which on it matches one.

    A pattern has a formula for each type that has at least the ``share`` of its questions. ``penalty`` is the price of
    a weight, ``start`` the weight at which learning starts; ``worlds`` and ``prior`` as in
    `rekern.questions.type_weights`.
    ``tagger`` decides what a content word is: ``words`` (small lists), ``spacy``, ``jieba`` or a function. ``C`` is of
    the support vector machines; None chooses it by cross-validation.

    >>> questions = ["why is the sky blue", "why do cats purr", "how to bake bread", "how to fix a bike"]
    >>> model = QuestionClassifier(penalty=0.1).fit(questions, ["Reason", "Reason", "Solution", "Solution"])
    >>> model.predict(["why is it dark", "how to sew"]).tolist()
    ['Reason', 'Solution']
    >>> model.predict_proba(["how to sew"]).round(2).tolist()
    [[0.02, 0.98]]
    """

    def __init__(
        self,
        method: str = "mss",
        shortest: int = 1,
        longest: int = 4,
        top: int = 3000,
        min_count: int = 2,
        keywords: int = 1000,
        shapes: bool = True,
        expressions: Any = None,
        orders: Sequence[int] = (1, 2),
        stems: bool = True,
        idf: bool = False,
        near: float = 0.4,
        floor: float = 0.02,
        share: float = 0.3,
        penalty: float = 1.0,
        start: float = 0.3,
        worlds: str = "all",
        prior: bool = True,
        tagger: str | Tagger = "words",
        kernel: Any = None,
        C: float | None = None,
    ):
        self.method = method
        self.shortest = shortest
        self.longest = longest
        self.top = top
        self.min_count = min_count
        self.keywords = keywords
        self.shapes = shapes
        self.expressions = expressions
        self.orders = orders
        self.stems = stems
        self.idf = idf
        self.near = near
        self.floor = floor
        self.share = share
        self.penalty = penalty
        self.start = start
        self.worlds = worlds
        self.prior = prior
        self.tagger = tagger
        self.kernel = kernel
        self.C = C

    _trained: str | None = None  # the method of the last fit

    def fit(self, X: Any, y: Any) -> QuestionClassifier:
        """Learn from questions and their types."""
        self._check_parameters()
        questions = self._questions(X)
        labels = _labels(y, len(questions))
        self.classes_, types = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            only = " ".join(str(self.classes_[0]).split())
            raise InputError(f"all types are {only or 'empty'}; a classifier needs examples of two types or more")
        self._tagger = named_tagger(self.tagger)
        self._trained = None  # until it is done: a fit that fails leaves no half of a model
        if self.method in ("sb", "svm"):
            self._fit_machine(questions, types)
        else:
            self._fit_logic(questions, types)
        self._trained = self.method
        return self

    def _fit_logic(self, questions: list[str], types: np.ndarray) -> None:
        units = [cut(question, self._tagger) for question in questions]
        evidence, confidences = self._evidence(questions, units, types)
        learned = learn_table(
            confidences, types, len(self.classes_), self.share, self.penalty, self.start, self.worlds, self.prior
        )
        kept = np.flatnonzero(learned.table.any(axis=1))  # what has no formula with a weight is dropped
        self.evidence_ = evidence.select(kept)
        self.weights_ = learned.table[kept]
        self.prior_ = learned.prior
        self.distribution_ = learned.distribution[kept]
        self.iterations_ = learned.iterations

    def _evidence(self, questions: list[str], units: list[Units], types: np.ndarray) -> tuple[Evidence, Any]:
        """The patterns of the method, and the confidences of the training questions in them."""
        parts: list[Part] = []
        if self.method == "mb":
            parts = [NGrams.of_questions(units, (2,), "words", min_count=self.min_count)]
        else:
            sizes = (self.shortest, self.longest, self.top, self.min_count)
            keywords = strict.informative_words(units, types, self.keywords)
            parts.append(strict.extract(units, types, *sizes, keywords))
            if self.shapes:
                parts.append(strict.extract(units, types, *sizes, of="shapes"))
            own = _expressions(self.expressions)
            if own is not None:
                parts.append(own)
            if self.method == "msb":
                parts.append(NGrams.of_questions(units, self.orders, "content", self.stems, self.min_count))
        evidence = Evidence(parts)
        confidences = evidence.match(questions, cut, units)
        if self.method == "mss":
            soft = SoftPatterns.cluster(units, self.orders, self.near, self.floor, self.idf, self.stems)
            evidence.parts.append(soft)
            confidences = joined([confidences, soft.match_training(units)], len(questions))
        return evidence, confidences

    def _fit_machine(self, questions: list[Any], types: np.ndarray) -> None:
        self.questions_ = questions
        if self.method == "sb":
            units = [cut(question, self._tagger) for question in questions]
            self.bigrams_ = NGrams.of_questions(units, (2,), "words", min_count=self.min_count)
            vectors = self.bigrams_.match(units)
            gram = (vectors @ vectors.T).toarray()
        else:
            from sklearn.base import clone

            self.kernel_ = clone(self.kernel)
            gram = self.kernel_.gram(questions)
        price = None if self.C is None else float(self.C)
        self.machine_ = machines.train(gram, types, len(self.classes_), self.method == "sb", price)

    def scores(self, X: Any) -> np.ndarray:
        """The scores of the worlds with exactly one type, a row for each question (of a machine: decision values)."""
        self._check_fitted()
        questions = self._questions(X)
        if self.method == "svm":
            if not questions:
                return np.zeros((0, len(self.classes_)))
            return self.machine_.scores(self.kernel_.gram(questions, self.questions_))
        if self.method == "sb":
            left = self.bigrams_.match(cut(question, self._tagger) for question in questions)
            right = self.bigrams_.match(cut(question, self._tagger) for question in self.questions_)
            norms = (np.asarray(left.sum(axis=1)).ravel(), np.asarray(right.sum(axis=1)).ravel())
            return self.machine_.scores(machines.gaussian((left @ right.T).toarray(), self.machine_.width, *norms))
        return self._answerer().scores(questions)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable type of each question."""
        best = self.scores(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each type, given that a question has exactly one; a row for each question."""
        return markov.probabilities(self.scores(X))

    def explain(self, question: str, number: int | None = None) -> QuestionExplanation:
        """The patterns that fired, their confidences, and the weights that they gave to each type.

        >>> asked = ["why is it so", "why not", "how to go", "how to swim"]
        >>> model = QuestionClassifier(penalty=0.1).fit(asked, [1, 1, 2, 2])
        >>> model.explain("why?").patterns[0].pattern
        '.* why .*'
        """
        self._check_fitted()
        if self.method in ("sb", "svm"):
            raise InputError(f"method={self.method!r} has no patterns to show: use 'mss', 'msb' or 'mb'")
        return self._answerer().explain(question, number)

    @property
    def formulas_(self) -> int:
        """How many formulas have a weight, those of the prior included.

        >>> model = QuestionClassifier(penalty=0.1).fit(["why", "how", "why so", "how so"], [1, 2, 1, 2])
        >>> model.formulas_ > 0
        True
        """
        self._check_fitted()
        if self.method in ("sb", "svm"):
            raise AttributeError(f"method={self.method!r} has no formulas")
        return int(np.count_nonzero(self.weights_) + np.count_nonzero(self.prior_))

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `rekern.load_model` reads."""
        save_model(self, path)

    def to_archive(self) -> ModelContent:
        """What the classifier keeps in its file."""
        from rekern.questions.question_files import pack_classifier

        self._check_fitted()
        return pack_classifier(self)

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> QuestionClassifier:
        """The classifier of a file that is being read."""
        from rekern.questions.question_files import unpack_classifier

        return unpack_classifier(archive)

    def _answerer(self) -> Answerer:
        return Answerer(self.classes_, self.evidence_, self.weights_, self.prior_, self._tagger)

    def _questions(self, X: Any) -> list[Any]:
        from rekern.structures.tokens import in_words

        if isinstance(X, str | bytes):
            raise InputError(
                f"a list of questions is needed, got a {type(X).__name__}; for one question write [question]"
            )
        try:
            questions = list(X)
        except TypeError:
            raise InputError(f"a list of questions is needed, got {in_words(X)}") from None
        if self.method == "svm":  # a kernel takes what it takes: texts, trees
            return questions
        for row, question in enumerate(questions):
            if not isinstance(question, str):
                raise InputError(f"row {row}: the question is {in_words(question)}; give a str, an empty one will do")
        return [str(question) for question in questions]

    def _check_fitted(self) -> None:
        if self._trained is None:
            raise NotFittedError("this QuestionClassifier is not trained yet: call fit(questions, types) first")
        if self._trained != self.method:
            raise NotFittedError(f"this model was trained with method={self._trained!r}: call fit again")

    def _check_parameters(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"method={self.method!r}: give one of {', '.join(METHODS)}")
        if self.method == "svm" and not hasattr(self.kernel, "gram"):
            raise InputError("method='svm' needs a kernel, such as kernel=Subsequence()")
        if self.worlds not in markov.WORLDS:
            raise InputError(f"worlds={self.worlds!r}: give 'all' or 'one'")
        for name, least in (("shortest", 1), ("longest", 1), ("top", 0), ("min_count", 1), ("keywords", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise InputError(f"{name}={value!r}: give a whole number of at least {least}")
        if self.shortest > self.longest:
            raise InputError(f"shortest={self.shortest} exceeds longest={self.longest}")
        orders = list(self.orders) if isinstance(self.orders, Iterable) else []
        whole = [isinstance(order, int | np.integer) and not isinstance(order, bool) for order in orders]
        if not orders or not all(whole) or min(orders) < 1:
            raise InputError(f"orders={self.orders!r}: give lengths of n-grams, such as (1, 2)")
        for name, limit in (("near", 1.0), ("floor", 1.0), ("share", 1.0), ("penalty", np.inf), ("start", np.inf)):
            value = getattr(self, name)
            number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else -1.0
            if not 0 <= number <= limit or number == np.inf:
                raise InputError(f"{name}={value!r}: give a number from 0" + (f" to {limit:g}" if limit == 1 else ""))
        if self.C is not None and not (isinstance(self.C, Real) and not isinstance(self.C, bool) and self.C > 0):
            raise InputError(f"C={self.C!r}: give a number above 0, or None to choose it by cross-validation")


class LearnedTable(NamedTuple):
    """Weights as a table, patterns × types, those of the prior, and how the types of each pattern's questions split."""

    table: np.ndarray
    prior: np.ndarray
    distribution: np.ndarray
    iterations: int


def learn_table(
    confidences: Any,
    types: np.ndarray,
    count: int,
    share: float = 0.3,
    penalty: float = 1.0,
    start: float = 0.3,
    worlds: str = "all",
    prior: bool = True,
) -> LearnedTable:
    """Learn a weight for every pattern and type that has at least the ``share`` of the pattern's questions.

    >>> from scipy.sparse import csr_array
    >>> learned = learn_table(csr_array([[1.0, 0.0], [0.0, 0.5]]), np.array([0, 1]), 2, penalty=0.1, worlds="one")
    >>> (learned.table > 0).tolist()
    [[True, False], [False, True]]
    """
    matched = confidences.copy()
    matched.data[:] = 1.0
    counts = matched.T @ np.eye(count)[types]
    totals = counts.sum(axis=1, keepdims=True)
    pattern, kind = np.nonzero((counts > 0) & (counts >= share * totals))
    formulas = markov.Formulas(pattern, kind, confidences.shape[1], count, worlds, bool(prior))
    found = markov.learn(formulas, confidences, types, float(penalty), float(start))
    distribution = counts / np.where(totals > 0, totals, 1.0)
    return LearnedTable(*formulas.tables(found.weights), distribution, found.iterations)


def _labels(y: Any, rows: int) -> np.ndarray:
    """The labels, checked: one for each question, all text or all numbers."""
    try:
        listed = [] if isinstance(y, str) else list(y)
        labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else listed)
    except (TypeError, ValueError):
        raise InputError("types are needed for training, a list of names or numbers, one for each question") from None
    if labels.ndim != 1:
        raise InputError("types are needed for training, a list of names or numbers, one for each question")
    if len(labels) != rows:
        raise InputError(f"there are {rows} questions but {len(labels)} types; give one type for each question")
    if not rows:
        raise InputError("there are no questions to train on; give some of each type")
    for row, label in enumerate(listed):
        if _is_missing(label):
            raise InputError(f"row {row}: the type is missing; drop the row or give it a type")
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    mixed = len({isinstance(label, str) for label in listed}) > 1
    if mixed or labels.ndim != 1 or labels.dtype.kind not in "biufU":
        raise InputError("types must be all text or all numbers; convert them first")
    return labels


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA is neither equal to itself nor not
        return True


def _expressions(given: Any) -> Expressions | None:
    if given is None:
        return None
    if isinstance(given, str | Path):
        made = read_expressions(given)
    elif isinstance(given, Iterable):
        made = Expressions(given)
    else:
        raise InputError(f"expressions={given!r}: give a list of regular expressions, or the name of a file")
    return made if made.expressions else None
