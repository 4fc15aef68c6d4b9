"""Models on trees, graphs and words together: training, prediction, explanation, files, searches."""

import functools
import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from helpers import rewritings
from rekern import InputError, ModelFileError, PairClassifier, PairRanker, PairRegressor, load_model
from rekern.kernels import (
    AllProduct,
    AllSum,
    BestPairing,
    DependencyPaths,
    Gaussian,
    Neighborhoods,
    PairProduct,
    PairSum,
    PartialTree,
    Rewriting,
    SmoothedPartialTree,
    SoftPairing,
    Spectrum,
    Subsequence,
    SubsetTree,
    SubTree,
    Wildcard,
)
from rekern.kernels.kernel_json import kernel_from_json
from rekern.similarity import PrecisionRecall, Similarities, WordVectors
from rekern.structures import Representations, linked_graphs, mark_related

PAIRS, LABELS = rewritings(36)
GROUPS = np.arange(36) // 6


def flat(text):
    return "(S " + " ".join(f"(W {word.lower()}::w)" for word in text.split()) + ")"


def table(pairs):
    one, other = mark_related([flat(a) for a, _ in pairs], [flat(b) for _, b in pairs])
    return Representations(
        {
            "source": [a for a, _ in pairs],
            "target": [b for _, b in pairs],
            "source.tree": one,
            "target.tree": other,
            "graph": linked_graphs(one, other),
            "id": list(range(len(pairs))),
        }
    )


