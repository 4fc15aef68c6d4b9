"""The argument MODEL, the file of a model of pairs or of single texts, and the options of loading one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.core.files import show_path
from rekern.core.model_limits import ModelLimits
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table
    from rekern.learning import PairClassifier, PairRanker, PairRegressor

    TrainedModel = PairClassifier | PairRegressor | PairRanker

LONGEST_NUMBER = 18  # digits of a limit
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by `rekern train`.")]
Limit = Annotated[
    list[str] | None,
    typer.Option("--limit", metavar="NAME=N", help="Let a file ask for more, as its error says; can be repeated."),
]


def read_limits(texts: Sequence[str] | None) -> ModelLimits:
    """Read the values of ``--limit``: what a file may ask for, with the other limits as they are.

    >>> read_limits(["depth=200", "objects=1000"]).depth
    200
    >>> read_limits(["deep=200"])
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: --limit deep=200: write NAME=N; NAME is one of members, member_bytes, unpacked_bytes, \
unpacked_times, depth, objects, window_patterns, item_size, sentence_words, \
productions, production_size
    """
    names = [field.name for field in fields(ModelLimits)]
    values: dict[str, int] = {}
    for text in texts or ():
        name, _, number = text.partition("=")
        if name.strip() not in names:
            raise InputError(f"--limit {text}: write NAME=N; NAME is one of {', '.join(names)}")
        if not number.strip().isascii() or not number.strip().isdigit() or len(number) > LONGEST_NUMBER:
            raise InputError(f"--limit {text}: write NAME=N, with a whole number N of at least 1")
        values[name.strip()] = int(number)
    try:
        return ModelLimits(**values)
    except ValueError as error:
        raise InputError(f"--limit {error}") from None


@dataclass(frozen=True)
class ResourceOptions(OptionGroup):
    """What a model may need but does not contain, and what it may ask for.

    >>> ResourceOptions(wordnet="oewn")
    ResourceOptions(wordnet='oewn', thesaurus=None, limit=None)
    """

    wordnet: Annotated[
        str | None, typer.Option("--wordnet", metavar="DIR", help="Folder of WordNet, if MODEL says it needs it.")
    ] = None
    thesaurus: Annotated[
        str | None, typer.Option("--thesaurus", metavar="FILE", help="Pairs of words, if MODEL says it needs them.")
    ] = None
    limit: Limit = None

    def list_resources(self) -> dict[str, str | None]:
        """Return what `rekern.load_model` takes as resources."""
        return {"wordnet": self.wordnet, "thesaurus": self.thesaurus}


NO_RESOURCES = ResourceOptions()


def load_pair_model(
    path: Path,
    n_jobs: int | None = None,
    resources: ResourceOptions = NO_RESOURCES,
) -> TrainedModel:
    """Load a classifier, regressor or ranker of pairs; ``n_jobs`` is the number of threads that it will use.

    >>> load_pair_model(Path("no such.rekern"))
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such.rekern: there is no such file: check the path
    """
    limits = read_limits(resources.limit)
    from rekern import learning

    model: object = learning.load_model(path, limits=limits, **resources.list_resources())
    if isinstance(model, learning.PairClassifier | learning.PairRegressor | learning.PairRanker):
        model.n_jobs = n_jobs
        return model
    from rekern.questions import QuestionClassifier

    command = "question" if isinstance(model, QuestionClassifier) else "ask"
    raise InputError(f"{show_path(path)} is no model of pairs: use it with rekern {command} --model")


def is_text_model(model: TrainedModel) -> bool:
    """Whether a model classifies single texts, and not pairs."""
    from rekern.learning import TextClassifier

    return isinstance(model, TextClassifier)


def check_items(model: TrainedModel, table: Table) -> None:
    """Refuse a table of pairs for a model of single texts, and the other way round."""
    name = table.path or "the input"
    if is_text_model(model) and not table.is_single:
        raise InputError(f"{name} has pairs, but the model classifies single texts: name their column with --text")
    if not is_text_model(model) and table.is_single:
        remedy = "name the two columns with --source and --target"
        raise InputError(f"{name} has single texts, but the model compares pairs: {remedy}")
