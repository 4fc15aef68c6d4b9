"""The decision of a model of another corpus is a score like others."""

from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone

from experiments.pair_corpora import CORPORA
from experiments.pair_models import Judge, Judgements, LogisticModel
from experiments.score_experiments import COST_OF_JUDGE, make_judge
from rekern import PairClassifier
from rekern.kernels import Gaussian, PairSum, Rewriting, Spectrum
from rekern.learning.training_matrices import SharedMatrices, identify

PAIRS = [("a b", "a"), ("c d", "a"), ("a c", "c"), ("b d", "c"), ("a d", "d"), ("b c", "d")]
LABELS = [1, 0, 1, 0, 1, 0]
OTHERS = [("a b", "b"), ("c d", "a"), ("d a", "a"), ("c b", "a")]


class Trainer:
    """Trains a model on the pairs, and counts how often."""

    def __init__(self, labels=LABELS):
        self.labels, self.calls = labels, 0

    def __call__(self, model):
        self.calls += 1
        return model.fit(PAIRS, self.labels)


@pytest.fixture
def trainer():
    return Trainer()


@pytest.fixture
def judge(trainer):
    return Judge("pairs", PairSum(Spectrum(1)), trainer, C=2.0)


def test_the_decisions_are_those_of_the_model(judge, trainer):
    model = PairClassifier(PairSum(Spectrum(1)), 2.0, calibration=0).fit(PAIRS, LABELS)
    assert trainer.calls == 0
    for _ in range(2):
        np.testing.assert_array_equal(judge.decide(OTHERS), model.decision_function(OTHERS))
        np.testing.assert_array_equal(judge.decide(PAIRS), model.decision_function(PAIRS))
    assert trainer.calls == 1


def test_pairs_are_told_apart_though_an_equal_list_came_before(judge):
    first = judge.decide(OTHERS)
    assert judge.decide(OTHERS) is first
    again = judge.decide(list(OTHERS))
    assert again is not first
    np.testing.assert_array_equal(again, first)
    judge.decide(PAIRS)
    assert judge.decide(OTHERS) is not first  # only the last two lists are kept


def test_scores_are_standardised_on_the_training_pairs(judge):
    kernel = Judgements(judge).fit(PAIRS)
    scores = kernel.scores(PAIRS)
    assert scores.shape == (len(PAIRS), 1) and kernel.names() == ["decision of pairs"]
    assert scores.mean() == pytest.approx(0, abs=1e-12) and scores.std() == pytest.approx(1)
    raw = judge.decide(OTHERS)
    expected = (raw - judge.decide(PAIRS).mean()) / judge.decide(PAIRS).std()
    np.testing.assert_allclose(kernel.scores(OTHERS)[:, 0], expected)


def test_a_judge_without_opinions():
    kernel = Judgements(Judge("nothing", PairSum(Spectrum(1)), Trainer())).fit([("x", "y"), ("z", "w")])
    np.testing.assert_array_equal(kernel.scores([("x", "y"), ("z", "w")]), np.zeros((2, 1)))


def test_copies_ask_the_same_judge(judge, trainer):
    kernel = Rewriting() + 3 * Gaussian(Judgements(judge), 0.3)
    copy = clone(kernel, safe=False)
    assert deepcopy(judge) is judge and identify(copy) == identify(kernel)
    assert identify(Judgements(Judge("others", judge.kernel, trainer, 2.0))) != identify(Judgements(judge))
    assert identify(Judgements(Judge("pairs", judge.kernel, trainer, 1.0))) != identify(Judgements(judge))
    assert identify(Judgements(Judge("pairs", judge.kernel, trainer, 2.0, "logistic"))) != identify(Judgements(judge))
    first, second = (PairClassifier(each, calibration=0).fit(PAIRS, LABELS) for each in (kernel, copy))
    np.testing.assert_array_equal(first.decision_function(OTHERS), second.decision_function(OTHERS))
    assert trainer.calls == 1


def test_the_score_joins_a_model(judge):
    kernel = PairSum(Spectrum(1)) + 2 * Gaussian(Judgements(judge), 0.3)
    gram = SharedMatrices(OTHERS, use_grams=True).build(kernel).gram
    raw = judge.decide(OTHERS)
    values = (raw - raw.mean()) / raw.std()
    expected = PairSum(Spectrum(1)).gram(OTHERS) + 2 * np.exp(-0.3 * (values[:, None] - values) ** 2)
    np.testing.assert_allclose(gram, expected)


def test_a_judge_is_trained_on_the_parts_that_the_corpus_names(small_corpora):
    read = []

    def load(part, data):
        read.append((part, data))
        return CORPORA["rte3"].load(part, data)

    corpus = CORPORA["rte3-dev"]._replace(load=load)
    assert corpus.judge == ("RTE-1", ("rte1_dev", "rte1_test"))
    kernel = Rewriting(k=(1, 2))
    judge = make_judge(corpus, kernel, small_corpora)
    assert judge.name == "a model of RTE-1" and COST_OF_JUDGE["hinge"] == judge.C and not read
    pairs = CORPORA["rte3"].load("rte3_dev", small_corpora).items
    found = judge.decide(pairs)
    assert read == [("rte1_dev", small_corpora), ("rte1_test", small_corpora)]
    parts = [CORPORA["rte3"].load(part, small_corpora) for part in ("rte1_dev", "rte1_test")]
    labels = [label for part in parts for label in part.table.labels]
    model = PairClassifier(kernel, COST_OF_JUDGE["hinge"], calibration=0).fit(
        [*parts[0].items, *parts[1].items], labels
    )
    np.testing.assert_allclose(found, model.decision_function(pairs))


def test_a_judge_by_logistic_regression(trainer):
    judge = Judge("pairs", PairSum(Spectrum(1)), trainer, 2.0, "logistic")
    model = LogisticModel(PairSum(Spectrum(1)), 2.0).fit(PAIRS, LABELS)
    np.testing.assert_array_equal(judge.decide(OTHERS), model.decision_function(OTHERS))
    assert set(model.predict(OTHERS)) <= {0, 1}
