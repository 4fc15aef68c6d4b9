"""The structural experiments: shared Grams equal the kernels' own, and the commands run from files to tables."""

import json
import os

import numpy as np
import pytest

from experiments import runs
from experiments.published_results import STRUCTURAL
from experiments.rewriting_settings import Setting
from experiments.shared_grams import SharedGrams, train_settings
from experiments.structural_experiments import PAIRINGS, measure_right, summarize_folds
from experiments.tree_corpora import GRAPHS, TREES, WORDS, load_part, read_trees, represent_pairs
from rekern.datasets import from_frame
from rekern.datasets.rewrite_corpus import load_rewrites
from rekern.errors import InputError
from rekern.kernels import Gaussian, Neighborhoods, PartialTree, Rewriting
from rekern.learning.cross_validation import Fold
from rekern.similarity import Similarities, UnsharedWords

GROUPS = ("basic", "ngrams", "tags")


def tree_of(text):
    words = text.replace("(", "").replace(")", "").split() or ["x"]
    tags = [("NN", "VB", "DT")[len(word) % 3] for word in words]
    first, rest = words[0], " ".join(f"({tag} {word})" for tag, word in zip(tags[1:], words[1:]))
    return f"(ROOT (S (NP ({tags[0]} {first})) (VP {rest or '(. .)'})))"


def table_of(pairs, labels):
    return from_frame({"source": [a for a, _ in pairs], "target": [b for _, b in pairs], "label": labels})


def items_of(pairs, labels):
    return represent_pairs(table_of(pairs, labels), {text: tree_of(text) for pair in pairs for text in pair})


@pytest.fixture(scope="module")
def corpus():
    pairs, labels = load_rewrites("train", size=60)
    return items_of(pairs, labels), items_of(pairs[:40], labels[:40]), items_of(pairs[40:], labels[40:]), labels


@pytest.mark.parametrize(
    "kernel",
    [
        *(pairing(PartialTree(on=TREES[rel])) for pairing in PAIRINGS.values() for rel in (False, True)),
        Neighborhoods(1, 2, on=GRAPHS[True]),
        Similarities(groups=("basic",), on=WORDS),
        Similarities(groups=("kernels",), kernels=(PartialTree(on=TREES[False]),), standardize=False),
        Gaussian(Similarities(groups=("tags",), on=WORDS), 0.1),
        Gaussian(UnsharedWords(on=WORDS), 0.1),
        Rewriting(k=(1, 2))
        + 3 * Gaussian(UnsharedWords(on=WORDS), 0.1)
        + PAIRINGS["SM-{}"](PartialTree(on=TREES[True])),
    ],
    ids=lambda kernel: type(kernel).__name__,
)
def test_shared_grams_equal_the_kernels_own(corpus, kernel, tmp_path):
    _, train, test, _ = corpus
    grams = SharedGrams(train, None, tmp_path, Similarities(groups=GROUPS, on=WORDS))
    grams.expect([Setting("once", kernel), Setting("again", kernel)])
    kernel.fit(train)
    assert np.allclose(grams.add_terms(kernel), kernel.gram(train), atol=1e-9)
    assert np.allclose(grams.add_terms(kernel), kernel.gram(train), atol=1e-9)  # from what was kept
    grams.add_test(test)
    whole = grams.add_terms(kernel)
    assert np.allclose(whole[40:, :40], kernel.gram(test, train), atol=1e-9)
    assert np.allclose(whole[40:, 40:], kernel.gram(test), atol=1e-9)
    assert np.allclose(whole, whole.T, atol=1e-9)


def test_grams_of_trees_are_found_again(corpus, tmp_path):
    _, train, _, labels = corpus
    signs = np.where(np.array(labels[:40]) == 1, 1, -1)
    settings = [Setting(name, pairing(PartialTree(on=TREES[True]))) for name, pairing in PAIRINGS.items()]
    splits = [Fold(np.arange(30), np.arange(30, 40))]

    def found(items):
        grams = SharedGrams(items, None, tmp_path, Similarities(groups=GROUPS, on=WORDS))
        return [results[0].right for results in train_settings(grams, settings, signs, splits)]

    first = found(train)
    (name,) = os.listdir(tmp_path)  # one Gram of trees for all pairings
    written = (tmp_path / name).stat().st_mtime_ns
    assert all(np.array_equal(a, b) for a, b in zip(first, found(train)))
    assert (tmp_path / name).stat().st_mtime_ns == written
    found(items_of(load_rewrites("train", size=100)[0][60:], labels[:40]))  # other trees: another file
    assert len(os.listdir(tmp_path)) == 2


