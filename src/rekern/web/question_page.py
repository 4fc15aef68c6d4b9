"""The page Question: the type of a question, and the patterns that decided."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from rekern.drawing import draw_explanation
from rekern.web.job_queue import Job
from rekern.web.page_state import PageState
from rekern.web.site import Site

EXAMPLES = (
    "how do I get a visa for japan?",
    "who wrote hamlet?",
    "why is the sky blue?",
    "what is a kernel?",
    "list of national parks in norway",
    "为什么天是蓝的?",
    "如何办理护照?",
)


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the page."""

    @app.get("/question", include_in_schema=False)
    async def question(request: Request) -> Response:
        state = PageState(site, request)
        asked = state.text("question", EXAMPLES[0]).strip()
        values: dict[str, object] = {
            "question": asked,
            "examples": [{"address": "/question?" + urlencode({"question": text}), "words": text} for text in EXAMPLES],
        }
        if not asked:
            return site.render(request, "question", values)

        def work(job: Job) -> dict[str, object]:
            from rekern.questions.pattern_model import describe_types

            model = site.models.find_question_model()
            row = describe_types(model, [asked])[0]
            chance = row["probabilities"][row["type"]]
            drawing = draw_explanation(model.explain(asked), style=False)
            return {"row": row, "drawing": drawing, "summary": f"The type is {row['type']}, {100 * chance:.1f} %."}

        return await site.answer_page(request, "question", values, work)
