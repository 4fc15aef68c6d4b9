"""The worst mistakes of a model on labelled pairs, each with its explanation, as columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rekern.cli.table_options import list_groups

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.datasets.tables import Table
    from rekern.learning.pair_explanation import PairExplanation
    from rekern.learning.reports.mistakes import Mistake

SHOWN_PARTS = 8  # of an explanation

Columns = dict[str, list[object]]


def list_columns(model: TrainedModel, table: Table, mistakes: Sequence[Mistake], as_text: bool) -> Columns:
    """Return the mistakes as columns; ``as_text`` writes the parts of an explanation as text, not as objects."""
    labels, groups = table.labels or [], list_groups(table)
    columns: Columns = {name: [] for name in ("line", "source", "target", "label", "prediction")}
    columns |= {"error": [], "decision": [], "why": []}
    if table.groups is not None:
        columns["group"] = [groups[mistake.row] for mistake in mistakes]
    for row, size, prediction in mistakes:
        why = model.explain(table.items[row], neighbors=0)
        source, target = table.pairs[row]
        parts = _describe_parts(why) if as_text else why.to_dict(SHOWN_PARTS)["parts"]
        values = (table.lines[row], source, target, labels[row], prediction, size, why.decision, parts)
        for name, value in zip(("line", "source", "target", "label", "prediction", "error", "decision", "why"), values):
            columns[name].append(value)
    return columns


def _describe_parts(why: PairExplanation) -> str:
    return "; ".join(f"{part.contribution:+.3f} {part.name}" for part in why.parts[:SHOWN_PARTS])
