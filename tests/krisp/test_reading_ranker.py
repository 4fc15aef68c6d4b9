"""Ranking of readings: the weights of their scores, and a parser that learns them."""

import json
import math
import zipfile

import numpy as np
import pytest
from small_models import GRAMMAR as LINES

from rekern import SemanticParser, load_model
from rekern.errors import InputError, ModelFileError
from rekern.krisp import read_grammar, semantic_parser
from rekern.krisp.reading_ranker import CERTAINTY, PENALTY, SCORES, SentenceKnowledge, learn_ranker, learn_weights
from rekern.krisp.substring_gram import SubstringGram

GRAMMAR = read_grammar(LINES)
SENTENCES = [
    f"{words} {state}"
    for words in ("how big is", "size of", "population of", "people in")
    for state in ("utah", "ohio")
]
MEANINGS = [
    f"answer({predicate}(state('{state}')))"
    for predicate in ("size", "size", "population", "population")
    for state in ("utah", "ohio")
]


@pytest.fixture(scope="module")
def parser():
    # folds of neighbours in turn: each fold has one of the two states
    return SemanticParser(GRAMMAR, ranking=2, n_jobs=1).fit(SENTENCES, MEANINGS)


def measure_plain_loss(weights, tables, right):
    """The loss of the weights, straight from its definition."""
    loss = 0.5 * PENALTY * float(weights @ weights)
    for table, correct in zip(tables, right):
        shares = [math.exp(float(row @ weights)) for row in table]
        loss -= math.log(sum(share for share, good in zip(shares, correct) if good) / sum(shares))
    return loss


def test_the_weights_have_the_least_loss():
    random = np.random.default_rng(0)
    tables = [random.normal(size=(n, len(SCORES))) for n in (2, 5, 3, 4)]
    right = [np.arange(len(table)) % 3 == 0 for table in tables]
    weights = learn_weights(tables, right)
    least = measure_plain_loss(weights, tables, right)
    for _ in range(20):
        step = random.normal(size=len(weights)) * 0.05
        assert measure_plain_loss(weights + step, tables, right) > least - 1e-6


def test_sentences_without_a_choice_teach_nothing():
    table = np.ones((2, len(SCORES)))
    assert (
        learn_weights([table, np.zeros((0, len(SCORES)))], [np.array([True, True]), np.array([], dtype=bool)])[0] == 1
    )


@pytest.mark.parametrize("right", [True, False])
def test_the_confidence_follows_what_was_right(right):
    known = SentenceKnowledge.learn([["size"]], [GRAMMAR.parse("answer(size(state('utah')))")])
    ranker = learn_ranker(known, [np.zeros((1, len(SCORES)))] * 8, [np.array([right])] * 8)
    assert len(ranker.certainty) == len(CERTAINTY)
    assert 1 / (1 + math.exp(-ranker.certainty[-1])) == pytest.approx(0.9 if right else 0.1)


def test_readings_are_ordered_by_confidence(parser):
    for sentence in ("how big is new york", "people in new york"):
        readings = parser.parse(sentence)
        confidences = [reading.confidence for reading in readings]
        assert confidences == sorted(confidences, reverse=True)
        assert all(0 <= confidence <= 1 for confidence in confidences)
    assert parser.predict(["size of new york", "people in new york"]) == [
        "answer(size(state('new york')))",
        "answer(population(state('new york')))",
    ]


def test_no_reading_has_no_confidence_without_ranking(parser):
    plain = SemanticParser(GRAMMAR, n_jobs=1).fit(SENTENCES, MEANINGS)
    assert plain.parse("size of utah")[0].confidence is None
    assert plain.ranker_ is None
    assert not parser.parse("")


def test_a_file_keeps_the_ranking(parser, tmp_path):
    path = tmp_path / "parser.rekern"
    parser.save(path)
    known, again = parser.parse("size of new york"), load_model(path).parse("size of new york")
    assert [(reading.meaning, reading.confidence) for reading in again] == [
        (reading.meaning, reading.confidence) for reading in known
    ]


def save_changed(parser, folder, change):
    """Save a parser with a ranker that a function has changed."""
    path, changed = folder / "parser.rekern", folder / "changed.rekern"
    parser.save(path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "ranker.json":
                ranker = json.loads(content)
                change(ranker)
                content = json.dumps(ranker).encode()
            new.writestr(name, content)
    return changed


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda ranker: ranker["weights"].insert(0, 1.0), "not one weight for each score"),
        (lambda ranker: ranker["parts"].__setitem__(0, ranker["parts"][1]), "a part of meanings twice"),
        (lambda ranker: ranker["sentences"][0].extend(map(str, range(20_000))), "its ranker has a sentence of 20,00"),
    ],
)
def test_a_damaged_ranker_is_refused(parser, tmp_path, change, reason):
    with pytest.raises(ModelFileError, match=reason):
        load_model(save_changed(parser, tmp_path, change))


def test_folds_that_share_kernel_values_learn_the_same(parser, monkeypatch):
    grams = []
    build = SubstringGram.__init__

    def count(self, *arguments):
        grams.append(self)
        build(self, *arguments)

    monkeypatch.setattr(SubstringGram, "__init__", count)
    SemanticParser(GRAMMAR, ranking=2, n_jobs=1).fit(SENTENCES, MEANINGS)
    assert len(grams) == 1
    monkeypatch.setattr(semantic_parser._KnownGram, "fits", lambda self, annotated: False)
    alone = SemanticParser(GRAMMAR, ranking=2, n_jobs=1).fit(SENTENCES, MEANINGS)
    assert len(grams) == 4
    assert alone.ranker_.weights == pytest.approx(parser.ranker_.weights, rel=1e-3, abs=1e-3)


def test_what_parses_texts_is_not_copied():
    class TreeParser:
        def __call__(self, texts):
            return ["(S " + " ".join(f"(X {word})" for word in text.split()) + ")" for text in texts]

        def __deepcopy__(self, memo):
            raise TypeError("it holds a process")

    parser = SemanticParser(GRAMMAR, "dependency", rounds=1, ranking=2, parser=TreeParser(), n_jobs=1)
    assert parser.fit(SENTENCES, MEANINGS).parse("size of new york")[0].confidence is not None


def test_one_fold_is_refused():
    with pytest.raises(InputError, match="at least 2 folds"):
        SemanticParser(GRAMMAR, ranking=1).fit(SENTENCES, MEANINGS)
