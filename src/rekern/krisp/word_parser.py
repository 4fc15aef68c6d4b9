"""A trained parser with the kernel on words, read from its file: enough to parse questions, and quick to start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rekern.core.model_archive import OpenArchive, open_archive
from rekern.core.state_schema import DECAY, Anything, Flag, Record, Whole
from rekern.errors import ModelFileError
from rekern.krisp.annotated_sentence import AnnotatedSentence
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.derivation_steps_core import search_chart
from rekern.krisp.grammar import Grammar
from rekern.krisp.parser_members import (
    find_production,
    read_arrays,
    read_calibration,
    read_grammar_content,
    read_sentence,
    read_span,
    read_stems,
)
from rekern.krisp.parser_schema import PARSER_SCHEMA
from rekern.krisp.parsing_rules import ParserClasses
from rekern.krisp.productions import Production
from rekern.krisp.question_words import split_question
from rekern.krisp.rare_word_stems import Stems
from rekern.krisp.reading import Readings
from rekern.krisp.reading_search import ReadingSearch, SearchSettings
from rekern.krisp.word_reader import ParserInput, WordReader
from rekern.krisp.word_scores import LONGEST_SUBSEQUENCE, WordKernel, WordScorer

WORD_KERNEL = Record(type=Anything(), decay=DECAY, length=Whole(1, LONGEST_SUBSEQUENCE), normalize=Flag())
MODEL, KERNEL = "SemanticParser", "WordSubsequences"  # what the header of a file says


class WordParser:
    """What `SemanticParser` knows, without scikit-learn and without compiled code: the same readings of a question.

    It starts in a fraction of the time, but a long question, or many, take longer. `load_word_parser` reads it from the
    file of a `SemanticParser`.
    """

    def __init__(
        self,
        reader: WordReader,
        productions: Sequence[Production],
        scorer: WordScorer,
        beam: int,
        threshold: float,
        calibration: AnswerCalibration | None,
    ):
        self.calibration_ = calibration
        self._reader, self._productions, self._scorer = reader, productions, scorer
        self._beam, self._threshold = beam, threshold
        self._prepare_search()

    @property
    def grammar_(self) -> Grammar:
        """The grammar with the names as the training sentences use them."""
        return self._reader.grammar

    def set_names(self, grammar: Grammar) -> None:
        """Replace the grammar by one with the same rules and other names, in the same place."""
        self._reader = WordReader(grammar, self._reader.names, self._reader.stretch, self._reader.stems)
        self._prepare_search()

    def _prepare_search(self) -> None:
        settings = SearchSettings(self._score, self._beam, self._threshold, search_chart)
        self._search = ReadingSearch(self._reader, self._productions, settings)

    def _score(self, question: ParserInput) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return self._scorer.score(question.annotated.words)

    def words(self, sentence: str) -> tuple[str, ...]:
        """The words of a sentence as the parser splits it."""
        return split_question(sentence)

    def seen(self, sentence: str) -> tuple[str, ...]:
        """The words of a sentence as the kernel sees them."""
        return self._reader.normalize(self.words(sentence))

    def parse(self, sentence: str, n: int = 5) -> Readings:
        """The ``n`` most probable meanings of a sentence, the best first."""
        words = self.words(sentence)
        return self._search.find_readings(ParserInput(words, AnnotatedSentence(self._reader.normalize(words))), n)


def load_word_parser(path: str | Path) -> WordParser:
    """Read the file of a `SemanticParser` with the kernel "word".

    >>> load_word_parser("no such file.rekern")
    Traceback (most recent call last):
    ...
    rekern.errors.ModelFileError: no such file.rekern: there is no such file: check the path
    """
    with open_archive(path) as archive:
        return _read_word_parser(archive)


def _read_word_parser(archive: OpenArchive) -> WordParser:
    header = archive.header
    assert PARSER_SCHEMA.header is not None
    PARSER_SCHEMA.header.check(header, "model.json")
    kernel, parameters = header["kernel"], header["parameters"]
    if header["model"] != MODEL or kernel["type"] != KERNEL:
        raise ModelFileError("it is not a parser with the kernel on words")
    PARSER_SCHEMA.parts.check(parameters, "parameters")
    WORD_KERNEL.check(kernel, "kernel")
    if parameters.get("ranking"):
        raise ModelFileError("it ranks its readings")
    grammar = read_grammar_content(archive.read_json("grammar.json"), archive.limits)
    sentences = [read_sentence(entry, archive.limits) for entry in archive.read_json("sentences.json")]
    spans = [read_span(entry, sentences) for entry in archive.read_json("substrings.json")]
    known = [sentences[sentence].words[start:end] for sentence, start, end in spans]
    productions = tuple(find_production(grammar, entry) for entry in header["productions"])
    labels = len(ParserClasses(grammar, productions).labels)
    coefficients, sigmoids, norms = read_arrays(archive, {"labels": labels, "substrings": len(known), "kernels": 1})
    stems: Stems | None = read_stems(header["stems"])
    scorer = WordScorer(
        WordKernel(float(kernel["decay"]), int(kernel["length"]), bool(kernel["normalize"])),
        known,
        norms[0],
        coefficients,
        sigmoids,
    )
    return WordParser(
        WordReader(grammar, str(parameters["names"]), float(parameters["stretch"]), stems),
        productions,
        scorer,
        int(parameters["beam"]),
        float(parameters["threshold"]),
        read_calibration(header.get("notes", {})),
    )
