"""Model files: the same bits after a round trip, and one clear error for anything else."""

import io
import json
import os
import zipfile

import numpy as np
import pytest

from helpers import rewritings
from rekern import InputError, ModelFileError, ModelLimits, PairClassifier, PairRanker, PairRegressor, load_model
from rekern.core.model_archive import FORMAT, VERSION
from rekern.core.object_descriptions import build, describe
from rekern.kernels import Gaussian, Normalized, Rewriting, Spectrum
from rekern.similarity import PrecisionRecall
from rekern.structures import Tokenizer

PAIRS, LABELS = rewritings(24)
TEST, _ = rewritings(20, seed=1)
GROUPS = np.arange(24) // 6
NAMES = np.array(["no", "yes", "naïve"])


RULES = Rewriting([(1, 1), (2, 3)], decay=0.5)
RECIPES = {
    "two": lambda: PairClassifier(RULES + PrecisionRecall(), calibration=2).fit(PAIRS, LABELS > 0),
    "three": lambda: PairClassifier(RULES, calibration=0, class_weight={0: 1, 1: 2.0, 2: 3}).fit(PAIRS, LABELS),
    "names": lambda: PairClassifier(0.5 * RULES, class_weight="balanced").fit(
        PAIRS, np.array(["no", "yes", "naïve"])[LABELS]
    ),
    "linear": lambda: PairClassifier(RULES, gram_limit=3).fit(PAIRS, LABELS),
    "number": lambda: PairRegressor(Normalized(RULES + PrecisionRecall())).fit(PAIRS, LABELS * 1.5),
    "level": lambda: PairRegressor(RULES, response="ordinal", epsilon=0.2).fit(PAIRS, LABELS),
    "bell": lambda: PairClassifier(Gaussian(PrecisionRecall(), 0.5) + Gaussian(RULES)).fit(PAIRS, LABELS),
    "order": lambda: PairRanker(Rewriting(1) * Rewriting(2), C=3).fit(PAIRS, LABELS, GROUPS),
    "free": lambda: PairClassifier(Rewriting((1, 2), "free"), calibration=0).fit(PAIRS, LABELS),
    "german": lambda: PairClassifier(Rewriting(2, tokenizer=Tokenizer("german")), calibration=0).fit(PAIRS, LABELS),
    "tokens": lambda: PairClassifier(Rewriting(2, span=2)).fit([(a.split(), b.split()) for a, b in PAIRS], LABELS),
    "strange": lambda: PairClassifier(Rewriting(1), calibration=0).fit(
        [("\ud800 é 日本 🙂", ""), ("\x00\x1f", "\u2028"), ("", ""), ("a", "a")], [0, 1, 0, 1]
    ),
}


class _Models(dict):
    """The models, each trained when a test first asks for it."""

    def __missing__(self, name):
        self[name] = RECIPES[name]()
        return self[name]


MODELS = _Models()


@pytest.mark.parametrize("name", RECIPES)
def test_same_bits_after_a_round_trip(name, tmp_path):
    model, path = MODELS[name], tmp_path / "model.rekern"
    model.save(path, keep_pairs=True)
    assert os.listdir(tmp_path) == ["model.rekern"]
    twin = load_model(path)
    assert type(twin) is type(model)
    assert twin.solver_ == model.solver_
    assert repr(twin.kernel_) == repr(model.kernel_)
    assert twin.pairs_ == model.pairs_
    assert twin.labels_.tolist() == model.labels_.tolist()
    ours = {name: value for name, value in model.get_params(deep=False).items() if name not in ("kernel", "n_jobs")}
    assert ours == {name: value for name, value in twin.get_params(deep=False).items() if name in ours}
    for verb in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, verb) and not (verb == "predict_proba" and model.calibration_ is None):
            assert np.array_equal(getattr(twin, verb)(TEST), getattr(model, verb)(TEST))
    one, other = model.explain(TEST[0]), twin.explain(TEST[0])
    assert one == other
    again = tmp_path / "again.rekern"
    twin.save(again, keep_pairs=True)
    assert load_model(again).explain(TEST[0]) == one


