"""Trained parsers as files: a zip of JSON and plain arrays, like all model files; `rekern.load_model` reads them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from rekern.core.descriptions import build, describe
from rekern.core.model_archive import ModelContent, OpenArchive
from rekern.errors import InputError, ModelFileError
from rekern.krisp import production_classifiers as machinery
from rekern.krisp.grammar import CLASSES, VALUES, Grammar, Production, short
from rekern.krisp.grammar_files import check_rules
from rekern.krisp.parsing_rules import Classes
from rekern.krisp.rare_word_stems import Stems
from rekern.krisp.semantic_parser import SemanticParser, _Learned
from rekern.krisp.substring_kernels import (
    Constituents,
    Corpus,
    Item,
    OnSubstrings,
    SubstringKernel,
    SubstringPaths,
    SubstringSum,
    WordSubsequences,
)

KINDS: dict[str, type[SubstringKernel]] = {
    kind.__name__: kind for kind in (WordSubsequences, SubstringPaths, Constituents, OnSubstrings, SubstringSum)
}
PARAMETERS = ("beam", "threshold", "rounds", "C", "stretch", "names", "stems")


def pack_parser(parser: SemanticParser) -> ModelContent:
    """The content of a trained parser's file."""
    learned = parser.learned_
    numbers = {production: number for number, production in enumerate(parser.grammar_.productions)}
    header = {
        "parameters": {name: describe(getattr(parser, name)) for name in PARAMETERS},
        "kernel": _described(parser.kernel_),
        "productions": [
            numbers[p] if p in numbers else [numbers[replace(p, value=None)], p.value] for p in learned.productions
        ],
        "stems": None if parser.stems_ is None else [sorted(parser.stems_.frequent), parser.stems_.chief],
        "notes": parser.notes,
    }
    members = {
        "grammar.json": _written(parser.grammar_),
        "sentences.json": [[item.words, item.heads, item.tree] for item in learned.corpus.items],
        "substrings.json": learned.substrings,
    }
    arrays = {"coefficients": learned.coefficients, "sigmoids": learned.sigmoids, "norms": learned.norms}
    return ModelContent(header, members, arrays)


def unpack_parser(archive: OpenArchive) -> SemanticParser:
    """The parser of a model file that is being read."""
    header = archive.header
    grammar = _grammar(archive.read_json("grammar.json"))
    kernel = _built(header["kernel"])
    parameters = {name: build(header["parameters"][name]) for name in PARAMETERS}
    for name, value in parameters.items():
        if not isinstance(value, {"names": str, "stems": bool}.get(name, int | float)):
            raise ModelFileError(f"its {name} is damaged")
    parser = SemanticParser(grammar, kernel=kernel, **parameters)
    parser._check()
    items = [_item(entry) for entry in archive.read_json("sentences.json")]
    substrings = [_substring(entry, items) for entry in archive.read_json("substrings.json")]
    productions = tuple(_used(grammar, entry) for entry in header["productions"])
    coefficients, sigmoids = archive.read_array("coefficients", 2), archive.read_array("sigmoids", 2)
    norms = archive.read_array("norms", 2)
    labels = len(Classes(grammar, productions).labels)
    fits = coefficients.shape == (labels, len(substrings)) and sigmoids.shape == (3, labels)
    if not fits or norms.shape != (len(machinery.parts(kernel)), len(substrings)):
        raise ModelFileError("its parts do not fit together")
    parser.kernel_, parser.grammar_, parser.stems_ = kernel, grammar, _stems(header["stems"])
    parser.notes = header.get("notes", {})
    parser._learn(_Learned(productions, Corpus(items), substrings, norms, coefficients, sigmoids))
    if not isinstance(parser.notes, dict):
        raise ModelFileError("its parts do not fit together")
    if items:  # a kernel that cannot be computed from what is here says so now, not at the first sentence
        kernel.gram(parser.learned_.corpus, substrings[:1], substrings[:1])
    return parser


def _written(grammar: Grammar) -> dict[str, Any]:
    return {
        "start": grammar.start,
        "productions": [asdict(production) for production in grammar.productions],
        "name_queries": dict(grammar.name_queries),
        "name_templates": {left: asdict(production) for left, production in grammar.name_templates.items()},
    }


