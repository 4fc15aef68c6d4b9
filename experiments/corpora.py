"""Public corpora, each read from its own folder in one data folder.

Nothing is downloaded: most licences do not allow redistribution, so users bring the files.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from rekern.core.files import show_path
from rekern.datasets.tables import Table, read_table
from rekern.errors import InputError

VARIABLE = "REKERN_DATA"
# the RTE-3 setting: everything that was public before the RTE-3 test set is training data
RTE_TRAIN = ("rte1_dev", "rte1_test", "rte2_dev", "rte2_test", "rte3_dev")
RTE_FILES = (*RTE_TRAIN, "rte3_test", "rte2_dev_nltk400")

DataPath = str | os.PathLike[str] | None


def data_directory(data: DataPath = None) -> Path:
    """Return the folder that holds the corpora: the argument, else what the variable ``REKERN_DATA`` names."""
    chosen, origin = (data, "--data (data=)") if data is not None else (os.environ.get(VARIABLE), VARIABLE)
    if not chosen:
        raise InputError(f"no folder with corpora is known: give --data DIR (data=) or set {VARIABLE}")
    if not os.path.isdir(chosen):
        name = show_path(chosen)
        reason = f"{origin} names {name}, which is no folder: name the one with the corpora"
        raise InputError(reason, file=name, names_file=True)
    return Path(chosen)


def find_file(data: DataPath, *names: str) -> Path:
    """Find a file in the data directory, compressed (``.gz``) or not."""
    path = data_directory(data).joinpath(*names)
    for candidate in (path, path.with_name(f"{path.name}.gz")):
        if candidate.is_file():
            return candidate
    name = show_path(path)
    reason = f"there is no {name} (or .gz): put the corpus there, or name its folder with {VARIABLE}"
    raise InputError(reason, file=name, names_file=True)


def load_msrp(part: str = "train", data: DataPath = None) -> Table:
    """Load the Microsoft Research Paraphrase Corpus, ``train`` (4,076 pairs) or ``test`` (1,725); 1 is a paraphrase."""
    return read_table(_find_part("msrp", part, ("train", "test"), data), "s1", "s2", "quality")


def load_rte(part: str = "train", data: DataPath = None) -> Table:
    """Load Recognizing Textual Entailment in the RTE-3 setting; label 1 is an entailment.

    ``test`` is the RTE-3 test set (800 pairs), ``train`` everything before it: RTE-1 and RTE-2, dev and test, and
    RTE-3 dev (3,767). A single file has its own name: ``rte1_dev``, ``rte2_test`` and so on.
    """
    _check_part("rte", part, ("train", "test", *RTE_FILES))
    names = {"train": RTE_TRAIN, "test": ("rte3_test",)}.get(part, (part,))
    paths = [find_file(data, "rte", f"{name}.tsv") for name in names]
    return join_tables([read_table(path, "text", "hypothesis", "entailment") for path in paths])


def load_qqp(part: str = "train", data: DataPath = None) -> Table:
    """Load the public part of Quora question pairs: ``train`` (45,773), ``dev`` (10,000) or ``test`` (9,998).

    Label 1 is a duplicate. Dev and test are the usual balanced partition; the one pair that is in both counts as dev.
    """
    _check_part("qqp", part, ("train", "dev", "test"))
    path = find_file(data, "qqp_partial", "qqp_partial.tsv")
    table = read_table(path, "question1", "question2", "is_duplicate", group="sources")

    def find_part(tags: list[str]) -> str:
        return "dev" if "bimpm_dev" in tags else "test" if "bimpm_test" in tags else "train"

    rows = [row for row, tags in enumerate(table.groups or []) if find_part(str(tags).split(",")) == part]
    return replace(table.select(rows), groups=None)


def load_sick(part: str = "train", response: str = "relatedness", data: DataPath = None) -> Table:
    """Load SICK: ``train`` (4,500 pairs), ``trial`` (500) or ``test`` (4,927).

    The response is the ``relatedness`` from 1 to 5 or the ``entailment``: NEUTRAL, ENTAILMENT or CONTRADICTION.
    """
    columns = {"relatedness": "relatedness_score", "entailment": "entailment_judgment"}
    if response not in columns:
        raise InputError(f"SICK has no response {response!r}: choose relatedness or entailment")
    path = _find_part("sick", part, ("train", "trial", "test"), data)
    table = read_table(path, "sentence_A", "sentence_B", columns[response])
    return _convert_labels_to_real(table) if response == "relatedness" else table


def load_stsb(part: str = "train", data: DataPath = None) -> Table:
    """Load the STS Benchmark: ``train`` (5,749 pairs), ``dev`` (1,500) or ``test`` (1,379); labels are from 0 to 5."""
    path = _find_part("sts_benchmark", part, ("train", "dev", "test"), data)
    return _convert_labels_to_real(read_table(path, "s1", "s2", "score"))


def load_wikiqa(part: str = "train", answered: bool = True, data: DataPath = None) -> Table:
    """Load WikiQA: a question and a candidate sentence, label 1 for an answer; the groups are the question ids.

    Parts are ``train``, ``dev`` and ``test``. With ``answered`` only the questions that have an answer are kept (873,
    126 and 243 questions), which is the usual setting, because a ranking of the others cannot be measured.
    """
    path = _find_part("wikiqa", part, ("train", "dev", "test"), data)
    table = read_table(path, "Question", "Sentence", "Label", group="QuestionID")
    if not answered:
        return table
    assert table.labels is not None and table.groups is not None
    keep = {group for group, label in zip(table.groups, table.labels) if label == 1}
    return table.select([row for row, group in enumerate(table.groups) if group in keep])


def load_paws(part: str = "dev", data: DataPath = None) -> Table:
    """Load PAWS-Wiki, labelled: ``dev`` or ``test`` (8,000 pairs each); label 1 is a paraphrase."""
    return read_table(_find_part("paws_wiki", part, ("dev", "test"), data), "s1", "s2", "label")


def load_snli(part: str = "dev", data: DataPath = None) -> Table:
    """Load SNLI: ``dev`` (9,842 pairs) or ``test`` (9,824), labelled entailment, neutral or contradiction."""
    return read_table(_find_part("snli", part, ("dev", "test"), data), "premise", "hypothesis", "label")


def load_trec(part: str = "train", fine: bool = False, data: DataPath = None) -> tuple[list[str], list[str]]:
    """Load TREC questions and their types: ``train`` (5,452) or ``test`` (500); 6 coarse types or 50 fine ones."""
    table = read_table(_find_part("trec_qc", part, ("train", "test"), data), "question", "fine", "coarse")
    assert table.labels is not None
    questions = [question for question, _ in table.pairs]
    if not fine:
        return questions, list(map(str, table.labels))
    return questions, [f"{coarse}:{detail}" for coarse, (_, detail) in zip(table.labels, table.pairs)]


def join_tables(tables: list[Table]) -> Table:
    """Join tables without groups; their rows are counted from 1."""
    if len(tables) == 1:
        return tables[0]
    pairs = [pair for table in tables for pair in table.pairs]
    labels = [label for table in tables for label in table.labels or []]
    path = " + ".join(Path(table.path or "").name for table in tables)
    return Table(pairs, labels, None, path, list(range(1, len(pairs) + 1)), tables[0].columns, "row")


def _find_part(corpus: str, part: str, parts: tuple[str, ...], data: DataPath) -> Path:
    _check_part(corpus, part, parts)
    return find_file(data, corpus, f"{part}.tsv")


def _check_part(corpus: str, part: str, parts: tuple[str, ...]) -> None:
    if part not in parts:
        raise InputError(f"{corpus} has no part {part!r}: choose {', '.join(parts)}")


def _convert_labels_to_real(table: Table) -> Table:
    """Convert labels to real numbers, also if all of them are integers."""
    return replace(table, labels=[float(label) for label in table.labels or []])
