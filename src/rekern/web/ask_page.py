"""The page Ask: a question to the database, the reading, the SQL, the answer."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from rekern.drawing import draw_answer
from rekern.web.job_queue import Job
from rekern.web.page_state import PageState
from rekern.web.site import Site

EXAMPLES = (
    "which rivers run through the countries that border austria?",
    "what is the capital of estonia?",
    "how many people live in the largest country?",
    "which is the highest mountain in france?",
    "what languages are spoken in switzerland?",
    "which countries have the euro and a coast?",
)


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the page."""

    @app.get("/ask", include_in_schema=False)
    async def ask(request: Request) -> Response:
        state = PageState(site, request)
        is_europe = site.models.database == "europe"
        question = state.text("question", EXAMPLES[0] if is_europe else "").strip()
        examples = EXAMPLES if is_europe else ()
        values: dict[str, object] = {
            "question": question,
            "database": site.models.database,
            "examples": [{"address": "/ask?" + urlencode({"question": text}), "words": text} for text in examples],
        }
        if not question:
            return site.render(request, "ask", values)

        def work(job: Job) -> dict[str, object]:
            answer = site.models.ask(question)
            rows = [] if answer.result is None else answer.result.rows
            summary = _summarize(rows, answer.reading is not None)
            return {"drawing": draw_answer(answer, style=False), "summary": summary}

        return await site.answer_page(request, "ask", values, work)


def _summarize(rows: Sequence[Sequence[object]], is_confident: bool) -> str:
    if not is_confident:
        return "There is no confident reading of the question."
    if not rows:
        return "Nothing in the database fits."
    return "The answer is " + ", ".join(str(row[0]) for row in rows[:10]) + "."