@pytest.mark.parametrize("name", RECIPES)
def test_same_bits_without_training_pairs(name, tmp_path):
    model, path = MODELS[name], tmp_path / "model.rekern"
    model.save(path)
    twin = load_model(path)
    assert not twin.has_pairs()
    assert not hasattr(twin, "pairs_") and not hasattr(twin, "coefficients_")
    assert np.array_equal(twin.predict(TEST), model.predict(TEST))
    one, other = model.explain(TEST[0]), twin.explain(TEST[0])
    assert (one.parts, one.decision) == (other.parts, other.decision)
    assert other.neighbors == [] and "keep_pairs=True" in other.remark and "keep_pairs=True" in str(other)
    assert model.explain(TEST[0]).remark == twin.explain(TEST[0], neighbors=0).remark == ""
    twin.save(tmp_path / "again.rekern")
    again = load_model(tmp_path / "again.rekern")
    assert np.array_equal(again.predict(TEST), model.predict(TEST))
    with pytest.raises(AttributeError, match="saved without training pairs"):
        twin.save(tmp_path / "none", keep_pairs=True)
    assert sorted(os.listdir(tmp_path)) == ["again.rekern", "model.rekern"]


@pytest.mark.parametrize("name", ["two", "three", "names", "level", "tokens"])
def test_the_strongest_rules_are_in_the_file(name, tmp_path):
    model = MODELS[name]
    model.save(tmp_path / "m")
    twin = load_model(tmp_path / "m")
    for label in getattr(model, "classes_", [None]):
        assert twin.rules(7, label) == model.rules(7, label)


def test_texts_are_in_the_file_only_on_request(tmp_path):
    for keep in (False, True):
        PairClassifier(RULES, calibration=0).fit([("Zanzibar lies", "b"), ("c d", "d c")], [0, 1]).save(
            tmp_path / "m", keep_pairs=keep
        )
        with zipfile.ZipFile(tmp_path / "m") as archive:
            found = [name for name in archive.namelist() if b"Zanzibar lies" in archive.read(name)]
        assert found == (["pairs.json"] if keep else [])


def test_a_compact_file_says_what_it_changes(tmp_path):
    model = MODELS["two"]
    model.save(tmp_path / "m", compact=True)
    twin = load_model(tmp_path / "m")
    assert model.compact_ is None and twin.compact_.rules > 0
    changes = np.abs(twin.decision_function(PAIRS) - model.decision_function(PAIRS))
    assert changes.max() == twin.compact_.largest_change > 0
    twin.save(tmp_path / "again")
    assert load_model(tmp_path / "again").compact_ == twin.compact_
    with pytest.raises(InputError, match="cannot be made compact"):
        twin.save(tmp_path / "m", compact=True)
    with pytest.raises(InputError, match="no re-writing rules"):
        PairClassifier(PrecisionRecall(), calibration=0).fit(PAIRS, LABELS).save(tmp_path / "m", compact=True)


def test_neighbors_among_many_pairs_are_those_with_the_largest_values(monkeypatch, tmp_path):
    model = MODELS["three"]
    exact = model.explain(TEST[0]).neighbors
    monkeypatch.setattr("rekern.learning.neighbor_search.ALL_COMPARED", 5)
    monkeypatch.setattr("rekern.learning.neighbor_search.CANDIDATES", 12)
    assert model.explain(TEST[0]).neighbors[0] == exact[0]
    model.save(tmp_path / "m", keep_pairs=True)
    assert load_model(tmp_path / "m").explain(TEST[0]).neighbors == model.explain(TEST[0]).neighbors


def test_rules_are_shown_with_whole_words(tmp_path):
    pairs = [("Critics praised it", "It was praised"), ("Critics praise it", "Nobody praises it")]
    model = PairClassifier(Rewriting(1), calibration=0).fit(pairs, [1, 0])
    model.save(tmp_path / "m")
    for one in (model, load_model(tmp_path / "m")):
        assert "critics → was" in [rule.rule for rule in one.rules(9).favoring]
        assert "critics → was" in [part.name for part in one.explain(pairs[0]).parts]
    tokens = PairClassifier(Rewriting(1), calibration=0).fit([(a.split(), b.split()) for a, b in pairs], [1, 0])
    assert "Critics → was" in [rule.rule for rule in tokens.rules(9).favoring]


def test_a_model_can_be_trained_again_after_loading(tmp_path):
    MODELS["three"].save(tmp_path / "m")
    twin = load_model(tmp_path / "m").fit(PAIRS, LABELS)
    assert np.array_equal(twin.coefficients_, MODELS["three"].coefficients_)


def test_a_file_holds_json_and_plain_arrays(tmp_path):
    MODELS["two"].save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        names = archive.namelist()
        tables = [name for name in names if name.startswith("array-")]
        assert sorted(set(names) - set(tables)) == ["calibration.npy", "intercept.npy", "model.json"]
        assert len(tables) > 5
        for name in names:
            if name.endswith(".npy"):
                np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            else:
                json.loads(archive.read(name))


