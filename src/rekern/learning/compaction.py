"""Compact models: fewer rules with rounded weights, and how far that moves the decisions about the training pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.kernels.decision_functions import DecisionFunction
from rekern.kernels.rewriting.compact_rules import compact_decision
from rekern.kernels.rewriting.rule_decision import RuleDecision


class Compaction(NamedTuple):
    """How many rules with wildcards a compact model has, and the largest change of a decision value in training.

    >>> Compaction(7, 0.25).to_dict()
    {'rules': 7, 'largest_change': 0.25}
    """

    rules: int
    largest_change: float

    def to_dict(self) -> JsonObject:
        """Plain values for JSON."""
        return dict(self._asdict())


def compact_scorer(
    scorer: DecisionFunction, read_training: Callable[[], object]
) -> tuple[DecisionFunction, Compaction]:
    """Return the compact form of a decision function, and what it costs."""
    compact, rules = compact_decision(scorer)
    if not any(isinstance(term, RuleDecision) for term in compact.terms()):
        raise InputError("the model has no re-writing rules, so it cannot be made smaller: leave out --compact")
    training = read_training()
    changes = np.abs(compact.score(training) - scorer.score(training))
    return compact, Compaction(rules, float(changes.max(initial=0.0)))
