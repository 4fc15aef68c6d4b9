"""From a question to an answer: the readings of a parser, their confidence, and the database."""

from __future__ import annotations

from rekern.errors import InputError
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.answering.answer import Answer
from rekern.krisp.answering.database import Database
from rekern.krisp.answering.database_grammar import connect_grammar
from rekern.krisp.answering.question_table import check_question
from rekern.krisp.answering.reading_scorer import ReadingScorer, ScoredReadings
from rekern.krisp.answering.scored_reading import ScoredReading
from rekern.krisp.answering.sql_compiler import compile_sql
from rekern.krisp.semantic_parser import SemanticParser


class Asker:
    """A parser with a database: it answers questions.

    The parser must have a calibration (`rekern.krisp.answering.asker_training.train_asker` makes one), which turns the
    scores of readings into confidences. Names that are new in the database are added to the parser. A second opinion
    is learned from the training questions.
    """

    def __init__(self, parser: SemanticParser, database: Database):
        calibration = getattr(parser, "calibration_", None)
        if not isinstance(calibration, AnswerCalibration):
            raise InputError("this model was not made by rekern ask --train: it has no confidence to judge readings by")
        self.parser, self.database, self.calibration = parser, database, calibration
        grammar = connect_grammar(parser.grammar_, database)
        if len(grammar.productions) != len(parser.grammar_.productions):  # the database has new names
            parser.set_names(grammar)
        self.scorer = ReadingScorer(parser, calibration.questions, calibration.meanings)

    @property
    def least_confidence(self) -> float:
        """The least confidence of a reading that is an answer."""
        return self.calibration.confidence

    def list_readings(self, question: str) -> list[ScoredReading]:
        """The readings of a question, the most confident first."""
        return self._score_readings(question).readings

    def ask(self, question: str) -> Answer:
        """Answer a question."""
        question = " ".join(question.split())
        check_question(question)
        found, cut = self._score_readings(question)
        if not found:
            why = "the search was given up: ask less" if cut else "nothing that was learned fits"
            return Answer(question, why=why, not_understood=tuple(dict.fromkeys(self.scorer.list_unknown(question))))
        best = found[0]
        causes = {
            "unknown words": self.scorer.list_unknown(question),
            "names left out": self.scorer.list_unused(question, best.derivation),
        }
        if best.confidence < self.least_confidence:
            causes["words left out"] = self.scorer.list_overlooked(question, best.derivation)
        missed = tuple(dict.fromkeys(word for words in causes.values() for word in words))
        if best.confidence < self.least_confidence:
            reasons = [f"{kind}: {', '.join(dict.fromkeys(words))}" for kind, words in causes.items() if words]
            reasons += ["the search was cut short"] * cut
            return Answer(question, nearest=tuple(found), why="; ".join(reasons), not_understood=missed)
        query = compile_sql(best.derivation)
        return Answer(question, best, query, self.database.run(query), tuple(found[1:]), not_understood=missed)

    def _score_readings(self, question: str) -> ScoredReadings:
        return self.scorer.score_readings(question, self.calibration.slope, self.calibration.shift)
