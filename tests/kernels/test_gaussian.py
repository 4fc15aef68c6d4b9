"""The Gaussian kernel over scores: its width, and what each score adds to a decision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import rewritings
from rekern import PairClassifier, load_model
from rekern.kernels import Gaussian, Rewriting, Spectrum
from rekern.kernels.score_kernel import ScoreKernel
from rekern.similarity import PrecisionRecall, Similarities

PAIRS, CLASSES = rewritings(60, 0)
LABELS = [int(label == 1) for label in CLASSES]


class Given(ScoreKernel):
    """Scores that are the items themselves."""

    def names(self):
        return ["one", "two", "three"]

    def scores(self, X):
        return np.array(X, float).reshape(-1, 3)


def integrate_slowly(point, baseline, points, coefficients, gamma, steps=20_000):
    """Integrated gradients by the midpoint rule."""
    total = np.zeros(len(point))
    for step in range(steps):
        here = baseline + (step + 0.5) / steps * (point - baseline)
        bells = coefficients * np.exp(-gamma * ((points - here) ** 2).sum(axis=1))
        total += -2 * gamma * (bells @ (here - points)) / steps
    return total * (point - baseline)


NUMBERS = st.tuples(*[st.floats(-3, 3)] * 3)


@settings(max_examples=6, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=5), NUMBERS, st.sampled_from([0.05, 1 / 3, 4.0]))
def test_parts_are_integrated_gradients(training, item, gamma):
    coefficients = np.linspace(-1, 2, len(training))[:, None]
    decision = Gaussian(Given(), gamma).decision_function(training, coefficients)
    points = np.array(training)
    baseline = points.mean(axis=0)
    expected = integrate_slowly(np.array(item), baseline, points, coefficients[:, 0], gamma)
    *scores, rest = decision.parts(item)
    np.testing.assert_allclose([part.contribution for part in scores], expected, atol=1e-6)
    assert [part.kind for part in scores] == ["score"] * 3 and rest.kind == "baseline"
    assert sum(part.contribution for part in [*scores, rest]) == pytest.approx(decision.score([item])[0, 0], abs=1e-6)
    # The part of the mean is the decision value there: the gradients account for all the rest.
    assert rest.contribution == pytest.approx(decision.score([baseline])[0, 0], abs=1e-6)


def test_a_decision_is_the_sum_of_rules_scores_and_the_mean(tmp_path):
    model = PairClassifier("rules+gaussian", calibration=0).fit(PAIRS, LABELS)
    model.save(tmp_path / "m.rekern")
    for which in (model, load_model(tmp_path / "m.rekern")):
        why = which.explain(PAIRS[0], neighbors=0)
        assert sum(part.contribution for part in why.parts) + why.intercept == pytest.approx(why.decision, abs=1e-6)
        kinds = [part.kind for part in why.parts]
        assert kinds.count("baseline") == 1 and kinds.count("score") == 48
        recall = next(part for part in why.parts if part.name == "recall")
        assert recall.score == pytest.approx(PrecisionRecall().scores(PAIRS[:1])[0, 1])
    loaded = load_model(tmp_path / "m.rekern")
    assert np.array_equal(loaded.decision_function(PAIRS), model.decision_function(PAIRS))


def test_the_width_follows_the_number_and_the_variance_of_scores():
    rows = [(0.0, 2.0, 4.0), (4.0, 2.0, 0.0)]
    kernel = Gaussian(Given()).fit(rows)
    assert kernel.find_gamma() == pytest.approx(1 / (3 * np.var(rows)))
    assert kernel.gram(rows)[0, 1] == pytest.approx(np.exp(-32 / (3 * np.var(rows))))
    assert Gaussian(Given()).adapt(rows).find_gamma() == kernel.find_gamma()
    similarities = Gaussian(Similarities()).fit(PAIRS)
    variance = Similarities().fit(PAIRS).scores(PAIRS).var()
    assert similarities.find_gamma() == pytest.approx(1 / (28 * variance))
    assert Gaussian(Given()).find_gamma() == 1 / 3  # not fitted: as if the scores were standardised
    assert Gaussian(Given()).fit([(1.0, 1.0, 1.0)] * 2).find_gamma() == 1 / 3  # constant scores
    assert Gaussian(Spectrum(1)).find_gamma() == Gaussian(Rewriting()).find_gamma() == 1.0
    with pytest.raises(ValueError, match="gamma='auto': give a finite number above 0, or 'scale'"):
        Gaussian(Given(), "auto").gram(rows)


def test_a_point_very_far_from_the_training_items_is_explained():
    kernel = Gaussian(Given(), gamma=1.0)
    decide = kernel.decision_function([(0, 0, 0), (1, 1, 1)], np.array([[1.0], [-1.0]]))
    parts = decide.parts((1e30, 0, 0))
    assert all(np.isfinite(part.contribution) for part in parts)
    assert sum(part.contribution for part in parts) == decide.score([(1e30, 0, 0)])[0, 0] == 0
