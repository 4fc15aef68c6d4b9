"""Evaluation of an asker on questions whose meanings are known."""

from __future__ import annotations

from typing import TypedDict

from rekern.krisp.answering.asker import Asker
from rekern.krisp.answering.asker_training import Status, find_answers, gives_answer, ignore_status
from rekern.krisp.answering.question_table import Questions, parse_meanings


class QuestionReport(TypedDict):
    """What happened to one question; the outcome is "right", "wrong" or "unanswered"."""

    question: str
    meant: str
    meaning: str | None
    confidence: float | None
    outcome: str


class AskerReport(TypedDict):
    """How many questions were answered, and how well."""

    questions: int
    right: int
    wrong: int
    unanswered: int
    precision: float
    recall: float
    accuracy: float
    rows: list[QuestionReport]


def evaluate_asker(asker: Asker, questions: Questions, status: Status = ignore_status) -> AskerReport:
    """Ask questions whose meanings are known; an answer is right if it is that of the known meaning.

    ``precision`` is the share of right answers among all answers, ``recall`` among all questions; ``accuracy`` is the
    share of questions whose best reading is right, confident or not.
    """
    derivations = parse_meanings(questions, asker.parser.grammar_)
    answers = find_answers(asker.database, questions, derivations)
    rows: list[QuestionReport] = []
    best = 0
    for row, (question, answer) in enumerate(zip(questions.questions, answers)):
        status(f"asking question {row + 1} of {len(questions)}")
        found = asker.list_readings(question)
        fits = bool(found) and gives_answer(asker.database, found[0].derivation, answer)
        best += fits
        confident = bool(found) and found[0].confidence >= asker.least_confidence
        rows.append(
            {
                "question": question,
                "meant": questions.meanings[row],
                "meaning": found[0].meaning if found else None,
                "confidence": found[0].confidence if found else None,
                "outcome": ("right" if fits else "wrong") if confident else "unanswered",
            }
        )
    right, wrong, unanswered = (
        sum(row["outcome"] == kind for row in rows) for kind in ("right", "wrong", "unanswered")
    )
    return {
        "questions": len(rows),
        "right": right,
        "wrong": wrong,
        "unanswered": unanswered,
        "precision": right / (right + wrong) if right + wrong else 0.0,
        "recall": right / len(rows),
        "accuracy": best / len(rows),
        "rows": rows,
    }
