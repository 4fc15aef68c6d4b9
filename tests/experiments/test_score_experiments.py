"""The experiment with all scores runs from files to a table, and chooses before it reads the test part."""

import json

import numpy as np
import pytest

from experiments import runs, score_experiments
from experiments.pair_corpora import CORPORA, CorpusPart, add_dependencies, make_folds
from experiments.pair_models import fit_logistic
from experiments.rewriting_settings import Setting
from experiments.score_experiments import measure_setting
from rekern.datasets import from_frame
from rekern.errors import InputError
from rekern.learning.search_tasks import ClassTask
from rekern.learning.training_matrices import SharedMatrices
from rekern.similarity import Similarities, WordVectors
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.structures import sentence
from rekern.structures.parsers import Parse, Parser


@pytest.fixture(scope="module")
def corpora(small_corpora):
    """The small corpora with a tiny WordNet, thesaurus and word space."""
    for name in ("oewn", "ppdb_lexical", "glove_6b_100d"):
        (small_corpora / name).mkdir(exist_ok=True)
    synsets = [("e", "n", ["thing"], [], "a thing"), ("c", "n", ["city"], ["e"], "a big town")]
    WordNet.from_synsets(synsets).save(small_corpora / "oewn")
    (small_corpora / "ppdb_lexical" / "pairs.tsv").write_text("buy\tpurchase\n")
    (small_corpora / "glove_6b_100d" / "vectors.bin").write_text("the 1 0\nbought 0.5 1\nsold 0.4 1\n")
    return small_corpora


@pytest.mark.parametrize("name", ["sick-entailment", "stsb", "wikiqa"])
def test_one_corpus(corpora, tmp_path, name):
    result = runs.run("pairs", data=corpora, out=tmp_path, only=name)
    (row,) = result["rows"]
    assert row["corpus"] == name and row["measure"] == CORPORA[name].measure
    fields = "corpus measure chosen C on_train default_on_train paper known candidates test_pairs train_pairs default"
    assert list(row)[:15] == [*fields.split(), "value", "low", "high"]  # other programs read them
    assert row["low"] <= row["value"] <= row["high"]
    best = max(row["candidates"], key=lambda candidate: candidate["on_train"])
    assert (row["chosen"], row["C"], row["on_train"]) == (best["setting"], best["C"], best["on_train"])
    record = json.loads((tmp_path / f"pairs-{name}-chosen.json").read_text())
    assert record["chosen"] == row["chosen"] and "value" not in record
    text = runs.render(result)
    assert name in text and row["chosen"] in text and "None" not in text


def test_the_development_part_joins_the_training_part(corpora):
    (row,) = runs.run("pairs", data=corpora, only="stsb")["rows"]
    assert row["train_pairs"] == sum(len(CORPORA["stsb"].load(part, corpora).table) for part in ("train", "dev"))
    (row,) = runs.run("pairs", data=corpora, only="wikiqa")["rows"]
    assert row["train_pairs"] == len(CORPORA["wikiqa"].load("train", corpora).table)


def test_folds_of_several_shuffles():
    texts = [[f"{side}{row}" for row in range(20)] for side in "ab"]
    table = from_frame({"source": texts[0], "target": texts[1], "label": [0, 1] * 10})
    folds = make_folds("msrp", table, shuffles=3)
    assert len(folds) == 15
    assert all(sorted(np.concatenate([fold.test for fold in folds[i : i + 5]])) == list(range(20)) for i in (0, 5, 10))
    assert any(list(one.test) != list(other.test) for one, other in zip(folds[:5], folds[5:]))


def test_the_test_part_is_read_last(corpora, tmp_path, monkeypatch):
    corpus = CORPORA["stsb"]

    def load(part, data):
        assert part != corpus.test or (tmp_path / "pairs-stsb-chosen.json").exists()
        return corpus.load(part, data)

    monkeypatch.setitem(score_experiments.CORPORA, "stsb", corpus._replace(load=load))
    runs.run("pairs", data=corpora, out=tmp_path, only="stsb")


