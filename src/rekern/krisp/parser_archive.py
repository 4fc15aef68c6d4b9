"""Trained parsers as model files: what is written, and how it is checked when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import ModelContent, OpenArchive
from rekern.core.model_limits import DEFAULT_LIMITS, ModelLimits
from rekern.core.object_descriptions import BuildContext, build, describe
from rekern.core.state_schema import (
    POSITIVE,
    Anything,
    Array,
    Choice,
    Either,
    Flag,
    ListOf,
    MapOf,
    Number,
    Optional,
    Record,
    Row,
    Schema,
    Sizes,
    Text,
    Texts,
    Whole,
)
from rekern.errors import InputError, ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.grammar import Grammar
from rekern.krisp.grammar_checks import PlacedProduction, check_productions
from rekern.krisp.parser_input import Stems
from rekern.krisp.parser_weights import ParserWeights
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import CLASSES, VALUES, Production, shorten
from rekern.krisp.reading_ranker import CERTAINTY, SCORES, ReadingRanker, SentenceKnowledge, WordTranslation
from rekern.krisp.second_opinion import LABELS, SecondOpinion
from rekern.krisp.sentence_corpus import AnnotatedSentence, NestedTree, SentenceCorpus
from rekern.krisp.substring_gram import split_sum
from rekern.krisp.substring_kernels import list_substring_kernels
from rekern.krisp.substrings import Substrings

LARGEST_BEAM = 1_000_000
MOST_ROUNDS = 1_000_000
MOST_FOLDS = 1000
PROBABILITY = Number(0.0, 1.0)
LARGEST_FACTOR = 1e30  # of what is multiplied with coefficients
PARSER_ARRAYS = Record(
    coefficients=Array("f8", "labels", "substrings"),
    sigmoids=Array("f8", 3, "labels", least=-LARGEST_FACTOR, most=LARGEST_FACTOR),
    norms=Array("f8", "kernels", "substrings", least=0.0, most=LARGEST_FACTOR),
)
# A grammar in a model file. What its productions must satisfy together, and their limits, are the same as for a grammar
# file: `rekern.krisp.grammar_checks`.
PRODUCTION = Record(
    number=Whole(),
    left=Text(),
    parts=Texts(),
    slots=Texts(),
    sql=Either(None, Text()),
    kind=Choice("rule", *CLASSES),
    value=Either(None, Text()),
    phrases=Texts(),
    silent=Flag(),
)
GRAMMAR = Record(
    start=Text(),
    productions=ListOf(PRODUCTION),
    name_queries=MapOf(Text()),
    name_templates=MapOf(PRODUCTION),
)
PARSER_SCHEMA = Schema(
    Record(
        beam=Whole(1, LARGEST_BEAM),
        threshold=PROBABILITY,
        rounds=Whole(0, MOST_ROUNDS),
        C=POSITIVE,
        stretch=PROBABILITY,
        names=Choice("type", "word"),
        stems=Flag(),
        ranking=Whole(0, MOST_FOLDS),
    ),
    header=Record(
        format=Anything(),
        version=Anything(),
        written_by=Optional(Anything()),
        model=Anything(),
        parameters=Anything(),
        kernel=MapOf(Anything()),  # by the schemas of its classes
        productions=ListOf(Either(Whole(), ListOf(Either(Whole(), Text()), 2))),
        stems=Either(None, ListOf(Either(Texts(), MapOf(Text())), 2)),
        notes=Optional(MapOf(Anything())),  # by the calibration
    ),
)


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


RANKER_MEMBER = "ranker.json"
LARGEST = 1e9  # of a weight, so that sums of products are finite
WEIGHT = Number(-LARGEST, LARGEST)
RANKER = Record(
    sentences=ListOf(Texts()),
    telling=ListOf(MapOf(Texts()), len(LABELS)),
    denied=ListOf(Row(Text(), Texts())),
    parts=Texts(),
    distant=Flag(),
    translation=MapOf(MapOf(PROBABILITY)),
    weights=ListOf(WEIGHT),
    certainty=ListOf(WEIGHT, len(CERTAINTY)),
)
OPINION = Record(
    opinion_mean=Array("f8", "parts", least=-LARGEST, most=LARGEST),
    opinion_dual=Array("f8", "sentences", "parts", least=-LARGEST, most=LARGEST),
)


def write_ranker(ranker: ReadingRanker) -> tuple[JsonObject, dict[str, Floats]]:
    """A ranker as plain values, and its arrays."""
    words, arrays = ranker.known.opinion.to_state()
    content = {
        **words,
        "translation": ranker.known.translation.table,
        "weights": ranker.weights.tolist(),
        "certainty": ranker.certainty.tolist(),
    }
    return content, {f"opinion_{name}": array for name, array in arrays.items()}


def read_ranker(archive: OpenArchive) -> ReadingRanker:
    """The ranker that `write_ranker` wrote; all of it is checked."""
    content = archive.read_json(RANKER_MEMBER)
    RANKER.check(content, "ranker")
    if len(set(content["parts"])) < len(content["parts"]):
        raise ModelFileError("its ranker has a part of meanings twice")
    words = max(map(len, content["sentences"]), default=0)  # all pairs of the words of a sentence are kept
    archive.limits.check("sentence_words", words, f"its ranker has a sentence of {words:,} words")
    arrays = {
        "opinion_mean": archive.read_array("opinion_mean", 1),
        "opinion_dual": archive.read_array("opinion_dual", 2),
    }
    OPINION.check(arrays, "ranker", {"parts": len(content["parts"]), "sentences": len(content["sentences"])})
    opinion = SecondOpinion.from_state(content, {"mean": arrays["opinion_mean"], "dual": arrays["opinion_dual"]})
    knowledge = SentenceKnowledge(opinion, WordTranslation(content["translation"]))
    if len(content["weights"]) != len(SCORES):
        raise ModelFileError("its ranker has not one weight for each score")
    weights, certainty = (np.array(content[name], dtype=float) for name in ("weights", "certainty"))
    return ReadingRanker(knowledge, weights, certainty)


PARAMETERS = ("beam", "threshold", "rounds", "C", "stretch", "names", "stems", "ranking")


@dataclass(frozen=True)
class ParserContent:
    """What a file keeps of a trained parser."""

    parameters: JSONObject
    grammar: Grammar
    kernel: Kernel
    stems: Stems | None
    weights: ParserWeights
    calibration: AnswerCalibration | None
    ranker: ReadingRanker | None


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
        "grammar.json": write_grammar(content.grammar),
        "sentences.json": [[sentence.words, sentence.heads, sentence.tree] for sentence in sentences],
        "substrings.json": weights.substrings.spans.tolist(),
    }
    arrays = {"coefficients": weights.coefficients, "sigmoids": weights.sigmoids, "norms": weights.norms}
    if content.ranker is not None:
        members[RANKER_MEMBER], added = write_ranker(content.ranker)
        arrays |= added
    return ModelContent(header, members, arrays)


def read_content(archive: OpenArchive) -> ParserContent:
    """The content of a parser in a model file; anything wrong raises ``ModelFileError``."""
    header = archive.header
    grammar = read_grammar_content(archive.read_json("grammar.json"), archive.limits)
    kernel = _build_kernel(header["kernel"], archive.context)
    PARSER_SCHEMA.parts.check(header["parameters"], "parameters")
    parameters = {name: header["parameters"][name] for name in PARAMETERS}
    sentences = [read_sentence(entry, archive.limits) for entry in archive.read_json("sentences.json")]
    spans = [read_span(entry, sentences) for entry in archive.read_json("substrings.json")]
    productions = tuple(find_production(grammar, entry) for entry in header["productions"])
    substrings = Substrings(SentenceCorpus(sentences), spans)
    labels = len(ParserClasses(grammar, productions).labels)
    sizes = {"labels": labels, "substrings": len(substrings), "kernels": len(split_sum(kernel))}
    coefficients, sigmoids, norms = read_arrays(archive, sizes)
    if len(substrings):  # a kernel that cannot be computed from what is here says so now, not at the first sentence
        kernel.gram(substrings[:1], substrings[:1])
    return ParserContent(
        parameters,
        grammar,
        kernel,
        read_stems(header["stems"]),
        ParserWeights(productions, substrings, norms, coefficients, sigmoids),
        read_calibration(header.get("notes", {})),
        read_ranker(archive) if parameters["ranking"] else None,
    )


def _build_kernel(description: JSONObject, context: BuildContext) -> Kernel:
    """The kernel of a description."""
    try:
        kernel = build(description, None, context)
    except ModelFileError as error:
        raise ModelFileError(shorten(error)) from None
    if not isinstance(kernel, Kernel) or not list_substring_kernels(kernel):
        raise ModelFileError("its kernel is not a kernel on substrings")
    return kernel
