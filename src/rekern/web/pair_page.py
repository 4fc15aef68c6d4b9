"""The page Pair: two texts, the decision about them, and what changes when a word changes."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rekern.core.messages import shorten_text
from rekern.datasets import load_rewrites
from rekern.drawing import draw_explanation
from rekern.learning.pair_explanation import PairExplanation
from rekern.learning.rule_listing import find_pair_texts
from rekern.web.explain_api import NEIGHBORS, explain_item
from rekern.web.job_queue import Job
from rekern.web.page_state import PageState
from rekern.web.request_rows import read_rows
from rekern.web.served_models import ServedModel
from rekern.web.site import Site
from rekern.web.what_if import describe_prediction, draw_changes

EXAMPLES = 8
LONGEST = 160  # characters of an example


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the page."""

    @app.get("/", include_in_schema=False)
    async def home() -> Response:
        return RedirectResponse("/pair", 307)

    @app.get("/pair", include_in_schema=False)
    async def pair(request: Request) -> Response:
        state = PageState(site, request)
        model = state.model()
        examples = list_examples(model)
        first = examples[0] if not state.has("source", "target", "text") else ("", "")
        source, target = state.text("source", first[0]), state.text("target", first[1])
        if model.is_for_texts:
            source, target = state.text("text", first[0]), ""
        was = (state.text("was_source"), state.text("was_target"))
        label = state.text("label") or None
        values: dict[str, object] = {
            "model": model,
            "source": source,
            "target": target,
            "was": was,
            "label": label,
            "examples": [_describe_example(model, *example) for example in examples],
        }
        if not source and not target:
            return site.render(request, "pair", values)

        def work(job: Job) -> dict[str, object]:
            found = explain_texts(site, model, source, target, label)
            job.check()
            changes = None
            if any(was) and was != (source, target):
                changes = draw_changes(explain_texts(site, model, *was, label), found)
            drawing = draw_explanation(found, style=False)
            return {"drawing": drawing, "changes": changes, "summary": f"The model says {describe_prediction(found)}."}

        return await site.answer_page(request, "pair", values, work)


@lru_cache(maxsize=16)  # one compares a text with the same one, changed again and again
def explain_texts(site: Site, model: ServedModel, source: str, target: str, label: str | None) -> PairExplanation:
    """Explain the decision about two texts, or about the first one if the model judges single texts."""
    pairs, texts = (None, [source]) if model.is_for_texts else ([[source, target]], None)
    return explain_item(model, read_rows(site, model, pairs, texts).table.items[0], label, NEIGHBORS)


@lru_cache(maxsize=64)
def list_examples(model: ServedModel) -> list[tuple[str, str]]:
    """Return pairs or texts to begin with: some that the model was trained on, or embedded ones."""
    pairs = load_rewrites("test", size=EXAMPLES)[0]
    if model.model.has_pairs():
        numbers = range(len(model.model.pairs_))
        pairs = [find_pair_texts(model.model, number) for number in numbers]
    ordered = sorted(dict.fromkeys(pairs), key=lambda pair: (len(" ".join(pair)), pair))
    short = [pair for pair in ordered if all(pair) and len(" ".join(pair)) <= LONGEST] or ordered[-1:]
    step = max(len(short) // EXAMPLES, 1)
    return short[step // 2 :: step][:EXAMPLES]


def _describe_example(model: ServedModel, source: str, target: str) -> dict[str, str]:
    sides = {"text": source} if model.is_for_texts else {"source": source, "target": target}
    words = source if model.is_for_texts else f"{source} → {target}"
    return {"address": "/pair?" + urlencode({"model": model.name, **sides}), "words": shorten_text(words)}
