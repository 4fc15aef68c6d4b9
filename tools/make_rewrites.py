"""Make the embedded corpus (`rekern.datasets.load_rewrites`): ``python tools/make_rewrites.py`` writes its two files.

`rekern.datasets.rewrite_corpus` says what the corpus is.
"""

import bz2
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from string import Formatter
from typing import TypeVar

from rekern.datasets.rewrite_corpus import PairDetail
from rekern.errors import InputError
from rewrite_templates import REWRITINGS, Template
from rewrite_words import TEST, TRAIN, Person, Verb, Words

FOLDER = Path(__file__).resolve().parents[1] / "src/rekern/datasets/data"

SIZES = {"train": 1800, "test": 700}
UNSEEN_EVERY = 7  # one held-out pair in seven comes from a template that training does not use
NAMED_SHARE = 0.8  # the share of people with a name; the others are such as "the baker"
FACT_SHARE = 0.25  # the share of clauses that are not about a person
BARE_SHARE = 0.6  # the share of sentences without an adjunct
BOTH_SHARE = 0.2  # the share of the other sentences that have a time before and a place after them
MAX_DRAWS = 1000

_Item = TypeVar("_Item")
Row = tuple[str, str, int, PairDetail]  # a pair, its label and its origin
# The versions (source, target) of the positive and the negative pair of one filling. They are used in turn, so that in
# two successive fillings of a template each version of each sentence is in one positive and one negative pair.
_TWINS = (((1, 1), (1, 2)), ((2, 2), (2, 1)), ((1, 1), (2, 1)), ((2, 2), (1, 2)))


@dataclass(frozen=True)
class _Clause:
    subject: str
    verb: Verb

    @property
    def then(self) -> str:
        return f"{self.subject} {self.verb.past}"

    @property
    def s(self) -> str:
        return f"{self.subject} {self.verb.s}"

    @property
    def will(self) -> str:
        return f"{self.subject} will {self.verb.base}"

    @property
    def will_not(self) -> str:
        return f"{self.subject} will not {self.verb.base}"


def make_file(part: str) -> bytes:
    """Return the file of a part, the same bytes every time: a line for each pair, in the order in which it is read.

    A line has the number of the pair among those drawn, the pair, its label, the re-writing, the template, and whether
    training lacks it.
    """
    lines = [
        "\t".join(map(str, (number, source, target, label, *detail[:2], int(detail.unseen))))
        for number, (source, target, label, detail) in draw_pairs(part)
    ]
    return bz2.compress("".join(f"{line}\n" for line in lines).encode())


def draw_pairs(part: str, seed: int = 0, size: int | None = None) -> list[tuple[int, Row]]:
    """Draw the pairs of a part, or another number of them, with other seeds others; each with its number, shuffled."""
    size = SIZES[part] if size is None else size
    return _draw_rows(Random(2 * seed + (part == "test")), TRAIN if part == "train" else TEST, size, part == "test")


def _draw_rows(rng: Random, words: Words, size: int, held_out: bool) -> list[tuple[int, Row]]:
    """Draw ``size`` different rows, from all re-writings and their templates in turn, and shuffle them."""
    names = _shuffle(rng, list(REWRITINGS))
    uses: dict[Template, int] = {}
    seen: set[tuple[str, str]] = set()
    rows: list[Row] = []
    for turn in range((size + 1) // 2):
        visit, place = divmod(turn, len(names))
        unseen = held_out and (visit + place) % UNSEEN_EVERY == 0
        template = min((t for t in REWRITINGS[names[place]] if t.unseen == unseen), key=lambda t: uses.get(t, 0))
        use = uses.get(template, 0)
        uses[template] = use + 1
        detail = PairDetail(names[place], f"{template.source} / {template.target}", unseen)
        for _ in range(MAX_DRAWS):
            twins = _draw_twins(rng, words, template, _TWINS[use % 4])
            if seen.isdisjoint(twin[:2] for twin in twins):
                break
        else:
            raise InputError(
                f"size is {size}; the embedded corpus has no more pairs like {detail.template!r}: ask for fewer"
            )
        seen.update(twin[:2] for twin in twins)
        rows.extend((*twin, detail) for twin in twins)
    return _shuffle(rng, list(enumerate(rows[:size])))


def _draw_twins(
    rng: Random, words: Words, template: Template, versions: tuple[tuple[int, int], ...]
) -> list[tuple[str, str, int]]:
    """Make two rows from one filling of the template: a positive and a negative one."""
    filling = _draw_filling(rng, words, template)
    source_frame, target_frame = _draw_frames(rng, words, template.adjunct)
    return [
        (
            _write_sentence(_write_version(template.source, template, filling, source), *source_frame),
            _write_sentence(_write_version(template.target, template, filling, target), *target_frame),
            int(source == target),
        )
        for source, target in versions
    ]


def _write_version(text: str, template: Template, filling: dict[str, object], version: int) -> str:
    """Return the text with the alternatives of this version, and its slots filled."""
    text = re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda match: match.group(version), text)
    if version == 2 and template.swap:
        one, two = template.swap.split()
        filling = {**filling, one: filling[two], two: filling[one]}
    return text.format(**filling)


