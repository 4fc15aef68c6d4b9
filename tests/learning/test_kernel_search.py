"""The search tests kernels as the estimators would, drops the bad ones, and chooses the simplest of the good ones."""

from zlib import crc32

import numpy as np
import pytest

from helpers import close, rewritings
from rekern import PairClassifier, PairRanker, PairRegressor
from rekern.kernels import Gaussian, Landmarks, PairSum, PartialTree, Rewriting, Symmetric
from rekern.learning import training_matrices
from rekern.learning.auto_search import group_texts, make_search_folds
from rekern.learning.cross_validation import Fold
from rekern.learning.kernel_ladder import N_LANDMARKS, Candidate, Resources, Step, list_steps
from rekern.learning.kernel_search import CLOSE, KernelSearch
from rekern.learning.search_tasks import ClassTask, Measurement, NumberTask, OrderTask, measure_error
from rekern.learning.training_matrices import SharedMatrices, identify
from rekern.similarity import PrecisionRecall, Similarities, WordVectors
from rekern.structures import Representations

PAIRS, LABELS = rewritings(60)
GROUPS = np.arange(60) // 4
FOLDS = [Fold(np.arange(20, 60), np.arange(20)), Fold(np.r_[:20, 40:60], np.arange(20, 40))]
KERNEL = Rewriting(k=(1, 2)) + 0.5 * PrecisionRecall()
TASKS = {
    "two": (ClassTask(LABELS > 0, np.ones(60)), PairClassifier, LABELS > 0),
    "three": (ClassTask(LABELS, np.ones(60)), PairClassifier, LABELS),
    "numbers": (NumberTask(LABELS.astype(float), np.ones(60), 0.1), PairRegressor, LABELS),
    "orders": (OrderTask(LABELS.astype(float), GROUPS, np.ones(60)), PairRanker, LABELS),
}


@pytest.mark.parametrize("use_grams", [True, False], ids=["gram", "features"])
@pytest.mark.parametrize("name", TASKS)
def test_held_out_decisions_are_those_of_the_estimator(name, use_grams):
    task, kind, labels = TASKS[name]
    matrix = SharedMatrices(PAIRS, use_grams, all_features=task.needs_all_features and not use_grams).build(KERNEL)
    model = kind(KERNEL, C=2.0, gram_limit=10_000 if use_grams else 1)
    if kind is PairClassifier:
        model.set_params(calibration=0)
    for train, test in FOLDS:
        pairs = [PAIRS[row] for row in train]
        model.fit(pairs, labels[train], *([GROUPS[train]] if kind is PairRanker else []))
        decide = model.predict if kind is PairRegressor else model.decision_function
        expected = decide([PAIRS[row] for row in test])
        found = np.column_stack([task.decide(matrix, 2.0, Fold(train, test), out) for out in range(task.outputs)])
        # On features the descent stops at a tolerance, and the order of the columns differs.
        np.testing.assert_allclose(found, expected.reshape(found.shape), atol=1e-6 if use_grams else 0.2)


def test_sums_share_their_terms_whatever_the_order():
    matrices = SharedMatrices(PAIRS, use_grams=True)
    kernels = [KERNEL, Rewriting(k=(1, 3)), 3 * Gaussian(PrecisionRecall(), 0.5), KERNEL]
    for kernel in kernels:
        close(matrices.build(kernel).gram, kernel.gram(PAIRS))
    features = SharedMatrices(PAIRS, use_grams=False)
    assert features.build(kernels[2]) is None
    made = features.build(KERNEL)
    close(made.norms, KERNEL.diag(PAIRS))


def test_scores_see_capitals_whatever_was_read_before():
    pairs = [("Tom met Ann", "Ann met Tom"), ("Tom ran", "the Dog ran"), ("a dog", "A dog")]
    matrices = SharedMatrices(pairs, use_grams=True)
    for kernel in (PrecisionRecall(), Similarities()):  # the first one does not need the written words
        close(matrices.build(kernel).gram, kernel.fit(pairs).gram(pairs))


def test_scores_of_trees_see_the_trees_whatever_was_read_before():
    pairs = {"source": ["Dogs bark"], "target": ["Dogs sleep"]}
    pairs |= {"source.t": ["(S (NNS Dogs) (VBP bark))"], "target.t": ["(S (NNS Dogs) (VBP sleep))"]}
    matrices = SharedMatrices(Representations(pairs), use_grams=True)
    for kernel in (PrecisionRecall(), Similarities(groups=("tags",), on="t", standardize=False)):
        close(matrices.build(kernel).gram, kernel.fit(pairs).gram(pairs))


