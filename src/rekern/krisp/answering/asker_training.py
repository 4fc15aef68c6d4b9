"""Training of askers: a parser, and by cross-validation the confidence of its readings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from rekern.errors import InputError
from rekern.krisp.answer_calibration import AnswerCalibration
from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.database import Database, Value
from rekern.krisp.answering.database_grammar import connect_grammar
from rekern.krisp.answering.question_table import Questions, parse_meanings
from rekern.krisp.answering.reading_scorer import ReadingScorer
from rekern.krisp.answering.sql_compiler import compile_sql
from rekern.krisp.grammar import Grammar
from rekern.krisp.productions import Derivation
from rekern.krisp.semantic_parser import SemanticParser
from rekern.learning.calibration import fit_sigmoid
from rekern.learning.cross_validation import deal_folds

AnswerRows: TypeAlias = frozenset[tuple[Value, ...]]


def find_answers(database: Database, questions: Questions, derivations: Sequence[Derivation]) -> list[AnswerRows]:
    """The rows that the meanings of questions give; a meaning without answer is an error."""
    found = []
    for row, derivation in enumerate(derivations):
        try:
            found.append(frozenset(database.run(compile_sql(derivation)).rows))
        except InputError as error:
            raise InputError(f"{questions.name_place(row)}: its meaning has no answer: {error}") from None
    return found


def gives_answer(database: Database, derivation: Derivation, answer: AnswerRows) -> bool:
    """Whether a reading gives this answer; a query that fails or takes too long does not."""
    try:
        return frozenset(database.run(compile_sql(derivation)).rows) == answer
    except InputError:
        return False


WRONG = 15.0  # right answers that one wrong answer outweighs
LEAST_SLOPE = 1e-3
EXACT = 1e-9  # the tolerance of the sigmoid


def choose_confidence(scores: Sequence[float], right: Sequence[bool]) -> AnswerCalibration:
    """Fit the sigmoid that turns scores into confidences, and choose the confidence from which on it pays to answer.

    A wrong answer costs as much as `WRONG` right ones gain.

    >>> chosen = choose_confidence([-1.0, -1.5, -2.0, -6.0, -7.0], [True, True, True, False, False])
    >>> chosen.answered, chosen.right, 0 < chosen.confidence < 1
    (3, 3, True)
    """
    values, truth = np.array(scores, dtype=float), np.array(right, dtype=bool)
    if not len(values):
        return AnswerCalibration()
    sigmoid = fit_sigmoid(values, truth, smooth=True, tolerance=EXACT)
    sigmoid = sigmoid._replace(slope=max(sigmoid.slope, LEAST_SLOPE))
    order = np.argsort(-values, kind="stable")
    gain = np.cumsum(np.where(truth[order], 1.0, -WRONG))
    best = int(np.argmax(gain)) if gain.max() > 0 else -1
    inside = values[order[best]] if best >= 0 else values.max() + 1
    outside = values[order[best + 1]] if best + 1 < len(order) else inside - 1
    least = (inside + outside) / 2 if best >= 0 else inside
    return AnswerCalibration(
        slope=sigmoid.slope,
        shift=sigmoid.offset,
        confidence=float(sigmoid.probabilities(least)),
        answered=best + 1,
        right=int(truth[order[: best + 1]].sum()),
    )


FOLDS = 10  # of cross-validation; fewer for a large set
QUESTIONS = 1500  # to be learned in all folds together; more would take longer than a user waits
FEWEST = 12  # questions for which cross-validation makes sense
NONSENSE = ("zanzibar", "foobar", "gobi", "quux", "mars")  # names that no database here has

Status = Callable[[str], None]


def ignore_status(text: str) -> None:
    """Ignore a message about progress."""


def train_asker(questions: Questions, grammar: Grammar, database: Database) -> Asker:
    """Learn from questions and meanings; return what answers such questions from the database.

    >>> from rekern.krisp import read_grammar
    >>> from rekern.krisp.answering.europe_facts import europe_database
    >>> grammar = read_grammar([
    ...     "Query -> capital({Land})    := SELECT capital FROM country WHERE name IN ({1})",
    ...     "Query -> currency({Land})   := SELECT currency FROM country WHERE name IN ({1})",
    ...     "Land -> {Name}              := SELECT name FROM country WHERE name = {1}",
    ...     "Name -> '{name}'",
    ...     "names Name := SELECT name FROM country",
    ... ])
    >>> asked = ["capital of spain", "the capital of italy", "currency of norway", "the currency of malta"]
    >>> meant = ["capital('Spain')", "capital('Italy')", "currency('Norway')", "currency('Malta')"]
    >>> asker = train_asker(Questions(asked, meant), grammar, europe_database())
    >>> asker.ask("The capital of Estonia?").result.rows
    [('Tallinn',)]
    """
    return Asker(train_parser(questions, grammar, database), database)


def train_parser(
    questions: Questions,
    grammar: Grammar,
    database: Database,
    n_jobs: int | None = None,
    status: Status = ignore_status,
    calibration: AnswerCalibration | None = None,
) -> SemanticParser:
    """Train the parser of an asker, with its calibration: the result of `cross_validate_asker`, if it is known."""
    connected = connect_grammar(grammar, database)
    parse_meanings(questions, connected)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* has several derivations")  # the line above has said so already
        if calibration is None:
            calibration = cross_validate_asker(questions, connected, database, n_jobs, status)
        status("training")
        parser = _make_parser(connected, n_jobs).fit(list(questions.questions), list(questions.meanings))
    parser.calibration_ = replace(calibration, questions=tuple(questions.questions), meanings=tuple(questions.meanings))
    return parser


def _make_parser(grammar: Grammar, n_jobs: int | None) -> SemanticParser:
    return SemanticParser(grammar, kernel="word", threshold=0.01, C=3.0, stems=True, n_jobs=n_jobs)


def cross_validate_asker(
    questions: Questions,
    grammar: Grammar,
    database: Database,
    n_jobs: int | None = None,
    status: Status = ignore_status,
    folds: int | None = None,
) -> AnswerCalibration:
    """Choose the sigmoid of confidences, and the least confidence of an answer, by cross-validation.

    Each question is asked of a parser that was trained without it. Every second question that mentions a name is asked
    again with an unknown name, for which no reading is right. With fewer than `FEWEST` questions nothing is chosen.

    >>> from rekern.krisp.answering.europe_facts import europe_database, europe_grammar
    >>> cross_validate_asker(Questions([], []), europe_grammar(), europe_database()).asked
    0
    """
    if len(questions) < FEWEST:
        return AnswerCalibration()
    answers = find_answers(database, questions, parse_meanings(questions, grammar))
    folds = folds or max(2, min(FOLDS, QUESTIONS // len(questions)))
    scores: list[float] = []
    right: list[bool] = []
    best = 0  # questions whose best reading is right, whatever its confidence
    for number, fold in enumerate(deal_folds(len(questions), folds)):
        status(f"training: cross-validation, part {number + 1} of {folds}")
        known = questions.take(fold.train.tolist())
        parser = _make_parser(grammar, n_jobs).fit(known.questions, known.meanings)
        scorer = ReadingScorer(parser, known.questions, known.meanings)
        for turn, row in enumerate(fold.test.tolist()):
            place = turn * folds + number  # in the order in which the questions were dealt
            question = questions.questions[row]
            found, _ = scorer.score_readings(question, 1.0, 0.0)
            if found:
                scores.append(found[0].score)
                right.append(gives_answer(database, found[0].derivation, answers[row]))
                best += right[-1]
            strange = _insert_nonsense(scorer, question, place)
            if strange is not None and place % 2 == 0:
                found, _ = scorer.score_readings(strange, 1.0, 0.0)
                if found:
                    scores.append(found[0].score)
                    right.append(False)
    return replace(choose_confidence(scores, right), asked=len(questions), best=best)


def _insert_nonsense(scorer: ReadingScorer, question: str, place: int) -> str | None:
    """The question with an unknown name instead of the first name that it mentions."""
    words = scorer.parser.words(question)
    spans = scorer.find_spans(question)
    if not spans:
        return None
    start, end = spans[0]
    return " ".join([*words[:start], NONSENSE[place % len(NONSENSE)], *words[end:]])
