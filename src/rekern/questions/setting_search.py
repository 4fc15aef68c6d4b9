"""Settings of a classifier chosen by cross-validation on training questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from rekern.learning.cross_validation import make_class_folds
from rekern.questions.question_classifier import QuestionClassifier, learn_table
from rekern.questions.question_units import cut, named_tagger

LEARNING = {"share", "penalty", "start", "worlds", "prior"}  # what a setting may vary without new patterns


def cross_validate(
    model: QuestionClassifier,
    questions: Sequence[str],
    types: Sequence[Any],
    settings: Sequence[Mapping[str, Any]],
    folds: int = 5,
    rounds: int | None = None,
) -> list[float]:
    """The accuracy in per cent of each setting (of learning, not of patterns) on questions that are held out.

    The patterns of a fold are found once for all settings. ``rounds`` stops after so many of the folds.

    >>> asked = ["why is it", "why not", "why me", "how to go", "how to be", "how to do"] * 2
    >>> cross_validate(QuestionClassifier(), asked, [1, 1, 1, 2, 2, 2] * 2, [{"penalty": 0.1}], folds=2)
    [100.0]
    """
    unknown = {name for setting in settings for name in setting} - LEARNING
    if unknown:
        raise ValueError(f"settings may vary {', '.join(sorted(LEARNING))}, not {', '.join(sorted(unknown))}")
    kinds, numbers = np.unique(np.asarray(types), return_inverse=True)
    listed = np.array(list(questions), dtype=object)
    tagger = named_tagger(model.tagger)
    units = [cut(question, tagger) for question in listed]
    right, asked = np.zeros(len(settings)), 0
    for train, test in make_class_folds(numbers, folds)[:rounds]:
        part = clone(model)
        part._check_parameters()
        evidence, confidences = part._evidence(list(listed[train]), [units[row] for row in train], numbers[train])
        held_out = evidence.match(list(listed[test]), cut, [units[row] for row in test])
        for place, setting in enumerate(settings):
            options = {name: setting.get(name, getattr(part, name)) for name in LEARNING}
            learned = learn_table(confidences, numbers[train], len(kinds), **options)
            found = (held_out @ learned.table + learned.prior).argmax(axis=1)
            right[place] += np.sum(found == numbers[test])
        asked += len(test)
    return (100 * right / asked).tolist()


def choose(
    model: QuestionClassifier,
    questions: Sequence[str],
    types: Sequence[Any],
    settings: Sequence[Mapping[str, Any]],
    folds: int = 5,
    rounds: int | None = None,
) -> tuple[QuestionClassifier, float]:
    """The model with the best of the settings, not yet trained, and the accuracy that chose it.

    >>> asked = ["why is it", "why not", "why me", "how to go", "how to be", "how to do"] * 2
    >>> settings = [{"penalty": 0.1}, {"penalty": 100.0}]
    >>> choose(QuestionClassifier(), asked, [1, 1, 1, 2, 2, 2] * 2, settings, folds=2)[0].penalty
    0.1
    """
    accuracies = cross_validate(model, questions, types, settings, folds, rounds)
    best = int(np.argmax(accuracies))
    return clone(model).set_params(**settings[best]), accuracies[best]