def test_a_gram_of_many_pairs_has_32_bits_and_decides_the_same(monkeypatch):
    task = TASKS["three"][0]
    exact = SharedMatrices(PAIRS, use_grams=True).build(KERNEL)
    monkeypatch.setattr(training_matrices, "LARGE_GRAM", 10)
    rounded = SharedMatrices(PAIRS, use_grams=True).build(KERNEL)
    assert rounded.gram.dtype == np.float32
    for output in range(3):
        one, other = (task.decide(matrix, 1.0, FOLDS[0], output) for matrix in (exact, rounded))
        np.testing.assert_allclose(one, other, atol=5e-3)  # both stop at the same tolerance


def test_with_many_pairs_landmarks_stand_for_kernels_without_features():
    steps = {step.name: step for step in list_steps(Resources(many_pairs=True))}
    assert all(step.kernel is None or step.kernel.has_features() for step in steps.values())
    step = steps["10 Gaussian 0.3/n over scores, 1,000 landmarks"]
    assert all("1,000 landmarks" in shape.name and shape.kernel.has_features() for shape in step.list_shapes())
    inner = step.kernel.kernel.kernel
    both = Candidate(step, (1, 2), both_orders=True).kernel
    expected = Symmetric(Rewriting(k=(1, 2))) + Landmarks(Symmetric(inner), N_LANDMARKS) * 10.0
    assert identify(both) == identify(expected)
    first = PAIRS[:20]
    whole = Symmetric(Rewriting(k=(1, 2)) + 10 * inner)
    close(both.fit(first).gram(first), whole.fit(first).gram(first))


def test_influences_add_up_and_predict_the_effect_of_a_pair():
    """An influence is the change of the score if a pair counts a little more."""
    random = np.random.default_rng(0)
    rows = np.arange(60)
    for name, (task, _, _) in TASKS.items():
        values = random.normal(size=(60, task.outputs)) + (LABELS[:, None] if task.outputs == 1 else 0)
        score, influences = task.measure(values, rows)
        assert abs(influences.sum()) < 1e-9, name
        if name == "orders":
            continue
        many = np.concatenate([np.repeat(rows, 50), [7]])
        assert task.measure(values[many], many).score - score == pytest.approx(influences[7] / 50, rel=0.1, abs=1e-9)


def test_f1_is_that_of_scikit_learn_at_the_best_threshold():
    from sklearn.metrics import f1_score

    values = np.random.default_rng(1).normal(size=60) + (LABELS > 0)
    found = ClassTask(LABELS > 0, np.ones(60), "f1").measure(values[:, None], np.arange(60))
    assert found.score == pytest.approx(max(f1_score(LABELS > 0, values >= value) for value in values))
    assert abs(found.influences.sum()) < 1e-9


def test_pairs_of_one_group_count_as_one():
    influences = np.full(4, 0.5)
    assert measure_error(influences, np.arange(4)) == 1.0
    assert measure_error(influences, np.zeros(4, int)) == 2.0


class FixedTask:
    """Kernels whose scores are given: the name of a step says how many of 1000 pairs are right."""

    measure_name = "accuracy"
    size = 1000
    outputs = 1
    needs_all_features = False
    may_have_no_direction = False

    def __init__(self, rights):
        self.rights = rights
        self.asked = []

    def decide(self, matrix, C, fold, output):
        self.asked.append((self.current, C, len(fold.test)))
        right = np.arange(1000) < 10 * self.rights.get((self.current, C), 50)
        return right[np.random.default_rng(crc32(self.current.encode())).permutation(1000)][fold.test].astype(float)

    def measure(self, values, rows):
        score = float(values.mean())
        return Measurement(score, (values[:, 0] - score) / len(values))


class FixedSearch(KernelSearch):
    def try_kernel(self, candidate, C):
        self.task.current = candidate.name
        super().try_kernel(candidate, C)


