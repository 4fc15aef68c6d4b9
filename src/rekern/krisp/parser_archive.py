"""Trained parsers as model files: what is written, and how it is checked when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from rekern.core.model_archive import ModelContent, OpenArchive
from rekern.core.object_descriptions import build, describe
from rekern.errors import InputError, ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.constituent_trees import NestedTree
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_checks import PlacedProduction, check_productions
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import CLASSES, VALUES, Production, shorten
from rekern.krisp.rare_word_stems import Stems
from rekern.krisp.reading_search import ParserWeights
from rekern.krisp.sentence_corpus import AnnotatedSentence, SentenceCorpus
from rekern.krisp.substring_gram import split_sum
from rekern.krisp.substring_kernels import average_kernels, list_substring_kernels
from rekern.krisp.substrings import Substrings

PARAMETERS = ("beam", "threshold", "rounds", "C", "stretch", "names", "stems")
JSONObject: TypeAlias = dict[str, Any]  # from a file that may be damaged: every value is checked when it is used
EARLIER_SUM = "SubstringSum"  # the type of a sum of kernels in files of version 0.1.0


@dataclass(frozen=True)
class ParserContent:
    """What a file keeps of a trained parser."""

    parameters: JSONObject
    grammar: Grammar
    kernel: Kernel
    stems: Stems | None
    weights: ParserWeights
    calibration: AnswerCalibration | None


def write_content(content: ParserContent) -> ModelContent:
    """The content of a parser as the members of a model file."""
    weights = content.weights
    numbers = {production: number for number, production in enumerate(content.grammar.productions)}
    header = {
        "parameters": {name: describe(value) for name, value in content.parameters.items()},
        "kernel": describe(content.kernel),
        "productions": [
            numbers[p] if p in numbers else [numbers[replace(p, value=None)], p.value] for p in weights.productions
        ],
        "stems": None if content.stems is None else [sorted(content.stems.frequent), content.stems.representatives],
        "notes": {} if content.calibration is None else content.calibration.to_dict(),
    }
    sentences = weights.substrings.corpus.sentences
    members = {
        "grammar.json": _grammar_to_dict(content.grammar),
        "sentences.json": [[sentence.words, sentence.heads, sentence.tree] for sentence in sentences],
        "substrings.json": weights.substrings.spans.tolist(),
    }
    arrays = {"coefficients": weights.coefficients, "sigmoids": weights.sigmoids, "norms": weights.norms}
    return ModelContent(header, members, arrays)


def read_content(archive: OpenArchive) -> ParserContent:
    """The content of a parser in a model file; anything wrong raises ``ModelFileError``."""
    header = archive.header
    grammar = _grammar_from_dict(archive.read_json("grammar.json"))
    kernel = _build_kernel(header["kernel"])
    parameters = {name: build(header["parameters"][name]) for name in PARAMETERS}
    for name, value in parameters.items():
        if not isinstance(value, {"names": str, "stems": bool}.get(name, int | float)):
            raise ModelFileError(f"its {name} is damaged")
    sentences = [_read_sentence(entry) for entry in archive.read_json("sentences.json")]
    spans = [_read_span(entry, sentences) for entry in archive.read_json("substrings.json")]
    productions = tuple(_find_production(grammar, entry) for entry in header["productions"])
    substrings = Substrings(SentenceCorpus(sentences), spans)
    coefficients, sigmoids = archive.read_array("coefficients", 2), archive.read_array("sigmoids", 2)
    norms = archive.read_array("norms", 2)
    labels = len(ParserClasses(grammar, productions).labels)
    fits = coefficients.shape == (labels, len(substrings)) and sigmoids.shape == (3, labels)
    if not fits or norms.shape != (len(split_sum(kernel)), len(substrings)):
        raise ModelFileError("its parts do not fit together")
    if len(substrings):  # a kernel that cannot be computed from what is here says so now, not at the first sentence
        kernel.gram(substrings[:1], substrings[:1])
    return ParserContent(
        parameters,
        grammar,
        kernel,
        _read_stems(header["stems"]),
        ParserWeights(productions, substrings, norms, coefficients, sigmoids),
        _read_calibration(header.get("notes", {})),
    )


def _read_calibration(notes: object) -> AnswerCalibration | None:
    if not isinstance(notes, dict):
        raise ModelFileError("its parts do not fit together")
    if "questions" not in notes:  # it was not trained by rekern ask
        return None
    try:
        return AnswerCalibration.from_dict(notes)
    except InputError as error:
        raise ModelFileError(error.reason) from None


def _grammar_to_dict(grammar: Grammar) -> JSONObject:
    return {
        "start": grammar.start,
        "productions": [asdict(production) for production in grammar.productions],
        "name_queries": dict(grammar.name_queries),
        "name_templates": {left: asdict(production) for left, production in grammar.name_templates.items()},
    }


def _grammar_from_dict(content: JSONObject) -> Grammar:
    productions = tuple(_read_production(entry) for entry in content["productions"])
    templates = {str(left): _read_production(entry) for left, entry in content["name_templates"].items()}
    queries = {str(left): str(sql) for left, sql in content["name_queries"].items()}
    start = str(content["start"])
    try:
        check_productions([PlacedProduction(0, p) for p in (*productions, *templates.values())], start)
    except InputError as error:
        raise ModelFileError(f"its grammar is damaged ({error.reason})") from None
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
    parts, slots, phrases = (tuple(map(str, entry[name])) for name in ("parts", "slots", "phrases"))
    sql, value = (None if entry[name] is None else str(entry[name]) for name in ("sql", "value"))
    kind = str(entry["kind"])
    gaps = len(slots) if kind == "rule" or (kind == "name" and value is not None) else 1
    if kind not in ("rule", *CLASSES) or len(parts) != gaps + 1:
        raise ModelFileError("one of its productions is damaged")
    number, left, silent = _read_whole_number(entry["number"]), str(entry["left"]), bool(entry["silent"])
    return Production(number, left, parts, slots, sql, kind, value, phrases, silent)


def _find_production(grammar: Grammar, entry: object) -> Production:
    """A production by its number, or by its number and the value that other words express."""
    number, value = entry if isinstance(entry, list) else (entry, None)
    production = grammar.productions[_read_whole_number(number)]
    if value is None:
        return production
    if production.kind not in VALUES or not isinstance(value, str):
        raise ModelFileError("one of its productions is damaged")
    return replace(production, value=value)


def _read_stems(entry: tuple[list[object], dict[object, object]] | None) -> Stems | None:
    if entry is None:
        return None
    frequent, representatives = entry
    return Stems(frozenset(map(str, frequent)), {str(stem): str(word) for stem, word in representatives.items()})


def _read_sentence(entry: tuple[list[object], list[int] | None, object]) -> AnnotatedSentence:
    words, heads, tree = entry
    found = tuple(map(str, words))
    places = None if heads is None else tuple(int(head) for head in heads)
    if places is not None and (
        len(places) != len(found) or not all(-1 <= head < len(found) for head in places) or _has_cycle(places)
    ):
        raise ModelFileError("the heads of one of its sentences are no tree")
    return AnnotatedSentence(found, places, None if tree is None else _read_tree(tree))


def _has_cycle(heads: Sequence[int]) -> bool:
    """Whether the way up from some word never ends."""
    for place in range(len(heads)):
        at = place
        for _ in range(len(heads)):
            at = heads[at]
            if at < 0:
                break
        else:
            return True
    return False


def _read_tree(entry: object) -> NestedTree:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, list) or len(entry) < 2 or not isinstance(entry[0], str):
        raise ModelFileError("one of its trees is damaged")
    return (entry[0], *map(_read_tree, entry[1:]))


def _read_span(entry: Sequence[object], sentences: Sequence[AnnotatedSentence]) -> tuple[int, int, int]:
    sentence, start, end = map(_read_whole_number, entry)
    if sentence >= len(sentences) or not start < end <= len(sentences[sentence].words):
        raise ModelFileError("one of its substrings is not in its sentences")
    return sentence, start, end


def _read_whole_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ModelFileError(f"{shorten(repr(value))} should be a whole number")
    return value


def _build_kernel(description: JSONObject) -> Kernel:
    """The kernel of a description; sums of files of version 0.1.0 become ordinary sums."""
    if description.get("type") == EARLIER_SUM:
        return average_kernels([_build_kernel(part) for part in description["kernels"]], description["weights"])
    try:
        kernel = build(description)
    except ModelFileError as error:
        raise ModelFileError(shorten(error)) from None
    if not isinstance(kernel, Kernel) or not list_substring_kernels(kernel):
        raise ModelFileError("its kernel is no kernel on substrings")
    return kernel