TRAIN, TEST = table(PAIRS), table(rewritings(12, seed=1)[0])
VECTORS = {"ann": [1.0, 0.0], "bob": [0.8, 0.6]}
KERNEL = (
    SoftPairing(SmoothedPartialTree(similarity=VECTORS, on="tree")) + Neighborhoods(1, 2, on="graph") + Similarities()
)
KERNELS = {
    "smoothed": KERNEL,
    "space": AllProduct(SmoothedPartialTree(similarity=WordVectors(["ann"], [[1, 2]]), on="tree")) + Rewriting(1),
    "sum": PairSum(SubTree(on="tree") + 0.5 * SubsetTree(on="tree")),
    "product": PairProduct(PartialTree(on="tree")) * PrecisionRecall(),
    "best": BestPairing(DependencyPaths(on="tree")).normalized() + AllSum(Spectrum(1) + Wildcard(2)),
    "words": SoftPairing(Subsequence(2)),
    "bell": Gaussian(PairSum(SubsetTree(on="tree")), 0.5) + Neighborhoods(1, 1, on="graph"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_round_trip_gives_the_same_bits(name, tmp_path):
    model = PairClassifier(KERNELS[name], calibration=2).fit(TRAIN, LABELS)
    model.save(tmp_path / "m.rekern")
    again = load_model(tmp_path / "m.rekern")
    assert np.array_equal(again.decision_function(TEST), model.decision_function(TEST))
    assert again.explain(TEST[3]).parts == model.explain(TEST[3]).parts
    model.save(tmp_path / "m.rekern", keep_pairs=True)
    again = load_model(tmp_path / "m.rekern")
    assert np.array_equal(again.decision_function(TEST), model.decision_function(TEST))
    assert np.array_equal(again.predict_proba(TEST), model.predict_proba(TEST))
    assert "id" not in model.items_.columns
    assert again.explain(TEST[3]) == model.explain(TEST[3])
    assert not any("\n" in part.name for part in again.explain(TEST[3]).parts)


def test_what_could_not_be_loaded_is_not_saved(tmp_path, monkeypatch):
    model = PairClassifier(KERNEL, calibration=0).fit(TRAIN, LABELS)
    monkeypatch.setattr("rekern.core.model_archive.LARGEST_ARRAY", 30)
    with pytest.raises(ValueError, match="a model with 4 numbers in an array could not be loaded"):
        model.save(tmp_path / "m.rekern")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", KERNELS)
def test_explanations_add_up(name):
    model = PairClassifier(KERNELS[name], calibration=0).fit(TRAIN, LABELS > 0)
    rows = [dict(row) for row in TEST[:4]]
    decisions = model.decision_function(TEST)
    for row, decision in zip(rows, decisions):
        why = model.explain(row)
        assert why.source == row["source"]
        assert abs(why.decision - decision) < 1e-9
        assert abs(why.intercept + sum(part.contribution for part in why.parts) - why.decision) < 1e-9
        assert len(why.neighbors) == 3
        assert why.neighbors[0].source in TRAIN["source"]
        json.dumps(why.to_dict())


def test_trees_tell_what_words_alone_do_not():
    score = cross_val_score(PairClassifier(PairProduct(PartialTree(on="tree")), calibration=0), TRAIN, LABELS > 0, cv=3)
    assert np.mean(score) >= 0.6


def test_a_search_over_nested_parameters():
    model = PairClassifier(SoftPairing(PartialTree(on="tree")), calibration=0)
    grid = {"kernel__kernel__decay": [0.2, 0.6], "kernel__c": [10.0, 100.0]}
    search = GridSearchCV(model, grid, cv=3).fit(TRAIN, LABELS > 0)
    assert set(search.best_params_) == set(grid)
    assert search.predict(TEST).shape == (12,)


def test_regression_and_ranking():
    regressor = PairRegressor(KERNEL).fit(TRAIN, LABELS * 1.0)
    assert regressor.predict(TEST).shape == (12,)
    why = regressor.explain(TEST[0])
    assert abs(why.intercept + sum(part.contribution for part in why.parts) - why.decision) < 1e-9
    ranker = PairRanker(SoftPairing(PartialTree(on="tree"))).fit(TRAIN, LABELS, GROUPS)
    assert sorted(ranker.rank(TEST)) == list(range(12))
    assert ranker.explain(TEST[0]).decision == pytest.approx(ranker.predict(TEST)[0])


def test_dict_rows_and_frames_and_pairs_of_brackets():
    pandas = pytest.importorskip("pandas")
    model = PairClassifier(SoftPairing(PartialTree(on="tree")), calibration=0).fit(TRAIN, LABELS)
    expected = model.decision_function(TEST)
    rows = [dict(row) for row in TEST]
    assert np.array_equal(model.decision_function(rows), expected)
    assert np.array_equal(model.decision_function(pandas.DataFrame(rows)), expected)
    assert model.decision_function([]).shape[0] == 0
    brackets = [list(zip(part["source.tree"], part["target.tree"])) for part in (TRAIN, TEST)]
    plain = PairClassifier(SoftPairing(PartialTree()), calibration=0).fit(brackets[0], LABELS)
    assert np.array_equal(plain.decision_function(brackets[1]), expected)
    only_trees = PairClassifier(SoftPairing(PartialTree(on="tree")), calibration=0).fit(
        TRAIN.select_columns(["source.tree", "target.tree"]), LABELS
    )
    assert only_trees.explain(TEST.select_columns(["source.tree", "target.tree"])[0]).source.startswith("(S")


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (PartialTree(), "PartialTree compares texts, not pairs of texts; put it into PairSum, PairProduct"),
        (Spectrum(2) + Rewriting(1), "Spectrum compares texts"),
        (Neighborhoods(), "Neighborhoods compares texts"),
        (PartialTree(on="tree"), "put it into PairSum, PairProduct"),
        (SoftPairing(PartialTree(on="parse")), "no column 'source.parse' for the representation 'parse'"),
        (Neighborhoods(on="links"), "there is no representation 'links'"),
    ],
)
def test_kernels_that_do_not_fit_are_refused(kernel, message):
    with pytest.raises(InputError, match=message) as caught:
        PairClassifier(kernel, calibration=0).fit(TRAIN, LABELS)
    assert "\n" not in str(caught.value)


def test_a_missing_tree_is_named_and_an_empty_one_is_like_nothing():
    rows = [dict(row) for row in TRAIN]
    model = PairClassifier(PairSum(PartialTree(on="tree")), calibration=0)
    rows[4]["target.tree"] = None
    with pytest.raises(InputError, match=r"row 4, target.tree: the value is None; drop the row"):
        model.fit(rows, LABELS)
    rows[4]["target.tree"] = "()"
    model.fit(rows, LABELS)
    empty = {**rows[0], "source.tree": "()", "target.tree": ""}
    assert model.decision_function([empty])[0] == pytest.approx(model.intercept_)


