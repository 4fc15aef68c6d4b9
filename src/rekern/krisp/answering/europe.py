"""The asker about the geography of Europe, with the parser that comes with this package.

``python -m rekern.krisp.answering.europe_training`` trains the parser anew.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

from rekern.core.model_archive import load_model
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.database import SECONDS
from rekern.krisp.answering.europe_facts import europe_database
from rekern.krisp.word_parser import load_word_parser

LONGEST = 30  # words of a question that are parsed as quickly without compiled code


def find_parser_file() -> Traversable:
    """Return the file of the embedded parser.

    >>> find_parser_file().name
    'parser.rekern'
    """
    return resources.files("rekern.krisp.answering").joinpath("data", "europe", "parser.rekern")


def europe_asker(n_jobs: int | None = None, seconds: float = SECONDS) -> Asker:
    """The asker about Europe, for many questions: its parser is a `rekern.krisp.SemanticParser`."""
    with resources.as_file(find_parser_file()) as path:
        parser = load_model(path)
    parser.n_jobs = n_jobs
    return Asker(parser, europe_database(seconds))


def quick_europe_asker(seconds: float = SECONDS) -> Asker:
    """The asker about Europe, for a few short questions: it starts in a fraction of the time, and answers the same.

    >>> quick_europe_asker().ask("What is the capital of Estonia?").result.rows
    [('Tallinn',)]
    """
    with resources.as_file(find_parser_file()) as path:
        return Asker(load_word_parser(path), europe_database(seconds))