def make_search(rights, seconds=100.0):
    folds = [Fold(np.flatnonzero(np.arange(1000) % 5 != f), np.flatnonzero(np.arange(1000) % 5 == f)) for f in range(5)]
    search = FixedSearch(FixedTask(rights), PAIRS[:2], folds, np.arange(1000), seconds, 10_000, 1)
    search.matrices = SharedMatrices(PAIRS[:2], True)
    return search


STEPS = [Step(number, name, PrecisionRecall()) for number, name in enumerate(("one", "two", "three"))]


def test_the_simplest_of_the_best_wins():
    search = make_search({("rules 1-4 + one", 1.0): 80, ("rules 1-4 + two", 1.0): 84.9, ("rules 1-4 + three", 1.0): 85})
    winner = search.climb(STEPS)
    assert search.trials[winner.place].kernel == "rules 1-4 + two"
    outcomes = {trial.kernel: trial.outcome for trial in search.trials if trial.C == 1.0}
    assert outcomes["rules 1-2 + two"].startswith("dropped: 0.3")
    assert [trial.folds for trial in search.trials if trial.kernel == "rules 1-2 + two"] == [2]
    assert {trial.C for trial in search.trials} == {0.3, 1.0, 3.0}


def test_a_simple_kernel_that_is_worse_does_not_win():
    just_below = 85 - 100 * CLOSE - 0.1
    rights = {("rules 1-4 + one", 1.0): just_below, ("rules 1-4 + three", 1.0): 85}
    search = make_search(rights)
    assert search.trials[search.climb(STEPS).place].kernel == "rules 1-4 + three"


def test_a_better_cost_leads_further_out():
    search = make_search({("rules 1-4 + one", 1.0): 80, ("rules 1-4 + one", 3.0): 82, ("rules 1-4 + one", 10.0): 83})
    winner = search.climb(STEPS)
    assert winner.C == 10.0 and search.trials[winner.place].C == 10.0


def test_other_shapes_of_the_best_are_tried_and_are_as_simple():
    shapes = (("wide", PrecisionRecall()), ("narrow", PrecisionRecall()))
    steps = [STEPS[0]._replace(shapes=shapes), STEPS[1]._replace(shapes=(("flat", PrecisionRecall()),))]
    rights = {("rules 1-4 + one", 1.0): 80, ("rules 1-4 + wide", 1.0): 80.1, ("rules 1-4 + two", 1.0): 60}
    search = make_search(rights)
    assert search.trials[search.climb(steps).place].kernel == "rules 1-4 + wide"
    tried = {trial.kernel for trial in search.trials}
    assert {"rules 1-4 + narrow", "rules 1-2 + wide"} <= tried
    assert "rules 1-4 + flat" not in tried and "rules 1-2 + one" not in tried


def test_the_best_kernel_that_has_shapes_is_shaped_even_if_others_lead():
    shaped = Step(3, "four", PrecisionRecall(), shapes=(("wide", PrecisionRecall()),))
    rights = {
        (f"rules 1-4 + {name}", 1.0): score for name, score in zip(("one", "two", "three", "four"), (84, 84, 84, 82))
    }
    search = make_search({**rights, ("rules 1-4 + wide", 1.0): 90})
    assert search.trials[search.climb([*STEPS, shaped]).place].kernel == "rules 1-4 + wide"


@pytest.mark.parametrize("has_direction", [True, False])
def test_both_orders_are_tried_where_there_may_be_no_direction(has_direction):
    search = make_search({("rules 1-4 + one", 1.0): 80, ("both orders: rules 1-4 + one", 1.0): 85})
    search.task.may_have_no_direction = not has_direction
    winner = search.climb(STEPS)
    assert isinstance(winner.kernel, Symmetric) is not has_direction
    assert any(trial.kernel.startswith("both orders") for trial in search.trials) is not has_direction


def test_both_orders_need_texts_alone():
    search = make_search({("rules 1-4 + trees", 1.0): 85})
    search.task.may_have_no_direction = True
    search.matrices = SharedMatrices(
        {"source": ["a"], "target": ["b"], "source.t": ["(A a)"], "target.t": ["(A b)"]}, True
    )
    search.climb([Step(0, "trees", PairSum(PartialTree(on="t")))])
    assert not any(trial.kernel == "both orders: rules 1-4 + trees" for trial in search.trials)