def test_a_similarity_that_is_a_function_cannot_be_saved(tmp_path):
    kernel = SoftPairing(SmoothedPartialTree(similarity=lambda a, b: 0.5, on="tree"))
    with pytest.raises(ValueError, match="word vectors instead of a similarity of your own"):
        PairClassifier(kernel, calibration=0).fit(TRAIN, LABELS).save(tmp_path / "m")


@functools.cache
def trained():
    return PairClassifier(KERNEL, calibration=0).fit(TRAIN, LABELS)


def damaged(path, column, part, change):
    """The same file with one part of a column of the training items changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["model.json"])
    table = header["items"]["parts"]
    parts = table["columns"][table["names"]["value"].index(column)]["parts"]
    if parts[part] is not None and isinstance(parts[part], dict) and parts[part]["type"] == "array":
        content = change(np.load(io.BytesIO(members[f"{parts[part]['name']}.npy"])))
        parts[part] = {**parts[part], "name": f"array-{header['tables']}"}
        buffer = io.BytesIO()
        np.save(buffer, content)
        members[f"array-{header['tables']}.npy"] = buffer.getvalue()
        header["tables"] += 1
    else:
        parts[part] = change(parts[part])
    members["model.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def fill(number):
    return lambda array: np.full_like(array, number)


def add_edge(graphs):
    graphs["value"][0][1].append([0, 10**9, ""])
    return graphs


@pytest.mark.parametrize(
    ("column", "part", "change"),
    [
        ("source.tree", "parents", fill(0)),
        ("source.tree", "parents", fill(10**9)),
        ("source.tree", "nodes", fill(-5)),
        ("source.tree", "nodes", fill(10**6)),
        ("source.tree", "lengths", lambda array: np.append(array, -3)),
        ("source.tree", "lengths", lambda array: array[:-1]),
        ("source.tree", "lengths", fill(2**62)),
        ("source.tree", "nodes", lambda array: array[:0]),
        ("source.tree", "kind", lambda kind: "pickle"),
        ("source.tree", "words", lambda words: {"type": "json", "value": []}),
        ("graph", "graphs", add_edge),
        ("graph", "graphs", lambda graphs: {"type": "json", "value": []}),
    ],
)
def test_damaged_structures_are_refused(column, part, change, tmp_path):
    path = tmp_path / "m.rekern"
    trained().save(path, keep_pairs=True)
    damaged(path, column, part, change)
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("3", "is 3, not a kernel"),
        ('{"type": "eval"}', "there is no kernel 'eval'; known are AllProduct, .*Rewriting"),
        ('{"type": "PartialTree", "decays": 1}', "PartialTree has no parameter 'decays'; it has decay, mu"),
        ('{"type": "SoftPairing"}', "SoftPairing needs the parameter 'kernel'"),
        ('{"type": "SoftPairing", "kernel": 3}', "the parameter 'kernel' of SoftPairing is 3; give a kernel"),
        ('{"type": "Sum", "kernels": []}', "with at least one kernel"),
        ('{"type": "Sum", "kernels": [3]}', "has 3 among its kernels"),
        ('{"type": "WordVectors", "file": "no such file"}', "no such file"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_kernels_in_json_that_are_refused(text, message):
    with pytest.raises(InputError, match=message) as caught:
        kernel_from_json(text)
    assert "\n" not in str(caught.value)


def test_kernels_in_json():
    kernel = kernel_from_json(
        '{"type": "Sum", "kernels": [{"type": "SoftPairing", "kernel": {"type": "PartialTree", "on": "tree"}},'
        ' {"type": "Scaled", "kernel": {"type": "Neighborhoods", "radius": 1, "on": "graph"}, "weight": 0.5},'
        ' {"type": "Similarities", "only": ["recall"]}]}'
    )
    assert repr(kernel) == repr(
        SoftPairing(PartialTree(on="tree")) + 0.5 * Neighborhoods(radius=1, on="graph") + Similarities(only=("recall",))
    )
    PairClassifier(kernel, calibration=0).fit(TRAIN, LABELS).predict(TEST)
