"""The questions written for this package, in English and Chinese, and the model that is learned from them."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rekern.errors import InputError, ModelFileError

if TYPE_CHECKING:
    from rekern.questions.classifier import QuestionClassifier

LANGUAGES = ("english", "chinese")
PARTS = ("train", "heldout")
CACHE = "REKERN_CACHE"
SETTINGS: dict[str, Any] = {"method": "mss", "penalty": 0.5}


def load_questions(part: str = "train", language: str | None = None) -> tuple[list[str], list[str]]:
    """Questions and their types, over the six types: the part ``train`` or ``heldout``, of one language or both.

    >>> questions, types = load_questions("train", "english")
    >>> len(questions) == len(types), sorted(set(types))
    (True, ['Definition', 'Fact', 'List', 'Navigation', 'Reason', 'Solution'])
    """
    if part not in PARTS:
        raise InputError(f"there is no part {part!r}: choose {' or '.join(PARTS)}")
    if language is not None and language not in LANGUAGES:
        raise InputError(f"there are no questions in {language!r}: choose {' or '.join(LANGUAGES)}")
    rows = [row for name in LANGUAGES if language in (None, name) for row in _rows(name)]
    chosen = [(question, kind) for question, kind, row_part in rows if row_part == part]
    return [question for question, _ in chosen], [kind for _, kind in chosen]


def _content(language: str) -> str:
    return resources.files("rekern.questions").joinpath("data", f"{language}.tsv").read_text(encoding="utf-8")


def _rows(language: str) -> list[tuple[str, str, str]]:
    lines = _content(language).splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines if line]  # type: ignore[misc]


@cache
def embedded_model() -> QuestionClassifier:
    """The classifier of the six types that is learned from the questions of this package.

    It is learned once and kept as a model file in the user's cache (``REKERN_CACHE``, else ``XDG_CACHE_HOME``, else
    ``~/.cache``, in a folder ``rekern``), under a name that changes with the questions and the settings.

    >>> embedded_model().predict(["how do I get a visa for japan?", "为什么天空是蓝色的？"]).tolist()
    ['Solution', 'Reason']
    """
    from rekern.questions.files import load

    path = _cached()
    if path is not None and path.is_file():
        try:
            return load(path)
        except ModelFileError:
            pass  # a damaged file is made anew
    model = train_embedded()
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            model.save(path)
        except (OSError, InputError):
            pass  # without a place to write, it is learned anew in every process
    return model


def train_embedded() -> QuestionClassifier:
    """Learn the embedded model from the training part, in a second or two."""
    from rekern.questions.classifier import QuestionClassifier

    return QuestionClassifier(**SETTINGS, expressions=own_expressions()).fit(*load_questions("train"))


def own_expressions() -> list[str]:
    """The regular expressions written for the six types, in English and Chinese.

    >>> len(own_expressions()) > 50
    True
    """
    from rekern.questions.expressions import read_expressions

    with resources.as_file(_expressions()) as path:
        return read_expressions(path).expressions


def _expressions() -> Any:
    return resources.files("rekern.questions").joinpath("patterns", "six-types.txt")


def _cached() -> Path | None:
    """The model file in the cache; None where there is no home."""
    from rekern import __version__

    written = _expressions().read_text(encoding="utf-8")
    content = "\0".join([__version__, repr(SETTINGS), _code(), written, *map(_content, LANGUAGES)])
    name = f"questions-{hashlib.sha256(content.encode()).hexdigest()[:16]}.rekern"
    folder = os.environ.get(CACHE) or os.environ.get("XDG_CACHE_HOME")
    try:
        home = Path(folder) if folder else Path.home() / ".cache"
    except RuntimeError:
        return None
    return home / "rekern" / name


def _code() -> str:
    """The source of what learns and reads the model: another version of it has another file."""
    names = ("classifier", "strict", "soft", "units", "words", "evidence", "markov", "files", "expressions", "owlqn")
    folder = resources.files("rekern.questions")
    return "".join(folder.joinpath(f"{name}.py").read_text(encoding="utf-8") for name in names)