def test_words_of_the_target_are_tried_in_one_order_only():
    search = make_search({("rules 1-4 + one", 1.0): 80, ("rules 1-4 + one + words of the target", 1.0): 85})
    search.task.may_have_no_direction = True
    winner = search.climb(STEPS)
    assert search.trials[winner.place].kernel == "rules 1-4 + one + words of the target"
    assert not any("both orders" in trial.kernel and "words of" in trial.kernel for trial in search.trials)
    search.try_finalists([(Candidate(STEPS[0], (1, 4), target_words=True), 1.0)])
    assert not any("both orders" in trial.kernel and "words of" in trial.kernel for trial in search.trials)


def test_words_of_the_target_decide_where_the_sources_say_nothing():
    draw = np.random.default_rng(0)
    pairs = [(f"a{row} b{row}", f"{('yes', 'no')[row % 2]} c{draw.integers(9)}") for row in range(60)]
    task = ClassTask(np.arange(60) % 2, np.ones(60))
    search = KernelSearch(
        task, pairs, make_search_folds(np.arange(60), np.arange(60) % 2, 3, 0), np.arange(60), 60, 100
    )
    search.try_kernel(Candidate(Step(0, "overlap", PrecisionRecall()), None), 1.0)
    search.try_kernel(Candidate(Step(0, "overlap", PrecisionRecall()), None, target_words=True), 1.0)
    alone, with_words = (trial.score for trial in search.trials)
    assert alone < 0.7 and with_words == 1.0


def test_aligned_words_need_all_resources():
    space = WordVectors(["cat"], [[1.0]])
    assert "aligner" in Resources(wordnet="w", thesaurus="t", space=space).list_groups()
    assert "aligner" not in Resources(wordnet="w", thesaurus="t").list_groups()


def test_what_does_not_fit_in_the_time_is_not_tried():
    search = make_search({}, seconds=1e-9)
    winner = search.climb(STEPS)
    assert winner.place == 0 and search.trials[0].outcome == "tried"
    assert {trial.outcome for trial in search.trials[1:]} == {"not tried: no time left"}
    assert all(trial.score is None and trial.folds == 0 for trial in search.trials[1:])


def test_the_ladder_has_what_the_resources_allow():
    plain = list_steps(Resources())
    assert plain[0].kernel is None and [step.number for step in plain] == list(range(len(plain)))
    with_trees = list_steps(Resources(trees=("tree",)))
    assert with_trees[: len(plain)] != with_trees and len(with_trees) > len(plain)
    assert any("source.tree" in step.kernel.reads() for step in with_trees[1:])
    assert len(list_steps(Resources(thesaurus=[("car", "auto")]))) > len(plain)
    answers = list_steps(Resources(answers=True))
    assert len(answers) == len(plain)
    assert [any("answers" in str(step.kernel) for step in steps) for steps in (plain, answers)] == [False, True]
    shapes = [shape for step in with_trees for shape in step.list_shapes()]
    names = [Candidate(step, (1, 4), both).name for step in [*with_trees, *shapes] for both in (False, True)]
    assert len(set(names)) == len(names)


def test_folds_keep_texts_and_groups_together():
    texts = [("a", "b"), ("c", "b"), ("d", "e"), ("f", "g"), ("f", "h"), ("i", "e")]
    groups = group_texts(texts, None)
    assert groups.tolist() == [0, 0, 1, 2, 2, 1]
    for train, test in make_search_folds(groups, np.array([0, 1, 0, 1, 0, 1]), 3, 0):
        assert not set(groups[train]) & set(groups[test])
    assert group_texts(texts, ["x", "y", "x", "z", "z", "w"]).tolist() == [0, 0, 0, 1, 1, 0]
    assert make_search_folds(np.zeros(4, int), None, 5, 0) is None
    assert make_search_folds(np.arange(4), np.array([0, 0, 0, 1]), 5, 0) is None
    assert len(make_search_folds(np.arange(4), np.array([0, 0, 1, 1]), 5, 0)) == 2


def test_products_of_scores_are_tried_on_grams_only():
    steps = {step.name: step for step in list_steps(Resources())}
    kernel = steps["curves and products over more scores"].kernel
    assert kernel.products > 0 and steps["curves over more scores"].kernel.products == 0
    for all_features in (False, True):
        assert SharedMatrices(PAIRS, True, all_features=all_features).build(kernel).gram.shape == (60, 60)
        assert SharedMatrices(PAIRS, False, all_features=all_features).build(kernel) is None
