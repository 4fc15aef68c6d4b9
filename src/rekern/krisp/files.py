"""Trained parsers as files: a zip of JSON and plain arrays, like all model files; `rekern.load_model` reads them."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rekern.errors import InputError, ModelFileError
from rekern.files import atomic_path
from rekern.krisp.grammar import Grammar, Production
from rekern.krisp.parser import SemanticParser, _Learned
from rekern.krisp.rules import Classes
from rekern.krisp.substrings import (
    Constituents,
    Corpus,
    Item,
    OnSubstrings,
    SubstringKernel,
    SubstringPaths,
    SubstringSum,
    WordSubsequences,
)
from rekern.learning.descriptions import build, describe
from rekern.learning.files import FORMAT, VERSION, _array, _member

KINDS: dict[str, type[SubstringKernel]] = {
    kind.__name__: kind for kind in (WordSubsequences, SubstringPaths, Constituents, OnSubstrings, SubstringSum)
}
PARAMETERS = ("beam", "threshold", "rounds", "C", "stretch", "names", "stems")


def save(parser: SemanticParser, path: str | Path) -> None:
    """Write a trained parser; the file appears only when it is complete."""
    from rekern import __version__

    learned = parser.learned_
    numbers = {production: number for number, production in enumerate(parser.grammar.productions)}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": __version__,
        "model": "SemanticParser",
        "parameters": {name: describe(getattr(parser, name)) for name in PARAMETERS},
        "kernel": _described(parser.kernel_),
        "productions": [numbers[production] for production in learned.productions],
        "notes": parser.notes,
    }
    members = {
        "model.json": header,
        "grammar.json": _written(parser.grammar),
        "sentences.json": [[item.words, item.heads, item.tree] for item in learned.corpus.items],
        "substrings.json": learned.substrings,
    }
    arrays = {"coefficients": learned.coefficients, "sigmoids": learned.sigmoids, "norms": learned.norms}
    with atomic_path(Path(path)) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(content, ensure_ascii=True))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array, dtype=np.float64), allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


def read(header: dict[str, Any], archive: zipfile.ZipFile) -> SemanticParser:
    """The parser in a model file whose header was read."""
    grammar = _grammar(json.loads(_member(archive, "grammar.json")))
    kernel = _built(header["kernel"])
    parameters = {name: build(header["parameters"][name]) for name in PARAMETERS}
    parser = SemanticParser(grammar, kernel=kernel, **parameters)
    parser._check()
    items = [_item(entry) for entry in json.loads(_member(archive, "sentences.json"))]
    substrings = [_substring(entry, items) for entry in json.loads(_member(archive, "substrings.json"))]
    productions = tuple(grammar.productions[_whole(number)] for number in header["productions"])
    coefficients, sigmoids = _array(archive, "coefficients", 2), _array(archive, "sigmoids", 2)
    norms = _array(archive, "norms", 2)
    labels = len(Classes(grammar, productions).labels)
    if coefficients.shape != (labels, len(substrings)) or sigmoids.shape != (3, labels):
        raise ModelFileError("its parts do not fit together")
    parser.kernel_ = kernel
    parser.notes = header.get("notes", {})
    parser._learn(_Learned(productions, Corpus(items), substrings, norms, coefficients, sigmoids))
    if norms.shape[1:] != (len(substrings),) or not isinstance(parser.notes, dict):
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
    defined = {production.left for production in productions} | set(templates)
    start = str(content["start"])
    if start not in defined or any(slot not in defined for production in productions for slot in production.slots):
        raise ModelFileError("its grammar is not whole")
    if [production.number for production in productions] != list(range(len(productions))):
        raise ModelFileError("the productions of its grammar are not numbered one by one")
    return Grammar(start, productions, queries, templates)


def _production(entry: Any) -> Production:
    parts, slots, phrases = (tuple(map(str, entry[name])) for name in ("parts", "slots", "phrases"))
    sql, value = (None if entry[name] is None else str(entry[name]) for name in ("sql", "value"))
    kind = str(entry["kind"])
    gaps = len(slots) if kind == "rule" or (kind == "name" and value is not None) else 1
    if kind not in ("rule", "name", "number", "word") or len(parts) != gaps + 1:
        raise ModelFileError("one of its productions is not whole")
    number, left, silent = _whole(entry["number"]), str(entry["left"]), bool(entry["silent"])
    return Production(number, left, parts, slots, sql, kind, value, phrases, silent)


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
        raise ModelFileError(f"{value!r} should be a whole number")
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
        raise ModelFileError(f"it uses {kind!r}, which this Rekern does not know")
    if kind == "SubstringSum":
        return SubstringSum([_built(part) for part in description["kernels"]], description["weights"])
    return KINDS[kind](**{name: build(value) for name, value in description.items() if name != "type"})
