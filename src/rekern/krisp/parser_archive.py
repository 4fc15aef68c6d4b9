"""Trained parsers as model files: what is written, and how it is checked when it is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rekern.core.model_archive import ModelContent, OpenArchive
from rekern.core.object_descriptions import BuildContext, build, describe
from rekern.errors import ModelFileError
from rekern.kernels.kernel import Kernel
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.grammar import Grammar
from rekern.krisp.parser_members import (
    JSONObject,
    find_production,
    read_arrays,
    read_calibration,
    read_grammar_content,
    read_sentence,
    read_span,
    read_stems,
    write_grammar,
)
from rekern.krisp.parser_schema import PARSER_SCHEMA
from rekern.krisp.parser_weights import ParserWeights
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import shorten
from rekern.krisp.ranker_members import RANKER_MEMBER, read_ranker, write_ranker
from rekern.krisp.rare_word_stems import Stems
from rekern.krisp.reading_ranker import ReadingRanker
from rekern.krisp.sentence_corpus import SentenceCorpus
from rekern.krisp.substring_gram import split_sum
from rekern.krisp.substring_kernels import average_kernels, list_substring_kernels
from rekern.krisp.substrings import Substrings

PARAMETERS = ("beam", "threshold", "rounds", "C", "stretch", "names", "stems", "ranking")
DEFAULTS = {"ranking": 0}  # of parameters that files of earlier versions lack
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
    parameters = {name: (DEFAULTS | header["parameters"])[name] for name in PARAMETERS}
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
    """The kernel of a description; sums of files of version 0.1.0 become ordinary sums."""
    if description.get("type") == EARLIER_SUM:
        return average_kernels(
            [_build_kernel(part, context) for part in description["kernels"]], description["weights"]
        )
    try:
        kernel = build(description, None, context)
    except ModelFileError as error:
        raise ModelFileError(shorten(error)) from None
    if not isinstance(kernel, Kernel) or not list_substring_kernels(kernel):
        raise ModelFileError("its kernel is no kernel on substrings")
    return kernel
