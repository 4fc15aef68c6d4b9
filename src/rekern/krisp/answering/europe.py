"""The asker about the geography of Europe; it is trained at the first use and kept in the cache folder.

``python -m rekern.krisp.answering.europe FILE`` repeats the cross-validation whose result is shipped with the package
(``data/europe/confidence.json``). Do it after every change of the facts, the grammar, the questions or the learner.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rekern.core.cache_folder import cache_folder
from rekern.core.files import write_atomically
from rekern.core.model_archive import load_model
from rekern.errors import InputError, ModelFileError
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.asker_training import Status, cross_validate_asker, ignore_status, train_asker
from rekern.krisp.answering.database import SECONDS
from rekern.krisp.answering.europe_facts import (
    europe_database,
    europe_digest,
    europe_grammar,
    europe_questions,
    read_europe_file,
)
from rekern.krisp.answering.question_table import Questions
from rekern.krisp.source_code_digest import digest_source

FOLDS = 5  # of the cross-validation


def europe_asker(n_jobs: int | None = None, status: Status = ignore_status, seconds: float = SECONDS) -> Asker:
    """The asker about Europe; a change of the facts, the questions or the code makes it train again."""
    database = europe_database(seconds)
    path = cache_folder() / f"europe-{europe_digest()}-{digest_source()}.rekern"
    if path.is_file():
        try:
            asker = Asker(load_model(path), database)
            asker.parser.n_jobs = n_jobs
            return asker
        except (ModelFileError, InputError, KeyError):
            pass  # it is damaged, or of another kind: train again
    questions = Questions(*europe_questions("train"))
    asker = train_asker(questions, europe_grammar(), database, n_jobs, status, europe_calibration())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as temporary:
            asker.parser.save(temporary)
    except (OSError, InputError):
        pass  # if the folder cannot be written, the next use trains again
    return asker


def europe_calibration() -> AnswerCalibration | None:
    """The shipped result of cross-validation; None if it was made with other facts, questions or another grammar.

    >>> (europe_calibration() or AnswerCalibration(asked=803)).asked
    803
    """
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
    write_calibration(sys.argv[1])
