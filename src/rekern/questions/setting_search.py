"""Settings of a classifier, chosen by cross-validation on training questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.base import clone

from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.learning.cross_validation import make_class_folds
from rekern.questions.closed_form_likelihood import learn_pattern_weights
from rekern.questions.pattern_collection import extract_method_patterns
from rekern.questions.question_classifier import QuestionClassifier
from rekern.questions.question_units import cut
from rekern.questions.taggers import find_tagger

LEARNING = ("share", "penalty", "start", "worlds", "prior")  # parameters that change no pattern

Setting = Mapping[str, object]  # values of parameters in LEARNING


def cross_validate_settings(
    model: QuestionClassifier,
    questions: Sequence[str],
    types: Sequence[object],
    settings: Sequence[Setting],
    folds: int = 5,
    rounds: int | None = None,
) -> list[float]:
    """Measure the accuracy of each setting, in per cent, on held-out questions.

    A setting has values for parameters of learning, not of patterns, so that the patterns of a fold are extracted once
    for all settings. ``rounds`` is the number of folds that are used; all by default.

    >>> asked = ["why is it", "why not", "why me", "how to go", "how to be", "how to do"] * 2
    >>> cross_validate_settings(QuestionClassifier(), asked, [1, 1, 1, 2, 2, 2] * 2, [{"penalty": 0.1}], folds=2)
    [100.0]
    """
    unknown = {name for setting in settings for name in setting} - set(LEARNING)
    if unknown:
        raise InputError(f"settings may vary {', '.join(sorted(LEARNING))}, not {', '.join(sorted(unknown))}")
    model.check_parameters()
    kinds, numbers = np.unique(np.asarray(types), return_inverse=True)
    asked = list(questions)
    tagger = find_tagger(model.tagger)
    units = [cut(question, tagger) for question in asked]
    right, n_tested = np.zeros(len(settings)), 0
    for train, test in make_class_folds(numbers, folds)[:rounds]:
        patterns, confidences = extract_method_patterns(
            model.method,
            model.patterns,
            model.expressions,
            [asked[row] for row in train],
            [units[row] for row in train],
            numbers[train],
        )
        held_out = patterns.match([asked[row] for row in test], cut, [units[row] for row in test])
        for place, setting in enumerate(settings):
            options: JsonObject = {name: setting.get(name, getattr(model, name)) for name in LEARNING}
            learned = learn_pattern_weights(confidences, numbers[train], len(kinds), **options)
            found = (held_out @ learned.table + learned.prior).argmax(axis=1)
            right[place] += np.sum(found == numbers[test])
        n_tested += len(test)
    accuracies: list[float] = (100 * right / n_tested).tolist()
    return accuracies


def choose_setting(
    model: QuestionClassifier,
    questions: Sequence[str],
    types: Sequence[object],
    settings: Sequence[Setting],
    folds: int = 5,
    rounds: int | None = None,
) -> tuple[QuestionClassifier, float]:
    """Return the model with the best of the settings, not trained yet, and the accuracy of that setting.

    >>> asked = ["why is it", "why not", "why me", "how to go", "how to be", "how to do"] * 2
    >>> settings = [{"penalty": 0.1}, {"penalty": 100.0}]
    >>> choose_setting(QuestionClassifier(), asked, [1, 1, 1, 2, 2, 2] * 2, settings, folds=2)[0].penalty
    0.1
    """
    accuracies = cross_validate_settings(model, questions, types, settings, folds, rounds)
    best = int(np.argmax(accuracies))
    return clone(model).set_params(**settings[best]), accuracies[best]
