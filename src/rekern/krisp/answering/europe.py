"""The asker about the geography of Europe, with the parser that comes with this package.

``python tools/train_europe.py`` in the repository trains the parser anew.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable

import numpy as np

from rekern.core.model_archive import load_model
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.database import SECONDS
from rekern.krisp.answering.europe_facts import europe_database
from rekern.krisp.second_opinion import SecondOpinion
from rekern.krisp.word_parser import load_word_parser

LONGEST = 30  # words of a question that are parsed as quickly without compiled code


def find_parser_file() -> Traversable:
    """Return the file of the embedded parser.

    >>> find_parser_file().name
    'parser.rekern'
    """
    return resources.files("rekern.krisp.answering").joinpath("data", "europe", "parser.rekern")


def find_opinion_file() -> Traversable:
    """Return the file of the second opinion that was learned with the embedded parser.

    >>> find_opinion_file().name
    'opinion.npz'
    """
    return resources.files("rekern.krisp.answering").joinpath("data", "europe", "opinion.npz")


def digest_parser() -> str:
    """Return the checksum of the embedded parser, which stands in the file of its second opinion."""
    return sha256(find_parser_file().read_bytes()).hexdigest()


def load_opinion() -> SecondOpinion | None:
    """Return the second opinion that was learned with the embedded parser; None if it was learned with another one."""
    if not find_opinion_file().is_file():
        return None
    with resources.as_file(find_opinion_file()) as path, np.load(path, allow_pickle=False) as file:
        words = json.loads(file["words"].tobytes())
        if words["parser"] != digest_parser():
            return None
        return SecondOpinion.from_state(words, {name: file[name] for name in ("mean", "dual")})


def europe_asker(n_jobs: int | None = None, seconds: float = SECONDS) -> Asker:
    """The asker about Europe, for many questions: its parser is a `rekern.krisp.SemanticParser`."""
    with resources.as_file(find_parser_file()) as path:
        parser = load_model(path)
    parser.n_jobs = n_jobs
    return Asker(parser, europe_database(seconds), load_opinion())


def quick_europe_asker(seconds: float = SECONDS) -> Asker:
    """The asker about Europe, for a few short questions: it starts in a fraction of the time, and answers the same.

    >>> quick_europe_asker().ask("What is the capital of Estonia?").result.rows
    [('Tallinn',)]
    """
    with resources.as_file(find_parser_file()) as path:
        return Asker(load_word_parser(path), europe_database(seconds), load_opinion())