def test_a_tokenizer_that_is_a_function_cannot_be_saved(tmp_path):
    model = PairClassifier(Rewriting(1, tokenizer=str.split), calibration=0).fit(PAIRS, LABELS)
    with pytest.raises(ValueError, match="cannot be saved; give the kernel ready-made tokens instead") as caught:
        model.save(tmp_path / "m")
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_a_place_where_no_file_can_be_written(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        MODELS["two"].save(tmp_path / "none" / "m")
    with pytest.raises(InputError, match="is a folder"):
        MODELS["two"].save(tmp_path)


@pytest.mark.parametrize(
    "value", [None, True, 3, 0.5, "a", [1, [2]], (1, 4), [(3, 5), (4, 4)], Rewriting((1, 4)), Spectrum(2) + Spectrum(3)]
)
def test_parameters_are_described_and_built(value):
    assert repr(build(json.loads(json.dumps(describe(value))))) == repr(value)
    assert describe(np.int64(3)) == 3


# Files that are no model


def refused(path, words=None):
    with pytest.raises(ModelFileError, match=words) as caught:
        load_model(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    assert caught.value.__cause__ is None
    return message


def test_other_files(tmp_path):
    refused(tmp_path / "none", "there is no such file")
    refused(tmp_path, "this is a folder")
    path = tmp_path / "m"
    for content in (b"", b"text", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"\x80\x04."):
        path.write_bytes(content)
        refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.json", "{}")
    refused(path, "not a Rekern model")
    assert issubclass(ModelFileError, ValueError)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small model file, as bytes."""
    path = tmp_path_factory.mktemp("small") / "m"
    pairs = [("a b", "b a"), ("c", "c d"), ("a d", "d"), ("b", "a c")]
    model = PairClassifier(Rewriting((1, 2)) + PrecisionRecall(), calibration=2).fit(pairs, [0, 1, 0, 1])
    model.save(path, keep_pairs=True)
    return path.read_bytes()


def changed(content, tmp_path, replace=None, drop=()):
    """The model file with some of its members changed."""
    path = tmp_path / "changed.rekern"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name not in drop}
    members.update(replace or {})
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def header_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("model.json"))


def array(*values, **options):
    buffer = io.BytesIO()
    np.save(buffer, np.array(*values, **options))
    return buffer.getvalue()


def test_truncated_at_every_length(small, tmp_path):
    path = tmp_path / "m"
    for length in range(0, len(small), max(1, len(small) // 150)):
        path.write_bytes(small[:length])
        refused(path)
    path.write_bytes(small[:-1])
    refused(path)


def test_flipped_bytes(small, tmp_path):
    """Damage anywhere: an error of ours, or a model that still gives finite numbers; never another exception."""
    rng = np.random.default_rng(0)
    path = tmp_path / "m"
    refusals = 0
    for _ in range(200):
        damaged = bytearray(small)
        for place in rng.integers(0, len(small), rng.integers(1, 4)):
            damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(damaged))
        try:
            model = load_model(path)
        except ModelFileError as error:
            refusals += 1
            assert "\n" not in str(error)
        else:
            assert np.isfinite(model.decision_function(TEST[:3])).all()
            assert np.isfinite(model.predict_proba(TEST[:3])).all()
    assert refusals > 100


def test_flipped_bytes_inside_the_members(small, tmp_path):
    """Without the zip's checksums in the way: the contents themselves are damaged."""
    rng = np.random.default_rng(1)
    with zipfile.ZipFile(io.BytesIO(small)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, data in members.items():
        for _ in range(3 if name.startswith("array-") else 15):
            damaged = bytearray(data)
            damaged[rng.integers(0, len(data))] ^= int(rng.integers(1, 256))
            path = changed(small, tmp_path, {name: bytes(damaged)})
            try:
                model = load_model(path)
            except ModelFileError as error:
                assert "\n" not in str(error)
            else:
                assert np.isfinite(model.decision_function(TEST[:3])).all(), (name, damaged)
                model.explain(TEST[0])


@pytest.mark.parametrize("member", ["model.json", "pairs.json", "coefficients.npy", "intercept.npy"])
def test_a_member_is_missing_or_empty(small, tmp_path, member):
    refused(changed(small, tmp_path, drop=[member]))
    refused(changed(small, tmp_path, {member: b""}))
    refused(changed(small, tmp_path, {member: b"\xff\xfe\x00"}))


def test_a_newer_file(small, tmp_path):
    header = {**header_of(small), "version": VERSION + 1, "written_by": "9.9"}
    message = refused(changed(small, tmp_path, {"model.json": json.dumps(header)}))
    assert "written by Rekern '9.9'" in message
    assert "upgrade" in message
    header["version"] = VERSION - 1
    refused(changed(small, tmp_path, {"model.json": json.dumps(header)}), "save the model again")


HOSTILE = [None, True, -1, 0, 1.5, "x", "", [], [[]], {}, {"type": "Rewriting"}, {"type": ["x"]}, [1, "a", None], 1e308]


@pytest.mark.parametrize("key", ["format", "version", "model", "parameters", "kernel", "solver", "labels"])
def test_hostile_headers(small, tmp_path, key):
    header = header_of(small)
    for value in HOSTILE:
        path = changed(small, tmp_path, {"model.json": json.dumps({**header, key: value})})
        try:
            model = load_model(path)
        except ModelFileError as error:
            assert "\n" not in str(error)
        else:
            assert np.isfinite(model.decision_function(TEST[:2])).all()
    missing = {name: value for name, value in header.items() if name != key}
    refused(changed(small, tmp_path, {"model.json": json.dumps(missing)}))


KERNELS = [
    {"type": "Unknown"},
    {"type": "os.system"},
    {"type": "Sum"},
    {"type": "Sum", "left": 1, "right": 2},
    {"type": "Tokenizer"},
    {"type": "Rewriting", "k": 10**9},
    {"type": "Rewriting", "k": "4"},
    {"type": "Rewriting", "k": {"type": "tuple", "items": [1, None]}},
    {"type": "Rewriting", "k": {"type": "tuple", "items": 5}},
    {"type": "Rewriting", "decay": -1},
    {"type": "Rewriting", "span": 10**12},
    {"type": "Rewriting", "tokenizer": "str"},
    {"type": "Rewriting", "tokenizer": {"type": "Tokenizer", "language": "klingon"}},
    {"type": "Rewriting", "tokenizer": {"type": "Tokenizer", "language": ["x"]}},
    {"type": "Rewriting", "tokenizer": {"type": "Rewriting"}},
    {"type": "Rewriting", "surprise": 1},
    {"type": "Scaled", "kernel": {"type": "Rewriting"}, "weight": "x"},
    {"type": "Scaled", "kernel": {"type": "Rewriting"}, "weight": -1},
    {"type": "Scaled", "kernel": None, "weight": 1},
    {"type": "Normalized", "kernel": {"type": "Tokenizer"}},
    {"type": "Gaussian", "kernel": {"type": "Rewriting"}, "gamma": -1},
]


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_hostile_kernels(small, tmp_path, kernel):
    refused(changed(small, tmp_path, {"model.json": json.dumps({**header_of(small), "kernel": kernel})}))


def test_kernels_nested_without_end(small, tmp_path):
    text = json.dumps({**header_of(small), "kernel": "HERE"})
    deep = '{"type": "Normalized", "kernel": ' * 50_000 + "1" + "}" * 50_000
    refused(changed(small, tmp_path, {"model.json": text.replace('"HERE"', deep)}))
    refused(changed(small, tmp_path, {"model.json": "[" * 100_000}))


@pytest.mark.parametrize(
    "pairs",
    [
        None,
        5,
        "text",
        {},
        [1],
        [["a"]],
        [["a", "b", "c"]],
        [["a", 1]] * 4,
        [["a", None]] * 4,
        [["a", [1]]] * 4,
        [["a", "b"]] * 3,
    ],
    ids=range(11),
)
def test_hostile_pairs(small, tmp_path, pairs):
    refused(changed(small, tmp_path, {"pairs.json": json.dumps(pairs)}))


@pytest.mark.parametrize(
    ("member", "data"),
    [
        ("coefficients.npy", array([[1.0]] * 3)),
        ("coefficients.npy", array([1.0] * 4)),
        ("coefficients.npy", array([[1.0, 2.0]] * 4)),
        ("coefficients.npy", array([[1]] * 4)),
        ("coefficients.npy", array([[float("nan")]] * 4)),
        ("coefficients.npy", array([[float("inf")]] * 4)),
        ("coefficients.npy", array([["a"]] * 4)),
        ("coefficients.npy", array([[None]] * 4, dtype=object)),
        ("coefficients.npy", array([[1j]] * 4)),
        ("coefficients.npy", array([[1e300]] * 4)),
        ("intercept.npy", array(1.0)),
        ("intercept.npy", array([])),
        ("intercept.npy", array([1.0, 2.0])),
        ("calibration.npy", array([[1.0]])),
        ("calibration.npy", array([[1.0, 2.0]] * 2)),
        ("calibration.npy", array([[1.0, float("nan")]])),
    ],
)
def test_hostile_arrays(small, tmp_path, member, data):
    refused(changed(small, tmp_path, {member: data}))


def test_a_small_file_that_would_fill_the_memory(small, tmp_path):
    path = changed(small, tmp_path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("array-0.npy", "w") as member:
        for _ in range(65):
            member.write(b"0" * (1 << 20))
    refused(path, "would unpack to")


def test_a_file_does_not_say_how_many_threads_to_use(small, tmp_path):
    header = header_of(small)
    header["parameters"]["n_jobs"] = 10**6
    refused(changed(small, tmp_path, {"model.json": json.dumps(header)}), "threads")


def test_an_array_that_claims_to_be_huge(small, tmp_path):
    honest = array([[1.0]] * 4)
    lying = honest.replace(b"(4, 1)", b"(4000000000000, 1)", 1)
    assert lying != honest
    refused(changed(small, tmp_path, {"coefficients.npy": lying}))


@pytest.mark.parametrize(
    "labels", [[0, 0, 0, 0], [0, 1], [[0], [1], [0], [1]], [0, 1, 0, None], [0, 1, 2, 1], ["a", 1, 2, 3]]
)
def test_labels_that_do_not_fit(small, tmp_path, labels):
    path = changed(small, tmp_path, {"model.json": json.dumps({**header_of(small), "labels": labels})})
    refused(path)


def test_the_format_is_named():
    assert FORMAT == "rekern model"


def test_one_long_label_among_many(small, tmp_path):
    classes = ["a" * 2_000_000, *(f"b{number}" for number in range(400))]
    header = {**header_of(small), "classes": classes}
    refused(
        changed(small, tmp_path, {"model.json": json.dumps(header)}), "its classes is damaged: a label has 2,000,000"
    )


def test_too_many_kernels_inside_kernels(small, tmp_path):
    kernel = {"type": "Rewriting", "k": 1}
    for _ in range(7):
        kernel = {"type": "Sum", "left": kernel, "right": kernel}
    text = json.dumps({**header_of(small), "kernel": kernel})
    refused(changed(small, tmp_path, {"model.json": text}), "it has many kernels inside kernels; the limit is 200")
    for _ in range(98):
        kernel = {"type": "Normalized", "kernel": kernel}
    text = json.dumps({**header_of(small), "kernel": kernel})
    refused(changed(small, tmp_path, {"model.json": text}), "nested 10. deep; the limit is 100")


def test_a_training_text_that_is_too_long(tmp_path):
    model = PairClassifier(Rewriting(1, "free"), calibration=0).fit([("a " * 300, "b"), ("b", "a c")], [0, 1])
    model.save(tmp_path / "m")
    with pytest.raises(ModelFileError, match=r"a training text or tree of 300 words or nodes; the limit is 200"):
        load_model(tmp_path / "m", limits=ModelLimits(item_size=200))
    load_model(tmp_path / "m")


def test_windows_that_cost_much(small, tmp_path):
    for kernel in (
        {"type": "Rewriting", "k": {"type": "tuple", "items": [1, 14]}},
        {"type": "Rewriting", "k": [[13, 13], [13, 12], [12, 13]]},
        {"type": "PairSum", "kernel": {"type": "Wildcard", "k": 15, "m": 15}},
    ):
        text = json.dumps({**header_of(small), "kernel": kernel})
        refused(changed(small, tmp_path, {"model.json": text}), "patterns; the limit is 16,384: load_model")
    model = PairClassifier(Rewriting(14), calibration=0).fit(PAIRS, LABELS)
    model.save(tmp_path / "m")
    load_model(tmp_path / "m")
    with pytest.raises(ModelFileError, match=r"limits=ModelLimits\(window_patterns=16384\)"):
        load_model(tmp_path / "m", limits=ModelLimits(window_patterns=100))


def test_a_kernel_on_texts_in_a_model_of_pairs(small, tmp_path):
    text = json.dumps({**header_of(small), "kernel": {"type": "Spectrum"}})
    refused(changed(small, tmp_path, {"model.json": text}), "Spectrum compares texts, not pairs of texts")
