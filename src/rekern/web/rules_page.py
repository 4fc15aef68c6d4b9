"""The page Rules: search and sort rules and curves; where each one speaks, for and against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlencode

import numpy as np
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from rekern.drawing.curve_plots import make_plot, write_plots
from rekern.kernels.rewriting.rule_decision import RuleDecision
from rekern.kernels.rewriting.strong_rules import STORED, RulePlace, WeightedRule, find_rule_places
from rekern.kernels.score_effects import ScoreEffect
from rekern.learning.model_rules import ModelRules
from rekern.learning.pair_regressor import PairRegressor
from rekern.learning.rule_listing import find_pair_texts, list_rules
from rekern.web.job_queue import Job
from rekern.web.page_state import PageState
from rekern.web.served_models import ServedModel
from rekern.web.site import Site

SHOWN = 60  # rules in the list
SHOWN_PLACES = 6  # pairs of each label
SECONDS = 2.0  # for the search of pairs
NO_PAIRS = "The model file has no training pairs: train it with --keep-pairs (in Python, save it with keep_pairs=True)."
SIDES = {"all": "for and against", "for": "for", "against": "against"}
ORDERS = {"weight": "weight", "support": "number of pairs", "rule": "words"}


def add_routes(app: FastAPI, site: Site) -> None:
    """Add the page."""

    @lru_cache(maxsize=16)
    def find_rules(model: ServedModel, label: str | None) -> dict[object, ModelRules]:
        return list_rules(model.model, STORED, label)

    @app.get("/rules", include_in_schema=False)
    async def rules(request: Request) -> Response:
        state = PageState(site, request)
        model = state.model()
        label = state.text("label") or None
        if label is None and len(model.classes) > 2:
            label = str(model.classes[0])
        chosen, score = state.text("rule"), state.text("score")
        search, side, order = state.text("search"), state.choice("side", SIDES), state.choice("order", ORDERS)
        fields = {"model": model.name, "label": label or "", "search": search, "side": side, "order": order}
        values: dict[str, object] = {
            **fields,
            "model": model,
            "label": label,
            "sides": SIDES,
            "orders": ORDERS,
            "chosen": chosen,
            "score": score,
        }

        def work(job: Job) -> dict[str, object]:
            ((about, both),) = find_rules(model, label).items()
            listed = [*both.favoring, *both.opposing]
            found = sort_rules(search_rules(listed, search, side), order)
            rule = next((rule for rule in listed if rule.rule == chosen), None)
            effect = next((effect for effect in both.scores if effect.name == score), None)
            job.check()
            return {
                "about": about,
                "rules": [(rule, _make_address(fields, rule=rule.rule)) for rule in found[:SHOWN]],
                "count": len(found),
                "total": len(listed),
                "scores": [
                    (effect, _make_address(fields, score=effect.name))
                    for effect in both.scores
                    if has_words(effect.description, search)
                ],
                "plot": _draw_effect(effect) if effect else None,
                "effect": effect,
                "places": _describe_places(model, rule) if rule else None,
                "rule": rule,
                "summary": f"{len(found):,} rules",
            }

        return await site.answer_page(request, "rules", values, work)


def search_rules(rules: list[WeightedRule], search: str, side: str) -> list[WeightedRule]:
    """Return the rules with all words of a search, in the rule or in its example.

    >>> rule = WeightedRule("⟨1⟩ ate → ⟨1⟩ eats", 0.5, 12, 0, "she ate", "she eats")
    >>> len(search_rules([rule], "EATS she", "for")), len(search_rules([rule], "eats", "against"))
    (1, 0)
    """
    return [
        rule
        for rule in rules
        if side == "all" or (rule.weight > 0) == (side == "for")
        if has_words(f"{rule.rule} {rule.source} {rule.target}", search)
    ]


def has_words(text: str, search: str) -> bool:
    """Whether a text has all words of a search, which may be parts of its words.

    >>> has_words("Length of the source", "source leng"), has_words("length", "source")
    (True, False)
    """
    whole = text.casefold()
    return all(word in whole for word in search.casefold().split())


def sort_rules(rules: list[WeightedRule], order: str) -> list[WeightedRule]:
    """Return rules in an order: by the size of the weight, by support or by their words.

    >>> rules = [WeightedRule("b → b", 0.5, 12, 0, "b", "b"), WeightedRule("a → a", -0.7, 2, 0, "a", "a")]
    >>> [rule.rule for rule in sort_rules(rules, "weight")]
    ['a → a', 'b → b']
    """
    if order == "rule":
        return sorted(rules, key=lambda rule: rule.rule)
    if order == "support":
        return sorted(rules, key=lambda rule: (-rule.support, rule.rule))
    return sorted(rules, key=lambda rule: (-abs(rule.weight), rule.rule))


def _make_address(fields: dict[str, str], **more: str) -> str:
    return "/rules?" + urlencode({**fields, **more})


def _draw_effect(effect: ScoreEffect) -> str:
    return write_plots([make_plot(effect.to_dict())])


def _describe_places(model: ServedModel, rule: WeightedRule) -> dict[str, object]:
    """Return the training pairs that a rule matches, those of each label, as far as they are found in time."""
    trained = model.model
    leaf = next((term for term in trained.scorer_.terms() if isinstance(term, RuleDecision)), None)
    pairs = trained.list_tokens() if trained.has_pairs() else None
    if leaf is None or pairs is None:
        return {"groups": [], "remark": NO_PAIRS}
    places, count = find_rule_places(leaf.extractor, pairs, rule, SECONDS)
    labels = name_labels(trained.labels_.tolist(), isinstance(trained, PairRegressor))
    numbers = Counter(labels[place.pair] for place in places)
    groups = [
        {
            "label": label,
            "count": number,
            "pairs": [
                _describe_place(model, place) for place in [p for p in places if labels[p.pair] == label][:SHOWN_PLACES]
            ],
        }
        for label, number in sorted(numbers.items(), key=lambda item: item[0], reverse=True)
    ]
    remark = "" if count == len(pairs) else f"Among the first {count:,} of {len(pairs):,} training pairs."
    return {"groups": groups, "remark": remark}


def name_labels(labels: Sequence[object], are_numbers: bool) -> list[str]:
    """Return the group of each label in words: the label itself, or on which side of the mean a number is.

    >>> name_labels(["yes", "no"], False)
    ['the label yes', 'the label no']
    >>> name_labels([0.5, 4.5], True)
    ['a label below the mean of 2.5', 'a label from the mean of 2.5 on']
    """
    if not are_numbers:
        return [f"the label {label}" for label in labels]
    numbers = np.asarray(labels, dtype=float)
    mean = float(numbers.mean())
    sides = (f"a label below the mean of {mean:.3g}", f"a label from the mean of {mean:.3g} on")
    return [sides[int(number >= mean)] for number in numbers]


def _describe_place(model: ServedModel, place: RulePlace) -> dict[str, str]:
    source, target = find_pair_texts(model.model, place.pair)
    address = "/pair?" + urlencode({"model": model.name, "source": source, "target": target})
    return {"source": source, "target": target, "words": f"{place.source} → {place.target}", "address": address}
