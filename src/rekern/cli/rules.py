"""``rekern rules``: the strongest rules of a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, ResourceOptions, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.kernels.rewriting.strong_rules import WeightedRule
    from rekern.kernels.score_effects import ScoreEffect
    from rekern.learning.model_rules import ModelRules


@expand_options()
def rules(
    *,
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
    curves: Annotated[bool, typer.Option("--curves", help="Draw what each of the strongest scores adds.")] = False,
    resources: ResourceOptions,
    json: common_options.Json = False,
) -> None:
    """List the strongest rules and scores of a model.

    Each rule has a weight, a support and an example. The support is the number of training pairs that the rule
    matches; ⟨1⟩, ⟨2⟩ … stand for the same words on both sides. The scores that move decisions most come first.
    """
    if out is not None and out != "-":
        from rekern.core.files import check_writable, refuse_to_replace

        output.choose_table_format(out)
        check_writable(out)
        refuse_to_replace(out, model)
    loaded = load_pair_model(model, resources=resources)

    from rekern.learning import PairClassifier
    from rekern.learning.rule_listing import describe_rules, list_rules

    if label is not None and not isinstance(loaded, PairClassifier):
        raise InputError("--label is for classifiers; this model predicts numbers")
    found = list_rules(loaded, top, label)
    if out is not None and out != "-":
        from rekern.datasets.tables import write_table

        columns = _make_columns(loaded, found)
        write_table(out, columns)
        if not json:
            output.say(f"{len(columns['rule']):,} rules are in {out}")
    if json:
        output.print_json({**describe_rules(loaded, found), **({"written": os.fspath(out)} if out is not None else {})})
    elif out == "-":
        from rekern.datasets.tables import write_table

        write_table("-", _make_columns(loaded, found))
    elif out is None:
        for name, both in found.items():
            for rows, sign in ((both.favoring, "for"), (both.opposing, "against")):
                if rows or not both.scores:
                    print_rules(rows, _make_heading(name, sign))
            if both.scores:
                of = "" if name is None else f" for {name}"
                print_scores(both.scores[:top], f"Scores{of}, by how much they move decisions", curves)


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


def print_scores(effects: Sequence[ScoreEffect], heading: str, curves: bool = False) -> None:
    """Print a table of scores; with ``curves`` also a plot of each.

    >>> from rekern.kernels.score_effects import ScoreEffect
    >>> effect = ScoreEffect("recall", "line", "words in common", 0.5, ((0.0, -1.0), (1.0, 1.0)))
    >>> print_scores([effect], "Scores for 1")  # doctest: +NORMALIZE_WHITESPACE
    Scores for 1
    <BLANKLINE>
    moves  adds from … to  shape         score
    ────────────────────────────────────────────────────
    0.500  -1.00 … +1.00   ▁▂▂▃▄▄▅▅▆▇▇█  words in common
    <BLANKLINE>
    """
    print(f"{heading}\n")
    table = output.make_table(">moves", "adds from … to", "shape", "score")
    for effect in effects:
        heights = effect.list_heights()
        ends = f"{min(heights):+.2f} … {max(heights):+.2f}"
        table.add_row(f"{effect.spread:.3f}", ends, effect.sketch(), effect.description)
    output.make_console().print(table)
    print()
    for effect in effects if curves else ():
        print(effect.draw() + "\n")


def _make_columns(model: TrainedModel, found: dict[object, ModelRules]) -> dict[str, list[object]]:
    """Return the rules as columns of a table."""
    from rekern.learning.rule_listing import find_pair_texts

    names = ("label", "side", "rule", "weight", "support", "example_source", "example_target", "source", "target")
    columns: dict[str, list[object]] = {name: [] for name in names}
    for label, both in found.items():
        for side, rows in zip(("for", "against"), both):
            for rule in rows:
                source, target = find_pair_texts(model, rule.pair) if model.has_pairs() else ("", "")
                values = (label, side, rule.rule, rule.weight, rule.support, rule.source, rule.target, source, target)
                for name, value in zip(names, values):
                    columns[name].append(value)
    if None in found:
        del columns["label"]
    return columns
