"""``rekern match``: pairs in a corpus."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rekern.cli import common_options, output
from rekern.cli.match_search import Search, TextReader, can_read_again
from rekern.cli.model_argument import ResourceOptions, load_pair_model, read_limits
from rekern.cli.option_groups import expand_options
from rekern.cli.table_options import Encoding, Format
from rekern.core.text_files import STANDARD_INPUT
from rekern.errors import InputError

if TYPE_CHECKING:
    from rekern.core.explanations import Explanation
    from rekern.core.json_values import Json
    from rekern.search.match_log import MatchLog
    from rekern.search.matches import Matches, ScoredPairs
    from rekern.search.pair_finder import PairFinder, Workers
    from rekern.similarity import WordVectors

NO_MODEL = "none"
SHOWN = 3  # parts of an explanation in a table
LARGE = 100  # texts of a cluster; more are hardly all the same


@expand_options()
def match(
    *,
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Texts: a table, or an index that --index wrote.")],
    queries: Annotated[
        str | None,
        typer.Argument(metavar="QUERIES", help="Texts to look for in CORPUS. Without them: duplicates in CORPUS."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Needed: a classifier of pairs, or none (shared words)."),
    ] = None,
    text: Annotated[str, typer.Option("--text", metavar="COLUMN", help="Column of the texts.")] = "text",
    query_text: Annotated[
        str | None,
        typer.Option("--query-text", metavar="COLUMN", help="Column of QUERIES, if it is another than --text."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", min=1, metavar="N", help="At most N matches of a text: 5 for QUERIES and without a model."
        ),
    ] = None,
    min_probability: Annotated[
        float | None,
        typer.Option(
            "--min-probability",
            min=0.0,
            max=1.0,
            metavar="X",
            help="Least probability of a match; for duplicates the model's threshold by default.",
        ),
    ] = None,
    candidates: Annotated[
        int, typer.Option("--candidates", min=1, metavar="N", help="Texts that the model compares each text with.")
    ] = 20,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="LABEL", help="Class that is a match, if the model has more than two."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Add why each pair matches.")] = False,
    clusters: Annotated[bool, typer.Option("--clusters", help="Print groups of duplicates instead of pairs.")] = False,
    index: Annotated[
        Path | None,
        typer.Option("--index", metavar="FILE", help="Keep the index of CORPUS; new rows of CORPUS are added to it."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", metavar="NAME", help="Language of the stemmer, or none. English by default."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", metavar="FILE", help="Word vectors: texts with related words are candidates, too."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="OUT", help="A .tsv, .csv, .jsonl or .parquet file; else TSV is printed."),
    ] = None,
    format: Format = None,
    encoding: Encoding = "utf-8",
    cluster: common_options.Cluster = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The files have no header: the texts are in column 1, or see --text.")
    ] = False,
    resources: ResourceOptions,
    jobs: common_options.Jobs = None,
    json: common_options.Json = False,
) -> None:
    """Find pairs in a corpus: duplicates, or matches of queries.

    Texts that share words are candidates; the model decides about them. Prints the two texts of each pair (source,
    target), their rows, counting from 1, the score of their words and the probability. A query is a source. An
    interrupted search with -o continues when the same command is given again.

    The workers of a --cluster share the texts. They open MODEL, vectors and the index, which needs --index, by their
    paths.
    """
    from rekern.core.clusters import check_address, use_workers
    from rekern.core.files import check_writable, refuse_to_replace

    check_address(cluster)
    if model is None:
        raise InputError("missing option '--model': give a model file, or --model none to rank by shared words")
    to_screen = out is None or out == STANDARD_INPUT
    if out is not None and not to_screen:
        output.choose_table_format(out)
        check_writable(out)
        refuse_to_replace(out, corpus, queries, model, index, vectors)
    if index is not None:
        check_writable(index)
    if corpus == queries == STANDARD_INPUT:
        raise InputError("only one of CORPUS and QUERIES can be standard input: give a file for the other")
    if clusters and (queries is not None or explain):
        remedy = "leave QUERIES out" if queries is not None else "leave --explain out"
        raise InputError(f"--clusters groups the duplicates of CORPUS: {remedy}")
    if query_text is not None and queries is None:
        raise InputError("--query-text names a column of QUERIES: give a file of queries, or leave it out")
    if model == NO_MODEL and min_probability is not None:
        raise InputError("--min-probability needs a model: give --model, or leave it out and use --top")
    if model == NO_MODEL and label is not None:
        raise InputError("--label needs a model: give --model, or leave it out")
    index_file = _find_index_file(corpus, index) if cluster is not None else None
    started = time.perf_counter()
    reader = TextReader(text, format, encoding, no_header)
    query_reader = TextReader(query_text or text, format, encoding, no_header, "--query-text")
    if queries is not None:
        query_reader.check(queries)
    finder = _make_finder(model, candidates, label, language, jobs, resources)
    finder.vectors = _load_vectors(vectors)
    _open_corpus(finder, corpus, index, reader, is_named=language is not None)
    related = finder.find_related()
    if related is not None and not len(related.rows):
        output.say(f"warning: no word of {corpus} has a vector in {vectors}: give vectors of its language")
    if model == NO_MODEL:
        output.say("without a model, matches are ranked by the score of the words that they share")
    if queries is not None and top is None:
        top = 5
    can_resume = out is not None and not to_screen and (queries is None or can_read_again(queries))
    with use_workers(cluster):
        workers = _find_workers(finder, index_file, model, jobs, resources, vectors)
        search = Search(finder, queries, query_reader, top, min_probability, workers)
        with _open_log(search, out or "", model, vectors, resources) if can_resume else nullcontext() as log:
            if clusters:
                found = _print_clusters(finder, search.score_all(log), out, json and to_screen)
            else:
                found = _print_matches(search, search.find(log), out, explain, json and to_screen)
    if to_screen:
        return
    took = time.perf_counter() - started
    name = "clusters" if clusters else "matches"
    if json:
        output.print_json({"texts": len(finder.index_), name: found, "written": out, "seconds": took})
    else:
        are = ("cluster is" if clusters else "match is") if found == 1 else f"{name} are"
        output.say(f"{found:,} {are} in {out}, after {output.format_seconds(took)}")


def _make_finder(
    model: str, candidates: int, label: str | None, language: str | None, jobs: int | None, resources: ResourceOptions
) -> PairFinder:
    """Load the model, and make a finder without texts."""
    from rekern.core.files import show_path
    from rekern.learning import PairClassifier
    from rekern.search import PairFinder

    stemmer = None if language == "none" else language or "english"
    if model == NO_MODEL:
        return PairFinder(None, candidates, label, stemmer, jobs).fit([])
    loaded = load_pair_model(Path(model), jobs, resources=resources)
    if not isinstance(loaded, PairClassifier):
        remedy = "train a classifier, or give --model none"
        raise InputError(f"{show_path(model)} predicts numbers, not whether a pair matches: {remedy}")
    return PairFinder(loaded, candidates, label, stemmer, jobs).fit([])


def _load_vectors(vectors: Path | None) -> WordVectors | None:
    """Read the word vectors that find related words."""
    if vectors is None:
        return None
    from rekern.similarity import WordVectors

    return WordVectors.from_file(vectors)


def _find_index_file(corpus: str, index: Path | None) -> str:
    """Return the index that the workers of a cluster open."""
    from rekern.search.index_file import is_index_file

    if index is None and not is_index_file(corpus):
        raise InputError("the workers of a --cluster read the index of CORPUS: say with --index where it is kept")
    return os.path.abspath(corpus if index is None else index)


def _find_workers(
    finder: PairFinder,
    index: str | None,
    model: str,
    jobs: int | None,
    resources: ResourceOptions,
    vectors: Path | None,
) -> Workers:
    """Return who does the work: the workers of a cluster, or this process."""
    from rekern.search.pair_finder import LoneWorker

    if index is None:
        return LoneWorker(finder)
    from rekern.search.finder_task import ClusterWorkers, FinderTask

    task = FinderTask(
        index,
        None if model == NO_MODEL else os.path.abspath(model),
        finder.candidates,
        None if finder.label is None else str(finder.label),
        resources.wordnet,
        resources.thesaurus,
        read_limits(resources.limit),
        1 if jobs is None else jobs,
        None if vectors is None else os.path.abspath(vectors),
    )
    return ClusterWorkers(task)


def _open_corpus(finder: PairFinder, corpus: str, index: Path | None, reader: TextReader, is_named: bool) -> None:
    """Give the finder its texts: of an index, of a table, or of both: the index has the first rows of the table.

    ``is_named`` says that the user has named the language.
    """
    from rekern.search.index_file import is_index_file, open_index

    if is_index_file(corpus):
        if index is not None:
            raise InputError(f"{corpus} is an index already: leave --index out, or give the table as CORPUS")
        finder.index_ = open_index(corpus)
        if is_named:
            _check_language(finder, corpus, "leave it out")
        return
    blocks = reader.iterate(corpus, "indexing")
    if index is None:
        finder.fit(text for block in blocks for text in block)
        return
    if index.exists():
        finder.index_ = open_index(index)
        _check_language(finder, str(index), "give another --index")
    known = len(finder.index_)
    finder.add(_skip_known(finder, blocks, corpus, index))
    if len(finder.index_) > known or not index.exists():
        finder.save(index)
        finder.index_ = open_index(index)  # memory-mapped


def _check_language(finder: PairFinder, index: str, remedy: str) -> None:
    if finder.index_.language != finder.language:
        name = finder.index_.language or "none"
        raise InputError(f"{index} was made with --language {name}: give the same, or {remedy}")


def _skip_known(finder: PairFinder, blocks: Iterator[list[str]], corpus: str, index: Path) -> Iterator[str]:
    """Yield the texts of a table after those that the index has; they must be the same."""
    known, row = finder.index_, 0
    for texts in blocks:
        for text in texts:
            if row >= len(known):
                yield text
            elif known.read_text(row) != text:
                remedy = "delete it, or give another --index"
                raise InputError(f"{index} is of another corpus: row {row + 1} of {corpus} differs; {remedy}")
            row += 1
    if row < len(known):
        remedy = "delete it, give another --index, or the index as CORPUS"
        raise InputError(f"{index} has {len(known):,} texts, but {corpus} only {row:,}: {remedy}")


def _open_log(
    search: Search, out: str, model: str, vectors: Path | None, resources: ResourceOptions
) -> AbstractContextManager[MatchLog]:
    """Open the log beside the output: what it belongs to is the corpus, the queries, the model and the options."""
    from rekern.core.version import __version__
    from rekern.search.match_log import open_match_log

    finder = search.finder
    texts = blake2b(finder.index_.texts.content.data, digest_size=16)
    texts.update(finder.index_.texts.starts.data)
    state: dict[str, Json] = {
        "corpus": texts.hexdigest(),
        "queries": None if search.queries is None else _digest_file(search.queries),
        "model": None if finder.model is None else _digest_file(model),
        "vectors": None if vectors is None else _digest_file(str(vectors)),
        "resources": [resources.wordnet, resources.thesaurus],
        "options": [finder.candidates, str(finder.label), finder.index_.language, search.top, search.min_probability],
        "reading": blake2b(repr(search.reader).encode(), digest_size=8).hexdigest(),
        "version": __version__,
    }
    return open_match_log(Path(f"{os.path.realpath(out)}.part"), state, finder.model is not None)


def _digest_file(path: str) -> str:
    with open(path, "rb") as stream:
        return file_digest(stream, partial(blake2b, digest_size=16)).hexdigest()


def _print_matches(search: Search, blocks: Iterator[Matches], out: str | None, explain: bool, as_json: bool) -> int:
    """Write or print matches, and return how many there are."""
    from rekern.datasets.tables import open_table

    finder = search.finder
    if as_json:
        rows: list[dict[str, object]] = []
        for block in blocks:
            columns = block.to_columns(first_row=1)
            if explain:
                columns["explanation"] = [why.to_dict() for why in _explain(search, block)]
            rows += (dict(zip(columns, values)) for values in zip(*columns.values()))
        output.print_json({"texts": len(finder.index_), "matches": len(rows), "rows": rows})
        return len(rows)
    found = 0
    columns = {}
    with open_table(out or STANDARD_INPUT) as table:
        for block in blocks:
            columns = _list_columns(search, block, explain)
            if len(block):
                table.write(columns)
                found += len(block)
        if not found:
            table.write(columns or _list_columns(search, _make_no_matches(finder), explain))
    return found


def _list_columns(search: Search, block: Matches, explain: bool) -> dict[str, list[object]]:
    columns = block.to_columns(first_row=1)
    if explain:
        columns["explanation"] = [_shorten(why) for why in _explain(search, block)]
    return columns


def _make_no_matches(finder: PairFinder) -> Matches:
    from rekern.search.matches import join_pairs

    empty = join_pairs([], finder.model)
    return empty.read(str, str)


def _explain(search: Search, block: Matches) -> Iterator[Explanation]:
    """Yield the explanation of each match; duplicates may be found with the second text as the query."""
    finder = search.finder
    for found in block:
        why = finder.explain(found.source, found.target_row)
        if finder.model is None and search.queries is None:
            other = finder.explain(found.target, found.source_row)
            why = other if abs(other.decision - found.score) < abs(why.decision - found.score) else why
        yield why


def _shorten(why: Explanation) -> str:
    """Return the largest parts of an explanation on one line."""
    return "; ".join(f"{part.contribution:+.2f} {part.to_words()}" for part in why.parts[:SHOWN])


def _print_clusters(finder: PairFinder, blocks: Iterable[ScoredPairs], out: str | None, as_json: bool) -> int:
    """Write or print clusters, a row for each text, and return how many clusters there are."""
    from rekern.datasets.tables import write_table
    from rekern.search.matches import group_rows, join_pairs

    pairs = join_pairs(list(blocks))
    groups = group_rows(pairs.sources, pairs.targets)
    if groups and len(groups[0]) > LARGE:
        remedy = "a lower --top" if finder.model is None else "a higher --min-probability"
        output.say(f"chains of matches connect {len(groups[0]):,} texts to one cluster: {remedy} keeps more apart")
    read = finder.index_.read_text
    if as_json:
        listed = [[{"row": row + 1, "text": read(row)} for row in group] for group in groups]
        output.print_json({"texts": len(finder.index_), "clusters": listed})
        return len(groups)
    members = [(number, row) for number, group in enumerate(groups, 1) for row in group]
    columns: dict[str, list[object]] = {
        "cluster": [number for number, _ in members],
        "row": [row + 1 for _, row in members],
        "text": [read(row) for _, row in members],
    }
    write_table(out or STANDARD_INPUT, columns)
    return len(groups)