def _draw_filling(rng: Random, words: Words, template: Template) -> dict[str, object]:
    """Draw a value for each slot, so that no two values have a word in common."""
    plain = re.sub(r"[\[\]|]", "", template.source + template.target)
    slots = sorted({field.split(".")[0] for _, field, _, _ in Formatter().parse(plain) if field})
    filling: dict[str, object] = {}
    used: set[str] = set()
    gender = _pick(rng, (("she", words.she), ("he", words.he)))
    for slot in slots:
        while True:
            value = _draw_value(rng, words, slot, gender)
            names = _list_words(value)
            if used.isdisjoint(names):
                break
        used.update(names)
        filling[slot] = value
    return filling


def _draw_value(rng: Random, words: Words, slot: str, gender: tuple[str, tuple[str, ...]]) -> object:
    pool = slot.rstrip("0123456789")
    if pool in ("P", "Q"):
        return Person(_pick(rng, gender[1]), gender[0])
    if pool in ("K", "L") or (pool in ("A", "B", "C") and rng.random() < NAMED_SHARE):
        return Person(_pick(rng, words.she + words.he))
    if pool in ("A", "B", "C"):
        return Person(f"the {_pick(rng, words.role)}")
    if pool == "clause" and rng.random() < FACT_SHARE:
        return _Clause(*_pick(rng, words.fact))
    if pool == "clause":
        return _Clause(str(_draw_value(rng, words, "A", gender)), _pick(rng, words.move))
    return _pick(rng, getattr(words, pool))


def _list_words(value: object) -> set[str]:
    text = f"{value.subject} {value.verb}" if isinstance(value, _Clause) else str(value)
    return set(text.split()) - {"the"}


def _draw_frames(rng: Random, words: Words, adjunct: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Draw the texts before and after the source and the target: the same adjuncts, sometimes at the other end."""
    if not adjunct or rng.random() < BARE_SHARE:
        return ("", ""), ("", "")
    if adjunct == "aside":
        opening = (_pick(rng, words.aside), "")
        return opening, opening
    if adjunct == "front":
        opening = (_pick(rng, words.when), "")
        return opening, opening
    first = _pick(rng, words.later if adjunct == "future" else words.when + words.where)
    if adjunct == "past" and rng.random() < BOTH_SHARE:
        frame = (_pick(rng, words.when), _pick(rng, words.where))
        return frame, frame
    frames = ((first, ""), ("", first))
    source = int(rng.random() < 0.7)
    target = source if rng.random() < 0.8 else 1 - source
    return frames[source], frames[target]


def _write_sentence(body: str, before: str, after: str) -> str:
    """Make a sentence: add the adjuncts, choose *a* or *an*, add the capital letter and the full stop."""
    if before:
        body = f"{before}{'' if before.endswith(' that') else ','} {body}"
    if after:
        body = f"{body} {after}"
    body = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", body)
    start = 1 if body.startswith('"') else 0
    body = body[:start] + body[start].upper() + body[start + 1 :]
    return body[:-1] + '."' if body.endswith('"') else body + "."


def _pick(rng: Random, items: Sequence[_Item]) -> _Item:
    # only random() is guaranteed to be the same in every version of Python; choice and shuffle are not
    return items[int(rng.random() * len(items))]


def _shuffle(rng: Random, items: Sequence[_Item]) -> list[_Item]:
    return [item for _, item in sorted(((rng.random(), item) for item in items), key=lambda keyed: keyed[0])]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in SIZES:
        (FOLDER / f"rewrites-{name}.tsv.bz2").write_bytes(make_file(name))