def _grammar(content: Any) -> Grammar:
    productions = tuple(_production(entry) for entry in content["productions"])
    templates = {str(left): _production(entry) for left, entry in content["name_templates"].items()}
    queries = {str(left): str(sql) for left, sql in content["name_queries"].items()}
    start = str(content["start"])
    try:
        check_rules([(0, production) for production in (*productions, *templates.values())], start)
    except InputError as error:
        raise ModelFileError(f"its grammar is damaged ({str(error).removeprefix('line 0: ')})") from None
    if not all(
        production.left == left and production.kind == "name" and production.value is None
        for left, production in templates.items()
    ):
        raise ModelFileError("its grammar is damaged (names)")
    if not queries.keys() <= templates.keys():
        raise ModelFileError("its grammar is damaged (queries for names)")
    if [production.number for production in productions] != list(range(len(productions))):
        raise ModelFileError("the productions of its grammar are not numbered one by one")
    return Grammar(start, productions, queries, templates)


def _production(entry: Any) -> Production:
    parts, slots, phrases = (tuple(map(str, entry[name])) for name in ("parts", "slots", "phrases"))
    sql, value = (None if entry[name] is None else str(entry[name]) for name in ("sql", "value"))
    kind = str(entry["kind"])
    gaps = len(slots) if kind == "rule" or (kind == "name" and value is not None) else 1
    if kind not in ("rule", *CLASSES) or len(parts) != gaps + 1:
        raise ModelFileError("one of its productions is not whole")
    number, left, silent = _whole(entry["number"]), str(entry["left"]), bool(entry["silent"])
    return Production(number, left, parts, slots, sql, kind, value, phrases, silent)


def _used(grammar: Grammar, entry: Any) -> Production:
    """A production by its number; with a value where other words than the number or word itself express it."""
    number, value = entry if isinstance(entry, list) else (entry, None)
    production = grammar.productions[_whole(number)]
    if value is None:
        return production
    if production.kind not in VALUES or not isinstance(value, str):
        raise ModelFileError("one of its productions is not whole")
    return replace(production, value=value)


def _stems(entry: Any) -> Stems | None:
    if entry is None:
        return None
    frequent, chief = entry
    return Stems(frozenset(map(str, frequent)), {str(stem): str(word) for stem, word in chief.items()})


def _item(entry: Any) -> Item:
    words, heads, tree = entry
    words = tuple(map(str, words))
    if heads is not None:
        heads = tuple(int(head) for head in heads)
        if len(heads) != len(words) or not all(-1 <= head < len(words) for head in heads) or _turns_back(heads):
            raise ModelFileError("the heads of one of its sentences are no tree")
    return Item(words, heads, None if tree is None else _tree(tree))


def _turns_back(heads: tuple[int, ...]) -> bool:
    """Whether some way up never ends."""
    for place in range(len(heads)):
        for _ in range(len(heads)):
            place = heads[place]
            if place < 0:
                break
        else:
            return True
    return False


def _tree(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, list) or len(entry) < 2 or not isinstance(entry[0], str):
        raise ModelFileError("one of its trees is damaged")
    return (entry[0], *map(_tree, entry[1:]))


def _substring(entry: Any, items: list[Item]) -> tuple[int, int, int]:
    sentence, start, end = map(_whole, entry)
    if sentence >= len(items) or not start < end <= len(items[sentence].words):
        raise ModelFileError("one of its substrings is not in its sentences")
    return sentence, start, end


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ModelFileError(f"{short(repr(value))} should be a whole number")
    return value


def _described(kernel: SubstringKernel) -> dict[str, Any]:
    """A kernel on substrings as JSON."""
    if type(kernel) not in KINDS.values():
        raise InputError(f"a parser with a {type(kernel).__name__} cannot be saved: use the kernels of rekern.krisp")
    parameters = kernel.get_params(deep=False)
    if isinstance(kernel, SubstringSum):
        weights = None if kernel.weights is None else [float(weight) for weight in kernel.weights]
        return {"type": "SubstringSum", "kernels": [_described(part) for part in kernel.kernels], "weights": weights}
    return {"type": type(kernel).__name__, **{name: describe(value) for name, value in parameters.items()}}


def _built(description: Any) -> SubstringKernel:
    """The kernel that `_described` wrote down."""
    kind = description["type"]
    if kind not in KINDS:
        raise ModelFileError(f"it uses {short(repr(kind))}, which this Rekern does not know")
    if kind == "SubstringSum":
        return SubstringSum([_built(part) for part in description["kernels"]], description["weights"])
    return KINDS[kind](**{name: build(value) for name, value in description.items() if name != "type"})
