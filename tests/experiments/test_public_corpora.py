"""The public corpora have the counts that their own descriptions give."""

from collections import Counter
from pathlib import Path

import pytest

import rekern
from experiments.corpora import (
    data_directory,
    load_msrp,
    load_paws,
    load_qqp,
    load_rte,
    load_sick,
    load_snli,
    load_stsb,
    load_trec,
    load_wikiqa,
)
from rekern.errors import InputError


def present(corpora, name):
    """Skip where the data folder lacks this corpus."""
    if not (corpora / name).is_dir():
        pytest.skip(f"no folder {name} among the public corpora")
    return corpora


def whole(table):
    """Every row has two texts, and everything that goes with a row has the same length."""
    assert all(isinstance(text, str) and text for pair in table.pairs for text in pair)
    assert len(table) == len(table.pairs) == len(table.labels) == len(table.lines)
    return table


@pytest.mark.parametrize("part, rows, positive", [("train", 4076, 2753), ("test", 1725, 1147)])
def test_msrp(corpora, part, rows, positive):
    table = whole(load_msrp(part, data=present(corpora, "msrp")))
    assert (len(table), Counter(table.labels)) == (rows, {1: positive, 0: rows - positive})
    assert any('"' in text for pair in table.pairs for text in pair)  # quotes are literal


RTE = {
    "rte1_dev": (567, 283),
    "rte1_test": (800, 400),
    "rte2_dev": (800, 400),
    "rte2_test": (800, 400),
    "rte3_dev": (800, 412),
    "rte3_test": (800, 410),
    "rte2_dev_nltk400": (400, None),
    "train": (3767, 1895),
    "test": (800, 410),
}


@pytest.mark.parametrize("part", RTE)
def test_rte(corpora, part):
    table = whole(load_rte(part, data=present(corpora, "rte")))
    rows, positive = RTE[part]
    assert len(table) == rows
    assert set(table.labels) == {0, 1}
    if positive is not None:
        assert sum(table.labels) == positive


def test_rte_test_pairs_are_not_in_train(corpora):
    data = present(corpora, "rte")
    assert not set(load_rte("train", data=data).pairs) & set(load_rte("test", data=data).pairs)


def test_rte_train_names_the_row_of_the_joined_files(corpora):
    table = load_rte("train", data=present(corpora, "rte"))
    assert table.place(0) == "rte1_dev.tsv + rte1_test.tsv + rte2_dev.tsv + rte2_test.tsv + rte3_dev.tsv, row 1"


def test_qqp(corpora):
    data = present(corpora, "qqp_partial")
    tables = {part: whole(load_qqp(part, data=data)) for part in ("train", "dev", "test")}
    # 9,999 rows carry the test tag; the one that carries the dev tag too is a dev row
    assert {part: len(table) for part, table in tables.items()} == {"train": 45773, "dev": 10000, "test": 9998}
    labels = Counter(label for table in tables.values() for label in table.labels)
    assert labels == {1: 28988, 0: 36783}
    lines = [line for table in tables.values() for line in table.lines]
    assert len(set(lines)) == 65771
    assert tables["train"].groups is None


SICK = {"train": (2536, 1299, 665), "trial": (282, 144, 74), "test": (2793, 1414, 720)}


@pytest.mark.parametrize("part", SICK)
def test_sick(corpora, part):
    data = present(corpora, "sick")
    related = whole(load_sick(part, data=data))
    assert all(isinstance(label, float) and 1 <= label <= 5 for label in related.labels)
    entailed = whole(load_sick(part, response="entailment", data=data))
    assert Counter(entailed.labels) == dict(zip(("NEUTRAL", "ENTAILMENT", "CONTRADICTION"), SICK[part]))
    assert related.pairs == entailed.pairs
    assert len(related) == sum(SICK[part]) == {"train": 4500, "trial": 500, "test": 4927}[part]


@pytest.mark.parametrize("part, rows", [("train", 5749), ("dev", 1500), ("test", 1379)])
def test_stsb(corpora, part, rows):
    table = whole(load_stsb(part, data=present(corpora, "sts_benchmark")))
    assert len(table) == rows
    assert all(isinstance(label, float) and 0 <= label <= 5 for label in table.labels)


WIKIQA = {"train": (20360, 2118, 1040, 873), "dev": (2733, 296, 140, 126), "test": (6165, 633, 293, 243)}


@pytest.mark.parametrize("part", WIKIQA)
def test_wikiqa(corpora, part):
    data = present(corpora, "wikiqa")
    rows, questions, positive, answered = WIKIQA[part]
    everything = whole(load_wikiqa(part, answered=False, data=data))
    assert (len(everything), len(set(everything.groups)), sum(everything.labels)) == (rows, questions, positive)
    table = whole(load_wikiqa(part, data=data))
    assert (len(set(table.groups)), sum(table.labels)) == (answered, positive)
    best = Counter()
    for group, label in zip(table.groups, table.labels):
        best[group] = max(best[group], label)
    assert set(best.values()) == {1}


