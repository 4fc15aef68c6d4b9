"""``rekern explain``: why a model decides as it does about one pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.model_argument import ModelFile, ResourceOptions, check_items, is_text_model, load_pair_model
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import TableOptions
from rekern.core.files import check_writable, refuse_to_replace, show_path
from rekern.core.messages import shorten_text
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.cli.model_argument import TrainedModel
    from rekern.core.explanations import Part
    from rekern.kernels.score_effects import ScoreEffect
    from rekern.learning.pair_explanation import PairExplanation

SHOWN = 12  # parts, unless all or another number are asked for


@expand_options(leave_out=("label", "group"))
def explain(
    *,
    model: ModelFile,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE TARGET | FILE",
            help="The two texts, or the text; or, with --row, a file.",
            show_default=False,
        ),
    ] = None,
    how_chosen: Annotated[
        bool, typer.Option("--how-chosen", help="Show instead what the search for the kernel tried.")
    ] = False,
    row: Annotated[
        int | None, typer.Option("--row", min=1, metavar="N", help="Explain the N-th pair of FILE, counting from 1.")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=1, metavar="N", help="Show the N largest parts: 12 by default, all of them in JSON."),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--label", metavar="LABEL", help="Class to explain, if the model has more than two."),
    ] = None,
    neighbors: Annotated[
        int,
        typer.Option("--neighbors", min=0, metavar="N", help="Number of similar training pairs to show."),
    ] = 3,
    curves: Annotated[bool, typer.Option("--curves", help="Draw the curves of the scores that are shown.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also draw it: a page that needs nothing else.")
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Also draw it: one picture.")] = None,
    table: TableOptions,
    resources: ResourceOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Show why a model decides as it does about a pair.

    The decision value is the sum of rules, with the words that they match, of scores and of the intercept. The most
    similar training pairs follow.
    """
    if how_chosen:
        _explain_choice(model, texts, json, resources)
        return
    for file, extensions in ((html, (".html", ".htm")), (svg, (".svg",))):
        if file is not None:
            check_writable(file)
            refuse_to_replace(file, model, *([] if row is None else texts or []))
            output.check_extension(file, *extensions)
    loaded = load_pair_model(model, jobs, resources=resources)
    pair = _find_pair(texts or [], row, table, loaded)

    from rekern.learning import PairClassifier

    if isinstance(loaded, PairClassifier):
        found = loaded.explain(pair, label=about, neighbors=neighbors)
    elif about is None:
        found = loaded.explain(pair, neighbors=neighbors)
    else:
        raise InputError("--label is for classifiers; this model predicts numbers")
    shown = SHOWN if top is None else top
    _draw(found, shown, html, svg)
    if json:
        output.print_json(found.to_dict(top))
    else:
        print_explanation(found, shown)
        threshold = loaded.threshold_ if isinstance(loaded, PairClassifier) else None
        if threshold is not None and abs(threshold - 0.5) > 1e-9:
            print(f"\n{loaded.classes_[1]} is predicted above the probability {threshold:.3f}.")
        if curves:
            print_curves(loaded.curves(about), found.parts[:shown])


def _draw(found: PairExplanation, top: int, html: Path | None, svg: Path | None) -> None:
    """Write the drawings that were asked for."""
    from rekern.core.files import write_atomically
    from rekern.drawing import wrap_page

    drawings = {}
    if html is not None:
        drawings[html] = wrap_page("Why the model decides so", found.to_html(top, style=False))
    if svg is not None:
        drawings[svg] = found.to_svg(top)
    for file, drawing in drawings.items():
        with write_atomically(file) as temporary:
            temporary.write_text(drawing, encoding="utf-8")
        output.say(f"the drawing is in {show_path(file)}")


def _explain_choice(model: Path, texts: list[str] | None, json: bool, resources: ResourceOptions) -> None:
    """Print what ``rekern train --auto`` tried."""
    from rekern.cli.trial_table import print_choice

    if texts:
        raise InputError("--how-chosen is about the model alone: leave the texts out")
    choice = load_pair_model(model, resources=resources).how_chosen_
    if choice is None:
        raise InputError(f"the kernel of {show_path(model)} was given, not chosen: train it with --auto")
    if json:
        output.print_json(choice.to_dict())
    else:
        print_choice(choice)


