"""Intervals of parsers: what a curve tells of every question, and the resamples of these questions."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.parser_learning_curves import Prediction, compute_curve, measure_predictions
from experiments.result_table import list_outcomes, resample_curve
from rekern.learning.reports.intervals import resample_intervals

OUTCOMES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["right", "wrong", None])), min_size=2, max_size=60)
CORPUS = SimpleNamespace(is_correct=lambda number, meaning: meaning == "right")


def make_curve(outcomes):
    return compute_curve(CORPUS, [Prediction(n, meaning, score) for n, (score, meaning) in enumerate(outcomes)])


def find_best_f(outcomes):
    """Try every threshold, by the definitions of precision and recall."""
    best = 0.0
    for threshold in range(10):
        answers = [meaning for score, meaning in outcomes if meaning is not None and score >= threshold]
        right = answers.count("right")
        if right:
            precision, recall = right / len(answers), right / len(outcomes)
            best = max(best, 2 * precision * recall / (precision + recall))
    return 100 * best


@given(OUTCOMES)
def test_resamples_of_a_curve_are_resamples_of_its_questions(outcomes):
    outcomes.sort(key=lambda found: (found[1] is None, -found[0], found[1] == "right"))

    def measure(rows):
        drawn = [outcomes[row] for row in rows]
        return {"f": find_best_f(drawn), "accuracy": 100 * np.mean([meaning == "right" for _, meaning in drawn])}

    expected = resample_intervals(measure, len(outcomes))
    found = resample_curve(make_curve(outcomes), len(outcomes))
    assert {name: pytest.approx(ends) for name, ends in expected.items()} == found


@given(OUTCOMES, st.integers(1, 40))
def test_rounded_points_tell_all_counts(outcomes, times):
    outcomes = outcomes * times  # up to 2,400 questions
    steps, right = list_outcomes(make_curve(outcomes), len(outcomes))
    counts = [sum(meaning == wanted for _, meaning in outcomes) for wanted in ("right", "wrong")]
    assert right.sum() == counts[0]
    assert not counts[0] or np.count_nonzero(steps) == sum(counts)


def test_the_interval_is_around_the_figure():
    outcomes = [(9, "right")] * 50 + [(5, "wrong")] * 10 + [(4, "right")] * 30 + [(1, "wrong")] * 5 + [(0, None)] * 5
    corpus = SimpleNamespace(is_correct=CORPUS.is_correct, meanings=dict.fromkeys(range(100), "right"))
    measured = measure_predictions(corpus, [Prediction(n, meaning, s) for n, (s, meaning) in enumerate(outcomes)])
    for name, (low, high) in resample_curve(make_curve(outcomes), 100).items():
        assert low < measured[name] < high
