"""The choice of what ``rekern train`` learns: classes, numbers or a ranking."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from rekern.cli import output
from rekern.core.messages import show_value
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.datasets.tables import Table

MANY_CLASSES = 20  # different whole numbers; more of them are probably quantities
DECIMAL_COMMA = re.compile(r"[+-]?\d+(,\d+)?")
FEW_PAIRS = 20  # fewer are too few to learn from
MISSING = {"nan", "na", "n/a", "<na>", "null"}  # how programs write a value that is not there


class Task(StrEnum):
    """What is learned."""

    classify = "classify"
    regress = "regress"
    rank = "rank"


def choose_task(table: Table, asked: Task | None, grouped: bool, ordinal: bool) -> tuple[Task, Table]:
    """Choose what to learn by the options and the labels; returns the table with the labels to learn.

    Whole numbers that are written with a decimal point, as pandas does after a missing value, are classes unless there
    are many of them. Classes that are whole numbers become integers.

    >>> from rekern.datasets import from_frame
    >>> pairs = from_frame({"source": ["a", "b"], "target": ["c", "d"], "label": ["1.0", "0.0"]})
    >>> task, table = choose_task(pairs, None, False, False)
    >>> task.value, table.labels
    ('classify', [1, 0])
    """
    if asked is None:
        asked = Task.rank if grouped else Task.regress if ordinal else _guess_task(table)
    if ordinal and asked is not Task.regress:
        raise InputError(f"--ordinal goes with --task regress, not with {asked.value}")
    if grouped and asked is not Task.rank:
        raise InputError(f"--group goes with --task rank, not with {asked.value}: leave one of them out")
    if asked is not Task.classify:
        from rekern.learning.table_labels import check_numbers

        check_numbers(table, "--task classify takes it")
    elif _are_whole(table.labels or []):
        table = replace(table, labels=[int(label) for label in table.labels or []])
    return asked, table


def warn_of_few_pairs(table: Table, task: Task) -> None:
    """Warn if there are too few pairs, or too few of a class, to learn from."""
    n = len(table)
    if n < FEW_PAIRS:
        noun = "texts" if table.is_single else "pairs"
        output.say(f"warning: {n} {noun} are very few to learn from; predictions will be little better than guesses")
    elif task is Task.classify:
        rare = [label for label, count in Counter(table.labels or []).items() if count < 2]
        if rare:
            output.say(
                f"warning: class {show_value(rare[0], str)} has a single example; it will hardly ever be predicted"
            )


def warn_of_empty_texts(table: Table) -> None:
    """Warn of pairs with an empty text, which is often a cell that nobody has filled.

    >>> from rekern.datasets import from_frame
    >>> warn_of_empty_texts(from_frame({"source": ["a"], "target": ["b"]}, label=None))
    """
    if not isinstance(table.pairs, list):  # they are on disk, and reading them would take long
        return
    sides = 1 if table.is_single else 2
    empty = [row for row, pair in enumerate(table.pairs) if not all(text.strip() for text in pair[:sides])]
    if empty:
        noun = "texts are empty" if table.is_single else "pairs have an empty text"
        share = f"{len(empty):,} of {len(table):,} {noun}"
        output.say(f"warning: {share}, the first in {table.place(empty[0])}; drop the rows if the texts are missing")


def _guess_task(table: Table) -> Task:
    """Choose by the labels alone, and say so where they leave a doubt."""
    labels = table.labels or []
    n_kinds = len(set(labels))
    if all(isinstance(label, float) for label in labels):
        if not _are_whole(labels) or n_kinds > MANY_CLASSES:
            output.say("the labels are decimal numbers: this is a regression; --task classify uses them as classes")
            return Task.regress
        shown = ", ".join(f"{label:.0f}" for label in sorted(set(labels))[:4])
        more = ", …" if n_kinds > 4 else ""
        output.say(
            f"the labels are whole numbers: the classes are {shown}{more}; --task regress uses them as quantities"
        )
    elif isinstance(labels[0], str):
        _warn_of_strange_classes(table, n_kinds)
    elif n_kinds > MANY_CLASSES:
        output.say(f"warning: {n_kinds} different numbers are used as classes; --task regress uses them as quantities")
    return Task.classify


def _warn_of_strange_classes(table: Table, n_kinds: int) -> None:
    """Warn of words as classes that are probably something else."""
    labels = table.labels or []
    rows = [row for row, label in enumerate(labels) if label.lower() in MISSING]
    if rows and len(rows) < len(labels):
        place = f"{len(rows):,} of {len(labels):,} rows, the first in {table.place(rows[0])}"
        output.say(f"warning: {labels[rows[0]]} is a class ({place}); drop the rows if their labels are missing")
    if all(DECIMAL_COMMA.fullmatch(label) for label in labels):
        output.say("warning: numbers with decimal commas are used as classes; write 0.5 instead of 0,5 for quantities")
    elif n_kinds > max(MANY_CLASSES, len(labels) // 2):
        column = table.roles.get("label", "label")
        remedy = "if another one is the label, name it with --label"
        output.say(f"warning: the column {column} has {n_kinds:,} classes in {len(labels):,} rows; {remedy}")


def _are_whole(labels: list[object]) -> bool:
    """Whether all labels are whole numbers that are written with a decimal point."""
    return all(isinstance(label, float) and label.is_integer() for label in labels)
