"""The shared Grams give the same machines as one estimator for each setting."""

import numpy as np
import pytest

from experiments.rewriting_settings import (
    Setting,
    list_candidates,
    list_paper_settings,
    make_rewriting_setting,
)
from experiments.shared_grams import SharedGrams, compute_decisions, make_evaluation_folds, train_settings
from rekern.datasets.rewrite_corpus import load_rewrites
from rekern.kernels import Gaussian, Rewriting, Symmetric
from rekern.kernels.kernel_terms import split_into_terms
from rekern.learning import PairClassifier
from rekern.learning.candidate_groups import group_shared_texts
from rekern.learning.cross_validation import Fold
from rekern.similarity import PrecisionRecall, Similarities


@pytest.fixture(scope="module")
def corpus():
    pairs, labels = load_rewrites("train", size=60)
    return pairs[:40], np.array(labels[:40]), pairs[40:]


@pytest.mark.parametrize(
    "setting", [*list_paper_settings()[::4], *list_candidates()], ids=lambda s: f"{s.method}{s.kmax}{s.note}"
)
def test_machines_equal_the_classifier(corpus, setting):
    pairs, labels, test = corpus
    signs = np.where(labels == 1, 1, -1)
    before, after = make_rewriting_setting("kb-srk+pr", 2), make_rewriting_setting("kb-srk", 4)
    settings = [before, setting.with_cost(3.0), after]  # between others that share its parts
    grams, everything = SharedGrams(pairs), np.arange(len(pairs))
    trained = train_settings(grams, settings, signs, [Fold(everything, everything[:0])])
    machines = [(setting, machine) for setting, (machine,) in zip(settings, trained)]
    values = compute_decisions(grams, machines, test)[:, 1]
    model = PairClassifier(setting.kernel, C=3.0, calibration=0).fit(pairs, labels)
    assert np.allclose(values, model.decision_function(test), atol=1e-9)


def test_terms_add_up_to_the_kernel(corpus):
    pairs = corpus[0]
    kernel = 0.5 * (Rewriting(k=[(1, 1), (2, 3)], decay=0.5) + 2 * Gaussian(PrecisionRecall())) + Rewriting(k=(1, 2))
    total = sum(weight * part.gram(pairs) for weight, part in split_into_terms(kernel))
    assert np.allclose(total, kernel.gram(pairs), atol=1e-12)
    assert [weight for weight, _ in split_into_terms(kernel)] == [0.5, 0.5, 1.0, 1.0, 1.0]
    both = 2 * Symmetric(kernel)
    total = sum(weight * part.gram(pairs) for weight, part in split_into_terms(both))
    assert np.allclose(total, both.gram(pairs), atol=1e-12)
    assert [weight for weight, _ in split_into_terms(both)] == [1.0, 1.0, 2.0, 2.0, 2.0]


def test_terms_have_learned_nothing(corpus):
    kernel = Similarities().fit(corpus[0])
    ((_, part),) = split_into_terms(kernel)
    assert not hasattr(part, "mean_")


def test_cross_validation_is_that_of_the_folds(corpus):
    pairs, labels, _ = corpus
    signs = np.where(labels == 1, 1, -1)
    folds = make_evaluation_folds(pairs, labels, folds=3)
    (found,) = train_settings(SharedGrams(pairs), [make_rewriting_setting("kb-srk+pr", 3)], signs, folds)
    right = []
    for part, held in folds:
        model = PairClassifier(make_rewriting_setting("kb-srk+pr", 3).kernel, calibration=0)
        model.fit([pairs[i] for i in part], labels[part])
        right += (model.predict([pairs[i] for i in held]) == labels[held]).tolist()
    assert np.concatenate([result.right for result in found]).tolist() == right


def test_folds_keep_shared_texts_together():
    draw = np.random.default_rng(0)
    texts = [f"text {i}" for i in range(200)]
    pairs = [(texts[a], texts[b]) for a, b in draw.integers(0, 200, (120, 2))]
    labels = draw.integers(0, 2, 120)
    evaluated = np.arange(60, 120)
    held_out = []
    for part, held in make_evaluation_folds(pairs, labels, evaluated):
        trained = {text for i in part for text in pairs[i]}
        assert not trained & {text for i in held for text in pairs[i]}
        held_out += held.tolist()
    assert sorted(held_out) == evaluated.tolist()


def test_groups_join_through_others():
    groups = group_shared_texts([("a", "b"), ("x", "y"), ("b", "c"), ("c", "d"), ("z", "z")])
    assert groups[0] == groups[2] == groups[3] and len(set(groups.tolist())) == 3


def test_a_setting_describes_itself():
    described = Setting("kb-srk", Rewriting(k=(1, 2)), 2, note="n").with_cost(0.3).to_dict()
    assert described == {"method": "kb-srk", "kmax": 2, "C": 0.3, "note": "n", "kernel": "Rewriting(k=(1, 2))"}
