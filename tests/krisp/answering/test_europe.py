"""The asker about Europe: what is shipped with it, and that it can be made anew."""

import json

import numpy as np
import pytest

import train_europe
from rekern.core.model_archive import load_model
from rekern.krisp.answering import europe
from rekern.krisp.answering.europe_facts import europe_digest, europe_grammar, europe_questions, read_europe_file


@pytest.fixture(scope="module")
def asker():
    return europe.europe_asker(n_jobs=1)


def test_the_confidence_was_chosen_for_these_questions():
    """After a change of the data: python tools/train_europe.py confidence."""
    calibration = train_europe.europe_calibration()
    assert calibration is not None
    assert calibration.asked == len(europe_questions("train")[0])
    assert calibration.right >= 0.9 * calibration.answered


def test_the_confidence_of_other_data_is_not_used(monkeypatch):
    monkeypatch.setattr(train_europe, "europe_digest", lambda: "of other data")
    assert train_europe.europe_calibration() is None


def test_the_parser_was_trained_on_these_questions(asker):
    """After a change of the data: python tools/train_europe.py."""
    questions, meanings = europe_questions("train")
    shipped, chosen = asker.calibration, train_europe.europe_calibration()
    assert (list(shipped.questions), list(shipped.meanings)) == (questions, meanings)
    assert (shipped.slope, shipped.shift, shipped.confidence) == (chosen.slope, chosen.shift, chosen.confidence)
    rules = [str(p) for p in asker.parser.grammar_.productions if p.kind == "rule"]
    assert rules == [str(p) for p in europe_grammar().productions if p.kind == "rule"]


@pytest.mark.slow
def test_the_shipped_parser_is_what_the_code_gives(asker, tmp_path):
    """If the learner has changed on purpose: python tools/train_europe.py."""
    made = train_europe.train_europe()
    made.save(tmp_path / "parser.rekern")
    made, shipped = load_model(tmp_path / "parser.rekern").weights_, asker.parser.weights_
    assert [str(p) for p in made.productions] == [str(p) for p in shipped.productions]
    assert np.allclose(made.sigmoids, shipped.sigmoids, rtol=1e-2, atol=1e-2)
    assert made.substrings.spans.tolist() == shipped.substrings.spans.tolist()
    assert np.allclose(made.coefficients, shipped.coefficients, rtol=1e-2, atol=1e-2)


@pytest.mark.slow
def test_the_shipped_confidence_is_what_the_code_gives(tmp_path):
    """If the learner has changed on purpose: python tools/train_europe.py confidence.

    Sums of single precision depend on the number of threads, so the figures may differ in their last digits.
    """
    train_europe.write_calibration(tmp_path / "confidence.json")
    made = json.loads((tmp_path / "confidence.json").read_text(encoding="utf-8"))
    shipped = json.loads(read_europe_file("confidence.json"))
    assert shipped.pop("data") == made.pop("data") == europe_digest()
    assert made == pytest.approx(shipped, rel=1e-3)


def test_answers_are_shown_in_few_lines(asker):
    for question, shown in [
        ("which countries border germany?", "and 4 more rows"),
        ("what is the capital of spain?", "Madrid"),
        ("foo capital", "no answer   unknown words: foo"),
    ]:
        text = repr(asker.ask(question))
        assert shown in text and len(text.splitlines()) <= 15
        assert max(map(len, text.splitlines())) <= 120
