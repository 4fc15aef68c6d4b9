"""The parts of a decision about a pair in both orders: what both orders have is one part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rekern.core.explanation_parts import Part, PartBlock, PartList, list_blocks, make_block
from rekern.kernels.rewriting.rule_text import ARROW, mirror_rule

N_LARGEST = 400  # parts of each order that are compared; a reader looks at fewer, and the others are written later


def merge_orders(pair: Sequence[Part], reverse: Sequence[Part]) -> Sequence[Part]:
    """Return the parts of a pair and of the reversed pair, as parts of the pair.

    A rule a → b of the pair and its mirror image b → a of the reversed pair are one part, a ↔ b, and so are the two
    values of a score. Only the largest parts of both orders are compared; the sum of all is always the same.

    >>> parts = merge_orders([Part("rule", "big → large", 0.5, 2.0)], [Part("rule", "large → big", 0.5, 2.0)])
    >>> [part.to_text() for part in parts]
    ['+2.0000  big ↔ large']
    >>> parts = merge_orders([Part("score", "recall", 1.0, score=0.5)], [Part("score", "recall", 2.0, score=0.75)])
    >>> [part.to_text() for part in parts]
    ['+3.0000  recall (0.75 in the other order): 0.50']
    """
    own, mirrored = (PartList.from_blocks(list_blocks(parts)) for parts in (pair, reverse))
    own_order, mirrored_order = (np.argsort(-np.abs(parts.contributions), kind="stable") for parts in (own, mirrored))
    ours = _number_parts(own.pick(own_order[:N_LARGEST]))
    theirs = _number_parts([mirror_part(part) for part in mirrored.pick(mirrored_order[:N_LARGEST])])
    merged = [_merge(part, theirs.pop(key)) if key in theirs else part for key, part in ours.items()]
    own_rest, mirrored_rest = own_order[N_LARGEST:], mirrored_order[N_LARGEST:]
    return PartList.from_blocks(
        [
            make_block([*merged, *theirs.values()]),
            PartBlock(own.contributions[own_rest], lambda numbers: own.pick(own_rest[numbers])),
            PartBlock(
                mirrored.contributions[mirrored_rest],
                lambda numbers: [mirror_part(part) for part in mirrored.pick(mirrored_rest[numbers])],
            ),
        ]
    )


def mirror_part(part: Part) -> Part:
    """Return a part of the reversed pair as a part of the pair: its sides are exchanged.

    >>> part = mirror_part(Part("rule", "⟨1⟩ won → beat ⟨1⟩", 1.0, source="she won", target="beat her"))
    >>> part.name, part.to_words(), part.source
    ('beat ⟨1⟩ → ⟨1⟩ won', 'beat ⟨1⟩ ← ⟨1⟩ won', 'beat her')
    """
    if part.kind != "rule":
        words = part.description or part.name
        return part._replace(source=part.target, target=part.source, description=f"{words} (in the other order)")
    name = mirror_rule(part.name)
    words = name.replace(ARROW, " ← ", 1)
    return part._replace(name=name, source=part.target, target=part.source, description=words)


def _number_parts(parts: Sequence[Part]) -> dict[tuple[str, str, int], Part]:
    """Return parts by their kind, their name, and how often both came before: two terms of a sum may share a rule."""
    counts: Counter[tuple[str, str]] = Counter()
    found = {}
    for part in parts:
        found[part.kind, part.name, counts[part.kind, part.name]] = part
        counts[part.kind, part.name] += 1
    return found


def _merge(part: Part, mirrored: Part) -> Part:
    if part.weight == mirrored.weight:
        value, weight = part.value + mirrored.value, part.weight
    else:
        value, weight = part.contribution + mirrored.contribution, 1.0
    return part._replace(value=value, weight=weight, description=_describe(part, mirrored))


def _describe(part: Part, mirrored: Part) -> str:
    if part.kind == "rule":
        return part.name.replace(ARROW, " ↔ ", 1)
    words = part.description or part.name
    if mirrored.score is None or (part.score, part.other) == (mirrored.score, mirrored.other):
        return words
    other = f"{mirrored.score:.2f}" + ("" if mirrored.other is None else f" × {mirrored.other:.2f}")
    return f"{words} ({other} in the other order)"
