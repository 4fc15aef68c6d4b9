"""Train the embedded parser of questions about Europe, and find out how sure it has to be of an answer.

``python tools/train_europe.py`` trains the parser (``data/europe/parser.rekern``). ``python tools/train_europe.py
confidence`` also repeats the cross-validation (``data/europe/confidence.json``), which takes some minutes. Do both
after every change of the facts, the grammar, the questions or the learner.
"""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path

import numpy as np

from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.answering.asker_training import Status, cross_validate_asker, ignore_status, train_parser
from rekern.krisp.answering.europe import find_parser_file
from rekern.krisp.answering.europe_facts import (
    europe_database,
    europe_digest,
    europe_grammar,
    europe_questions,
    read_europe_file,
)
from rekern.krisp.answering.question_table import Questions
from rekern.krisp.semantic_parser import SemanticParser

FOLDS = 5  # of the cross-validation


def train_europe(n_jobs: int | None = None, status: Status = ignore_status) -> SemanticParser:
    """Train the parser on the training questions about Europe."""
    questions = Questions(*europe_questions("train"))
    return train_parser(questions, europe_grammar(), europe_database(), n_jobs, status, europe_calibration())


def europe_calibration() -> AnswerCalibration | None:
    """The shipped result of cross-validation; None if it was made with other facts, questions or another grammar."""
    content = json.loads(read_europe_file("confidence.json"))
    return AnswerCalibration.from_dict(content) if content.pop("data", None) == europe_digest() else None


def cross_validate_europe(n_jobs: int | None = None, status: Status = ignore_status) -> AnswerCalibration:
    """Cross-validate on the training questions about Europe; takes some minutes."""
    questions = Questions(*europe_questions("train"))
    return cross_validate_asker(questions, europe_grammar(), europe_database(), n_jobs, status, FOLDS)


def write_calibration(path: str | Path) -> None:
    """Repeat the cross-validation and write its result to a file."""
    found = cross_validate_europe(status=print).to_dict()
    content = {name: value for name, value in found.items() if name not in ("questions", "meanings")}
    Path(path).write_text(json.dumps({"data": europe_digest(), **content}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with resources.as_file(find_parser_file()) as parser_file:
        if sys.argv[1:] == ["confidence"]:
            write_calibration(parser_file.with_name("confidence.json"))
        parser = train_europe(status=print)
        # As many digits as single precision has are enough, and zeros make the file smaller.
        shorter = parser.weights_.coefficients.astype(np.float32).astype(np.float64)
        parser.weights_ = parser.weights_._replace(coefficients=shorter)
        parser.save(parser_file)
