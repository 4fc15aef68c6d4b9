"""The models that a server has: of pairs or texts, of question types, and what answers questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from rekern.core.files import show_path
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import load_model, open_archive
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.errors import InputError
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.predicted_columns import PairPredictor
from rekern.learning.text_classifier import TextClassifier
from rekern.web.problems import Problem

if TYPE_CHECKING:
    from rekern.krisp.answering.answer import Answer
    from rekern.krisp.answering.asker import Asker
    from rekern.krisp.semantic_parser import SemanticParser
    from rekern.questions.pattern_model import PatternModel

T = TypeVar("T")
DEMONSTRATION = "demo"
PARSER, QUESTION_MODEL = "SemanticParser", "QuestionClassifier"  # what the headers of their files say


class Late(Generic[T]):
    """A value that is made when it is first needed, once, whichever thread comes first.

    >>> Late(lambda: 42).get()
    42
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()

    @cached_property
    def _value(self) -> T:
        return self._make()

    def get(self) -> T:
        """Return the value."""
        with self._lock:
            return self._value


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model of pairs or of single texts under its name."""

    name: str
    model: PairPredictor

    @property
    def is_for_texts(self) -> bool:
        """Whether it judges single texts, and not pairs."""
        return isinstance(self.model, TextClassifier)

    @property
    def is_for_groups(self) -> bool:
        """Whether it ranks the pairs of a group."""
        return isinstance(self.model, PairRanker)

    @cached_property
    def reads_pairs_alone(self) -> bool:
        """Whether a prediction depends on the two texts of its pair, and not on trees or on other rows."""
        if self.is_for_texts or isinstance(self.model, PairRanker):
            return False
        return self.model.kernel_.reads() <= {"source", "target"}

    @property
    def classes(self) -> list[object]:
        """The classes; none of a regressor or ranker."""
        return self.model.classes_.tolist() if isinstance(self.model, PairClassifier) else []

    def describe(self) -> JsonObject:
        """Return what the model is, as plain values for JSON."""
        model = self.model
        found: JsonObject = {
            "name": self.name,
            "task": model.task,
            "items": "texts" if self.is_for_texts else "pairs",
            "kernel": summarize_kernel(model.kernel_),
            "has_pairs": model.has_pairs(),
        }
        if isinstance(model, PairClassifier):
            found |= {"classes": self.classes, "threshold": model.threshold_, "thresholds": dict(model.thresholds_)}
        return found


class ServedModels:
    """All models of a server: ``models`` of pairs or texts, one of question types, and one that answers questions."""

    def __init__(
        self,
        models: Mapping[str, PairPredictor],
        question_model: PatternModel | None = None,
        asker: Asker | None = None,
    ) -> None:
        self._models = {name: ServedModel(name, model) for name, model in models.items()}
        self._question = Late(lambda: question_model or _load_embedded_model())
        self.database = "europe" if asker is None else asker.database.name  # what questions are asked about
        self._asker = Late(lambda: asker or _make_europe_asker())
        self._asking = threading.Lock()  # a database takes one query at a time

    @classmethod
    def load(
        cls,
        paths: Iterable[str | Path],
        make_asker: Callable[[SemanticParser | None], Asker | None],
        tagger: str | None = None,
        resources: Mapping[str, str | None] | None = None,
        limits: ModelLimits = DEFAULT_LIMITS,
    ) -> ServedModels:
        """Load model files; without one of pairs or texts, the model of the demonstration is served.

        ``make_asker`` gets the parser among the files, if there is one, and returns what answers questions. Models may
        need resources: a tagger of questions, and what `rekern.load_model` takes. ``limits`` are what
        a file may ask for.
        """
        from rekern.questions.question_archive import load_question_model

        models: dict[str, PairPredictor] = {}
        question_model, parser = None, None
        for path in map(Path, paths):
            kind = read_kind(path, limits)
            if kind == QUESTION_MODEL:
                question_model = load_question_model(path, tagger, limits)
            elif kind == PARSER:
                parser = cast("SemanticParser", load_model(path, limits=limits))
            else:
                model: object = load_model(path, limits=limits, **(resources or {}))
                if not isinstance(model, PairClassifier | PairRegressor | PairRanker):
                    raise InputError(f"{show_path(path)} is a {kind}, which the server cannot use")
                model.n_jobs = 1  # requests are served at the same time; each takes one core
                models[choose_name(path.stem, models)] = model
        if not models:
            from rekern.learning.demonstration_model import load_demonstration_model

            demonstration = load_demonstration_model()
            demonstration.n_jobs = 1
            models[DEMONSTRATION] = demonstration
        return cls(models, question_model, make_asker(parser))

    def list_models(self) -> list[ServedModel]:
        """Return the models of pairs and texts, in the order in which they were given."""
        return list(self._models.values())

    def find(self, name: str | None) -> ServedModel:
        """Return the model with this name; without a name, the first one."""
        if not name:
            return next(iter(self._models.values()))
        found = self._models.get(name)
        if found is None:
            known = ", ".join(self._models)
            raise Problem("unknown-model", f"there is no model of this name; there are: {known}", column="model")
        return found

    def find_question_model(self) -> PatternModel:
        """Return the model of question types."""
        return self._question.get()

    def ask(self, question: str) -> Answer:
        """Answer a question from the database."""
        asker = self._asker.get()
        with self._asking:
            return asker.ask(question)

    def describe(self) -> JsonObject:
        """Return what the server has, as plain values for JSON."""
        return {"models": [model.describe() for model in self.list_models()], "database": self.database}


def _load_embedded_model() -> PatternModel:
    from rekern.questions.six_type_model import load_embedded_model

    return load_embedded_model()


def _make_europe_asker() -> Asker:
    from rekern.krisp.answering.europe import europe_asker

    return europe_asker(1)


def read_kind(path: Path, limits: ModelLimits = DEFAULT_LIMITS) -> object:
    """Return which model a file has, without loading it and what it needs."""
    with open_archive(path, limits) as archive:
        return archive.header.get("model")


def choose_name(wanted: str, taken: Mapping[str, object]) -> str:
    """Return a name that is free: the wanted one, or the wanted one with a number.

    >>> choose_name("msrp", {"msrp": 1})
    'msrp-2'
    """
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
