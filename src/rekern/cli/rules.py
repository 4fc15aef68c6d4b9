"""``rekern rules``: the strongest rules of a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, load_pair_model
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.kernels.rewriting.strong_rules import WeightedRule
    from rekern.learning.strongest_rules import StrongestRules


def rules(
    model: ModelFile,
    top: Annotated[
        int, typer.Option("--top", min=1, metavar="N", help="Number of rules for, and of rules against.")
    ] = 20,
    label: Annotated[
        str | None,
        typer.Option(
            "--label", metavar="LABEL", help="Class that the rules are for or against; by default all classes."
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="OUT", help="Write a .tsv, .csv, .jsonl or .parquet file.")
    ] = None,
    json: common_options.Json = False,
) -> None:
    """List the strongest rules of a model.

    Each rule has a weight, a support and an example. The support is the number of training pairs that the rule
    matches; ⟨1⟩, ⟨2⟩ … stand for the same words on both sides.
    """
    if out is not None and out != "-":
        from rekern.core.files import check_writable

        output.choose_table_format(out)
        check_writable(out)
    loaded = load_pair_model(model)
    found = {name: loaded.rules(top, name) for name in _list_outputs(loaded, label)}
    if out is not None and out != "-":
        from rekern.datasets.tables import write_table

        columns = _make_columns(loaded, found)
        write_table(out, columns)
        if not json:
            output.say(f"{len(columns['rule']):,} rules are in {out}")
    if json:
        report = [
            {"label": name, "for": _list_rules(loaded, both.favoring), "against": _list_rules(loaded, both.opposing)}
            for name, both in found.items()
        ]
        output.print_json({"outputs": report, **({"written": os.fspath(out)} if out is not None else {})})
    elif out == "-":
        from rekern.datasets.tables import write_table

        write_table("-", _make_columns(loaded, found))
    elif out is None:
        for name, (good, bad) in found.items():
            for rows, sign in ((good, "for"), (bad, "against")):
                print_rules(rows, _make_heading(name, sign))


def _list_outputs(model: TrainedModel, label: str | None) -> list[object]:
    """Return the labels whose rules to list; None stands for the only output of a regressor or ranker."""
    from rekern.learning import PairClassifier

    if not isinstance(model, PairClassifier):
        if label is not None:
            raise InputError("--label is for classifiers; this model predicts numbers")
        return [None]
    names: list[object] = model.classes_.tolist()
    if label is not None:
        return [model.find_label(label)]
    return names[1:] if len(names) == 2 else names


def _make_heading(name: object, sign: str) -> str:
    if name is None:
        return "Rules that raise the number" if sign == "for" else "Rules that lower the number"
    return f"Rules for {name}" if sign == "for" else f"Rules against {name}"


def print_rules(rows: Sequence[WeightedRule], heading: str) -> None:
    """Print a table of rules.

    >>> from rekern.kernels.rewriting.strong_rules import WeightedRule
    >>> rule = WeightedRule("⟨1⟩ ate → ⟨1⟩ eats", 0.5, 12, 0, "she ate", "she eats")
    >>> print_rules([rule], "Rules for 1")  # doctest: +NORMALIZE_WHITESPACE
    Rules for 1
    <BLANKLINE>
    weight  support  rule                example
    ───────────────────────────────────────────────────────
    +0.500       12  ⟨1⟩ ate → ⟨1⟩ eats  she ate → she eats
    <BLANKLINE>
    """
    print(f"{heading}\n")
    table = output.make_table(">weight", ">support", "rule", "example")
    for rule in rows:
        table.add_row(f"{rule.weight:+.3f}", f"{rule.support:,}", rule.rule, f"{rule.source} → {rule.target}")
    output.make_console().print(table)
    print()


def _list_rules(model: TrainedModel, rows: Sequence[WeightedRule]) -> list[dict[str, object]]:
    """Return the rules as JSON objects."""
    return [
        {
            "rule": rule.rule,
            "weight": rule.weight,
            "support": rule.support,
            "example": {"source": rule.source, "target": rule.target},
            "pair": dict(zip(("source", "target"), _find_pair(model, rule.pair))) if model.has_pairs() else None,
        }
        for rule in rows
    ]


def _make_columns(model: TrainedModel, found: dict[object, StrongestRules]) -> dict[str, list[object]]:
    """Return the rules as columns of a table."""
    names = ("label", "side", "rule", "weight", "support", "example_source", "example_target", "source", "target")
    columns: dict[str, list[object]] = {name: [] for name in names}
    for label, both in found.items():
        for side, rows in zip(("for", "against"), both):
            for rule in rows:
                source, target = _find_pair(model, rule.pair) if model.has_pairs() else ("", "")
                values = (label, side, rule.rule, rule.weight, rule.support, rule.source, rule.target, source, target)
                for name, value in zip(names, values):
                    columns[name].append(value)
    if None in found:
        del columns["label"]
    return columns


def _find_pair(model: TrainedModel, number: int) -> tuple[str, str]:
    """Return the texts of a training pair."""
    source, target = model.pairs_[number]
    return _join_tokens(source), _join_tokens(target)


def _join_tokens(side: str | Sequence[str]) -> str:
    return side if isinstance(side, str) else " ".join(side)
