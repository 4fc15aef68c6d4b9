"""MSRP and RTE-3 with constituent trees: every pair in the representations that structural kernels compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.corpora import DataPath, find_file, load_msrp, load_rte
from rekern.core.files import show_path
from rekern.core.text_files import iterate_lines
from rekern.datasets.tables import Table
from rekern.errors import InputError
from rekern.structures import Representations, lemma_leaves, linked_graphs, mark_related
from rekern.structures.representation_columns import Column

WORDS = "words"  # constituent trees as the parser made them
TREES = {False: "stems", True: "stems-rel"}  # the same with leaves stem::p, without and with REL marks
GRAPHS = {False: "graph", True: "graph-rel"}  # both trees with their links, without and with REL marks


@dataclass(frozen=True)
class TreeCorpusPart:
    """One part of a corpus: its labels, and its pairs with all representations."""

    table: Table
    items: Representations

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The texts of the pairs."""
        return list(self.table.pairs)


def load_part(corpus: str, part: str, data: DataPath = None) -> TreeCorpusPart:
    """Load ``train`` or ``test`` of ``msrp`` or ``rte3``; RTE-3 is trained on its development part, as in the paper."""
    if corpus == "msrp":
        table = load_msrp(part, data)
    else:
        table = load_rte({"train": "rte3_dev"}.get(part, part), data)
    path = find_file(data, {"rte3": "rte"}.get(corpus, corpus), "trees.tsv")
    return TreeCorpusPart(table, represent_pairs(table, read_trees(path), path.name))


def read_trees(path: Path) -> dict[str, str]:
    """Read a table with the columns text and tree; return the tree of each text."""
    trees: dict[str, str] = {}
    for number, line in enumerate(iterate_lines(path), 1):
        text, tab, tree = line.partition("\t")
        if not tab:
            reason = "a text and its tree are needed, separated by a tab"
            raise InputError(reason, file=show_path(path), row=number, unit="line")
        trees[text] = tree
    trees.pop("text", None)  # the heading
    return trees


def represent_pairs(table: Table, trees: Mapping[str, str], name: str = "the trees") -> Representations:
    """Return the pairs of a table with their trees and graphs.

    >>> from rekern.datasets import from_frame
    >>> table = from_frame({"source": ["Dogs bark"], "target": ["A dog barks"], "label": [1]})
    >>> trees = {"Dogs bark": "(S (NP (NNS Dogs)) (VP (VBP bark)))",
    ...          "A dog barks": "(S (NP (DT A) (NN dog)) (VP (VBZ barks)))"}
    >>> represent_pairs(table, trees)[0]["source.stems-rel"]
    '(S (NP-REL (NNS-REL dog::n)) (VP-REL (VBP-REL bark::v)))'
    """
    for row, pair in enumerate(table.pairs):
        if not all(text in trees for text in pair):
            raise InputError(f"{table.place(row)}: {name} has no tree of one of its texts; parse it and add it")
    words = [[trees[pair[side]] for pair in table.pairs] for side in (0, 1)]
    stems = lemma_leaves(words[0]), lemma_leaves(words[1])
    marked = mark_related(stems[0], stems[1])
    columns: dict[str, Column] = {"source": [a for a, _ in table.pairs], "target": [b for _, b in table.pairs]}
    for place, side in enumerate(("source", "target")):
        columns |= {
            f"{side}.{WORDS}": words[place],
            f"{side}.{TREES[False]}": stems[place],
            f"{side}.{TREES[True]}": marked[place],
        }
    for rel, link in ((False, "words"), (True, "rel")):
        columns[GRAPHS[rel]] = linked_graphs(stems[0], stems[1], link)
    return Representations(columns)
