"""A kernel, a score, a word space and a parser of another package: installed, trained, saved, loaded, explained."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from forking import CAN_FORK, fork
from rekern import ModelFileError, load_model

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes are forked")

SOURCE = Path(__file__).resolve().parent / "data" / "plugin" / "rekern_example.py"

ENTRY_POINTS = """
[rekern.parts]
LongGrams = rekern_example:LongGrams
LengthRatio = rekern_example:LengthRatio
Initials = rekern_example:Initials
[rekern.parsers]
flat = rekern_example:FlatParser
"""

TRAIN = """
import sys
from rekern import PairClassifier
from rekern.kernels import SmoothedPartialTree, SoftPairing
from rekern.structures.parsers import parse_trees, parser
from rekern_example import Initials, LengthRatio, LongGrams

pairs = [("anna met ben", "ben met anna"), ("carl saw dora", "dora saw carl"), ("emil met fay", "fay met emil"),
         ("anna met ben", "it rains"), ("carl saw dora", "snow falls now"), ("emil met fay", "no")]
sides = [[pair[side] for pair in pairs] for side in (0, 1)]
flat = parser("flat")
trees = [[parse.constituents[0] for parse in flat.parse(side)] for side in sides]
rows = {"source": sides[0], "target": sides[1], "source.tree": trees[0], "target.tree": trees[1]}
smooth = SmoothedPartialTree(similarity=Initials("abcd"), on="tree")
kernel = SoftPairing(LongGrams(2)) + LengthRatio() + SoftPairing(smooth)
model = PairClassifier(kernel, calibration=0).fit(rows, [1, 1, 1, 0, 0, 0])
model.save(sys.argv[1], keep_pairs=True)
print(model.decision_function(rows).tolist())
"""

USE = """
import sys
from rekern import load_model

model = load_model(sys.argv[1])
rows = model.items_
print(model.decision_function(rows).tolist())
why = model.explain(rows[0])
assert abs(why.decision - why.intercept - sum(part.contribution for part in why.parts)) < 1e-9
assert "length ratio" in [part.name for part in why.parts]
assert "rekern_example" in sys.modules
"""


@pytest.fixture(scope="module", params=["unpacked", pytest.param("pip", marks=pytest.mark.slow)])
def site(request, tmp_path_factory):
    """A folder with the installed package: its wheel is unpacked, which is all that pip does, or pip installs it."""
    folder = tmp_path_factory.mktemp("plugin")
    wheel = folder / "rekern_example-1.0-py3-none-any.whl"
    info = "rekern_example-1.0.dist-info"
    members = {
        "rekern_example.py": SOURCE.read_text(),
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: rekern-example\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": ENTRY_POINTS,
    }
    members[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*members, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    if request.param == "unpacked":
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "site")
        return folder / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile", "--target"]
    subprocess.run([*command, folder / "site", wheel], check=True, capture_output=True)
    return folder / "site"


def run(site, code, path):
    """Run a program in a process of its own, which has not imported the package; return what it prints."""

    def work():
        sys.modules.pop("rekern_example", None)
        sys.path.insert(0, str(site))
        sys.argv[1:] = [path]
        exec(code, {})

    failed, said = fork(work).end()
    assert not failed, said
    return said


@pytest.fixture(scope="module")
def trained(site, tmp_path_factory):
    """A model file with parts of the package, and the decision values of the model that was saved."""
    path = str(tmp_path_factory.mktemp("model") / "m.rekern")
    return path, run(site, TRAIN, path)


def test_parts_of_another_package_are_trained_saved_loaded_and_explained(site, trained):
    path, decisions = trained
    assert run(site, USE, path) == decisions


def test_without_the_package_the_file_says_what_is_missing(trained):
    path, _ = trained
    with pytest.raises(ModelFileError, match="which this Rekern does not know"):
        load_model(path)
