"""The page Kernels: two pairs or two trees, the value of a kernel, and what they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from rekern.core.explanation_parts import order_parts
from rekern.core.explanations import Explanation
from rekern.drawing import draw_explanation
from rekern.drawing.decision_steps import list_steps
from rekern.drawing.explanation_drawing import write_figure
from rekern.drawing.figures import choose_figure
from rekern.drawing.markup import Markup, element
from rekern.drawing.page import frame_figure
from rekern.drawing.waterfall import write_waterfall
from rekern.kernels import DependencyPaths, PartialTree, Rewriting, SubsetTree, SubTree
from rekern.kernels.kernel import Kernel
from rekern.kernels.kernel_summary import summarize_kernel
from rekern.kernels.trees.tree_kernel import TreeKernel
from rekern.web.job_queue import Job
from rekern.web.page_state import PageState
from rekern.web.site import Site

LONGEST = 400  # characters of a text, so that a slider answers at once
SHOWN = 20  # shared parts


class Slider(NamedTuple):
    """A number of a kernel that the page lets one move."""

    name: str
    label: str
    value: float
    low: float
    high: float
    step: float


@dataclass(frozen=True)
class Family:
    """A kernel with its sliders and its examples."""

    title: str
    remark: str
    sliders: tuple[Slider, ...]
    items: tuple[tuple[str, ...], tuple[str, ...]]  # of the left and of the right, each a pair or a tree
    choices: tuple[str, ...] = ()


DECAY = Slider("decay", "λ, the weight of a node", 0.4, 0.05, 1.0, 0.05)
PAIRS = (
    ("Shakespeare wrote Hamlet.", "Hamlet was written by Shakespeare."),
    ("Orwell wrote 1984.", "1984 was written by Orwell."),
)
TREES = (
    ("(S (NP (D the) (N judge)) (VP (V thanked) (NP (D the) (N pilot))))",),
    ("(S (NP (D the) (N judge)) (VP (V thanked) (NP (D a) (N nurse))))",),
)
DEPENDENCIES = (
    ("(thanked (judge (the)) (pilot (the)))",),
    ("(thanked (judge (the)) (nurse (a)))",),
)
FAMILIES = {
    "rewriting": Family(
        "Re-writing rules of two pairs (kb-SRK)",
        "A rule counts if both pairs have it. Aligned wildcards stand for the same word on both sides.",
        (
            Slider("k", "k, the most words in a window", 4, 1, 6, 1),
            Slider("decay", "decay, the weight of a wildcard", 1.0, 0.1, 1.0, 0.1),
        ),
        PAIRS,
        ("aligned", "free", "none"),
    ),
    "subtrees": Family("Complete subtrees (ST)", "A subtree counts with all its leaves.", (DECAY,), TREES),
    "subsets": Family("Subset trees (SST)", "A node stands with all its children or none of them.", (DECAY,), TREES),
    "partial": Family(
        "Partial trees (PTK)",
        "Every connected part of a tree counts; gaps between children are allowed.",
        (DECAY, Slider("mu", "μ, the weight of a level", 0.4, 0.05, 1.0, 0.05)),
        TREES,
    ),
    "paths": Family("Dependency paths", "A path climbs from a word and goes down again.", (DECAY,), DEPENDENCIES),
}


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the page."""

    @app.get("/kernels", include_in_schema=False)
    async def kernels(request: Request) -> Response:
        state = PageState(site, request)
        name = state.choice("kernel", FAMILIES)
        family = FAMILIES[name]
        numbers = {one.name: state.number(one.name, one.value, one.low, one.high) for one in family.sliders}
        wildcards = state.choice("wildcards", family.choices) if family.choices else ""
        normalize = state.choice("normalize", ("yes", "no")) == "yes"
        sides = ("a", "b")
        parts = range(len(family.items[0]))
        items = [
            [state.text(f"{side}{part}", given[part]) for part in parts] for side, given in zip(sides, family.items)
        ]
        values: dict[str, object] = {
            "families": FAMILIES,
            "kernel": name,
            "family": family,
            "numbers": numbers,
            "wildcards": wildcards,
            "normalize": normalize,
            "items": items,
        }
        for side, texts in zip(sides, items):
            for part, text in enumerate(texts):
                if len(text) > LONGEST:
                    detail = f"{side}{part}: the text has {len(text):,} characters; this page takes {LONGEST}"
                    return site.render(request, "kernels", {**values, "problem": detail}, 422)

        def work(job: Job) -> dict[str, object]:
            kernel = make_kernel(name, numbers, wildcards, normalize)
            left, right = (tuple(texts) if len(texts) > 1 else texts[0] for texts in items)
            value = float(kernel(left, right))
            job.check()
            shared = explain_kernel(kernel, left, right)
            return {
                "value": value,
                "drawing": _draw_shared(kernel, left, right, shared),
                "code": summarize_kernel(kernel),
                "summary": f"The value is {value:.4f}; {len(shared.parts)} parts are shared.",
            }

        return await site.answer_page(request, "kernels", values, work)


def make_kernel(name: str, numbers: dict[str, float], wildcards: str, normalize: bool) -> Kernel:
    """Return the kernel that the controls of the page describe.

    >>> make_kernel("partial", {"decay": 0.4, "mu": 0.2}, "", True)
    PartialTree(mu=0.2)
    """
    decay = numbers["decay"]
    if name == "rewriting":
        most = int(numbers["k"])
        return Rewriting((1, most) if most > 1 else 1, wildcards, decay, normalize)
    if name == "partial":
        return PartialTree(decay, numbers["mu"], normalize=normalize)
    if name == "paths":
        return DependencyPaths(decay, normalize=normalize)
    return (SubTree if name == "subtrees" else SubsetTree)(decay, normalize=normalize)


def explain_kernel(kernel: Kernel, left: object, right: object) -> Explanation:
    """Return the parts that two items share; their contributions add up to the value of the kernel.

    >>> explain_kernel(Rewriting(1, normalize=False), ("a", "b"), ("a", "b")).parts[0].name
    'a → b'
    """
    if isinstance(kernel, Rewriting):
        decision = kernel.decision_function([left], np.ones((1, 1)))
        parts = order_parts(decision.parts(right, 0))
        shared = [part for part in parts if part.contribution]
        return Explanation(decision=sum(part.contribution for part in shared), parts=shared)
    assert isinstance(kernel, TreeKernel)
    return kernel.explain(left, right, n=None)


def _draw_shared(kernel: Kernel, left: object, right: object, shared: Explanation) -> str:
    """Return what two items share, marked on both of them, and how it adds up."""
    if not isinstance(kernel, Rewriting):
        return draw_explanation(shared, SHOWN, style=False)
    content: list[Markup] = []
    for name, pair, found in (("A", left, explain_kernel(kernel, right, left)), ("B", right, shared)):
        source, target = cast(tuple[str, str], pair)
        figure = choose_figure({"source": source, "target": target, **found.to_dict()})
        content += [element("h2", f"Pair {name}"), *write_figure(figure)]
    steps = list_steps(shared.to_dict(), SHOWN, figure.parts)
    return frame_figure(*content, element("h2", "What they share"), write_waterfall(steps), style=False)
