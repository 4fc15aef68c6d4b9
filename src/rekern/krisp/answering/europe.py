"""The asker about the geography of Europe, with the parser that comes with this package.

``python tools/train_europe.py`` in the repository trains the parser anew.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

from rekern.core.model_archive import load_model
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.database import SECONDS
from rekern.krisp.answering.europe_facts import europe_database


def find_parser_file() -> Traversable:
    """Return the file of the embedded parser.

    >>> find_parser_file().name
    'parser.rekern'
    """
    return resources.files("rekern.krisp.answering").joinpath("data", "europe", "parser.rekern")


def europe_asker(n_jobs: int | None = None, seconds: float = SECONDS) -> Asker:
    """The asker about Europe.

    >>> europe_asker().ask("What is the capital of Estonia?").result.rows
    [('Tallinn',)]
    """
    with resources.as_file(find_parser_file()) as path:
        parser = load_model(path)
    parser.n_jobs = n_jobs
    return Asker(parser, europe_database(seconds))
