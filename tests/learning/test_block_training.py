"""Training in blocks gives the machine of training in one piece, and goes on when interrupted; streams teach models."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern import PairClassifier, PairRegressor, load_model
from rekern.core.arrays import offsets_of
from rekern.core.files import open_locked
from rekern.errors import InputError
from rekern.kernels import HashedRules, Rewriting, Spectrum
from rekern.learning import block_training, classifier_trainers
from rekern.learning.block_descent import Machine, Problem, decide_blocks, descend_blocks
from rekern.learning.block_training import BlockStore
from rekern.learning.feature_space import FeatureBlock, hash_rules
from rekern.learning.stream_training import resume_stream
from rekern.similarity import Similarities
from tests.reference.support_vectors import find_primal, solve_dual

NAMES = ["Anna", "Bert", "Cleo", "Dora", "Emil", "Fred", "Gina"]


def make_pairs(n, seed=0):
    chance = np.random.default_rng(seed)
    pairs, labels = [], []
    for _ in range(n):
        one, two = chance.choice(NAMES, 2, replace=False)
        verb, label = chance.choice(["met", "saw", "beat"]), int(chance.integers(2))
        target = f"{two} was {verb} by {one}" if label else f"{one} was {verb} by {two}"
        pairs.append((f"{one} {verb} {two}", target))
        labels.append(label if chance.random() < 0.9 else 1 - label)
    return pairs, labels


class ListedBlocks:
    """Blocks of a dense matrix: the first columns as columns, the others as scores."""

    def __init__(self, rows, columns, sizes):
        ends = np.cumsum(sizes).tolist()
        self.spans = list(zip([0, *ends[:-1]], ends, strict=True))
        self.blocks = []
        for first, last in self.spans:
            part = rows[first:last].astype(np.float32)
            where = part[:, :columns] != 0
            lengths = where.sum(axis=1).astype(np.int64)
            numbers = np.tile(np.arange(columns, dtype=np.int32), (len(part), 1))[where]
            scores = np.ascontiguousarray(part[:, columns:])
            norms = (part.astype(float) ** 2).sum(axis=1)
            self.blocks.append((lengths, numbers, part[:, :columns][where], scores, norms))

    def load(self, numbers):
        lengths, *arrays = (np.concatenate(parts) for parts in zip(*(self.blocks[number] for number in numbers)))
        return FeatureBlock(offsets_of(lengths), *arrays)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.booleans(), st.integers(1, 3))
def test_blocks_give_the_plain_solution_to_the_gap(seed, sizes, regression, together):
    chance = np.random.default_rng(seed)
    rows = chance.integers(-2, 3, (sum(sizes), 5)) * 0.5
    targets = chance.normal(size=len(rows)) if regression else chance.choice([-1.0, 1.0], len(rows))
    costs = chance.choice([0.0, 0.5, 2.0], len(rows))
    width, tolerance = 0.1 if regression else 0.0, 1e-6
    blocks, machine = ListedBlocks(rows, 3, sizes), Machine(3, 2)
    coefficients = np.zeros(len(rows))
    problem = Problem(targets, costs, width, regression)
    descend_blocks(machine, blocks, problem, coefficients, tolerance, together=together)
    weights = np.concatenate([machine.weights, machine.score_weights, [machine.intercept]])
    exact = solve_dual(rows, targets, costs, width, regression)
    # The objective is strongly convex: a gap bounds the distance of the weights, and so of the decision values.
    gap = tolerance * find_primal(rows, targets, costs, weights, width, regression)
    assert np.linalg.norm(weights - exact) <= np.sqrt(2 * gap) + 1e-6
    values = np.column_stack([rows, np.ones(len(rows))]) @ exact
    lengths = np.sqrt((rows**2).sum(axis=1) + 1)
    assert (np.abs(decide_blocks(machine, blocks, together) - values) <= np.sqrt(2 * gap) * lengths + 1e-6).all()
    assert np.allclose(np.column_stack([rows, np.ones(len(rows))]).T @ coefficients, weights)
    length = machine.state[1]
    machine.measure()
    assert np.isclose(machine.state[1], length)


def test_the_model_is_that_of_training_in_one_piece(monkeypatch):
    pairs, labels = make_pairs(300)
    for module in (block_training, classifier_trainers):
        monkeypatch.setattr(module, "TOLERANCE", 1e-7)
    monkeypatch.setattr(block_training, "COLUMNS_PER_PAIR", 1 << 12)
    blocks = PairClassifier("rules+curves", calibration=0).fit_in_blocks(pairs, labels, memory="100MB")
    assert "in 19 blocks" in blocks.solver_ and f"{1 << 20} columns" in blocks.solver_
    whole = PairClassifier("rules+curves", calibration=0, gram_limit=0).fit(pairs, labels)
    new, _ = make_pairs(50, seed=1)
    exact = whole.decision_function(new)
    # The exact machine, with its weights hashed: hashing is all that differs.
    hashed = hash_rules(whole.kernel_, 20).decision_function(pairs, whole.coefficients_)
    expected = hashed.score(new)[:, 0] + whole.intercept_[0]
    assert np.allclose(blocks.decision_function(new), expected, atol=2e-3)
    assert np.sqrt(np.mean((blocks.decision_function(new) - exact) ** 2)) < 0.02
    monkeypatch.setattr(block_training, "CHUNK", 50)
    monkeypatch.setattr(BlockStore, "bytes_per_block", 10**7, raising=False)  # few blocks in memory at once
    several = PairClassifier("rules+curves", calibration=0).fit_in_blocks(pairs, labels, memory="100MB")
    assert np.allclose(several.decision_function(new), expected, atol=2e-3)


def test_hashed_rules_and_several_kinds_of_rules_are_trained_on(monkeypatch):
    monkeypatch.setattr(block_training, "TOLERANCE", classifier_trainers.TOLERANCE)
    pairs, labels = make_pairs(200)
    kernel = HashedRules((1, 2), bits=18) + 0.5 * Rewriting((1, 2), wildcards="none")
    blocks = PairClassifier(kernel, calibration=0).fit_in_blocks(pairs, labels, memory="100MB")
    whole = PairClassifier(kernel, calibration=0, gram_limit=0).fit(pairs, labels)
    new, _ = make_pairs(50, seed=1)
    assert np.allclose(blocks.decision_function(new), whole.decision_function(new), atol=0.15)
    assert blocks.kernel_.left.bits == 18


def test_models_are_saved_explained_and_listed(tmp_path):
    pairs, labels = make_pairs(400)
    model = PairClassifier().fit_in_blocks(pairs, labels, memory="100MB")
    new, truth = make_pairs(100, seed=1)
    assert (model.predict(new) == truth).mean() > 0.8
    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    assert np.array_equal(model.decision_function(new), loaded.decision_function(new))
    assert np.array_equal(model.predict_proba(new), loaded.predict_proba(new))
    for one in (model, loaded):
        why = one.explain(new[0])
        parts = sum(part.contribution for part in why.parts)
        assert abs(why.decision - why.intercept - parts) < 1e-9
        favoring, opposing = one.rules(5)
        assert len(favoring) == len(opposing) == 5 and all(rule.support for rule in favoring + opposing)
    assert any("⟨1⟩" in rule.rule for rule in loaded.rules(50)[0])
    assert not model.has_pairs()
    with pytest.raises(AttributeError, match="trained in blocks"):
        model.pairs_  # noqa: B018
    with pytest.raises(AttributeError, match="trained in blocks"):
        model.save(tmp_path / "kept.rekern", keep_pairs=True)


@pytest.mark.parametrize("classes", [2, 3])
def test_an_interrupted_run_goes_on_with_the_same_features(tmp_path, monkeypatch, classes):
    pairs, labels = make_pairs(300)
    labels = [label + (pair[0].endswith("Gina")) for pair, label in zip(pairs, labels)] if classes == 3 else labels
    whole, work = PairClassifier().fit_in_blocks(pairs, labels, memory="100MB"), tmp_path / "work"
    for name in ("read_features", "descend_blocks"):  # the first run stops while features are made, the second later
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(block_training, name, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            PairClassifier().fit_in_blocks(pairs, labels, memory="100MB", folder=work)
        assert (work / "rows.npz").exists() == (name == "descend_blocks")
    with monkeypatch.context() as patch:
        patch.setattr(block_training, "read_features", lambda *_: pytest.fail("a block is made again"))
        model = PairClassifier().fit_in_blocks(pairs, labels, memory="100MB", folder=work)
        PairClassifier(C=2.0).fit_in_blocks(pairs, labels, memory="100MB", folder=work)  # has the same features
    assert np.array_equal(model.decision_function(pairs), whole.decision_function(pairs))
    assert model.solver_ == whole.solver_ and np.array_equal(model.calibration_, whole.calibration_)
    for other in (PairClassifier("rules"), PairClassifier(Rewriting(tokenizer=str.split))):
        with pytest.raises(InputError, match="of another training"):
            other.fit_in_blocks(pairs, labels, memory="100MB", folder=work)
    with pytest.raises(InputError, match="of another training"):
        PairClassifier().fit_in_blocks(pairs[::-1], labels[::-1], memory="100MB", folder=work)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not empty"):
        PairClassifier().fit_in_blocks(pairs, labels, memory="100MB", folder=tmp_path / "other")


def test_one_run_at_a_time_uses_a_folder(tmp_path):
    pairs, labels = make_pairs(300)
    folder = tmp_path / "work"
    folder.mkdir()
    with open_locked(folder / "lock"), pytest.raises(InputError, match="another run is writing"):
        PairClassifier().fit_in_blocks(pairs, labels, memory="100MB", folder=folder)
    PairClassifier().fit_in_blocks(pairs, labels, memory="100MB", folder=folder)
    assert not (folder / "lock").exists()
    (folder / "rows.npz").write_text("damaged")
    with pytest.raises(InputError, match="is missing or damaged: delete the folder"):
        PairClassifier().fit_in_blocks(pairs, labels, memory="100MB", folder=folder)


@pytest.mark.slow
def test_a_killed_process_goes_on(tmp_path):
    pairs, labels = make_pairs(3000)
    (tmp_path / "pairs.json").write_text(json.dumps([pairs, labels]))
    code = (
        "import json\nfrom rekern import PairClassifier\nfrom rekern.learning import block_training\n"
        "block_training.TOLERANCE = 1e-6\n"
        f"pairs, labels = json.load(open(r'{tmp_path / 'pairs.json'}'))\n"
        f"PairClassifier().fit_in_blocks(pairs, labels, memory='100MB', folder=r'{tmp_path / 'work'}')"
        f".save(r'{tmp_path / 'm.rekern'}')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "work" / "rows.npz").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    when = (tmp_path / "work" / "rows.npz").stat().st_mtime_ns
    assert not (tmp_path / "m.rekern").exists()
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
    assert (tmp_path / "work" / "rows.npz").stat().st_mtime_ns == when
    resumed = (tmp_path / "m.rekern").read_bytes()
    assert (load_model(tmp_path / "m.rekern").predict(pairs[:200]) == labels[:200]).mean() > 0.8
    shutil.rmtree(tmp_path / "work")
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
    assert (tmp_path / "m.rekern").read_bytes() == resumed


def test_streams():
    model = PairClassifier()
    for seed in range(4):
        model.partial_fit(*make_pairs(200, seed))
    new, truth = make_pairs(100, seed=9)
    assert (model.predict(new) == truth).mean() > 0.8
    assert "800 rows" in model.solver_
    likely = model.predict_proba(new)[:, 1]
    assert np.array_equal(likely > 0.5, model.predict(new) == 1) and likely.max() > 0.7
    with pytest.raises(InputError, match="name all classes"):
        model.partial_fit([("a", "b")], ["other"])
    one = PairClassifier("rules").partial_fit([("a b", "b a")] * 3, ["yes"] * 3, classes=["no", "yes"])
    assert one.partial_fit([("a b", "a c")], ["no"]).classes_.tolist() == ["no", "yes"]
    with pytest.raises(InputError, match="one class"):
        PairClassifier("rules").partial_fit([("a b", "b a")], ["yes"])
    pairs, labels = make_pairs(200)
    model.fit(pairs, labels)
    with pytest.warns(UserWarning, match="partial_fit forgets what fit has learned: begin with partial_fit"):
        model.partial_fit(pairs, labels)
    assert model.solver_.endswith("200 rows")  # a new stream


@pytest.mark.parametrize("kernel", ["rules+curves", 0.5 * HashedRules((1, 2), bits=16) + Similarities()])
def test_a_stream_goes_on_from_a_file(tmp_path, kernel):
    pairs, labels = make_pairs(300)
    model = PairClassifier(kernel).partial_fit(pairs[:200], labels[:200])
    model.save(tmp_path / "m.rekern")
    loaded = load_model(tmp_path / "m.rekern")
    new, truth = make_pairs(100, seed=1)
    stream = resume_stream(loaded.kernel_, loaded.scorer_, loaded.intercept_, pairs[:10])
    values = stream.decide().score(new)[:, 0] + stream.list_intercepts()
    assert np.allclose(values, model.decision_function(new), atol=1e-4)
    loaded.partial_fit(pairs[200:], labels[200:])
    again = model.partial_fit(pairs[200:], labels[200:])
    assert np.corrcoef(again.decision_function(new), loaded.decision_function(new))[0, 1] > 0.95
    assert (loaded.predict(new) == truth).mean() > 0.7
    with pytest.raises(InputError, match="the class 7 is new"):
        loaded.partial_fit(pairs[:1], [7])


def test_what_a_stream_cannot_go_on_from(tmp_path):
    pairs, labels = make_pairs(40)
    PairClassifier("rules").fit(pairs, labels).save(tmp_path / "m.rekern")
    with pytest.raises(InputError, match="its rules are not hashed"):
        load_model(tmp_path / "m.rekern").partial_fit(pairs, labels)


def test_numbers():
    pairs, labels = make_pairs(300)
    numbers = [2.0 * label + 1 for label in labels]
    blocks = PairRegressor().fit_in_blocks(pairs, numbers, memory="100MB")
    stream = PairRegressor(response="ordinal")
    for first in range(0, 300, 100):
        stream.partial_fit(pairs[first : first + 100], numbers[first : first + 100])
    new, truth = make_pairs(100, seed=1)
    assert np.corrcoef(blocks.predict(new), truth)[0, 1] > 0.6
    assert set(stream.predict(new).tolist()) == {1.0, 3.0}


def test_what_cannot_be_trained_in_blocks():
    pairs, labels = make_pairs(20)
    with pytest.raises(InputError, match="no features that can be made block by block"):
        PairClassifier(Rewriting(2, wildcards="free")).fit_in_blocks(pairs, labels)
    with pytest.raises(InputError, match="rules and scores only"):
        PairClassifier(Spectrum(2)).partial_fit(pairs, labels)
    with pytest.raises(InputError, match="give a number of bytes"):
        PairClassifier().fit_in_blocks(pairs, labels, memory="lots")
    with pytest.raises(InputError, match="landmarks"):
        PairClassifier(landmarks=5).fit_in_blocks(pairs, labels)


def test_hashed_rules_are_near_the_rules():
    pairs, _ = make_pairs(30)
    hashed, rules = HashedRules(k=(1, 3), bits=20), Rewriting(k=(1, 3))
    gram = hashed.gram(pairs)
    features = hashed.features(pairs)
    assert np.allclose((features @ features.T).toarray(), gram)
    assert np.allclose(hashed.gram(pairs[:4], pairs), gram[:4]) and np.allclose(hashed.diag(pairs), gram.diagonal())
    assert np.abs(gram - rules.gram(pairs)).max() < 0.05
    few = HashedRules(k=(1, 3), bits=8)  # many rules share a column
    assert few.features(pairs).shape[1] <= 256 and np.abs(few.gram(pairs) - rules.gram(pairs)).mean() < 0.5
    decide = few.decision_function(pairs, np.ones((30, 1)))
    assert np.allclose(decide.score(pairs)[:, 0], few.gram(pairs).sum(axis=0), rtol=1e-5)
