"""Predictions for all tables of a folder, a file at a time: here, or by the workers of a cluster.

A file of predictions appears when it is complete. A run that is interrupted continues with the files that are missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rekern.core.files import make_folder, show_path, write_atomically
from rekern.core.model_archive import load_model
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.parallel_jobs import allow_threads
from rekern.datasets.table_formats import EXTENSIONS
from rekern.datasets.table_writer import FORMATS
from rekern.datasets.tables import ROWS, TableBlock, iterate_table, open_table
from rekern.errors import InputError
from rekern.learning.class_probabilities import Threshold
from rekern.learning.pair_classifier import PairClassifier
from rekern.learning.pair_ranker import PairRanker
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.predicted_columns import PairPredictor, predict_columns
from rekern.learning.predicted_rows import ColumnChoice
from rekern.learning.text_classifier import TextClassifier

RECORD = "rekern-predictions.json"  # in the folder of predictions: what they are made with


class PredictedFile(NamedTuple):
    """A file of predictions, how many it has, and what is wrong with its table if it has none."""

    name: str
    rows: int
    fault: str = ""


@dataclass(frozen=True)
class FolderTask:
    """How to predict the tables of a folder; it is sent to the workers of a cluster.

    >>> FolderTask("m.rekern", "pairs", "out").threshold is None
    True
    """

    model: str
    tables: str
    out: str
    source: str = "source"
    target: str = "target"
    text: str | None = None
    label: str = "label"
    group: str | None = None
    format: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    columns: str | None = None
    texts: bool = False
    threshold: Threshold | None = None
    wordnet: str | None = None
    thesaurus: str | None = None
    limits: ModelLimits = DEFAULT_LIMITS
    n_jobs: int | None = None

    def load_model(self) -> PairPredictor:
        """Load the model, once in a process."""
        try:
            stamp = Path(self.model).stat().st_mtime_ns
        except OSError:
            stamp = 0  # the error comes from loading it
        model = _load_once(self.model, stamp, self.limits, self.wordnet, self.thesaurus)
        model.n_jobs = self.n_jobs
        return model

    def list_missing(self) -> list[str]:
        """Return the names of the tables that have no predictions yet, after checking that these are of this task."""
        names = sorted(path.name for path in Path(self.tables).iterdir() if _is_table(path))
        if not names:
            raise InputError(f"{show_path(self.tables)} has no tables: give a folder of .parquet, .tsv or .csv files")
        folder = make_folder(self.out, "the predictions")
        record = {"model": _digest_file(Path(self.model)), "options": self._describe_options()}
        path = folder / RECORD
        if path.is_file():
            if json.loads(path.read_text(encoding="utf-8")) != record:
                other = f"{show_path(self.out)} has predictions of another model or with other options"
                raise InputError(f"{other}: choose another folder, or empty it")
        else:
            with write_atomically(path) as temporary:
                temporary.write_text(json.dumps(record), encoding="utf-8")
        return [name for name in names if not (folder / name).is_file()]

    def predict(self, name: str) -> PredictedFile:
        """Predict one table, and write the file of the same name; an error comes back as a text, from any worker."""
        try:
            with allow_threads(self.n_jobs):
                return PredictedFile(name, self._write_predictions(name))
        except InputError as error:
            return PredictedFile(name, 0, str(error))

    def _write_predictions(self, name: str) -> int:
        """Predict one table, block by block."""
        model = self.load_model()
        choice = ColumnChoice(self.columns, self.texts, self.label if self.header else "3")
        rows = 0
        with open_table(Path(self.out) / name) as table:
            for block in self._read_blocks(name, is_whole=isinstance(model, PairRanker)):
                if block.table.is_single != isinstance(model, TextClassifier):
                    kind = "single texts" if block.table.is_single else "pairs"
                    raise InputError(f"{block.table.path} has {kind}, and the model is for others: check --text")
                try:
                    predicted = choice.copy(block, predict_columns(model, block.table, self.threshold))
                except InputError as error:
                    raise block.table.locate(error) from None
                table.write({**predicted.copied, **predicted.predicted}, predicted.types)
                rows += len(predicted)
        return rows

    def _read_blocks(self, name: str, is_whole: bool) -> Iterator[TableBlock]:
        return iterate_table(
            Path(self.tables) / name,
            self.source,
            self.target,
            None,
            self.format,
            self.group,
            encoding=self.encoding,
            header=self.header,
            text=self.text,
            rows=None if is_whole else ROWS,
        )

    def _describe_options(self) -> dict[str, object]:
        same = {**vars(self), "model": "", "tables": "", "out": ""}
        return {name: value for name, value in same.items() if name not in ("limits", "n_jobs")}


def _is_table(path: Path) -> bool:
    name = path.name.removesuffix(".gz")
    format = EXTENSIONS.get(Path(name).suffix.lower())
    return format in FORMATS and not name.startswith((".", "_")) and path.is_file()


def _digest_file(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=1)
def _load_once(path: str, stamp: int, limits: ModelLimits, wordnet: str | None, thesaurus: str | None) -> PairPredictor:
    """Load a model once in a process; ``stamp`` tells another file of the same name."""
    model = load_model(path, limits=limits, wordnet=wordnet, thesaurus=thesaurus)
    if not isinstance(model, PairClassifier | PairRegressor | PairRanker):
        raise InputError(f"{show_path(path)} is no model of pairs or texts")
    return model
