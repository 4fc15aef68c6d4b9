"""``rekern rules``: what a model has learned, as rules."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from rekern.cli import options, output
from rekern.cli.exit_codes import say
from rekern.errors import InputError


def rules(
    model: options.ModelFile,
    top: Annotated[int, typer.Option("--top", min=1, metavar="N", help="How many for, and how many against.")] = 20,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="LABEL", help="For and against this class; by default, all classes in turn."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="OUT", help="Write a .tsv, .csv, .jsonl or .parquet file.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the strongest rules of a model.

    For and against, each with its weight, its support and an example. The support is the number of training pairs
    that a rule matches; ⟨1⟩, ⟨2⟩ … stand for the same words on both sides.
    """
    if out is not None and out != "-":
        output.table_format(out)
    loaded = options.load(model)
    found = {name: loaded.rules(top, name) for name in _outputs(loaded, label)}
    if out is not None and out != "-":
        from rekern.datasets.tables import write_table

        columns = _columns(loaded, found)
        write_table(out, columns)
        if not json:
            say(f"{len(columns['rule']):,} rules are in {out}")
    if json:
        report: list[dict[str, Any]] = [
            {"label": name, "for": _dicts(loaded, both[0]), "against": _dicts(loaded, both[1])}
            for name, both in found.items()
        ]
        output.print_json({"outputs": report, **({"written": os.fspath(out)} if out is not None else {})})
    elif out == "-":
        from rekern.datasets.tables import write_table

        write_table("-", _columns(loaded, found))
    elif out is None:
        for name, (good, bad) in found.items():
            for rows, sign in ((good, "for"), (bad, "against")):
                print_rules(rows, _heading(loaded, name, sign))


def _outputs(model: Any, label: str | None) -> list[Any]:
    """The labels whose rules are to be listed; None stands for the only output of a regressor or ranker."""
    if type(model).__name__ != "PairClassifier":
        if label is not None:
            raise InputError("--label is for classifiers; this model predicts numbers")
        return [None]
    names = model.classes_.tolist()
    if label is not None:
        return [model.find_label(label)]
    return names[1:] if len(names) == 2 else names


def _heading(model: Any, name: Any, sign: str) -> str:
    if name is None:
        return "Rules that raise the number" if sign == "for" else "Rules that lower the number"
    return f"Rules for {name}" if sign == "for" else f"Rules against {name}"


def print_rules(rows: list[Any], heading: str) -> None:
    """A table of rules for people.

    >>> from rekern.kernels.rewriting.rule_decision import WeightedRule
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
    table = output.table(">weight", ">support", "rule", "example")
    for rule in rows:
        table.add_row(f"{rule.weight:+.3f}", f"{rule.support:,}", rule.rule, f"{rule.source} → {rule.target}")
    output.console().print(table)
    print()


def _dicts(model: Any, rows: list[Any]) -> list[dict[str, Any]]:
    return [
        {
            "rule": rule.rule,
            "weight": rule.weight,
            "support": rule.support,
            "example": {"source": rule.source, "target": rule.target},
            "pair": {"source": _text(model.pairs_[rule.pair][0]), "target": _text(model.pairs_[rule.pair][1])},
        }
        for rule in rows
    ]


def _columns(model: Any, found: dict[Any, Any]) -> dict[str, list[Any]]:
    """The rules as columns of a table."""
    names = ("label", "side", "rule", "weight", "support", "example_source", "example_target", "source", "target")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for label, both in found.items():
        for side, rows in zip(("for", "against"), both):
            for rule in rows:
                source, target = map(_text, model.pairs_[rule.pair])
                values = (label, side, rule.rule, rule.weight, rule.support, rule.source, rule.target, source, target)
                for name, value in zip(names, values):
                    columns[name].append(value)
    if None in found:
        del columns["label"]
    return columns


def _text(side: Any) -> str:
    return side if isinstance(side, str) else " ".join(side)
