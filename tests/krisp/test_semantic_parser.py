"""The learner and the parser on a small domain."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rekern
from rekern import SemanticParser, load_model
from rekern.errors import InputError, ModelFileError
from rekern.kernels import Spectrum, SubsetTree
from rekern.krisp import read_grammar
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.structures.sentences import sentence


def flat_tree(text):
    """A tree for a text: every word a child of the root, the verb-like first word first."""
    return "(S " + " ".join(f"(X {word})" for word in text.split()) + ")"


@pytest.fixture(scope="module")
def parser(grammar, questions):
    return SemanticParser(grammar, n_jobs=1).fit(*questions)


def test_it_learns_what_it_was_taught(parser, questions):
    sentences, meanings = questions
    found = parser.predict(sentences)
    assert np.mean([one == other for one, other in zip(found, meanings)]) >= 0.8


def test_new_sentences_with_names_never_seen_together(parser):
    assert parser.predict(["How many people live in Texas?", "which rivers run through New York?"]) == [
        "answer(population(stateid('texas')))",
        "answer(river(stateid('new york')))",
    ]
    assert parser.predict(["how big is the empire state"]) == ["answer(size(stateid('new york')))"]


def test_readings_have_probabilities_and_spans(parser):
    readings = parser.parse("how big is new york", 3)
    best = readings[0]
    assert best.meaning == "answer(size(stateid('new york')))"
    assert best.derivation.meaning() == best.meaning
    assert 0 < best.probability <= 1
    assert [r.log_probability for r in readings] == sorted((r.log_probability for r in readings), reverse=True)
    assert best.nodes[0] == ("Query -> answer({Num})", 0, 5, 0)
    label, start, end, _ = best.nodes[-1]
    assert (label, start, end) == ("'new york'", 3, 5)
    assert not readings.cut
    assert len({r.meaning for r in readings}) == len(readings)


def test_the_mean_probability_does_not_fall_with_length(parser):
    for reading in parser.parse("which rivers run through the states that border utah", 5):
        assert reading.mean_probability**reading.scored == pytest.approx(reading.probability)
        assert reading.probability <= reading.mean_probability <= 1


def test_rare_words_are_seen_as_frequent_ones_of_their_stem(grammar, questions, tmp_path):
    parser = SemanticParser(grammar, stems=True, n_jobs=1).fit(*questions)
    assert parser.seen("river flowing bordering") == ("rivers", "flow", "border")
    assert SemanticParser(grammar, n_jobs=1).fit(*questions).seen("river flowing") == ("river", "flowing")
    question = "which river flows through Texas"
    assert parser.predict([question]) == ["answer(river(stateid('texas')))"]
    parser.save(tmp_path / "parser.rekern")
    again = load_model(tmp_path / "parser.rekern")
    assert again.seen("river flowing bordering") == ("rivers", "flow", "border")
    assert again.parse(question)[0].log_probability == pytest.approx(parser.parse(question)[0].log_probability)


def test_a_search_that_is_cut_keeps_what_it_has_found(parser, monkeypatch):
    question = "which rivers run through the states that border states that border utah"
    whole = parser.parse(question, 30)
    assert len(whole) > 1 and not whole.cut
    cut = []
    for steps in (*range(0, 30_000, 1_000), 10**9):
        monkeypatch.setattr("rekern.krisp.reading_search.STEPS", steps)
        found = parser.parse(question, 30)
        assert [reading.meaning for reading in found] == [reading.meaning for reading in whole[: len(found)]]
        cut.append((found.cut, len(found) > 0))
    assert cut[0] == (True, False) and cut[-1] == (False, True) and (True, True) in cut


def test_what_the_parser_sees(parser):
    assert parser.words("Which rivers run through New York?") == ("Which", "rivers", "run", "through", "New", "York")
    assert parser.seen("through New York") == ("through", "<Name>", "<Name>")
    assert parser.mentioned("from Utah to New York") == [(1, 2), (3, 5)]


def test_odd_sentences_have_defined_readings(parser):
    assert parser.parse("") == []
    assert parser.parse(" ? ") == []
    assert parser.predict(["xyzzy plugh", ""])[1] is None
    assert isinstance(parser.predict(["how big is xyzzy"])[0], str | None)
    assert parser.parse("what is " * 45) is not None
    with pytest.raises(InputError, match="the sentence has 200 words: the parser reads up to 100"):
        parser.parse("word " * 200)
    with pytest.raises(InputError, match="sentence 1 is int"):
        parser.parse(3)


def test_a_saved_parser_reads_the_same(parser, questions, tmp_path):
    calibration = AnswerCalibration(slope=0.5, questions=("how big is utah",), meanings=("size",))
    parser.calibration_ = calibration
    path = tmp_path / "p.rekern"
    parser.save(path)
    loaded = load_model(path)
    assert loaded.calibration_ == calibration
    for text in questions[0]:
        ours, theirs = parser.parse(text), loaded.parse(text)
        assert [r.meaning for r in ours] == [r.meaning for r in theirs]
        np.testing.assert_allclose([r.log_probability for r in ours], [r.log_probability for r in theirs])
    assert loaded.get_params()["kernel"].get_params() == parser.kernel_.get_params()


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("model.json", lambda c: c | {"kernel": {"type": "Evil"}}),
        ("model.json", lambda c: c | {"productions": [0, 10**6]}),
        ("model.json", lambda c: c | {"productions": c["productions"][1:]}),
        ("model.json", lambda c: c | {"parameters": c["parameters"] | {"beam": -1}}),
        ("substrings.json", lambda c: [[0, 5, 2], *c[1:]]),
        ("substrings.json", lambda c: c[1:]),
        ("sentences.json", lambda c: c[:1]),
        ("grammar.json", lambda c: c | {"start": "Nothing"}),
        ("grammar.json", lambda c: c | {"productions": c["productions"][1:]}),
    ],
)
def test_damaged_files_are_refused(parser, tmp_path, member, change):
    good, bad = tmp_path / "good.rekern", tmp_path / "bad.rekern"
    parser.save(good)
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == member:
                content = json.dumps(change(json.loads(content))).encode()
            target.writestr(name, content)
    with pytest.raises(ModelFileError):
        load_model(bad)


@pytest.mark.parametrize("kernel", ["dependency", "syntactic", "word+syntactic", SubsetTree(), Spectrum(1)])
def test_other_kernels_learn_and_save(grammar, questions, tmp_path, kernel):
    sentences, meanings = questions
    trees = [flat_tree(text) for text in sentences]
    found = SemanticParser(grammar, kernel=kernel, rounds=1, n_jobs=1).fit(sentences, meanings, trees)
    again = found.predict(sentences, trees)
    assert np.mean([one == other for one, other in zip(again, meanings)]) >= 0.5
    path = tmp_path / "p.rekern"
    found.save(path)
    assert load_model(path).predict(sentences, trees) == again


def test_trees_come_from_a_parser_or_as_dependencies(grammar, questions):
    sentences, meanings = questions
    parsed = SemanticParser(grammar, kernel="syntactic", rounds=1, parser=lambda texts: list(map(flat_tree, texts)))
    assert parsed.fit(sentences, meanings).predict(sentences[:1])[0] is not None
    ready = [sentence(text.split(), [-1] + [0] * (len(text.split()) - 1)) for text in sentences]
    model = SemanticParser(grammar, kernel="dependency", rounds=1).fit(ready, meanings)
    assert model.predict(ready[:1])[0] is not None


def test_bad_input_is_named_in_one_line(grammar, questions):
    sentences, meanings = questions
    parser = SemanticParser(grammar)
    cases = [
        (lambda: parser.fit(sentences, meanings[1:]), "15 sentences but 14 meanings"),
        (lambda: parser.fit([], []), "no sentences to learn from"),
        (lambda: parser.fit(["a", ""], meanings[:2]), "sentence 2 is empty"),
        (lambda: parser.fit(["a", "b"], [meanings[0], "answer(nix)"]), "meaning 2: the grammar cannot derive answer"),
        (lambda: SemanticParser(grammar, kernel="x").fit(["a"], meanings[:1]), "there is no kernel 'x'"),
        (lambda: SemanticParser(grammar, kernel="dependency").fit(["a"], meanings[:1]), "sentence 1 has no tree"),
        (lambda: SemanticParser(grammar, C=0).fit(["a"], meanings[:1]), "C=0"),
        (lambda: SemanticParser(grammar, beam=0).fit(["a"], meanings[:1]), "beam=0"),
        (lambda: SemanticParser(grammar, threshold=2).fit(["a"], meanings[:1]), "threshold=2"),
        (lambda: SemanticParser(grammar, names="x").fit(["a"], meanings[:1]), "names='x'"),
        (lambda: SemanticParser(grammar, parser="spacy").fit(["a"], meanings[:1]), "parser='spacy': give a function"),
        (lambda: parser.fit(["a"], meanings[:1], ["(S (X a"]), "sentence 1: line 1"),
        (lambda: parser.fit(["a"], meanings[:1], []), "1 sentences but 0 trees"),
    ]
    for call, message in cases:
        with pytest.raises(InputError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["predict", "parse", "parse_all", "seen", "mentioned", "save"])
def test_an_untrained_parser_says_so(grammar, tmp_path, method):
    argument = {"predict": ["a"], "parse_all": ["a"], "save": tmp_path / "p.rekern"}.get(method, "a")
    with pytest.raises(NotFittedError, match="this parser is not trained: call fit first"):
        getattr(SemanticParser(grammar), method)(argument)
    assert not list(tmp_path.iterdir())


def test_numbers_and_words_are_taken_from_the_sentence():
    lines = [
        "Rule -> do({Player}, {Act})",
        "Player -> player {Num}",
        "Num -> {number}",
        "Act -> shoot",
        "Act -> go({W})",
    ]
    grammar = read_grammar([*lines, 'W -> "{word}"'])
    sentences = ["player 4 should shoot", "player 7 should go to AB1", "player 2 must go to C3", "player 11 must shoot"]
    meanings = ["do(player 4, shoot)", 'do(player 7, go("AB1"))', 'do(player 2, go("C3"))', "do(player 11, shoot)"]
    parser = SemanticParser(grammar, n_jobs=1).fit(sentences, meanings)
    assert parser.predict(["player 9 should go to XY"]) == ['do(player 9, go("XY"))']


def test_it_is_a_scikit_learn_estimator(grammar):
    parser = clone(SemanticParser(grammar, C=2.0))
    assert parser.C == 2.0
    assert rekern.SemanticParser is SemanticParser
