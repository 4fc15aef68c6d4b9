"""The figures on the public corpora; docs/results.md and experiments/results state them."""

import pytest

from experiments import runs

pytestmark = pytest.mark.slow


def result_of(name, corpora, folder=None):
    if not (corpora / (folder or name)).is_dir():
        pytest.skip(f"no folder {folder or name} among the public corpora")
    return runs.run(name, data=corpora)


def best(result, *methods):
    return max(row["accuracy"] for row in result["rows"] if row["method"] in methods)


def test_msrp(corpora):
    result = result_of("msrp", corpora)
    ours = best(result, "kb-srk", "kb-srk+pr")
    assert ours >= 76.3
    assert ours > best(result, "ps-srk", "ps-srk+pr") and ours > best(result, "pw-srk", "pw-srk+pr")
    assert result["chosen_on_train"]["accuracy"] >= 78.0
    averages = [row["average"] for row in result["figure6"]]
    assert averages == sorted(averages, reverse=True) and max(row["worst"] for row in result["figure6"]) < 2.5


def test_rte3(corpora):
    result = result_of("rte3", corpora, "rte")
    assert abs(best(result, "pr") - 62.0) < 0.5
    assert best(result, "kb-srk+pr") >= 63.0
    assert result["chosen_on_train"]["accuracy"] >= 64.5


def test_paws_needs_the_order_of_words(corpora):
    result = result_of("paws", corpora, "paws_wiki")
    assert result["chosen_on_train"]["accuracy"] > 70 > 60 > best(result, "pr", "tfidf", "ps-srk+pr")


@pytest.mark.parametrize(
    "name, folder, measure, least",
    [
        ("qqp", "qqp_partial", "accuracy", 79.5),
        ("sick", "sick", "accuracy", 77.5),
        ("stsb", "sts_benchmark", "pearson", 0.72),
        ("wikiqa", "wikiqa", "map", 0.66),
    ],
)
def test_ours_beats_the_baseline(corpora, name, folder, measure, least):
    result = result_of(name, corpora, folder)
    baseline = next(row[measure] for row in result["rows"] if row["method"] == "tfidf")
    assert result["chosen_on_train"][measure] >= least > baseline
