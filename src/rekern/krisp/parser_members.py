"""The members of the file of a trained parser that need no kernel: grammar, stems, sentences, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, TypeAlias, cast

from rekern.core.arrays import Floats
from rekern.core.model_archive import OpenArchive
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.state_schema import Anything, Either, ListOf, Row, Sizes, Texts, Whole
from rekern.errors import InputError, ModelFileError
from rekern.krisp.annotated_sentence import AnnotatedSentence, NestedTree
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_checks import PlacedProduction, check_productions
from rekern.krisp.parser_schema import GRAMMAR, PARSER_ARRAYS
from rekern.krisp.productions import VALUES, Production, shorten
from rekern.krisp.rare_word_stems import Stems

SENTENCE = Row(Texts(), Either(None, ListOf(Whole(-1, 1 << 30))), Anything())
JSONObject: TypeAlias = dict[str, Any]  # from a file that may be damaged: every value is checked when it is used


def read_arrays(archive: OpenArchive, sizes: Sizes) -> tuple[Floats, Floats, Floats]:
    """The coefficients, sigmoids and norms of a parser."""
    arrays = {name: archive.read_array(name, 2) for name in ("coefficients", "sigmoids", "norms")}
    PARSER_ARRAYS.check(arrays, "parser", sizes)
    return arrays["coefficients"], arrays["sigmoids"], arrays["norms"]


def read_calibration(notes: object) -> AnswerCalibration | None:
    """The calibration of a parser that was trained by ``rekern ask``; None for any other."""
    if not isinstance(notes, dict):
        raise ModelFileError("its parts do not fit together")
    if "questions" not in notes:  # it was not trained by rekern ask
        return None
    try:
        return AnswerCalibration.from_dict(notes)
    except InputError as error:
        raise ModelFileError(error.reason) from None


def write_grammar(grammar: Grammar) -> JSONObject:
    """A grammar as plain data."""
    return {
        "start": grammar.start,
        "productions": [asdict(production) for production in grammar.productions],
        "name_queries": dict(grammar.name_queries),
        "name_templates": {left: asdict(production) for left, production in grammar.name_templates.items()},
    }


def read_grammar_content(content: JSONObject, limits: ModelLimits = DEFAULT_LIMITS) -> Grammar:
    """The grammar that `write_grammar` wrote; all of it is checked."""
    GRAMMAR.check(content, "grammar")
    productions = tuple(_read_production(entry) for entry in content["productions"])
    templates = {left: _read_production(entry) for left, entry in content["name_templates"].items()}
    start, queries = content["start"], content["name_queries"]
    try:
        placed = [PlacedProduction(0, production) for production in (*productions, *templates.values())]
        check_productions(placed, start, limits, "load_model")
    except InputError as error:
        raise ModelFileError(f"its grammar cannot be used ({error.reason})") from None
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


def _read_production(entry: JSONObject) -> Production:
    parts, slots, phrases = (tuple(entry[name]) for name in ("parts", "slots", "phrases"))
    kind, value = entry["kind"], entry["value"]
    gaps = len(slots) if kind == "rule" or (kind == "name" and value is not None) else 1
    if len(parts) != gaps + 1:
        raise ModelFileError("one of its productions is damaged")
    left, sql, silent = entry["left"], entry["sql"], bool(entry["silent"])
    return Production(entry["number"], left, parts, slots, sql, kind, value, phrases, silent)


def find_production(grammar: Grammar, entry: object) -> Production:
    """A production by its number, or by its number and the value that other words express."""
    number, value = entry if isinstance(entry, list) else (entry, None)
    production = grammar.productions[_read_whole_number(number)]
    if value is None:
        return production
    if production.kind not in VALUES or not isinstance(value, str):
        raise ModelFileError("one of its productions is damaged")
    return replace(production, value=value)


def read_stems(entry: tuple[list[object], dict[object, object]] | None) -> Stems | None:
    """The stems of rare words, if the parser has any."""
    if entry is None:
        return None
    frequent, representatives = entry
    return Stems(frozenset(map(str, frequent)), {str(stem): str(word) for stem, word in representatives.items()})


def read_sentence(entry: object, limits: ModelLimits = DEFAULT_LIMITS) -> AnnotatedSentence:
    """A training sentence; whether its heads form a tree is checked where they become arrays."""
    SENTENCE.check(entry, "sentences")
    words, heads, tree = cast("tuple[list[str], list[int] | None, object]", entry)
    limits.check("sentence_words", len(words), f"it has a sentence of {len(words):,} words")
    if heads is not None and len(heads) != len(words):
        raise ModelFileError("the heads of one of its sentences are no tree")
    places = None if heads is None else tuple(heads)
    return AnnotatedSentence(tuple(words), places, None if tree is None else _read_tree(tree))


def _read_tree(entry: object) -> NestedTree:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, list) or len(entry) < 2 or not isinstance(entry[0], str):
        raise ModelFileError("one of its trees is damaged")
    return (entry[0], *map(_read_tree, entry[1:]))


def read_span(entry: Sequence[object], sentences: Sequence[AnnotatedSentence]) -> tuple[int, int, int]:
    """A substring of a training sentence: the number of the sentence, start and end."""
    sentence, start, end = map(_read_whole_number, entry)
    if sentence >= len(sentences) or not start < end <= len(sentences[sentence].words):
        raise ModelFileError("one of its substrings is not in its sentences")
    return sentence, start, end


def _read_whole_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ModelFileError(f"{shorten(repr(value))} should be a whole number")
    return value
