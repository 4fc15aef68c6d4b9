"""Which columns of a table hold the two texts and the label, found by names that are common in public tables.

Names are compared without case, spaces and punctuation: ``Question 1``, ``question_1`` and ``QUESTION1`` are the same.
No texts are guessed where two answers are possible. Of several labels the first of `LABELS` is taken.
"""

from collections.abc import Sequence

__all__ = ["find_label", "find_name", "find_sides", "find_text", "is_sure_label", "simplify_name"]

# names of the two sides that say what they are even beside a column ``text``
FIRST_SIDES = frozenset(
    {
        ("source", "target"),
        ("question1", "question2"),
        ("sentence1", "sentence2"),
        ("premise", "hypothesis"),
        ("text", "hypothesis"),  # RTE
        ("s1", "s2"),  # MSRP, as many copies have it
        ("1string", "2string"),  # MSRP as it was published: "#1 String"
    }
)
STEMS = (
    "question",
    "q",
    "sentence",
    "sent",
    "s",
    "text",
    "string",
    "phrase",
    "query",
    "title",
    "utterance",
    "paragraph",
    "passage",
    "document",
    "doc",
)
ENDINGS = (("1", "2"), ("a", "b"))
OTHER_SIDES = frozenset(
    {
        *((stem + first, stem + second) for stem in STEMS for first, second in ENDINGS),
        ("query", "passage"),
        ("query", "document"),
        ("query", "answer"),
        ("question", "passage"),
        ("question", "sentence"),
        ("question", "answer"),
        ("original", "paraphrase"),
    }
)
LABELS = ("label", "isduplicate", "goldlabel", "duplicate", "quality", "entailment", "class", "score", "similarity")
UNSURE_LABELS = ("class", "score", "similarity")  # a search engine writes scores, too
TEXTS = ("text", "question", "sentence", "query", "title", "passage", "document")


def simplify_name(name: object) -> str:
    """Return a name of a column without case, spaces and punctuation; nothing for what is no name.

    >>> simplify_name("Question 1"), simplify_name("text_A"), simplify_name(7)
    ('question1', 'texta', '')
    """
    return "".join(filter(str.isalnum, name.casefold())) if isinstance(name, str) else ""


def find_name(names: Sequence[object], name: object) -> int | None:
    """Return the place of the only column with this name in upper or lower case, or None.

    >>> find_name(["id", "Label"], "label"), find_name(["LABEL", "Label"], "label")
    (1, None)
    """
    if not isinstance(name, str):
        return None
    wanted = name.strip().casefold()
    same = [place for place, own in enumerate(names) if isinstance(own, str) and own.strip().casefold() == wanted]
    return same[0] if len(same) == 1 else None


def find_sides(names: Sequence[object]) -> tuple[int, int] | None:
    """Return the places of the two texts of a table of pairs, or None if no names, or several ones, tell them.

    >>> find_sides(["id", "Text_A", "Text_B", "label"]), find_sides(["question", "answer", "passage"])
    ((1, 2), None)
    """
    simple = [simplify_name(name) for name in names]
    if "source" in simple and "target" in simple:
        known = [("source", "target")]
    else:
        known = [sides for sides in FIRST_SIDES if set(sides) <= set(simple)]
        if "text" not in simple:
            known += [sides for sides in OTHER_SIDES - FIRST_SIDES if set(sides) <= set(simple)]
    if len(known) != 1 or any(simple.count(side) > 1 for side in known[0]):
        return None
    source, target = known[0]
    return simple.index(source), simple.index(target)


def find_label(names: Sequence[object]) -> int | None:
    """Return the place of the label in a table of pairs or of single texts, or None.

    Where the texts are called ``source`` and ``target``, the label is called ``label``: other columns may be anything,
    such as the score that `rekern match` writes.

    >>> find_label(["question1", "question2", "Is_Duplicate"]), find_label(["source", "target", "score"])
    (2, None)
    """
    simple = [simplify_name(name) for name in names]
    sides = find_sides(names)
    known: tuple[str, ...] = ("label",)
    if sides is not None and simple[sides[0]] != "source":
        known = LABELS
    elif sides is None and "text" in simple:
        known = ("label", "class")
    for label in known:
        if label in simple:
            return simple.index(label) if simple.count(label) == 1 else None
    return None


def is_sure_label(name: object) -> bool:
    """Whether a column that `find_label` has found is surely a label, also where nobody asks for labels.

    >>> is_sure_label("Is_Duplicate"), is_sure_label("score")
    (True, False)
    """
    return simplify_name(name) not in UNSURE_LABELS


def find_text(names: Sequence[object]) -> int | None:
    """Return the place of the text in a table of single texts, or None.

    >>> find_text(["id", "Question"]), find_text(["question", "title"])
    (1, None)
    """
    simple = [simplify_name(name) for name in names]
    known = ["text"] if "text" in simple else [name for name in TEXTS if name in simple]
    return simple.index(known[0]) if len(known) == 1 and simple.count(known[0]) == 1 else None
