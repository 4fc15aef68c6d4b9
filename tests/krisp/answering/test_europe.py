"""The asker about Europe: what is shipped with it, and that it can be made anew."""

import json
import subprocess
import sys

import numpy as np
import pytest

import train_europe
from rekern.core.model_archive import load_model
from rekern.errors import ModelFileError
from rekern.krisp import SemanticParser, read_grammar
from rekern.krisp.answering import europe
from rekern.krisp.answering.europe_facts import europe_digest, europe_grammar, europe_questions, read_europe_file
from rekern.krisp.word_parser import load_word_parser


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


def test_the_quick_asker_answers_the_same(asker):
    quick = europe.quick_europe_asker()
    for question in [*europe_questions("heldout")[0][::16], "who wrote hamlet?", "countries", "how long is the rhine"]:
        assert quick.ask(question) == asker.ask(question)


def test_the_quick_asker_starts_without_slow_libraries():
    code = """
import sys
from rekern.krisp.answering.europe import quick_europe_asker
assert quick_europe_asker().ask("what is the capital of france?").result.rows == [("Paris",)]
print([name for name in ("sklearn", "scipy", "numba", "pandas") if name in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_parser_with_another_kernel_is_refused(tmp_path):
    grammar = read_grammar(["Q -> big", "Q -> small"])
    parser = SemanticParser(grammar, kernel=0.5 * SemanticParser(grammar, kernel="word").fit(["b"], ["big"]).kernel_)
    parser.fit(["how big", "how small"], ["big", "small"]).save(tmp_path / "parser.rekern")
    with pytest.raises(ModelFileError, match="it is not a parser with the kernel on words"):
        load_word_parser(tmp_path / "parser.rekern")


def test_the_shipped_opinion_is_what_the_code_gives():
    """After a change of the parser: python tools/train_europe.py."""
    shipped = europe.load_opinion()
    assert shipped is not None
    (words, arrays), (made_words, made_arrays) = shipped.to_state(), train_europe.learn_opinion().to_state()
    assert {name: words[name] for name in made_words} == made_words
    for name, array in arrays.items():
        assert np.allclose(array, made_arrays[name], rtol=1e-9, atol=1e-9)


def test_the_opinion_of_another_parser_is_not_used(monkeypatch):
    monkeypatch.setattr(europe, "digest_parser", lambda: "of another parser")
    assert europe.load_opinion() is None


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
