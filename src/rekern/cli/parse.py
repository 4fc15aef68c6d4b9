"""``rekern parse``: add columns of trees to a table of texts."""

from __future__ import annotations

import json as json_module
import os
import time
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rekern.cli import common_options, output, table_options
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.structures.parsers.interface import Parser


def parse(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A table with columns of text; - for standard input.")],
    out: Annotated[
        str,
        typer.Option("--output", "--out", "-o", metavar="OUT", help="A .tsv, .csv, .jsonl or .parquet file; - prints."),
    ],
    columns: Annotated[
        str, typer.Option("--columns", metavar="NAMES", help="Columns to parse, by name or number.")
    ] = "source,target",
    parser: Annotated[
        str, typer.Option("--parser", metavar="NAME", help="spacy, stanford, corenlp, stanza or an installed one.")
    ] = "spacy",
    trees: Annotated[
        str | None,
        typer.Option(
            "--trees",
            metavar="KINDS",
            help="grct, lct, loct, dependencies, constituents, conllu. By default constituents if the parser gives "
            "them, else grct.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Option of the parser, such as model=en_core_web_md."),
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(
            "--cache", metavar="DIR", help="Cache folder of parses; by default REKERN_CACHE or ~/.cache/rekern."
        ),
    ] = None,
    format: table_options.Format = None,
    encoding: table_options.Encoding = "utf-8",
    no_header: Annotated[bool, typer.Option("--no-header", help="The file has no header: columns are 1, 2 …")] = False,
    json: common_options.Json = False,
) -> None:
    """Parse columns of text into columns of trees.

    Writes the table with a new column COLUMN.KIND for every column and kind of tree. Parses are cached by text: equal
    texts are parsed once, an interrupted run continues, and a second run does not parse again. OUT may be FILE itself.
    """
    from rekern.core.files import write_atomically
    from rekern.datasets.tables import write_table
    from rekern.structures.parsers import parser as find_parser
    from rekern.structures.parsers.parse_trees import check_kinds

    started = time.perf_counter()
    names = _split_names(columns, "--columns")
    file_format = output.choose_table_format(out) if out != "-" else None
    if json and out == "-":
        raise InputError("--json and --output - both want standard output: give --output a file")
    with closing(find_parser(parser, **_parse_options(option or []))) as adapter:
        kinds = _split_names(trees, "--trees") if trees is not None else [_choose_kind(adapter)]
        check_kinds(kinds, adapter)
        if "conllu" in kinds and file_format in (None, "tsv"):
            raise InputError("CoNLL-U has tabs, which a .tsv file cannot hold: write a .csv, .jsonl or .parquet file")

        def add_trees() -> ParsedTable:
            return _add_trees(file, names, adapter, kinds, cache, format, encoding, not no_header)

        if file_format is None:
            write_table("-", add_trees().columns)
            return
        with write_atomically(out) as temporary:  # opened first, so that an unwritable place is found before the work
            parsed = add_trees()
            write_table(temporary, parsed.columns, file_format)
        identity, took = adapter.identity, time.perf_counter() - started
    if json:
        report = {
            "rows": parsed.rows,
            "columns": parsed.new_columns,
            "texts": parsed.texts,
            "distinct": parsed.distinct,
            "from_cache": parsed.from_cache,
            "parsed": parsed.distinct - parsed.from_cache,
            "without_tree": parsed.without_tree,
            "parser": identity,
            "seconds": took,
            "written": out,
        }
        output.print_json(report)
        return
    texts = f"{parsed.texts:,}, {parsed.distinct:,} of them distinct, {parsed.from_cache:,} from the cache"
    print(f"texts     {texts}\ncolumns   {', '.join(parsed.new_columns)}")
    if parsed.without_tree:
        print(f"no tree   {len(parsed.without_tree):,} texts; --json lists them")
    size = output.format_size(os.stat(out).st_size)
    print(f"written   {out}: {parsed.rows:,} rows ({size}), in {output.format_seconds(took)}")


class ParsedTable(NamedTuple):
    """A table with its new columns of trees, and what was parsed for it."""

    columns: dict[str, list[object]]
    new_columns: list[str]
    rows: int
    texts: int
    distinct: int
    from_cache: int
    without_tree: list[dict[str, str]]  # text and reason


def _add_trees(
    file: str,
    names: list[str],
    adapter: Parser,
    kinds: list[str],
    cache: str | None,
    format: str | None,
    encoding: str,
    header: bool,
) -> ParsedTable:
    """Read a table and parse some of its columns."""
    from rekern.datasets.table_formats import read_columns
    from rekern.structures.parsers import parse_trees

    rows = read_columns(file, format, encoding=encoding, header=header)
    table: dict[str, list[object]] = {str(name): rows.column(place) for place, name in enumerate(rows.names)}
    if len(table) < len(rows.names):
        repeated = next(str(name) for name in rows.names if rows.names.count(name) > 1)
        raise InputError(f"{file}: two columns are called {repeated!r}, and only one could be written; rename one")
    for place, name in enumerate(names):
        if name.isdecimal() and name not in table and 0 < int(name) <= len(table):
            names[place] = list(table)[int(name) - 1]  # new columns use the name of the column, not its number
    names = list(dict.fromkeys(names))
    texts = [rows.texts(name, "--columns") for name in names]
    parsed = parse_trees([text for column in texts for text in column], adapter, kinds, cache)
    height, new_columns = len(rows.lines), []
    for place, name in enumerate(names):
        for kind in kinds:
            new_columns.append(f"{name}.{kind}")
            table[new_columns[-1]] = list(parsed.trees[kind][place * height : (place + 1) * height])
    without_tree = [{"text": text, "reason": reason} for text, reason in parsed.faults.items()]
    return ParsedTable(table, new_columns, height, height * len(names), parsed.distinct, parsed.cached, without_tree)


def _split_names(text: str, option: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    if not all(names):
        raise InputError(f"{option} {text!r} has an empty name: write names with commas between them")
    return names


def _choose_kind(parser: Parser) -> str:
    return "constituents" if "constituents" in parser.gives else "grct"


def _parse_options(texts: list[str]) -> dict[str, str | int | float | bool]:
    """Read options of a parser from ``name=value``; a value that is JSON (a number, true) is read as JSON.

    >>> _parse_options(["model=en_core_web_md", "batch_size=64", "tokenized=true"])
    {'model': 'en_core_web_md', 'batch_size': 64, 'tokenized': True}
    """
    found: dict[str, str | int | float | bool] = {}
    for item in texts:
        name, sign, value = item.partition("=")
        if not sign or not name.strip().isidentifier():
            raise InputError(f"--option {item!r} is not of the form NAME=VALUE")
        try:
            read = json_module.loads(value)
        except (ValueError, RecursionError):
            read = value
        found[name.strip()] = read if isinstance(read, str | int | float | bool) else value
    return found
