"""The argument MODEL: the file of a model of pairs or of single texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.cli.quick_start import skip_numba
from rekern.core.estimators import skip_scikit_learn
from rekern.core.files import show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table
    from rekern.learning import PairClassifier, PairRanker, PairRegressor

    TrainedModel = PairClassifier | PairRegressor | PairRanker

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by `rekern train`.")]


@dataclass(frozen=True)
class ResourceOptions(OptionGroup):
    """What a model may need but does not contain.

    >>> ResourceOptions(wordnet="oewn")
    ResourceOptions(wordnet='oewn', thesaurus=None)
    """

    wordnet: Annotated[
        str | None, typer.Option("--wordnet", metavar="DIR", help="Folder of WordNet, if MODEL says it needs it.")
    ] = None
    thesaurus: Annotated[
        str | None, typer.Option("--thesaurus", metavar="FILE", help="Pairs of words, if MODEL says it needs them.")
    ] = None


NO_RESOURCES = ResourceOptions()


def load_pair_model(
    path: Path,
    n_jobs: int | None = None,
    texts: Sequence[str] | None = None,
    resources: ResourceOptions = NO_RESOURCES,
    with_neighbors: bool = False,
) -> TrainedModel:
    """Load a classifier, regressor or ranker of pairs; ``n_jobs`` is the number of threads that it will use.

    ``texts`` are the texts of a single pair if the command is about nothing else, empty if it is about none.
    ``with_neighbors`` says that the pair is compared with the training pairs.

    >>> load_pair_model(Path("no such.rekern"))
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such.rekern: there is no such file
    """
    skip_scikit_learn()
    if texts is not None:
        skip_numba(path, texts, with_neighbors)
    from rekern import learning

    model: object = learning.load_model(path, **asdict(resources))
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
