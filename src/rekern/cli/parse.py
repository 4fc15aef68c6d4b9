"""``rekern parse``: columns of raw text become columns of trees, once."""

from __future__ import annotations

import json as json_module
import os
import time
from typing import Annotated, Any

import typer

from rekern.cli import options, output
from rekern.errors import InputError


def parse(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A table with texts; - for standard input.")],
    out: Annotated[
        str,
        typer.Option("--output", "--out", "-o", metavar="OUT", help="A .tsv, .csv, .jsonl or .parquet file; - prints."),
    ],
    columns: Annotated[
        str, typer.Option("--columns", metavar="NAMES", help="The columns to parse, by name or number.")
    ] = "source,target",
    parser: Annotated[
        str, typer.Option("--parser", metavar="NAME", help="spacy, stanford, corenlp, stanza or one you installed.")
    ] = "spacy",
    trees: Annotated[
        str | None,
        typer.Option(
            "--trees",
            metavar="KINDS",
            help="grct, lct, loct, dependencies, constituents. By default constituents where the parser gives them, "
            "else grct.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option of the parser, such as model=en_core_web_md."),
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option("--cache", metavar="DIR", help="Where parses are kept; REKERN_CACHE or ~/.cache/rekern."),
    ] = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    no_header: Annotated[bool, typer.Option("--no-header", help="The first line is a row; columns are 1, 2 …")] = False,
    json: options.Json = False,
) -> None:
    """Turn columns of text into columns of trees.

    The table is written again, with a column COLUMN.KIND for every column and kind. Every text is parsed once: parses
    are kept by their content, so that an interrupted run continues and a second one does not parse at all.
    """
    from rekern.core.files import write_atomically
    from rekern.datasets.tables import write_table
    from rekern.structures.parsers import parser as find_parser
    from rekern.structures.parsers.parse_trees import check_kinds

    started = time.perf_counter()
    names = _names(columns, "--columns")
    written = output.table_format(out) if out != "-" else None
    if json and out == "-":
        raise InputError("--json and --output - both want standard output: give --output a file")
    with find_parser(parser, **_options(option or [])) as adapter:
        kinds = _names(trees, "--trees") if trees is not None else [_default(adapter)]
        check_kinds(kinds, adapter)

        def work() -> tuple[dict[str, list[Any]], dict[str, Any]]:
            return _with_trees(file, names, adapter, kinds, cache, format, encoding, not no_header)

        if written is None:
            write_table("-", work()[0])
            return
        with write_atomically(out) as temporary:  # now, so that a place that cannot be written is known before the work
            table, report = work()
            write_table(temporary, table, written)
        report |= {"parser": adapter.identity, "seconds": time.perf_counter() - started, "written": out}
    if json:
        output.print_json(report)
        return
    texts = f"{report['texts']:,}, {report['distinct']:,} of them distinct, {report['from_cache']:,} known already"
    print(f"texts     {texts}\ncolumns   {', '.join(report['columns'])}")
    if report["without_tree"]:
        print(f"no tree   {len(report['without_tree']):,} texts; --json lists them")
    size = output.size(os.stat(out).st_size)
    print(f"written   {out}: {report['rows']:,} rows ({size}), in {output.seconds(report['seconds'])}")


def _with_trees(
    file: str,
    names: list[str],
    adapter: Any,
    kinds: list[str],
    cache: str | None,
    format: str | None,
    encoding: str,
    header: bool,
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """The table with its new columns, and a report."""
    from rekern.datasets.tables import read_rows, text_column
    from rekern.structures.parsers import parse_trees

    rows = read_rows(file, format, encoding=encoding, header=header)
    table: dict[str, list[Any]] = {str(name): rows.column(place) for place, name in enumerate(rows.columns)}
    if len(table) < len(rows.columns):
        repeated = next(str(name) for name in rows.columns if rows.columns.count(name) > 1)
        raise InputError(f"{file}: two columns are called {repeated!r}, and only one could be written; rename one")
    for place, name in enumerate(names):
        if name.isdecimal() and name not in table and 0 < int(name) <= len(table):
            names[place] = list(table)[int(name) - 1]  # trees go by the name of the column that stands there
    names = list(dict.fromkeys(names))
    texts = [text_column(rows, name, file, "--columns") for name in names]
    parsed = parse_trees([text for column in texts for text in column], adapter, kinds, cache)
    height, made = len(rows.lines), []
    for place, name in enumerate(names):
        for kind in kinds:
            made.append(f"{name}.{kind}")
            table[made[-1]] = parsed.trees[kind][place * height : (place + 1) * height]
    report = {
        "rows": height,
        "columns": made,
        "texts": height * len(names),
        "distinct": parsed.distinct,
        "from_cache": parsed.cached,
        "parsed": parsed.distinct - parsed.cached,
        "without_tree": [{"text": text, "reason": reason} for text, reason in parsed.faults.items()],
    }
    return table, report


def _names(text: str, option: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    if not all(names):
        raise InputError(f"{option} {text!r} has an empty name: write names with commas between them")
    return names


def _default(parser: Any) -> str:
    return "constituents" if "constituents" in parser.gives else "grct"


def _options(given: list[str]) -> dict[str, Any]:
    """The options of a parser from ``name=value``; a value that is JSON (a number, true) is read as such.

    >>> _options(["model=en_core_web_md", "batch_size=64", "tokenized=true"])
    {'model': 'en_core_web_md', 'batch_size': 64, 'tokenized': True}
    """
    found: dict[str, Any] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if not sign or not name.strip().isidentifier():
            raise InputError(f"--option {item!r} is not of the form NAME=VALUE")
        try:
            read = json_module.loads(value)
        except (ValueError, RecursionError):
            read = value
        found[name.strip()] = read if isinstance(read, str | int | float | bool) else value
    return found