def test_measures():
    draw = np.random.default_rng(0)
    signs, said = draw.choice([-1, 1], 50), draw.choice([-1, 1], 50)
    from sklearn.metrics import precision_recall_fscore_support

    expected = precision_recall_fscore_support(signs, said, average="binary")[:3]
    assert list(measure_right(signs == said, signs).values())[1:] == [round(100 * value, 2) for value in expected]
    nothing = measure_right(np.array([False, True]), np.array([1, -1]))
    assert nothing == {"accuracy": 50.0, "precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert summarize_folds([np.array([True]), np.array([False, False, True])]) == (50.0, 33.33)


def test_bad_trees(tmp_path):
    table = table_of([("a", "b")], [1])
    with pytest.raises(InputError, match=r"row 0: the trees has no tree of one of its texts; parse it and add it"):
        represent_pairs(table, {"a": "(A a)"})
    (tmp_path / "trees.tsv").write_text("text\ttree\nno tab\n")
    with pytest.raises(InputError, match=r"trees\.tsv, line 2: a text and its tree are needed"):
        read_trees(tmp_path / "trees.tsv")
    (tmp_path / "trees.tsv.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match="is not a whole gzip file: fetch it again"):
        read_trees(tmp_path / "trees.tsv.gz")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with small corpora, their trees, and a few words of each resource."""
    data = tmp_path_factory.mktemp("data")
    pairs, labels = load_rewrites("train", size=60)
    rows = [(label, *pair) for pair, label in zip(pairs, labels)]

    def write(name, header, listed):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("".join("\t".join(map(str, row)) + "\n" for row in [header, *listed]))

    trees = [(text, tree_of(text)) for text in dict.fromkeys(text for pair in pairs for text in pair)]
    for corpus in ("msrp", "rte"):
        write(f"{corpus}/trees.tsv", ("text", "tree"), trees)
    for part, first, last in (("train", 0, 40), ("test", 40, 60)):
        listed = [(label, i, i, s, t) for i, (label, s, t) in enumerate(rows[first:last])]
        write(f"msrp/{part}.tsv", ("quality", "id1", "id2", "s1", "s2"), listed)
    for part, first, last in (("rte3_dev", 0, 40), ("rte3_test", 40, 60)):
        listed = [(i, label, "IE", "", s, t) for i, (label, s, t) in enumerate(rows[first:last])]
        write(f"rte/{part}.tsv", ("id", "entailment", "task", "length", "text", "hypothesis"), listed)
    (data / "glove_twitter_25d_12k").mkdir()
    (data / "glove_twitter_25d_12k" / "vectors.txt").write_text("dog 1 0\ncat 1 0.5\nbought 0 1\n")
    write("ppdb_lexical/pairs.tsv", ("buy", "purchase"), [("car", "auto")])
    header = ("synset", "pos", "members", "hypernym", "instance_hypernym", "definition")
    synsets = [("1", "n", "thing", "", "", "all that is"), ("2", "n", "car|auto", "1", "", "it drives")]
    write("oewn/synsets.tsv", header, synsets)
    return data


@pytest.mark.slow  # the test below runs the same steps, up to the test part
@pytest.mark.parametrize("corpus", ["msrp", "rte3"])
def test_from_files_to_tables(folder, tmp_path, corpus):
    name = f"structural-{corpus}"
    result = runs.run(name, data=folder, out=tmp_path)
    written = {key: value for key, value in result.items() if key != "files"}  # paths of the machine stay out
    assert json.loads((tmp_path / f"{name}.json").read_text()) == json.loads(json.dumps(written, allow_nan=False))
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    rows = {(row["method"], row["rel"]): row for row in result["rows"] if not row["chosen"]}
    assert {key: rows[key]["published"] for key in STRUCTURAL[corpus]} == {
        key: values[0] for key, values in STRUCTURAL[corpus].items()
    }
    needed = {"method", "rel", "accuracy", "precision", "recall", "f1", "cv_accuracy", "cv_sd", "published"}
    assert all(needed <= set(row) for row in result["rows"])
    head = "method rel accuracy precision recall f1 cv_accuracy cv_sd all_cv_accuracy all_cv_sd"
    fields = [*head.split(), "published", "published_f1", "published_all_cv", "C", "note", "chosen"]
    assert all(list(row) == fields for row in result["rows"])  # other programs read them
    chosen = result["chosen_on_train"]
    assert sum(row["chosen"] for row in result["rows"]) == 1
    finalists = [row for row in result["candidates"] if row["shuffles"] == 3]
    assert chosen["cv_accuracy"] == max(row["cv_accuracy"] for row in finalists)
    recorded = json.loads((tmp_path / f"{name}-chosen.json").read_text())
    assert recorded == {key: value for key, value in chosen.items() if key in recorded} and "accuracy" not in recorded
    text = runs.render(result)
    assert all(row["method"] in text for row in result["rows"]) and "None" not in text


def test_the_choice_is_recorded_before_the_test_part_is_read(folder, tmp_path):
    data = tmp_path / "data"
    (data / "rte").mkdir(parents=True)
    for name in ("rte/rte3_dev.tsv", "rte/trees.tsv", "glove_twitter_25d_12k", "ppdb_lexical", "oewn"):
        os.symlink(folder / name, data / name)
    with pytest.raises(InputError, match=r"there is no .*rte3_test\.tsv"):
        runs.run("structural-rte3", data=data, out=tmp_path / "out", cache=tmp_path / "cache", n_jobs=1)
    assert os.listdir(tmp_path / "out") == ["structural-rte3-chosen.json"]
    assert len(os.listdir(tmp_path / "cache")) == 6  # three kernels on trees, without and with REL


def test_the_cache_is_a_folder_and_only_for_these(folder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file: give a folder for the Grams"):
        runs.run("structural-rte3", data=folder, cache=tmp_path / "file")
    with pytest.raises(InputError, match="msrp keeps no Grams"):
        runs.run("msrp", data=folder, cache=tmp_path)


@pytest.mark.slow
def test_partial_trees_with_rel_on_rte3(corpora, tmp_path):
    if not (corpora / "rte" / "trees.tsv.gz").is_file():
        pytest.skip("no rte/trees.tsv.gz among the public corpora")
    train, test = (load_part("rte3", part, corpora) for part in ("train", "test"))
    grams = SharedGrams(train.items, None, tmp_path, Similarities(groups=GROUPS, on=WORDS))
    grams.add_test(test.items)
    signs = np.where(np.array(train.table.labels + test.table.labels) == 1, 1, -1)
    split = Fold(np.arange(800), np.arange(800, 1600))
    settings = [Setting(str(rel), PAIRINGS["{}₊"](PartialTree(on=TREES[rel]))) for rel in (False, True)]
    without, marked = (100 * np.mean(found.right) for (found,) in train_settings(grams, settings, signs, [split]))
    assert marked >= 66.0 > 60.0 > without
