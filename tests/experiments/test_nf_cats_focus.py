"""NF-CATS questions by sums of kernels: from files to a table, and the choice before the test part is read."""

import json

import numpy as np
import pytest

from experiments import nf_cats_focus, runs
from experiments.nf_cats_focus import (
    FURTHER,
    METHODS,
    N_SHUFFLES,
    choose_surest,
    compute_grams,
    group_near_questions,
    load_further,
    make_shuffles,
    spread_cost,
)
from experiments.result_table import list_figures
from experiments.trec import train_classifiers
from rekern.errors import InputError
from rekern.similarity import WordVectors


def write_part(path, size):
    asked = [("INSTRUCTION", "How to cook rice"), ("REASON", "Why is sky blue")]
    rows = [f"{kind}\tmturk\t{text} {chr(97 + n) * 3}?" for n in range(size) for kind, text in asked]
    path.write_text("\n".join(["category\tannotated_by\tquestion", "REASON\tunsupervised\tWhy me?", *rows]) + "\n")


def test_from_files_to_a_table(tmp_path):
    (tmp_path / "nf_cats").mkdir()
    write_part(tmp_path / "nf_cats" / "train.tsv", 6)
    write_part(tmp_path / "nf_cats" / "valid.tsv", 3)
    (tmp_path / "glove_6b_100d").mkdir()
    (tmp_path / "glove_6b_100d" / "vectors.bin").write_text("rice 1 0\nsky 0.5 1\nblue 0.4 1\n")
    with pytest.raises(InputError, match=r"there is no .*test\.tsv"):
        runs.run("nf-cats-focus", data=tmp_path, out=tmp_path / "out")
    recorded = json.loads((tmp_path / "out" / "nf-cats-focus-chosen.json").read_text())
    assert recorded["cv_accuracy"] == 100 and "accuracy" not in recorded

    write_part(tmp_path / "nf_cats" / "test.tsv", 2)
    result = runs.run("nf-cats-focus", data=tmp_path)
    assert result["train_questions"] == 2 * (6 + 3)  # the training and the validation part, both labelled by people
    first, *others = result["rows"]
    *plain, traits = METHODS
    weighed = ["words"] * len(FURTHER)
    assert [row["method"] for row in result["rows"]] == [*plain, *weighed, traits, f"words and {traits}"]
    assert [row["further"] for row in others] == [0.0] * len(plain[1:]) + list(FURTHER) + [0.0, 0.0]
    assert first["chosen"] and first["accuracy"] == 100  # the simplest of equal ones
    assert not any(row["chosen"] or "accuracy" in row for row in others)
    (figure,) = list_figures(result)
    assert (figure.task, figure.column, figure.value) == ("nf-cats-human", "best", 100.0)
    assert "Chosen on the training part" in runs.render(result)


def test_the_mean_of_two_settings_is_tested_if_its_gain_is_the_surest(tmp_path, monkeypatch):
    """Both settings are trained for the test, the first with the further questions, the other without."""
    (tmp_path / "nf_cats").mkdir()
    for part, size in (("train", 6), ("valid", 3), ("test", 2)):
        write_part(tmp_path / "nf_cats" / f"{part}.tsv", size)
    (tmp_path / "glove_6b_100d").mkdir()
    (tmp_path / "glove_6b_100d" / "vectors.bin").write_text("rice 1 0\nsky 0.5 1\n")
    trained = []

    def note_sizes(gram, *rest):
        trained.append(len(gram))
        return train_classifiers(gram, *rest)

    monkeypatch.setattr(nf_cats_focus, "choose_simplest", lambda found: len(found) - 1)
    monkeypatch.setattr(nf_cats_focus, "choose_surest", lambda present, found: 1)
    monkeypatch.setattr(nf_cats_focus, "train_classifiers", note_sizes)
    result = nf_cats_focus.run_nf_cats_focus(tmp_path, tmp_path, n_jobs=1)
    chosen = result["chosen_on_train"]
    assert chosen is result["rows"][-1] and chosen["method"] == "forms+vectors and forms+vectors+traits"
    assert chosen["further"] == FURTHER[-1] and chosen["accuracy"] == 100
    assert trained[-2:] == [18 + 2, 18] and result["further_questions"] == 2  # one in each part
    recorded = json.loads((tmp_path / "nf-cats-focus-chosen.json").read_text())
    assert [setting["further"] for setting in recorded["settings"]] == [FURTHER[-1], 0.0]
    assert list(recorded["weights"]) == ["forms+vectors", "forms+vectors+traits"]


def test_the_surest_gain_is_at_least_one_standard_error():
    present = np.tile([1.0, 0.0], 50)
    small, large = present.copy(), present.copy()
    small[1::2] = 0.1  # every second question is right a little more often: sure
    large[:20], large[1:60:2] = 0.0, 1.0  # more gain, but some questions are lost
    assert large.mean() > small.mean()
    assert choose_surest(present, [large, small]) == 1
    assert choose_surest(present, [large]) == 0
    assert choose_surest(present, [1 - present]) is None  # as many are lost as won
    assert choose_surest(present, [present]) is None


def test_further_questions_are_for_training_only():
    asked = [
        "why is the sky blue",
        "how far is the moon",
        "why do cats purr",
        "how do I cook rice",
        "how do I cook rice?",
    ]
    shuffles = make_shuffles(asked, np.array(["a", "b", "a", "b", "b"]), 4)
    assert len(shuffles) == N_SHUFFLES
    for train, test in (fold for folds in shuffles for fold in folds):
        assert test.max() < 4 and not set(train) & set(test)
        assert (4 in train) == (3 not in test)  # nearly the same question, so never on the other side
    assert spread_cost(2.0, 0.1, 4, 5).tolist() == [2.0, 2.0, 2.0, 2.0, 0.2]
    assert group_near_questions(asked).tolist()[3:] == [3, 3]


def test_the_validation_part_is_for_training(tmp_path):
    (tmp_path / "nf_cats").mkdir()
    with pytest.raises(InputError, match=r"there is no .*train\.tsv"):
        load_further(tmp_path)
    write_part(tmp_path / "nf_cats" / "train.tsv", 2)
    rows = ["category\tannotated_by\tquestion", "REASON\tauthors\tWhy now?", "REASON\tunsupervised\tWhy then?"]
    other = ["FACTOID\tunsupervised\tWho?"]  # a type without a question labelled by people
    (tmp_path / "nf_cats" / "valid.tsv").write_text("\n".join([*rows, *other]) + "\n")
    asked, types, n_people = load_further(tmp_path)
    assert n_people == 5 and asked[4:] == ["Why now?", "Why me?", "Why then?"]
    assert types[4:].tolist() == ["REASON"] * 3


def test_forms_ignore_the_form_of_auxiliaries_and_pronouns():
    space = WordVectors(["cook", "rice"], [[1.0, 0.0], [0.0, 1.0]])
    asked = ["How do I cook rice?", "how did we cook rice?", "how do they cook rice?"]
    grams = compute_grams(asked, None, 3, space, 1)
    assert grams["forms"][0, 1] == pytest.approx(1) and grams["words"][0, 1] < 0.9
    assert grams["forms"][0, 2] < 0.9
    block = compute_grams(asked[:2], asked, 3, space, 1)
    for name, gram in grams.items():
        np.testing.assert_allclose(block[name], gram[:2], err_msg=name)
