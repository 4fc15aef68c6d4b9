"""The data sets of labelled questions on which methods are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from experiments.corpora import DataPath, data_directory, load_trec
from rekern.core.files import show_path
from rekern.datasets.table_formats import read_columns
from rekern.errors import InputError
from rekern.questions.pattern_settings import PatternSettings
from rekern.questions.question_corpus import load_questions
from rekern.questions.six_type_model import list_own_expressions

DEFAULT_PATTERNS = PatternSettings()

LabelledQuestions = tuple[list[str], list[str]]  # questions and their types


@dataclass(frozen=True)
class QuestionDataSet:
    """A training part, a test part (None for cross-validation), and settings that all methods share."""

    load_train: Callable[[], LabelledQuestions]
    load_test: Callable[[], LabelledQuestions] | None
    patterns: PatternSettings = DEFAULT_PATTERNS
    expressions: Sequence[str] | None = None


def list_data_sets(data: DataPath = None) -> dict[str, QuestionDataSet]:
    """List the data sets by name; their files are read when they are needed.

    >>> list(list_data_sets())
    ['nf_cats/human', 'nf_cats/all', 'trec/coarse', 'trec/fine', 'orcas', 'six-types']
    """

    def from_parts(
        load: Callable[[str], LabelledQuestions], patterns: PatternSettings = DEFAULT_PATTERNS
    ) -> QuestionDataSet:
        return QuestionDataSet(partial(load, "train"), partial(load, "test"), patterns)

    many = PatternSettings(top=5000, keywords=5000)  # many content words matter
    return {
        "nf_cats/human": from_parts(partial(load_nf_cats, human=True, data=data)),
        "nf_cats/all": from_parts(partial(load_nf_cats, human=False, data=data)),
        "trec/coarse": from_parts(partial(load_trec, data=data), many),
        "trec/fine": from_parts(partial(load_trec, fine=True, data=data), many),
        "orcas": QuestionDataSet(partial(load_orcas, data), None),
        "six-types": QuestionDataSet(
            partial(load_questions, "train"), partial(load_questions, "heldout"), expressions=list_own_expressions()
        ),
    }


def load_nf_cats(part: str, human: bool, data: DataPath = None) -> LabelledQuestions:
    """Load NF-CATS: questions and categories of ``train``, ``valid`` or ``test``, or with ``human`` those of people."""
    columns = _read_columns(data, "nf_cats", f"{part}.tsv", ("question", "category", "annotated_by"))
    rows = [row for row in zip(*columns) if not human or row[2] != "unsupervised"]
    return [row[0] for row in rows], [row[1] for row in rows]


def load_orcas(data: DataPath = None) -> LabelledQuestions:
    """Load ORCAS-I: web queries, navigational or not; where the annotators abstained they count as not navigational."""
    queries, labels = _read_columns(data, "orcas_i_gold", "orcas_i_gold.tsv", ("query", "label_manual"))
    return queries, ["Navigational" if label == "Navigational" else "Other" for label in labels]


def _read_columns(data: DataPath, folder: str, file: str, names: Sequence[str]) -> list[list[str]]:
    path = data_directory(data) / folder / file
    if not path.is_file():
        name = show_path(path)
        reason = f"there is no {name}: put the corpus there, or name its folder with REKERN_DATA"
        raise InputError(reason, file=name, names_file=True)
    columns = read_columns(path)
    return [columns.texts(name) for name in names]
