"""``rekern explain``: why a model decides as it does about one pair."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rekern.cli import options, output
from rekern.errors import InputError


def explain(
    model: options.ModelFile,
    texts: Annotated[
        list[str], typer.Argument(metavar="SOURCE TARGET | FILE", help="The two texts; or, with --row, a file.")
    ],
    row: Annotated[
        int | None, typer.Option("--row", min=1, metavar="N", help="Explain the N-th pair of FILE, counting from 1.")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=1, metavar="N", help="The largest parts only: 12 by default, all of them in JSON."),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--label", metavar="LABEL", help="Of more than two classes, the one to explain."),
    ] = None,
    neighbors: Annotated[
        int,
        typer.Option("--neighbors", min=0, metavar="N", help="How many training pairs to show."),
    ] = 3,
    source: options.Source = None,
    target: options.Target = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    jobs: options.Jobs = None,
    json: options.Json = False,
) -> None:
    """Show why a model decides as it does about a pair.

    The decision value is taken apart into rules with the words they lie on, scores and the intercept; the parts add
    up to it exactly. The training pairs most alike follow.
    """
    reading = options.Reading(source, target, None, None, format, encoding, no_header)
    pair = _pair(texts, row, reading)
    loaded = options.load(model, jobs)
    chosen: dict[str, Any] = {"neighbors": neighbors}
    if about is not None:
        if type(loaded).__name__ != "PairClassifier":
            raise InputError("--label is for classifiers; this model predicts numbers")
        chosen["label"] = about
    found = loaded.explain(pair, **chosen)
    if json:
        output.print_json(found.to_dict(top))
    else:
        print_explanation(found, 12 if top is None else top)


def _pair(texts: list[str], row: int | None, reading: options.Reading) -> Any:
    from rekern.cli.predict import one_pair

    if row is None:
        if len(texts) != 2:
            raise InputError(f"give two texts, each in quotes (or --row N and a file), not {len(texts)}")
        return one_pair(*texts).items[0]
    if len(texts) != 1:
        raise InputError(f"--row {row} goes with one file, not with {len(texts)} texts")
    table = reading.table(texts[0], labelled=False)
    if row > len(table):
        raise InputError(f"{table.path} has no pair {row}: it has {len(table):,}")
    return table.items[row - 1]


def print_explanation(found: Any, top: int) -> None:
    """An explanation for people.

    >>> from rekern.learning.explanation import PairExplanation
    >>> from rekern.core.explanations import Part
    >>> part = Part("score", "recall", 1.0, 0.5)
    >>> why = PairExplanation(source="a", target="a", prediction=1, decision=0.25, intercept=-0.25, parts=[part])
    >>> print_explanation(why, top=3)  # doctest: +NORMALIZE_WHITESPACE
    source    a
    target    a
    answer    1
    decision  +0.2500, which is the sum of:
    <BLANKLINE>
       adds  rule or score  on the words
    ──────────────────────────────────────
    +0.5000  recall         1.000 × +0.500
    -0.2500  intercept
    """
    from rich.table import Table

    console = output.console()
    head = Table.grid(padding=(0, 2))
    head.add_row("source", found.source)
    head.add_row("target", found.target)
    chance = "" if found.probability is None else f", with probability {found.probability:.3f}"
    head.add_row("answer", f"{_number(found.prediction)}{chance}")
    of = "" if found.explained is None else f" for {found.explained}"
    head.add_row("decision", f"{found.decision:+.4f}{of}, which is the sum of:")
    console.print(head)
    print()
    parts = output.table(">adds", "rule or score", "on the words")
    for part in found.parts[:top]:
        words = f"{part.source} → {part.target}" if part.kind == "rule" else f"{part.value:.3f} × {part.weight:+.3f}"
        parts.add_row(f"{part.contribution:+.4f}", part.name, words, style=_color(part.contribution))
    rest = found.parts[top:]
    if rest:
        noun = "other part" if len(rest) == 1 else "other parts"
        parts.add_row(f"{sum(part.contribution for part in rest):+.4f}", f"{len(rest):,} {noun}", "")
    parts.add_row(f"{found.intercept:+.4f}", "intercept", "")
    console.print(parts)
    if found.neighbors:
        print("\nThe training pairs most alike:\n")
        alike = output.table(">likeness", "label", "source", "target")
        for pair in found.neighbors:
            alike.add_row(f"{pair.similarity:.3f}", _number(pair.label), pair.source, pair.target)
        console.print(alike)


def _number(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _color(contribution: float) -> str:
    return "green" if contribution > 0 else "red"
