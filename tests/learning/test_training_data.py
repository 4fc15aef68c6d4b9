"""What models accept as pairs and labels, and how they refuse the rest."""

import numpy as np
import pytest

from helpers import rewritings
from rekern import PairClassifier, PairRanker, PairRegressor
from rekern.errors import InputError
from rekern.kernels import Rewriting
from rekern.structures import Pairs

PAIRS, LABELS = rewritings(18)
ESTIMATORS = [PairClassifier(calibration=0), PairRegressor(), PairClassifier(Rewriting(1), gram_limit=2, calibration=2)]


def table(library):
    columns = {"source": [a for a, _ in PAIRS], "target": [b for _, b in PAIRS], "label": LABELS.tolist()}
    if library == "dict":
        return columns
    if library == "array":
        return np.array(PAIRS)
    if library == "datasets":
        pytest.importorskip("datasets")
        from datasets import Dataset

        return Dataset.from_dict(columns)
    if library == "arrow":
        return pytest.importorskip("pyarrow").table(columns)
    return pytest.importorskip(library).DataFrame(columns)


@pytest.mark.parametrize("library", ["dict", "array", "pandas", "polars", "arrow", "datasets"])
def test_tables(library):
    expected = PairClassifier(calibration=0).fit(PAIRS, LABELS)
    data = table(library)
    labels = LABELS if library in ("dict", "array") else data["label"]
    model = PairClassifier(calibration=0).fit(data, labels)
    assert np.array_equal(model.coefficients_, expected.coefficients_)
    assert np.array_equal(model.predict(data), expected.predict(PAIRS))
    assert model.pairs_ == PAIRS


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "datasets"])
def test_groups_and_numbers_from_a_table(library):
    data = table(library)
    PairRegressor(Rewriting(1)).fit(data, data["label"])
    groups = np.arange(18) // 6
    ranker = PairRanker(Rewriting(1)).fit(data, data["label"], groups)
    assert np.array_equal(ranker.coefficients_, PairRanker(Rewriting(1)).fit(PAIRS, LABELS, groups).coefficients_)


def test_generators_and_ready_pairs():
    expected = PairClassifier(Rewriting(2), calibration=0).fit(PAIRS, LABELS).decision_function(PAIRS)
    model = PairClassifier(Rewriting(2), calibration=0).fit((pair for pair in PAIRS), (label for label in LABELS))
    assert np.array_equal(model.decision_function(pair for pair in PAIRS), expected)
    ready = PairClassifier(Rewriting(2), calibration=0).fit(Pairs.from_items(PAIRS), LABELS)
    assert np.array_equal(ready.decision_function(PAIRS), expected)


@pytest.mark.parametrize("model", ESTIMATORS, ids=["gram", "regressor", "linear"])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((None, "a"), "row 3, source: the text is None"),
        (("a", None), "row 3, target: the text is None"),
        (("a", float("nan")), "row 3, target: the text is NaN"),
        ((7, "a"), "row 3, source: the text is the number 7"),
        ((b"a", "a"), "row 3, source: the text is bytes"),
        (("a", ["b", 3]), "row 3, target: token 1 is the number 3"),
        (("a",), "row 3: a pair needs two sides"),
        (("a", "b", "c"), "row 3: a pair needs two sides, got 3"),
        ("ab", "row 3: a pair needs two sides"),
        (None, "row 3: a pair needs two sides"),
    ],
)
def test_bad_rows_are_named(model, row, message):
    with pytest.raises(InputError, match=message) as caught:
        model.fit([*PAIRS[:3], row, *PAIRS[4:]], LABELS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kernel", [Rewriting((1, 2)), None, Rewriting(1, "free")], ids=["rules", "sum", "free"])
def test_bad_rows_are_named_in_predictions(kernel):
    many = PAIRS * 40
    model = PairClassifier(kernel, calibration=0).fit(PAIRS, LABELS)
    with pytest.raises(InputError, match="row 600, target: the text is None"):
        model.predict([*many[:600], ("a", None), *many[600:]])
    with pytest.raises(InputError, match="row 0, source: the text is None"):
        model.explain((None, "a"))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (LABELS[:-1], "18 pairs but 17 labels"),
        ([*LABELS, 1], "18 pairs but 19 labels"),
        ([1] * 18, "all labels are 1, which is one class; a classifier needs examples of two classes or more"),
        (["yes"] * 18, "all labels are yes"),
        ([*LABELS[:5], float("nan"), *LABELS[6:]], "row 5: the label is missing"),
        ([*LABELS[:5].tolist(), None, *LABELS[6:].tolist()], "row 5: the label is missing"),
        (["a", None] * 9, "row 1: the label is missing"),
        ([[label] for label in LABELS], "one column"),
        ([], "18 pairs but 0 labels"),
    ],
)
def test_labels_that_cannot_be_used(labels, message):
    with pytest.raises(InputError, match=message) as caught:
        PairClassifier(calibration=0).fit(PAIRS, labels)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", ESTIMATORS, ids=["gram", "regressor", "linear"])
def test_no_pairs_at_all(model):
    with pytest.raises(InputError, match="no pairs to train on"):
        model.fit([], [])


@pytest.mark.parametrize(
    "pairs", ["text", 5, None, {("a", "b"), ("c", "d")}, b"x"], ids=["text", "number", "None", "set", "bytes"]
)
def test_what_holds_no_pairs(pairs):
    with pytest.raises(InputError):
        PairClassifier().fit(pairs, [0, 1])


@pytest.mark.parametrize("parameters", [{"C": 0}, {"C": -1.0}, {"C": float("nan")}])
def test_impossible_parameters(parameters):
    with pytest.raises(ValueError, match="C="):
        PairClassifier(**parameters).fit(PAIRS, LABELS)


def test_missing_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"left": ["a"], "right": ["b"], "label": [1]})
    with pytest.raises(InputError, match="needs the columns source and target"):
        PairClassifier().fit(frame, frame["label"])


def test_a_missing_text_in_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": ["a", "b"], "target": ["c", None]})
    with pytest.raises(InputError, match="row 1, target"):
        PairClassifier().fit(frame, [0, 1])
