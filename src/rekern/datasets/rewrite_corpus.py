"""The embedded corpus: sentence pairs written for this package, in which only the way of re-writing tells what holds.

Every pair that holds has a twin that does not, made of (nearly) the same words: roles exchanged, a number or a negation
changed, cause and effect turned round. The held-out part speaks of other people, things and deeds than the training
part, and partly in sentences of other shapes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from string import Formatter
from typing import Any, Literal, NamedTuple, TypeVar, overload

from rekern.datasets.rewrite_templates import REWRITINGS, Template
from rekern.datasets.rewrite_words import TEST, TRAIN, Person, Verb, Words
from rekern.errors import InputError

SIZES = {"train": 1800, "test": 700}
UNSEEN_EVERY = 7  # one held-out pair in so many comes from a template that training never uses
NAMED_SHARE = 0.8  # of the people, those with a name; the others are "the baker"
FACT_SHARE = 0.25  # of the clauses, those about no person
BARE_SHARE = 0.6  # of the sentences, those without an adjunct
BOTH_SHARE = 0.2  # of the others, those with a time before and a place after them
MAX_DRAWS = 1000

_Item = TypeVar("_Item")
_Pairs = list[tuple[str, str]]
# The versions (source, target) of two rows made from one filling, used in turn: the first two fillings of a template,
# and the next two, hold each version of each sentence once in a pair that holds and once in one that does not.
_TWINS = (((1, 1), (1, 2)), ((2, 2), (2, 1)), ((1, 1), (2, 1)), ((2, 2), (1, 2)))


class PairDetail(NamedTuple):
    """Where a pair of the embedded corpus comes from: the re-writing, the template, and whether training lacks that.

    >>> load_rewrites("train", size=2, details=True)[2][0].unseen
    False
    """

    rewriting: str
    template: str
    unseen: bool


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


@overload
def load_rewrites(
    part: str = "train", seed: int = 0, size: int | None = None, *, details: Literal[False] = False
) -> tuple[_Pairs, list[int]]: ...


@overload
def load_rewrites(
    part: str = "train", seed: int = 0, size: int | None = None, *, details: Literal[True]
) -> tuple[_Pairs, list[int], list[PairDetail]]: ...


def load_rewrites(part: str = "train", seed: int = 0, size: int | None = None, *, details: bool = False) -> Any:
    """Sentence pairs of the embedded corpus, and labels: 1 if the second sentence follows from the first, 0 if not.

    ``part`` is ``"train"`` (1,800 pairs) or ``"test"`` (700 held-out pairs: other names, other content words, and one
    pair in seven from a template that training lacks); ``size`` asks for another number of pairs. The same arguments
    give the same pairs in every process and on every Python. With ``details=True`` a third list names the re-writing of
    each pair.

    >>> pairs, labels = load_rewrites("train")
    >>> len(pairs), sum(labels)
    (1800, 900)
    >>> pairs, labels, details = load_rewrites("test", size=2, details=True)
    >>> len(pairs), sorted(labels), details[0].rewriting in REWRITINGS
    (2, [0, 1], True)
    """
    if part not in SIZES:
        raise InputError(f"part is {part!r}; the embedded corpus has the parts 'train' and 'test'")
    size = SIZES[part] if size is None else size
    if size < 1:
        raise InputError(f"size is {size}; ask for at least one pair")
    rows = _rows(Random(2 * seed + (part == "test")), TRAIN if part == "train" else TEST, size, part == "test")
    pairs = [(source, target) for source, target, _, _ in rows]
    labels = [label for _, _, label, _ in rows]
    return (pairs, labels, [detail for *_, detail in rows]) if details else (pairs, labels)


def _rows(rng: Random, words: Words, size: int, held_out: bool) -> list[tuple[str, str, int, PairDetail]]:
    """``size`` different rows, the re-writings and their templates in turn, in random order."""
    names = _shuffled(rng, list(REWRITINGS))
    uses: dict[Template, int] = {}
    seen: set[tuple[str, str]] = set()
    rows: list[tuple[str, str, int, PairDetail]] = []
    for turn in range((size + 1) // 2):
        visit, place = divmod(turn, len(names))
        unseen = held_out and (visit + place) % UNSEEN_EVERY == 0
        template = min((t for t in REWRITINGS[names[place]] if t.unseen == unseen), key=lambda t: uses.get(t, 0))
        use = uses.get(template, 0)
        uses[template] = use + 1
        detail = PairDetail(names[place], f"{template.source} / {template.target}", unseen)
        for _ in range(MAX_DRAWS):
            twins = _twins(rng, words, template, _TWINS[use % 4])
            if seen.isdisjoint(twin[:2] for twin in twins):
                break
        else:
            raise InputError(
                f"size is {size}; the embedded corpus has no more pairs like {detail.template!r}: ask for fewer"
            )
        seen.update(twin[:2] for twin in twins)
        rows.extend((*twin, detail) for twin in twins)
    return _shuffled(rng, rows[:size])


def _twins(
    rng: Random, words: Words, template: Template, versions: tuple[tuple[int, int], ...]
) -> list[tuple[str, str, int]]:
    """Two rows from one filling of the template: one that holds, one that does not."""
    filling = _filling(rng, words, template)
    source_frame, target_frame = _frames(rng, words, template.adjunct)
    return [
        (
            _sentence(_version(template.source, template, filling, source), *source_frame),
            _sentence(_version(template.target, template, filling, target), *target_frame),
            int(source == target),
        )
        for source, target in versions
    ]


def _version(text: str, template: Template, filling: dict[str, Any], version: int) -> str:
    """The text with its first or its second alternatives, its slots filled as the version wants."""
    text = re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda match: match.group(version), text)
    if version == 2 and template.swap:
        one, two = template.swap.split()
        filling = {**filling, one: filling[two], two: filling[one]}
    return text.format(**filling)


def _filling(rng: Random, words: Words, template: Template) -> dict[str, Any]:
    """Something for each slot, no two slots alike."""
    plain = re.sub(r"[\[\]|]", "", template.source + template.target)
    slots = sorted({field.split(".")[0] for _, field, _, _ in Formatter().parse(plain) if field})
    filling: dict[str, Any] = {}
    used: set[str] = set()
    gender = _pick(rng, (("she", words.she), ("he", words.he)))
    for slot in slots:
        while True:
            value = _value(rng, words, slot, gender)
            names = _words_of(value)
            if used.isdisjoint(names):
                break
        used.update(names)
        filling[slot] = value
    return filling


def _value(rng: Random, words: Words, slot: str, gender: tuple[str, tuple[str, ...]]) -> Any:
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
        return _Clause(str(_value(rng, words, "A", gender)), _pick(rng, words.move))
    return _pick(rng, getattr(words, pool))


def _words_of(value: Any) -> set[str]:
    text = f"{value.subject} {value.verb}" if isinstance(value, _Clause) else str(value)
    return set(text.split()) - {"the"}


def _frames(rng: Random, words: Words, adjunct: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """What stands before and after the source, and before and after the target: the same adjuncts, at times moved."""
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


def _sentence(body: str, before: str, after: str) -> str:
    """The words as a sentence: adjuncts, *a* or *an*, capital letter, full stop."""
    if before:
        body = f"{before}{'' if before.endswith(' that') else ','} {body}"
    if after:
        body = f"{body} {after}"
    body = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", body)
    start = 1 if body.startswith('"') else 0
    body = body[:start] + body[start].upper() + body[start + 1 :]
    return body[:-1] + '."' if body.endswith('"') else body + "."


def _pick(rng: Random, items: Sequence[_Item]) -> _Item:
    # Only random() itself is promised to stay the same from one Python to the next; choice and shuffle are not.
    return items[int(rng.random() * len(items))]


def _shuffled(rng: Random, items: Sequence[_Item]) -> list[_Item]:
    return [item for _, item in sorted(((rng.random(), item) for item in items), key=lambda keyed: keyed[0])]
