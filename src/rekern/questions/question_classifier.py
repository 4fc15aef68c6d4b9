"""`QuestionClassifier`: what kind of answer a question wants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from rekern.core.arrays import AnyArray, Floats, Ints
from rekern.core.json_values import JsonObject
from rekern.core.messages import name_value, show_value
from rekern.core.model_archive import ModelContent, OpenArchive, save_model
from rekern.core.parameter_tables import check_parameters, state_parameters
from rekern.core.registry import register
from rekern.core.state_schema import Choice, Flag
from rekern.errors import InputError, ModelFileError
from rekern.learning.training_labels import refuse_large_number
from rekern.questions.closed_form_likelihood import WORLDS, learn_pattern_weights
from rekern.questions.pattern_archive import QUESTION_SCHEMA, Arrays
from rekern.questions.pattern_collection import PATTERN_METHODS, PatternCollection, extract_method_patterns
from rekern.questions.pattern_model import PatternModel
from rekern.questions.pattern_settings import PATTERN_SETTINGS, PatternSettings, check_share
from rekern.questions.question_explanation import QuestionExplanation
from rekern.questions.question_units import Tagger, cut
from rekern.questions.taggers import find_tagger

NEEDED = "types are needed for training, a list of names or numbers, one for each question"
DEFAULT_PATTERNS = PatternSettings()


@register
class QuestionClassifier(ClassifierMixin, BaseEstimator):
    """Classifies questions, by default by strict and soft patterns in a fuzzy Markov logic network.

    Parameters
    ----------
    method : str
        ``mss`` (strict and soft patterns), ``msb`` (strict patterns and n-grams of content words) or ``mb`` (bigrams).
    patterns : PatternSettings
        Which patterns are extracted, such as ``PatternSettings(top=5000, keywords=5000)``.
    expressions : list of str or path, optional
        Regular expressions of your own, which join the strict patterns: a list, or a file with one per line.
    share : float
        A pattern has a formula for each type that has at least this share of its questions.
    penalty : float
        The L1 penalty on the weights of formulas. A larger one gives fewer formulas.
    start : float
        The weight at which learning starts.
    worlds : str
        ``all``, or ``one`` for only the worlds in which a question has exactly one type.
    prior : bool
        Whether each type has a weight of its own, which decides if no pattern matches.
    tagger : str or function
        What decides which words are content words: ``words`` (lists of function words), ``spacy``, ``spacy:MODEL``,
        ``jieba``, or a function from a text to pairs of a word and whether it is a function word.

    Examples
    --------
    >>> questions = ["why is the sky blue", "why do cats purr", "how to bake bread", "how to fix a bike"]
    >>> model = QuestionClassifier(penalty=0.1).fit(questions, ["Reason", "Reason", "Solution", "Solution"])
    >>> model.predict(["why is it dark", "how to sew"]).tolist()
    ['Reason', 'Solution']
    >>> model.predict_proba(["how to sew"]).round(2).tolist()
    [[0.02, 0.98]]
    """

    schema = QUESTION_SCHEMA

    model_: PatternModel
    classes_: AnyArray
    distribution_: Floats
    iterations_: int

    parameter_table = state_parameters(
        method=None,
        patterns=None,
        expressions=None,
        share=None,
        penalty=None,
        start=None,
        worlds=Choice(*WORLDS),
        prior=Flag(),
        tagger=None,
    )

    def __init__(
        self,
        method: str = "mss",
        patterns: PatternSettings = DEFAULT_PATTERNS,
        expressions: str | Path | Iterable[str] | None = None,
        share: float = 0.3,
        penalty: float = 1.0,
        start: float = 0.3,
        worlds: str = "all",
        prior: bool = True,
        tagger: str | Tagger = "words",
    ):
        self.method = method
        self.patterns = patterns
        self.expressions = expressions
        self.share = share
        self.penalty = penalty
        self.start = start
        self.worlds = worlds
        self.prior = prior
        self.tagger = tagger

    def set_params(self, **params: object) -> Self:
        """Set parameters by name; ``patterns__top`` is the setting ``top`` of ``patterns``.

        >>> QuestionClassifier().set_params(patterns__top=500, penalty=0.5).patterns.top
        500
        """
        nested: JsonObject = {
            name.removeprefix("patterns__"): value for name, value in params.items() if "patterns__" in name
        }
        super().set_params(**{name: value for name, value in params.items() if "patterns__" not in name})
        if not nested.keys() <= PATTERN_SETTINGS:
            unknown = ", ".join(sorted(nested.keys() - PATTERN_SETTINGS))
            raise InputError(f"patterns has no setting {unknown}: choose among {', '.join(sorted(PATTERN_SETTINGS))}")
        if nested:
            self.patterns = replace(self.patterns, **nested)
        return self

    _trained: str | None = None  # the method of the last fit

    def fit(self, X: Iterable[object], y: Iterable[object]) -> Self:
        """Learn from questions and their types."""
        self.check_parameters()
        questions = self._check_questions(X)
        labels = _check_labels(y, len(questions))
        self.classes_, types = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            only = " ".join(str(self.classes_[0]).split())
            raise InputError(f"all types are {only or 'empty'}; a classifier needs examples of two types or more")
        self._trained = None  # until it is done: a fit that fails leaves no half of a model
        self.model_ = self._fit_patterns(questions, types)
        self._trained = self.method
        return self

    def _fit_patterns(self, questions: list[str], types: Ints) -> PatternModel:
        tagger = find_tagger(self.tagger)
        units = [cut(question, tagger) for question in questions]
        patterns, confidences = extract_method_patterns(
            self.method, self.patterns, self.expressions, questions, units, types
        )
        learned = learn_pattern_weights(
            confidences, types, len(self.classes_), self.share, self.penalty, self.start, self.worlds, self.prior
        )
        kept = np.flatnonzero(learned.table.any(axis=1))  # patterns without a weight are dropped
        self.distribution_ = learned.distribution[kept]
        self.iterations_ = learned.iterations
        return PatternModel(self.classes_, patterns.select(kept), learned.table[kept], learned.prior, tagger)

    def scores(self, X: Iterable[object]) -> Floats:
        """Return the score of each type, one row per question: of a world with exactly one type."""
        self._check_fitted()
        return self.model_.scores(self._check_questions(X))

    def predict(self, X: Iterable[object]) -> AnyArray:
        """Return the most probable type of each question."""
        self._check_fitted()
        return self.model_.predict(self._check_questions(X))

    def predict_proba(self, X: Iterable[object]) -> Floats:
        """Return the probability of each type, given that a question has exactly one; one row per question."""
        self._check_fitted()
        return self.model_.predict_proba(self._check_questions(X))

    def explain(self, question: str, number: int | None = None) -> QuestionExplanation:
        """Return the patterns that matched, and their weights; with ``number`` only the strongest patterns.

        >>> asked = ["why is it so", "why not", "how to go", "how to swim"]
        >>> model = QuestionClassifier(penalty=0.1).fit(asked, [1, 1, 2, 2])
        >>> model.explain("why?").parts[0].name
        '.* why .*'
        """
        self._check_fitted()
        return self.model_.explain(question, number)

    @property
    def evidence_(self) -> PatternCollection:
        """The patterns that have a weight."""
        self._check_fitted()
        return self.model_.patterns

    @property
    def weights_(self) -> Floats:
        """The weights of the patterns, patterns × types."""
        self._check_fitted()
        return self.model_.weights

    @property
    def prior_(self) -> Floats:
        """The weights of the types themselves."""
        self._check_fitted()
        return self.model_.prior

    @property
    def formulas_(self) -> int:
        """The number of formulas that have a weight, including those of the prior.

        >>> model = QuestionClassifier(penalty=0.1).fit(["why", "how", "why so", "how so"], [1, 2, 1, 2])
        >>> model.formulas_ > 0
        True
        """
        self._check_fitted()
        return int(np.count_nonzero(self.model_.weights) + np.count_nonzero(self.model_.prior))

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `rekern.load_model` reads."""
        save_model(self, path)

    def to_archive(self) -> ModelContent:
        """Return what the classifier keeps in its file."""
        self._check_fitted()
        names = ("method", "share", "penalty", "start", "worlds", "prior", "tagger")
        parameters = {**self.patterns.get_params(), **{name: getattr(self, name) for name in names}}
        # Expressions are stored among the patterns.
        parameters |= {"orders": [int(order) for order in self.patterns.orders], "expressions": None}
        parameters["tagger"] = self.tagger or "words"
        if not isinstance(parameters["tagger"], str):
            raise InputError(
                "a model with a tagger of your own cannot be saved; use tagger='words', 'spacy' or 'jieba'"
            )
        arrays: Arrays = {}
        header: JsonObject = {
            "parameters": {name: v.item() if isinstance(v, np.generic) else v for name, v in parameters.items()},
            "classes": self.classes_.tolist(),
            **self.model_.describe(arrays),
        }
        arrays["distribution"] = self.distribution_
        return ModelContent(header, {}, arrays)

    @classmethod
    def from_archive(cls, archive: OpenArchive) -> Self:
        """Read the classifier from an open file."""
        parameters = dict(archive.header["parameters"])
        settings = {name: parameters.pop(name) for name in PATTERN_SETTINGS}
        settings["orders"] = tuple(settings["orders"])
        model = cls(patterns=PatternSettings(**settings), **parameters)
        model.model_ = PatternModel.from_archive(archive)
        model.classes_ = model.model_.classes_
        model.tagger = cast("str | Tagger", archive.context.given.get("tagger", model.tagger))
        model.check_parameters()
        model.distribution_ = archive.read_array("distribution", 2)
        if model.distribution_.shape != model.model_.weights.shape:
            raise ModelFileError("its parts do not fit together")
        model._trained = model.method
        return model

    def _check_questions(self, X: Iterable[object]) -> list[str]:
        if isinstance(X, str | bytes):
            raise InputError(
                f"a list of questions is needed, got a {type(X).__name__}; for one question write [question]"
            )
        try:
            questions = list(X)
        except TypeError:
            raise InputError(f"a list of questions is needed, got {name_value(X)}") from None
        for row, question in enumerate(questions):
            if not isinstance(question, str):
                raise InputError(f"the question is {name_value(question)}; give a str, an empty one will do", row=row)
        return [str(question) for question in questions]

    def _check_fitted(self) -> None:
        if self._trained is None:
            raise NotFittedError("this QuestionClassifier is not trained yet: call fit(questions, types) first")
        if self._trained != self.method:
            raise NotFittedError(f"this model was trained with method={self._trained!r}: call fit again")

    def check_parameters(self) -> None:
        """Raise an `InputError` if a parameter is impossible.

        >>> QuestionClassifier(penalty=-1.0).check_parameters()
        Traceback (most recent call last):
        ...
        rekern.errors.InputError: penalty=-1.0: give a number from 0
        """
        check_parameters(self)
        if not isinstance(self.method, str) or self.method not in PATTERN_METHODS:
            raise InputError(f"method={show_value(self.method)}: give one of {', '.join(PATTERN_METHODS)}")
        if not isinstance(self.patterns, PatternSettings):
            raise InputError(f"patterns={show_value(self.patterns)}: give PatternSettings(…)")
        self.patterns.check()
        check_share("share", self.share)
        check_share("penalty", self.penalty, np.inf)
        check_share("start", self.start, np.inf)


def _check_labels(y: Iterable[object], n_questions: int) -> AnyArray:
    """Return the types as an array, after checking them: one for each question, all text or all numbers.

    >>> _check_labels(["Fact", "List"], 2).tolist()
    ['Fact', 'List']
    """
    try:
        listed = [] if isinstance(y, str) else list(y)
        labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else listed)
    except (TypeError, ValueError):
        raise InputError(NEEDED) from None
    if labels.ndim != 1:
        raise InputError(NEEDED)
    if len(labels) != n_questions:
        raise InputError(f"there are {n_questions} questions but {len(labels)} types; give one type for each question")
    if not n_questions:
        raise InputError("there are no questions to train on; give some of each type")
    for row, label in enumerate(listed):
        if _is_missing(label):
            raise InputError("the type is missing; drop the row or give it a type", row=row)
        refuse_large_number(label, row, "type")
    if labels.dtype == object:
        labels = np.array(labels.tolist())
    mixed = len({isinstance(label, str) for label in listed}) > 1
    if mixed or labels.ndim != 1 or labels.dtype.kind not in "biufU":
        raise InputError("types must be all text or all numbers; convert them first")
    return labels


def _is_missing(label: object) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA is neither equal to itself nor not
        return True
