"""The options of ``rekern train --auto``: the time, and what may be used besides the texts."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rekern.cli.option_groups import OptionGroup
from rekern.cli.task_choice import Task
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.learning import AutoPairClassifier, AutoPairRanker, AutoPairRegressor
    from rekern.structures.tokenizer import Tokenizer

    AutoModel = AutoPairClassifier | AutoPairRegressor | AutoPairRanker

Auto = Annotated[
    bool, typer.Option("--auto", help="Choose the kernel, its windows and C by cross-validation on the pairs.")
]
Minutes = Annotated[float, typer.Option("--minutes", metavar="X", help="With --auto: the time for the search.")]
WordNet = Annotated[
    str | None, typer.Option("--wordnet", metavar="DIR", help="With --auto: try scores from WordNet, in this folder.")
]
Vectors = Annotated[
    Path | None, typer.Option("--vectors", metavar="FILE", help="With --auto: try scores from these word vectors.")
]
Thesaurus = Annotated[
    Path | None,
    typer.Option("--thesaurus", metavar="FILE", help="With --auto: try scores from these pairs of words."),
]


@dataclass(frozen=True)
class AutoOptions(OptionGroup):
    """Whether to choose the kernel, for how long, and with which resources.

    >>> AutoOptions(minutes=2).check()
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: --minutes goes with --auto: add --auto, or leave it out
    """

    auto: Auto = False
    minutes: Minutes = 5.0
    wordnet: WordNet = None
    vectors: Vectors = None
    thesaurus: Thesaurus = None

    def check(self) -> None:
        """Raise InputError for options that make no sense."""
        for field in fields(self):
            if not self.auto and getattr(self, field.name) != field.default:
                raise InputError(f"--{field.name} goes with --auto: add --auto, or leave it out")
        if not 0 < self.minutes < float("inf"):
            raise InputError(f"--minutes {self.minutes:g} is out of range: give a number above 0")
        if self.wordnet is not None:  # a wrong place is an error now, not a kernel that is left out after minutes
            from rekern.similarity.lexicons.wordnet import find_wordnet

            find_wordnet(os.fspath(self.wordnet))
        if self.thesaurus is not None:
            from rekern.similarity.lexical_resources import list_word_pairs

            list_word_pairs(self.thesaurus)

    def make_model(
        self,
        task: Task,
        *,
        balanced: bool,
        ordinal: bool,
        metric: str | None,
        tokenizer: Tokenizer,
        jobs: int | None,
    ) -> AutoModel:
        """Make the model that chooses its kernel."""
        from rekern.learning import AutoPairClassifier, AutoPairRanker, AutoPairRegressor
        from rekern.similarity import WordVectors

        common: dict[str, Any] = {
            "minutes": self.minutes,
            "wordnet": self.wordnet,
            "space": None if self.vectors is None else WordVectors.from_file(self.vectors),
            "thesaurus": None if self.thesaurus is None else str(self.thesaurus),
            "tokenizer": tokenizer,
            "n_jobs": jobs,
        }
        if task is Task.classify:
            weight = "balanced" if balanced else None
            return AutoPairClassifier(metric=metric or "accuracy", class_weight=weight, **common)
        if task is Task.regress:
            return AutoPairRegressor(response="ordinal" if ordinal else "real", **common)
        return AutoPairRanker(**common)
