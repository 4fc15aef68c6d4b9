"""What each experiment repeats, and published results, as the papers print them; accuracies and F are in per cent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class PublishedTask(NamedTuple):
    """A row of the table of all tasks: its title, what is measured, and what others report."""

    title: str
    measure: str  # accuracy (in per cent), Pearson, MAP or F (in per cent)
    paper: float | None  # the best figure of the paper whose method it is
    known: str  # the best one that we know without a language model, in the words of the table


_PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
TITLES: dict[str, str] = _PUBLISHED["titles"]  # of the experiments, by name
TASKS = {name: PublishedTask(*row) for name, row in _PUBLISHED["tasks"].items()}

# "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012), Tables 1 and 2: the other systems, as the paper names them, and
# the paper's own rows, which are the best over kmax, with PR or without.
OTHERS: dict[str, dict[str, float]] = _PUBLISHED["others"]
OWN: dict[str, dict[str, float]] = _PUBLISHED["own"]
# The kmax for which the text says that kb-SRK was best (Sections 6.1 and 6.2); it says nothing about other kernels.
BEST_KMAX = {"msrp": {"kb-srk": 4}, "rte3": {"kb-srk": 2}}
FIGURE = {"msrp": 7, "rte3": 8}

# TREC coarse questions, C = 10, KeLP's trees, by SVM-LIGHT-TK: (method, tree) -> accuracy.
TREC: dict[tuple[str, str], float] = {(method, tree): value for method, tree, value in _PUBLISHED["trec"]}

# "Structural Representations for Learning Relations between Pairs of Texts" (Filice, Da San Martino and Moschitti,
# ACL 2015), Tables 1 and 2: (method, REL) -> accuracy and F1 of the fixed split, accuracy in 5 folds of both parts.
# Its rows with a word2vec space are compared with our rows with GloVe vectors.
STRUCTURAL: dict[str, dict[tuple[str, bool | None], tuple[float, float, float]]] = {
    corpus: {(method, rel): (accuracy, f1, folds) for method, rel, accuracy, f1, folds in rows}
    for corpus, rows in _PUBLISHED["structural"].items()
}
