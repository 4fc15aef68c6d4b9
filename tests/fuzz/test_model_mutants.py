"""Mutants of model files of every kind: each is refused in one line, or loads and predicts finite numbers."""

from pathlib import Path

import pytest
from mutant_runs import run_mutants
from small_models import list_untried, write_models

from rekern import ModelFileError, load_model

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.rekern"))


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_models(folder)
    return folder


def check(models, first, last):
    counts, failures = run_mutants(models, first, last)
    assert not failures, "\n".join(["", *failures])
    assert sum(counts.values()) == last - first
    assert min(counts["refused"], counts["loaded"]) > (last - first) / 20, counts


def test_100_mutants(models):
    check(models, 0, 100)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 2_000))
def test_10_000_mutants(models, first):
    check(models, first, first + 2_000)


def test_every_class_is_in_a_model(models):
    assert list_untried(models) == []


def test_the_corpus_is_here():
    assert len(CORPUS) >= 10


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_files_that_failed_once(path):
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000