def _find_pair(texts: list[str], row: int | None, options: TableOptions, model: TrainedModel) -> object:
    from rekern.cli.predict import make_single_pair

    if row is None and is_text_model(model):
        if len(texts) != 1:
            raise InputError(f"give one text, in quotes (or --row N and a file), not {len(texts)}")
        return {"text": make_single_pair(texts[0], "").pairs[0][0]}
    if row is None:
        if len(texts) != 2:
            raise InputError(f"give two texts, each in quotes (or --row N and a file), not {len(texts)}")
        return make_single_pair(*texts).items[0]
    if len(texts) != 1:
        raise InputError(f"--row {row} goes with one file, not with {len(texts)} texts")
    table = options.recall(model).read(texts[0], labelled=False)
    check_items(model, table)
    if row > len(table):
        raise InputError(f"{table.path} has no pair {row}: it has {len(table):,}")
    return table.items[row - 1]


def print_explanation(found: PairExplanation, top: int) -> None:
    """Print an explanation with its ``top`` largest parts.

    >>> from rekern.learning.pair_explanation import PairExplanation
    >>> from rekern.core.explanations import Part
    >>> part = Part("score", "recall", 1.0, 0.5, description="words in common", score=0.75)
    >>> why = PairExplanation(source="a", target="a", prediction=1, decision=0.25, intercept=-0.25, parts=[part])
    >>> print_explanation(why, top=3)  # doctest: +NORMALIZE_WHITESPACE
    source    a
    target    a
    answer    1
    decision  +0.2500, which is the sum of:
    <BLANKLINE>
       adds  rule or score          on the words
    ────────────────────────────────────────────
    +0.5000  words in common: 0.75
    -0.2500  intercept
    """
    from rich.table import Table

    from rekern.core.explanation_parts import sum_contributions
    from rekern.learning.text_explanation import TextExplanation

    console = output.make_console()
    head = Table.grid(padding=(0, 2))
    is_text = isinstance(found, TextExplanation)
    if isinstance(found, TextExplanation):
        head.add_row("text", found.text)
    else:
        head.add_row("source", found.source)
        head.add_row("target", found.target)
    chance = "" if found.probability is None else f", with probability {found.probability:.3f}"
    head.add_row("answer", f"{_format_value(found.prediction)}{chance}")
    of = "" if found.explained is None else f" for {found.explained}"
    head.add_row("decision", f"{found.decision:+.4f}{of}, which is the sum of:")
    console.print(head)
    print()
    parts = output.make_table(">adds", "rule or score", "on the words")
    for part in found.parts[:top]:
        words = f"{part.source} → {part.target}" if part.kind == "rule" else ""
        parts.add_row(f"{part.contribution:+.4f}", part.to_words(), words, style=_choose_color(part.contribution))
    rest = found.parts[top:]
    if rest:
        noun = "other part" if len(rest) == 1 else "other parts"
        parts.add_row(f"{sum_contributions(rest):+.4f}", f"{len(rest):,} {noun}", "")
    parts.add_row(f"{found.intercept:+.4f}", "intercept", "")
    console.print(parts)
    if found.remark:
        print(flush=True)  # before the remark, which goes to standard error
        output.say(found.remark)
    if found.neighbors:
        print(f"\nThe most similar training {'texts' if is_text else 'pairs'}:\n")
        names = ("text",) if is_text else ("source", "target")
        neighbors = output.make_table(">similarity", "label", *names)
        for pair in found.neighbors:
            sides = (shorten_text(pair.source), shorten_text(pair.target))[: len(names)]
            neighbors.add_row(f"{pair.similarity:.3f}", _format_value(pair.label), *sides)
        console.print(neighbors)


def print_curves(effects: Sequence[ScoreEffect], parts: Sequence[Part]) -> None:
    """Draw the curves of the scores among the parts, with a mark where the pair is."""
    known = {effect.name: effect for effect in effects if effect.spread > 0}  # not those of constant scores
    for part in parts:
        if part.kind in ("score", "score pair") and part.name in known:
            print("\n" + known[part.name].draw(mark=part.score, other=part.other))


def _format_value(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _choose_color(contribution: float) -> str:
    return "green" if contribution > 0 else "red"
