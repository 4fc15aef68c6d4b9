"""``/api/question``: the types of questions, as ``rekern question --json`` prints them."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.json_values import JsonObject
from rekern.web.ask_api import read_questions
from rekern.web.job_queue import Job
from rekern.web.site import Site


class QuestionRequest(BaseModel):
    """A question whose type is wanted; or several."""

    question: str | None = Field(None, description="One question; its patterns are in the answer.")
    questions: list[str] | None = Field(None, description="Instead: several.")

    model_config = {"json_schema_extra": {"examples": [{"question": "how do I get a visa for japan?"}]}}


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the route."""

    @app.post("/api/question", summary="Tell the types of questions")
    async def question(request: Request, asked: QuestionRequest) -> Response:
        """Return the type and the probabilities of each question; of a single one also the patterns that matched."""
        questions = read_questions(site, asked.question, asked.questions)

        def work(job: Job) -> JsonObject:
            from rekern.questions.pattern_model import describe_explanation, describe_types

            model = site.models.find_question_model()
            if asked.question is not None:
                return {"rows": [describe_explanation(asked.question, model.explain(asked.question))]}
            return {"rows": describe_types(model, questions)}

        answer = await site.answer_json(request, work)
        site.metrics.count_rows("question", len(questions))
        return answer