def test_settings_of_trees():
    resources = score_experiments.Resources("oewn", "pairs.tsv", WordVectors(["a"], [[1.0]]))
    found = score_experiments.list_settings(CORPORA["msrp"], resources)
    assert found[0].method == "default" and found[-1].method.endswith("unshared words, trees, graphs")
    names = Similarities(groups=(*score_experiments.TEXT, *score_experiments.LEXICAL)).names()
    assert len(names) == len(set(names)) == 110
    both = [
        setting.kernel for setting in found if setting.method.endswith("aligned words; unshared words, trees, graphs")
    ]
    assert len(both) == 2 and all("source.words" in kernel.reads() for kernel in both)
    found = score_experiments.list_settings(CORPORA["rte3-dev"], resources)
    *machines, logistic, ways = (setting for setting in found if "trees" in setting.method)
    assert (logistic.loss, ways.loss, {setting.loss for setting in machines}) == ("logistic", "logistic", {"hinge"})
    name = (
        "logistic: 3 Gaussian 0.1/n over all scores of trees, with inclusion + trees + 3 over inclusion + 3 over roles"
    )
    assert logistic.method == f"{name} + the decision of a model of RTE-1"
    stated = "0.5 over ways x Gaussian 0.5 over what is stated"
    assert ways.method == f"{name} + {stated} + the decision of a model of RTE-1"
    assert all(
        {"source.words", "source.stems-rel", "source.dependencies"} <= setting.kernel.reads()
        for setting in (logistic, ways)
    )
    assert [setting.method for setting in machines] == [
        f"3 Gaussian {width}/n over all scores {parts}"
        for width in (0.3, 0.1)
        for parts in (
            "and aligned words + trees",
            "and aligned words + 3 over inclusion + trees",
            "of trees, with inclusion + trees",
            "of trees, with inclusion + trees + 3 Gaussian 0.3 over the decision of a model of RTE-1",
        )
    ]
    assert all("source.words" in setting.kernel.reads() for setting in found if "inclusion" in setting.method)


def test_a_large_corpus_without_a_direction_needs_no_gram():
    resources = score_experiments.Resources("oewn", "pairs.tsv", WordVectors(["a"], [[1.0]]))
    default, landmarks = score_experiments.list_settings(CORPORA["qqp"], resources)
    assert default.method == "default" and landmarks.method.startswith("both orders")
    assert landmarks.kernel.has_features()


def test_words_of_the_target_alone():
    resources = score_experiments.Resources("oewn", "pairs.tsv", WordVectors(["a"], [[1.0]]))
    found = score_experiments.list_settings(CORPORA["snli"], resources)
    (setting,) = (each for each in found if each.method.endswith("2 x words and bigrams of the target"))
    kernel = setting.kernel.right  # the last term of the sum
    same, other = ("a dog runs", "it sleeps"), ("two men sing", "it sleeps")
    assert kernel(same, other) == kernel(same, same) > kernel(same, ("a dog runs", "it runs")) > 0


def test_unknown_corpus():
    with pytest.raises(InputError, match="there is no corpus 'sick': choose msrp, rte3"):
        runs.run("pairs", only="sick")


def test_logistic_regression_in_folds_is_that_of_the_model():
    rows = range(12)
    pairs = {"source": [f"a{row} b{row}" for row in rows], "target": [f"a{row} {'bc'[row % 2]}{row}" for row in rows]}
    table = from_frame({**pairs, "label": [0, 1] * 6})
    (fold,) = make_folds("msrp", table)[:1]
    labels, kernel = np.array(table.labels), Similarities()
    setting = Setting("words", kernel, C=2.0, loss="logistic")
    kernel.fit(table.pairs)
    matrices = SharedMatrices(table.pairs, use_grams=True)
    value = measure_setting(ClassTask(labels, np.ones(12)), matrices, setting, [fold], 1)
    gram, signs = kernel.gram(table.pairs), 2 * labels - 1
    solution = fit_logistic(gram[np.ix_(fold.train, fold.train)], signs[fold.train], 2.0)
    right = (solution.decide(gram[np.ix_(fold.test, fold.train)]) > 0) == (labels[fold.test] == 1)
    assert value == round(100 * right.mean(), 2)


class Chain(Parser):
    """Each word depends on the one before it."""

    name, gives, identity = "chain", ("dependencies",), {"parser": "chain"}

    def _parses(self, texts):
        for text in texts:
            yield Parse(dependencies=(sentence(text.split(), range(-1, len(text.split()) - 1)),))


def test_dependencies_join_the_items(tmp_path):
    table = from_frame({"source": ["a b", ""], "target": ["c", "a b"], "label": [0, 1]})
    found = add_dependencies(CorpusPart(table, table.pairs), Chain(), str(tmp_path))
    assert found.items[0]["source"] == "a b" and found.items[0]["source.dependencies"].startswith("1\ta\t")
    assert [row["source.dependencies"] for row in found.items][1] == ""
    assert found.items[1]["target.dependencies"] == found.items[0]["source.dependencies"]
