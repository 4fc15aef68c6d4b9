"""``/api/ask``: answers from a database, as ``rekern ask --json`` prints them."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.json_values import JsonObject
from rekern.errors import InputError
from rekern.web.job_queue import Job
from rekern.web.problems import Problem
from rekern.web.site import Site


class AskRequest(BaseModel):
    """A question to the database; or several."""

    question: str | None = Field(None, description="One question.")
    questions: list[str] | None = Field(None, description="Instead: several.")

    model_config = {"json_schema_extra": {"examples": [{"question": "which rivers run through austria?"}]}}


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the route."""

    @app.post("/api/ask", summary="Answer questions from the database")
    async def ask(request: Request, asked: AskRequest) -> Response:
        """Return the answer with its query, SQL and confidence; without a confident reading, the nearest ones.

        ``questions`` give an object with ``rows``.
        """
        questions = read_questions(site, asked.question, asked.questions)

        def work(job: Job) -> JsonObject:
            rows = []
            for row, question in enumerate(questions):
                job.check()
                try:
                    rows.append(site.models.ask(question).to_dict())
                except InputError as error:
                    raise error.at(row=row) from None
            return {"rows": rows} if asked.questions is not None else rows[0]

        answer = await site.answer_json(request, work)
        site.metrics.count_rows("ask", len(questions))
        return answer


def read_questions(site: Site, one: str | None, several: list[str] | None) -> list[str]:
    """Return the questions of a request, checked."""
    if (one is None) == (several is None):
        raise Problem("invalid-input", "give either question or questions", column="question")
    questions = [one] if one is not None else several or []
    site.check_rows(len(questions))
    for row, question in enumerate(questions):
        site.check_text(question, "question", row)
        if not question.strip():
            raise Problem("invalid-input", f"row {row}: the question is empty", row=row, column="question")
    if not questions:
        raise Problem("invalid-input", "there are no questions: give at least one", column="questions")
    return questions
