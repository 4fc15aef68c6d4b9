"""The asker about Europe: what is shipped with it, and when it is trained again."""

import json

import pytest

from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.answering import europe
from rekern.krisp.answering.europe_facts import europe_digest, europe_questions, read_europe_file


def test_the_confidence_was_chosen_for_these_questions():
    """After a change of the facts, the grammar or the questions: python -m rekern.krisp.answering.europe FILE."""
    calibration = europe.europe_calibration()
    assert calibration is not None
    assert calibration.asked == len(europe_questions("train")[0])
    assert calibration.right >= 0.9 * calibration.answered


def test_the_confidence_of_other_data_is_not_used(monkeypatch):
    monkeypatch.setattr(europe, "europe_digest", lambda: "of other data")
    assert europe.europe_calibration() is None


def test_the_first_use_only_trains_the_parser(monkeypatch, tmp_path):
    """What is shipped fits, so a fresh install does not cross-validate; the next use trains nothing."""
    monkeypatch.setenv("REKERN_CACHE", str(tmp_path))
    given = []

    def train(questions, grammar, database, n_jobs, status, calibration):
        given.append(calibration)
        raise KeyboardInterrupt

    monkeypatch.setattr(europe, "train_asker", train)
    with pytest.raises(KeyboardInterrupt):
        europe.europe_asker()
    assert given == [europe.europe_calibration()] and isinstance(given[0], AnswerCalibration)


@pytest.mark.slow
def test_the_shipped_confidence_is_what_the_code_gives(tmp_path):
    """If the learner has changed on purpose: python -m rekern.krisp.answering.europe FILE, and look at the figures.

    Sums of single precision depend on the number of threads, so the figures may differ in their last digits.
    """
    europe.write_calibration(tmp_path / "confidence.json")
    made = json.loads((tmp_path / "confidence.json").read_text(encoding="utf-8"))
    shipped = json.loads(read_europe_file("confidence.json"))
    assert shipped.pop("data") == made.pop("data") == europe_digest()
    assert made == pytest.approx(shipped, rel=1e-3)
