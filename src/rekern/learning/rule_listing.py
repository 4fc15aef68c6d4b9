"""The rules and scores of a model, for each of its outputs, as ``rekern rules --json`` prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.kernels.rewriting.strong_rules import WeightedRule
from rekern.learning.model_rules import ModelRules
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_input import join_side
from rekern.learning.predicted_columns import PairPredictor


def list_rules(model: PairPredictor, n: int, label: str | None = None) -> dict[object, ModelRules]:
    """Return the ``n`` strongest rules for and against each label, or for and against one label.

    Of two labels the second stands for both. None stands for the only output of a regressor or ranker.

    >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
    >>> found = list_rules(PairClassifier(calibration=0).fit(pairs, ["yes", "no"]), 3)
    >>> list(found), len(found["yes"].favoring)
    (['yes'], 3)
    """
    return {name: model.rules(n, name) for name in _list_outputs(model, label)}


def _list_outputs(model: PairPredictor, label: str | None) -> list[object]:
    if not isinstance(model, PairClassifier):
        if label is not None:
            raise InputError("a label is for classifiers; this model predicts numbers")
        return [None]
    names: list[object] = model.classes_.tolist()
    if label is not None:
        return [model.find_label(label)]
    return names[1:] if len(names) == 2 else names


def describe_rules(model: PairPredictor, found: Mapping[object, ModelRules]) -> JsonObject:
    """Return the rules and scores of `list_rules` as plain values for JSON.

    >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
    >>> model = PairClassifier(calibration=0).fit(pairs, ["yes", "no"])
    >>> [list(output) for output in describe_rules(model, list_rules(model, 3))["outputs"]]
    [['label', 'for', 'against', 'scores']]
    """
    return {
        "outputs": [
            {
                "label": name,
                "for": _describe_side(model, both.favoring),
                "against": _describe_side(model, both.opposing),
                "scores": both.to_dict()["scores"],
            }
            for name, both in found.items()
        ]
    }


def _describe_side(model: PairPredictor, rows: Sequence[WeightedRule]) -> list[JsonObject]:
    return [
        {
            "rule": rule.rule,
            "weight": rule.weight,
            "support": rule.support,
            "example": {"source": rule.source, "target": rule.target},
            "pair": dict(zip(("source", "target"), find_pair_texts(model, rule.pair))) if model.has_pairs() else None,
        }
        for rule in rows
    ]


def find_pair_texts(model: PairPredictor, number: int) -> tuple[str, str]:
    """Return the texts of a training pair.

    >>> pairs = [("A beat B", "B was beaten by A"), ("C saw D", "C was seen by D")]
    >>> find_pair_texts(PairClassifier(calibration=0).fit(pairs, ["yes", "no"]), 1)
    ('C saw D', 'C was seen by D')
    """
    source, target = model.pairs_[number]
    return join_side(source), join_side(target)
