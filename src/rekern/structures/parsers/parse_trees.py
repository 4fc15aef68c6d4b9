"""From texts to columns of trees: each text parsed once, kept in the cache, and written as the trees asked for."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rekern.core.progress import track
from rekern.errors import InputError
from rekern.structures.dependency_trees import grct, lct, loct, word_trees
from rekern.structures.head_rules import to_dependencies
from rekern.structures.parsers.interface import Parse, Parser, check_texts, collapse
from rekern.structures.parsers.parse_cache import ParseCache
from rekern.structures.sentences import Sentence
from rekern.structures.trees import Trees

ROOT = "ROOT"  # the node above the sentences of a text
_LOOKED_UP = 2048  # texts that are looked up and converted at once

_FROM_DEPENDENCIES: dict[str, Callable[[Sequence[Sentence]], Any]] = {
    "grct": grct,
    "lct": lct,
    "loct": loct,
    "dependencies": word_trees,
}
KINDS = (*_FROM_DEPENDENCIES, "constituents")


class Parsed(NamedTuple):
    """Columns of trees, and how they came about: distinct texts, those found in the cache, those without a parse.

    >>> Parsed({"loct": ["(LEX##go::v)", "()"]}, distinct=2, cached=1, faults={"?!": "too slow"}).faults
    {'?!': 'too slow'}
    """

    trees: dict[str, list[str]]
    distinct: int
    cached: int
    faults: dict[str, str]  # text -> why it has no tree


def parse_trees(
    texts: Any,
    parser: Parser,
    kinds: Sequence[str] = ("grct",),
    cache: str | os.PathLike[str] | None = None,
) -> Parsed:
    """The trees of each text, of every kind asked for: ``grct``, ``lct``, ``loct``, ``dependencies``, ``constituents``.

    A text that occurs several times, or is in the cache (``cache`` is its folder; by default the user's), is not parsed
    again. An interrupted run leaves what it has parsed in the cache. A text without a parse has the empty tree ``()``.

    >>> from tempfile import TemporaryDirectory
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
    written: dict[str, list[str]] = {kind: [] for kind in kinds}
    faults: dict[str, str] = {}
    known = 0
    with ParseCache(cache, parser.identity) as store:

        def parses() -> Iterator[tuple[str, Parse, bool]]:
            for start in range(0, len(distinct), _LOOKED_UP):
                part = distinct[start : start + _LOOKED_UP]
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
            if len(batch) == _LOOKED_UP:
                _write(batch, written)
                batch = []
        _write(batch, written)
    number = {text: place for place, text in enumerate(distinct)}
    columns = {kind: [trees[number[text]] for text in clean] for kind, trees in written.items()}
    return Parsed(columns, len(distinct), known, faults)


def check_kinds(kinds: Sequence[str], parser: Parser) -> None:
    """Refuse trees that nobody knows, or that this parser does not give.

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
    """One tree of the trees of a text's sentences: alone as it is, several under one ROOT, ``()`` if there is none.

    A sentence that has a ROOT of its own gives its children to the common one.

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


def _write(parses: list[Parse], written: dict[str, list[str]]) -> None:
    """The trees of these parses, appended to the columns; all sentences are converted at once."""
    if not parses:
        return
    constituents = [parse.constituents or () for parse in parses]
    dependencies = _dependencies(parses) if set(written) - {"constituents"} else []
    for kind, column in written.items():
        sentences: list[tuple[Any, ...]] = list(constituents if kind == "constituents" else dependencies)
        flat = [sentence for text in sentences for sentence in text]
        convert = Trees.from_items if kind == "constituents" else _FROM_DEPENDENCIES[kind]
        trees = iter(convert(flat))
        column.extend(text_tree([next(trees) for _ in text]) for text in sentences)


def _dependencies(parses: list[Parse]) -> list[tuple[Sentence, ...]]:
    """The sentences of each parse; the head rules see all constituents at once, which is faster."""
    by_rules = [parse for parse in parses if parse.dependencies is None and parse.constituents]
    made = iter(to_dependencies([tree for parse in by_rules for tree in parse.constituents or ()]))
    return [
        tuple(next(made) for _ in parse.constituents)
        if parse.dependencies is None and parse.constituents
        else parse.dependencies or ()
        for parse in parses
    ]
