"""Every parameter of every public class: a wrong type, a wrong range, NaN or a huge number is one kind of error.

The error is an InputError, of one line that names the parameter. What it may be is in one table beside the class.
"""

import importlib
import inspect
import pathlib

import numpy as np
import pytest

from rekern.core.parameter_tables import check_parameters, find_parameter_table
from rekern.errors import InputError
from rekern.kernels import Kernel, Spectrum
from rekern.krisp import read_grammar
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus
from rekern.krisp.substrings import Substrings
from rekern.similarity import PrecisionRecall
from rekern.similarity.lexicons.wordnet import WordNet

PACKAGES = (
    "rekern",
    *(f"rekern.{name}" for name in ["kernels", "similarity", "learning", "krisp", "questions", "structures"]),
)
PAIRS = [("a b c", "a c"), ("b c", "c b a"), ("a a", "a a"), ("d", "e"), ("a d", "e d"), ("a", "b c")]
LABELS = [1, 0, 1, 0, 1, 0]
TREES, TEXTS, GRAPHS = ["(a (b c))", "(a b)"], ["a b c", "b c"], [(["a", "b"], [(0, 1)]), (["a"], [])]
GRAMMAR = read_grammar(["start Q", "Q -> all"])
SENTENCES = Substrings(SentenceCorpus([AnnotatedSentence(("a", "b"))]), [(0, 0, 1)])
HOSTILE = [
    *(None, True, -1, 0, 3, 10**30, 10**400, 0.5, 1.5, -0.5, float("nan"), float("inf"), -float("inf"), 1e308),
    *("", "nonsense", "a" * 300, b"bytes", 1j, object(), Spectrum, Spectrum(1), [], [1], ["a"], (), (1, 2, 3), {}),
    *({"a": 1}, np.float64("nan"), np.array([1.0, 2.0]), np.array("x"), [float("nan")], lambda *_: 3, range(3)),
]


def list_classes():
    found = {}
    for name in PACKAGES:
        package = importlib.import_module(name)
        for public in package.__all__:
            kind = getattr(package, public)
            if isinstance(kind, type) and hasattr(kind, "get_params") and kind is not Kernel:
                found[f"{kind.__module__}.{public}"] = kind
    return found


CLASSES = list_classes()
NEEDED = {  # arguments without a default value
    "kernel": Spectrum(1),
    "left": Spectrum(1),
    "right": Spectrum(2),
    "grammar": GRAMMAR,
    "formulas": ["hot & only(ice)", "ice", "tea"],
    "queries": ["ice", "tea"],
}


def make(kind, **parameters):
    """An object with these parameters, and what it needs besides."""
    known = inspect.signature(kind).parameters
    needed = {name: NEEDED[name] for name in known if known[name].default is inspect.Parameter.empty and name in NEEDED}
    if kind.__name__ == "Curves":
        needed["kernel"] = PrecisionRecall()
    return kind(**{**needed, **parameters})


def list_parameters(kind):
    kinds = inspect.signature(kind).parameters.values()
    return [parameter.name for parameter in kinds if parameter.kind is not inspect.Parameter.VAR_KEYWORD]


def use(thing):
    """Make use of an object, on little data."""
    name = type(thing).__name__
    if isinstance(thing, Kernel):
        if type(thing).__module__.startswith("rekern.krisp"):
            return check_parameters(thing) if thing.reads() != {"words"} else thing.gram(SENTENCES)
        if name in ("Sum", "Product", "Scaled", "Normalized", "Gaussian"):
            return thing.gram(TEXTS)
        items = {"trees": TREES, "graphs": GRAPHS, "words": TEXTS}[thing.structure] if thing.on_texts else PAIRS
        return (
            thing.fit(items).gram(items) if name in ("Curves", "Similarities", "UnsharedWords") else thing.gram(items)
        )
    if name == "Tokenizer":
        return thing("A text."), thing.word_tokens()
    if name == "PatternSettings":
        return thing.check()
    if name == "MarkovLogic":
        return thing.fit([{"hot": 1.0}, {}], [["ice"], ["tea"]])
    if name == "SemanticParser":
        return check_parameters(thing), thing.fit(["everything", "all"], ["all", "all"])
    if name == "Expressions":
        return thing.fit(["a b", "a b"])
    if name == "PairFinder":
        return thing.fit(["a b", "b c"]).find(["a"])
    if name == "RewriteVectorizer":
        return thing.fit_transform(PAIRS)
    if name == "QuestionClassifier":
        return thing.fit(
            ["who is he?", "who was she?", "where is it?", "where was it?"], ["who", "who", "where", "where"]
        )
    return thing.fit(PAIRS if name != "TextClassifier" else [source for source, _ in PAIRS], LABELS)


def satisfies(kind, name, value):
    """Whether a value satisfies its constraint, so that an error may be about something else."""
    try:
        check_parameters(make(kind, **{name: value}))
    except ValueError:
        return False
    return not isinstance(value, complex | bytes)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data folder with a WordNet of two words."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "oewn").mkdir()
    WordNet.from_synsets([("1", "n", ["a"], [], "a b"), ("2", "n", ["b"], ["1"], "b c")]).save(folder / "oewn")
    return folder


def test_there_are_classes_to_test():
    names = {name.rpartition(".")[2] for name in CLASSES}
    assert {"PairClassifier", "Rewriting", "SemanticParser", "Similarities", "Tokenizer"} <= names and len(names) > 40


@pytest.mark.parametrize("kind", CLASSES.values(), ids=CLASSES)
def test_the_table_beside_the_class_has_all_parameters(kind):
    table = find_parameter_table(kind)
    assert table is not None, "no table of parameters"
    assert sorted(table.parts) == sorted(list_parameters(kind))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", CLASSES.values(), ids=CLASSES)
def test_hostile_values_are_refused_in_one_line_that_names_the_parameter(kind, data, monkeypatch):
    monkeypatch.setenv("REKERN_DATA", str(data))
    search = kind.__name__.startswith("Auto")
    for name in list_parameters(kind):
        for value in HOSTILE:
            try:
                thing = make(kind, **{name: value})
                # A search takes seconds; its parameters are checked by their table before it starts.
                check_parameters(thing) if search else use(thing)
            except ValueError as error:
                message = str(error)
                assert "\n" not in message and len(message) < 1500, message
                if not satisfies(kind, name, value):
                    assert name.rstrip("s") in message, f"{name}={value!r:.60} is not named: {message}"
                    assert isinstance(error, InputError), f"{name}={value!r:.60}: {type(error).__name__}: {message}"
            except Exception as error:
                raise AssertionError(f"{name}={value!r:.60}: {type(error).__name__}: {error}") from error


def test_paths_are_no_parameters_of_numbers():
    with pytest.raises(ValueError, match=r"k=.*: give a whole number from 1 to 32"):
        Spectrum(pathlib.Path("2")).gram(TEXTS)