@pytest.mark.parametrize("part, positive", [("dev", 3539), ("test", 3536)])
def test_paws(corpora, part, positive):
    table = whole(load_paws(part, data=present(corpora, "paws_wiki")))
    assert (len(table), sum(table.labels)) == (8000, positive)


@pytest.mark.parametrize("part, counts", [("dev", (3329, 3278, 3235)), ("test", (3368, 3237, 3219))])
def test_snli(corpora, part, counts):
    table = whole(load_snli(part, data=present(corpora, "snli")))
    assert Counter(table.labels) == dict(zip(("entailment", "contradiction", "neutral"), counts))


TREC = {
    "train": {"ENTY": 1250, "HUM": 1223, "DESC": 1162, "NUM": 896, "LOC": 835, "ABBR": 86},
    "test": {"DESC": 138, "NUM": 113, "ENTY": 94, "LOC": 81, "HUM": 65, "ABBR": 9},
}


@pytest.mark.parametrize("part, fine", [("train", 50), ("test", 42)])
def test_trec(corpora, part, fine):
    data = present(corpora, "trec_qc")
    questions, coarse = load_trec(part, data=data)
    assert Counter(coarse) == TREC[part]
    again, types = load_trec(part, fine=True, data=data)
    assert again == questions
    assert len(set(types)) == fine
    assert [kind.split(":")[0] for kind in types] == coarse


LOADERS = {
    load_msrp: "msrp has no part 'all': choose train, test",
    load_qqp: "qqp has no part 'all': choose train, dev, test",
    load_sick: "sick has no part 'all': choose train, trial, test",
    load_stsb: "sts_benchmark has no part 'all': choose train, dev, test",
    load_wikiqa: "wikiqa has no part 'all': choose train, dev, test",
    load_paws: "paws_wiki has no part 'all': choose dev, test",
    load_snli: "snli has no part 'all': choose dev, test",
    load_trec: "trec_qc has no part 'all': choose train, test",
}


@pytest.mark.parametrize("load", LOADERS, ids=lambda load: load.__name__)
def test_unknown_part(load, tmp_path):
    with pytest.raises(InputError) as caught:
        load("all", data=tmp_path)
    assert str(caught.value) == LOADERS[load]


def test_unknown_rte_part_lists_the_single_files(tmp_path):
    with pytest.raises(InputError, match=r"^rte has no part 'dev': choose train, test, rte1_dev, "):
        load_rte("dev", data=tmp_path)


def test_unknown_response(tmp_path):
    with pytest.raises(InputError, match=r"^SICK has no response 'x': choose relatedness or entailment$"):
        load_sick("train", response="x", data=tmp_path)


def test_absent_corpus(tmp_path):
    with pytest.raises(InputError) as caught:
        load_msrp("train", data=tmp_path)
    expected = tmp_path / "msrp" / "train.tsv"
    remedy = "put the corpus there, or name its folder with REKERN_DATA"
    assert str(caught.value) == f"there is no {expected} (or .gz): {remedy}"


def test_packed_or_not(tmp_path):
    (tmp_path / "paws_wiki").mkdir()
    (tmp_path / "paws_wiki" / "dev.tsv").write_text("id\tlabel\ts1\ts2\n1\t0\ta\tb\n")
    assert load_paws("dev", data=tmp_path).pairs == [("a", "b")]


def test_whole_numbers_are_still_real_responses(tmp_path):
    (tmp_path / "sts_benchmark").mkdir()
    (tmp_path / "sts_benchmark" / "dev.tsv").write_text("score\ts1\ts2\n5\ta\tb\n")
    assert load_stsb("dev", data=tmp_path).labels == [5.0]
    assert isinstance(load_stsb("dev", data=tmp_path).labels[0], float)


def test_data_directory_prefers_the_argument_then_the_variable(tmp_path, monkeypatch):
    first, second = (tmp_path / name for name in ("first", "second"))
    first.mkdir()
    second.mkdir()
    monkeypatch.setenv("REKERN_DATA", str(second))
    assert data_directory(first) == first
    assert data_directory() == second


def test_data_directory_looks_at_nothing_beside_a_checkout(tmp_path, monkeypatch):
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delenv("REKERN_DATA", raising=False)
    with pytest.raises(InputError, match="no folder with corpora is known"):
        data_directory()
    package = Path(rekern.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
    assert not any("shared/data" in source or '"shared"' in source for source in sources)


def test_data_directory_says_how_to_set_it(monkeypatch):
    monkeypatch.delenv("REKERN_DATA", raising=False)
    with pytest.raises(InputError) as caught:
        data_directory()
    assert str(caught.value) == "no folder with corpora is known: give --data DIR (data=) or set REKERN_DATA"
    monkeypatch.setenv("REKERN_DATA", "nowhere")
    with pytest.raises(InputError, match=r"^REKERN_DATA names nowhere, which is no folder: "):
        data_directory()
    with pytest.raises(InputError, match=r"^--data \(data=\) names elsewhere, which is no folder: "):
        data_directory("elsewhere")
