"""Parsing of texts to columns of trees. Each distinct text is parsed once and cached."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rekern.core.progress import track
from rekern.errors import InputError
from rekern.structures.dependency_trees import grct, lct, loct, word_trees
from rekern.structures.formats.conllu import to_conllu
from rekern.structures.head_rules import to_dependencies
from rekern.structures.parsers.interface import Parse, Parser, check_texts, collapse
from rekern.structures.parsers.parse_cache import ParseCache
from rekern.structures.sentences import Sentence
from rekern.structures.trees import Trees

ROOT = "ROOT"  # the node above the sentences of a text
_BATCH = 2048  # texts that are looked up and converted at a time

_FROM_DEPENDENCIES: dict[str, Callable[[Sequence[Sentence]], Trees]] = {
    "grct": grct,
    "lct": lct,
    "loct": loct,
    "dependencies": word_trees,
}
KINDS = (*_FROM_DEPENDENCIES, "constituents", "conllu")


class Parsed(NamedTuple):
    """The result of `parse_trees`: a column of trees for each kind, and what happened to the texts.

    ``distinct`` is the number of distinct texts, ``cached`` the number of those that were in the cache.

    >>> Parsed({"loct": ["(LEX##go::v)", "()"]}, distinct=2, cached=1, faults={"?!": "too slow"}).faults
    {'?!': 'too slow'}
    """

    trees: dict[str, list[str]]
    distinct: int
    cached: int
    faults: dict[str, str]  # the texts without a parse, and the reasons


def parse_trees(
    texts: object,
    parser: Parser,
    kinds: Sequence[str] = ("grct",),
    cache: str | os.PathLike[str] | None = None,
) -> Parsed:
    """Parse texts into trees of these kinds: ``grct``, ``lct``, ``loct``, ``dependencies``, ``constituents``.

    Each distinct text is parsed once. Parses are cached in the folder ``cache``, by default the user's cache folder, so
    that the next run continues after an interruption. A text without a parse has the empty tree ``()``. The kind
    ``conllu`` gives the dependencies of a text in CoNLL-U, with labels; without a parse, the empty text.

    >>> from tempfile import TemporaryDirectory
    >>> from rekern.structures.parsers import Parser
    >>> class Flat(Parser):
    ...     name, gives, identity = "flat", ("constituents",), {"parser": "flat"}
    ...     def _parses(self, texts):
    ...         return [Parse(constituents=(f"(ROOT (W {text.replace(' ', ') (W ')}))",)) for text in texts]
    >>> with TemporaryDirectory() as folder:
    ...     parse_trees(["rain falls", "", "rain falls"], Flat(), ["constituents"], folder)
    Parsed(trees={'constituents': ['(ROOT (W rain) (W falls))', '()', '(ROOT (W rain) (W falls))']}, distinct=2, \
cached=0, faults={})
    """
    check_kinds(kinds, parser)
    clean = [collapse(text) for text in check_texts(texts)]
    distinct = list(dict.fromkeys(clean))
    columns: dict[str, list[str]] = {kind: [] for kind in kinds}
    faults: dict[str, str] = {}
    known = 0
    with ParseCache(cache, parser.identity) as store:

        def parses() -> Iterator[tuple[str, Parse, bool]]:
            for start in range(0, len(distinct), _BATCH):
                part = distinct[start : start + _BATCH]
                found = store.get(part)
                fresh = parser.parse([text for text in part if text not in found], progress="")
                for text in part:
                    parse = found[text] if text in found else next(fresh)
                    if text not in found:
                        store.put(text, parse)
                    yield text, parse, text in found

        batch: list[Parse] = []
        for text, parse, was_known in track(parses(), len(distinct), "parsing"):
            known += was_known
            if parse.fault:
                faults[text] = parse.fault
            batch.append(parse)
            if len(batch) == _BATCH:
                _append_trees(batch, columns)
                batch = []
        _append_trees(batch, columns)
    number = {text: place for place, text in enumerate(distinct)}
    trees = {kind: [column[number[text]] for text in clean] for kind, column in columns.items()}
    return Parsed(trees, len(distinct), known, faults)


def check_kinds(kinds: Sequence[str], parser: Parser) -> None:
    """Raise an error for unknown kinds of trees, and for those that the parser does not give.

    >>> from rekern.structures.parsers import parser
    >>> check_kinds(["constituents"], parser("spacy"))
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the parser spacy gives no constituents: choose stanford, corenlp or stanza for them
    """
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(f"unknown trees {kind!r}: choose {', '.join(KINDS)}")
        if kind == "constituents" and kind not in parser.gives:
            remedy = "choose stanford, corenlp or stanza for them"
            if parser.name == "stanza":
                remedy = "set its option constituents"
            raise InputError(f"the parser {parser.name} gives no constituents: {remedy}")


def text_tree(trees: Sequence[str]) -> str:
    """Join the trees of the sentences of a text into one tree.

    A single tree is returned as it is. Several trees get a common ROOT; if a tree has a ROOT of its own, the children
    of that node move to the common one. For an empty list the result is ``()``.

    >>> text_tree(["(ROOT (S (VP Go)))"]), text_tree(["(ROOT (S (VP Go)))", "(ROOT (S (VP Stay)))"]), text_tree([])
    ('(ROOT (S (VP Go)))', '(ROOT (S (VP Go)) (S (VP Stay)))', '()')
    >>> text_tree(["(go (home))", "(stay (here))"])
    '(ROOT (go (home)) (stay (here)))'
    """
    if len(trees) < 2:
        return trees[0] if trees else "()"
    opening = f"({ROOT} "
    inner = [tree[len(opening) : -1] if tree.startswith(opening + "(") else tree for tree in trees]
    return opening + " ".join(inner) + ")"


def _append_trees(parses: list[Parse], columns: dict[str, list[str]]) -> None:
    """Append the trees of these parses to the columns; all sentences are converted at once."""
    if not parses:
        return
    dependencies = _list_dependencies(parses) if set(columns) - {"constituents"} else []
    for kind, column in columns.items():
        if kind == "conllu":
            column.extend(to_conllu(sentences) for sentences in dependencies)
            continue
        if kind == "constituents":
            sizes = [len(parse.constituents or ()) for parse in parses]
            trees = iter(Trees.from_items([tree for parse in parses for tree in parse.constituents or ()]))
        else:
            sizes = [len(sentences) for sentences in dependencies]
            trees = iter(_FROM_DEPENDENCIES[kind]([one for sentences in dependencies for one in sentences]))
        column.extend(text_tree([next(trees) for _ in range(size)]) for size in sizes)


def _list_dependencies(parses: list[Parse]) -> list[tuple[Sentence, ...]]:
    """Return the sentences of each parse; the head rules convert all constituents at once, which is faster."""
    by_rules = [parse for parse in parses if parse.dependencies is None and parse.constituents]
    made = iter(to_dependencies([tree for parse in by_rules for tree in parse.constituents or ()]))
    return [
        tuple(next(made) for _ in parse.constituents)
        if parse.dependencies is None and parse.constituents
        else parse.dependencies or ()
        for parse in parses
    ]
