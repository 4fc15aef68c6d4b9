"""What a change of the texts changes in a decision, part by part."""

from __future__ import annotations

from rekern.core.explanations import Explanation, Part
from rekern.drawing.decision_steps import DrawnPart, Step
from rekern.drawing.markup import Markup, element
from rekern.drawing.page import frame_figure
from rekern.drawing.waterfall import write_waterfall
from rekern.learning.pair_explanation import PairExplanation

SHOWN = 6
LEAST = 5e-4  # a smaller change is not shown on its own


def list_changes(before: Explanation, after: Explanation) -> list[Step]:
    """Return the steps from the decision before to the decision now: what each part adds more or less than before.

    >>> before = Explanation(decision=1.0, parts=[Part("rule", "a → b", 1.0)])
    >>> after = Explanation(decision=0.5, parts=[Part("rule", "a → c", 0.5)])
    >>> for step in list_changes(before, after):
    ...     print(step.text, step.start, step.end)
    before 0.0 1.0
    a → b (gone) 1.0 0.0
    a → c (new) 0.0 0.5
    now 0.0 0.5
    """
    old, new = _index_parts(before), _index_parts(after)
    changes = []
    for key in old | new:
        was, now = old.get(key), new.get(key)
        change = (now.contribution if now else 0.0) - (was.contribution if was else 0.0)
        if change:
            changes.append((change, was, now))
    strong = [change for change in changes if abs(change[0]) >= LEAST]
    shown = sorted((_describe_change(*change) for change in strong), key=lambda change: (-abs(change[0]), change[1]))
    shown = shown[:SHOWN]
    steps, level = [Step("before", 0.0, before.decision, is_total=True)], before.decision
    for change, text, part in shown:
        drawn = DrawnPart(part.kind, part.name, text, change, part.source, part.target, part.score, other=part.other)
        steps.append(Step(text, level, level + change, drawn))
        level += change
    others = len(changes) - len(shown)
    if others > 0 or abs(after.decision - level) > LEAST:
        text = f"{others:,} smaller change{'s' if others != 1 else ''}" if others > 0 else "the rest"
        steps.append(Step(text, level, after.decision))
    return [*steps, Step("now", 0.0, after.decision, is_total=True)]


def _describe_change(change: float, was: Part | None, now: Part | None) -> tuple[float, str, Part]:
    part = now or was
    assert part is not None
    return change, part.to_words() + (" (new)" if was is None else " (gone)" if now is None else ""), part


def draw_changes(before: PairExplanation, after: PairExplanation) -> Markup:
    """Return the changes as a waterfall, under what was and what is predicted."""
    words = element("small", f"{describe_prediction(before)} → {describe_prediction(after)}")
    heading = element("h2", "What changed ", words)
    return frame_figure(heading, write_waterfall(list_changes(before, after)), style=False)


def describe_prediction(found: PairExplanation) -> str:
    """Return the prediction and its probability.

    >>> describe_prediction(PairExplanation(source="a", target="b", prediction=1, probability=0.75, decision=1.0))
    '1, 75.0 %'
    """
    prediction = f"{found.prediction:.3f}" if isinstance(found.prediction, float) else str(found.prediction)
    return prediction if found.probability is None else f"{prediction}, {100 * found.probability:.1f} %"


def _index_parts(explanation: Explanation) -> dict[tuple[str, str], Part]:
    return {(part.kind, part.name): part for part in explanation.parts}
