"""``rekern expressions``: n-grams of a collection of texts that behave as one word."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output, table_options
from rekern.core.files import check_writable, refuse_to_replace, show_path
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.structures.multiword_expressions import Expression, Expressions

SHOWN = 40  # rows that are printed, unless another number is asked for


def expressions(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A text on each line, or a table; - for lines of standard input.")
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column", metavar="COLUMN", help="Column of texts in a table, by name or number; may be repeated."
        ),
    ] = None,
    sizes: Annotated[str, typer.Option("--sizes", metavar="SIZES", help="Number of words: 2-4, or 3.")] = "2-4",
    min_documents: Annotated[
        int, typer.Option("--min-documents", min=1, metavar="N", help="Minimum number of texts with the n-gram.")
    ] = 5,
    max_distance: Annotated[
        float,
        typer.Option("--max-distance", min=0.0, max=1.0, metavar="X", help="Largest normalised distance."),
    ] = 0.1,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", min=1, metavar="N", help=f"Number of n-grams to list: {SHOWN} when printed, else all, by default."
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="OUT", help="Write .json (for Expressions.load), .tsv, .csv or .jsonl."),
    ] = None,
    format: table_options.Format = None,
    encoding: table_options.Encoding = "utf-8",
    no_header: table_options.NoHeader = False,
    json: common_options.Json = False,
) -> None:
    """List n-grams that behave as one word, the most fixed first.

    φ is the number of texts that contain the n-gram, μ the number that contain all its words anywhere. The distance is
    log μ − log φ: 0 for a fixed expression, large for words that meet by chance. Normalised, it lies between 0 and 1.
    """
    from rekern.structures.multiword_expressions import Expressions

    shortest, longest = _parse_sizes(sizes)
    if out is not None:
        check_writable(out)
        refuse_to_replace(out, file)
        if not _is_json(out):
            output.choose_table_format(out)
    learned = Expressions((shortest, longest), min_documents, max_distance)
    with output.show_status("counting"):
        learned.fit(_read_texts(file, column, format, encoding, no_header))
    if not learned.documents_:
        raise InputError(f"{show_path(file)} has no text: it needs at least one line that is not blank")
    if learned.min_documents_ > min_documents:
        output.say(
            f"more than {learned.most:,} n-grams: only those in {learned.min_documents_:,} texts or more are listed"
        )
    rows = learned.rows_[:top]
    if out is not None:
        _write(out, learned, rows)
        if not json:
            output.say(f"{len(learned.rows_) if _is_json(out) else len(rows):,} expressions are in {out}")
    if json:
        output.print_json(
            {
                "documents": learned.documents_,
                "min_documents": learned.min_documents_,
                "found": len(learned.rows_),
                "rows": [_to_dict(row) for row in rows],
                **({"written": os.fspath(out)} if out is not None else {}),
            }
        )
    elif out is None:
        _print_rows(learned, rows[: top or SHOWN])


def _parse_sizes(text: str) -> tuple[int, int]:
    """Return the smallest and the largest number of words.

    >>> _parse_sizes("2-4"), _parse_sizes("3")
    ((2, 4), (3, 3))
    """
    first, dash, last = text.partition("-")
    try:
        return int(first), int(last if dash else first)
    except ValueError:
        raise InputError(f"--sizes {text!r} is no range of whole numbers: write 2-4, or 3") from None


def _read_texts(
    file: str, columns: list[str] | None, format: str | None, encoding: str, no_header: bool
) -> Iterator[str]:
    """Return the texts of a file: its lines, or columns of a table."""
    from rekern.datasets.table_formats import EXTENSIONS

    extension = os.path.splitext(file.lower().removesuffix(".gz"))[1]
    if not columns and format is None and (extension == ".txt" or extension not in EXTENSIONS):
        from rekern.core.text_files import iterate_lines

        yield from filter(str.strip, iterate_lines(file, encoding))
        return
    from rekern.datasets.table_formats import read_columns
    from rekern.structures.known_columns import find_sides

    rows = read_columns(file, format, encoding=encoding, header=not no_header)
    if not columns:
        sides = None if "text" in rows.names else find_sides(rows.names)
        columns = ["text"] if sides is None else [str(rows.names[place]) for place in sides]
    for column in columns:
        yield from rows.texts(column, "--column")


def _is_json(out: str) -> bool:
    return out.lower().endswith(".json")


def _write(out: str, learned: Expressions, rows: list[Expression]) -> None:
    if _is_json(out):
        learned.save(out)
        return
    from rekern.datasets.tables import write_table

    names = ("expression", "phi", "mu", "med", "normalized")
    write_table(out, {name: [_to_dict(row)[name] for row in rows] for name in names})


def _to_dict(row: Expression) -> dict[str, object]:
    return {
        "expression": row.text,
        "phi": row.documents,
        "mu": row.together,
        "med": row.distance,
        "normalized": row.normalized,
    }


def _print_rows(learned: Expressions, rows: list[Expression]) -> None:
    count = len(learned.rows_)
    shown = f", the first {len(rows):,}" if len(rows) < count else ""
    print(f"{count:,} expressions in {learned.documents_:,} texts{shown}\n")
    table = output.make_table("expression", ">φ", ">μ", ">distance", ">normalised")
    for row in rows:
        table.add_row(
            row.text, f"{row.documents:,}", f"{row.together:,}", f"{row.distance:.3f}", f"{row.normalized:.3f}"
        )
    output.make_console().print(table)
