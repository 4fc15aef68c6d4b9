"""Commands about one pair start without Numba, SciPy and scikit-learn, and print the same."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from rekern import PairClassifier, load_model
from rekern.cli.quick_start import is_light
from rekern.core.object_descriptions import describe
from rekern.kernels import PartialTree, Rewriting
from rekern.learning.named_kernels import resolve_kernel
from rekern.similarity import Similarities

NEEDS_NUMPY_2 = pytest.mark.skipif(np.__version__ < "2", reason="with NumPy 1 whole numbers have other types in Python")
HEAVY = ("scipy", "sklearn", "numba", "joblib", "pandas", "pydantic")
CHANCE = np.random.default_rng(3)
WORDS = ["the", "house", "was", "praised", "by", "Anna", "not", "7", "critics", "in", "Kent", "."]
TEXTS = [" ".join(CHANCE.choice(WORDS, CHANCE.integers(1, 9))) for _ in range(160)]
PAIRS = list(zip(TEXTS[::2], TEXTS[1::2]))
ASKED = [*PAIRS[:3], ("The house, the house", "was praised"), ("unknown words only", "Anna"), ("", "."), ("é ü", "")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    trained = PairClassifier().fit(PAIRS, np.arange(len(PAIRS)) % 2)
    path = tmp_path_factory.mktemp("models") / "m.rekern"
    trained.save(path)
    trained.save(path.with_name("with-pairs.rekern"), keep_pairs=True)
    return trained, path


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@NEEDS_NUMPY_2
def test_interpreted_decisions_have_the_same_bits(model):
    trained, path = model
    code = (
        "import json, sys\nfrom pathlib import Path\nfrom rekern.cli.quick_start import own_process\n"
        f"own_process()\nfrom rekern.cli.model_argument import load_pair_model\n"
        f"model = load_pair_model(Path({str(path)!r}), texts=['a', 'b'])\n"
        f"values = [float(model.decision_function([pair])[0]).hex() for pair in {ASKED!r}]\n"
        f"print(json.dumps([values, [name for name in {HEAVY} if name in sys.modules]]))"
    )
    values, heavy = json.loads(run(code))
    assert values == [float(value).hex() for value in trained.decision_function(ASKED)]
    assert heavy == []


@NEEDS_NUMPY_2
@pytest.mark.parametrize("pairs", [[("a b", "c d")] * 10, [("", "")] * 10], ids=["no common word", "no word"])
def test_a_model_without_rules(pairs, tmp_path):
    """Pairs without a common word give no rule with a wildcard, empty texts no rule and no weight of a word."""
    trained = PairClassifier().fit(pairs, [0, 1] * 5)
    path = tmp_path / "m.rekern"
    trained.save(path)
    command = [
        sys.executable,
        "-m",
        "rekern",
        "predict",
        str(path),
        "--source-text",
        "a",
        "--target-text",
        "a",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["rows"][0]["probabilities"]
    assert list(found.values()) == trained.predict_proba([("a", "a")])[0].tolist()
    assert np.array_equal(load_model(path).decision_function(ASKED), trained.decision_function(ASKED))


@NEEDS_NUMPY_2
@pytest.mark.parametrize("name", ["m.rekern", "with-pairs.rekern"])
def test_commands_about_one_pair_import_nothing_slow(model, name):
    path = str(model[1].with_name(name))
    commands = [
        ["predict", path, "--source-text", "the house", "--target-text", "Anna was praised"],
        ["explain", path, "the house", "Anna was praised", "--neighbors", "0"],
        ["rules", path],
    ]
    code = f"""import sys
from rekern.cli import main
for arguments in {commands!r}:
    sys.argv[1:] = arguments
    try: main()
    except SystemExit as end: assert not end.code
    print([name for name in {HEAVY} if name in sys.modules])"""
    assert run(code).splitlines().count("[]") == len(commands)


def test_only_kernels_with_little_work_are_interpreted():
    light = [resolve_kernel("rules+curves"), resolve_kernel("paper"), Rewriting(k=[(3, 4)])]
    heavy = [
        PartialTree(),
        Rewriting(wildcards="free"),
        Rewriting(span=2),
        Rewriting(k=6),
        Similarities(groups=("wordnet",)),
    ]
    assert [is_light(describe(kernel)) for kernel in light] == [True] * len(light)
    assert [is_light(describe(kernel)) for kernel in heavy] == [False] * len(heavy)
    assert not is_light(None)
