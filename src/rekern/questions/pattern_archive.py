"""Patterns as they are stored in model files: JSON and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import AnyArray, Floats, SmallInts
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.core.state_schema import (
    Anything,
    Array,
    Choice,
    Either,
    Flag,
    Labels,
    ListOf,
    MapOf,
    Number,
    Optional,
    Record,
    Schema,
    Text,
    Texts,
    Whole,
)
from rekern.errors import ModelFileError
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.pattern_collection import PatternCollection, Patterns
from rekern.questions.regular_expressions import RegularExpressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.strict_patterns import StrictPatterns

LONGEST_NGRAM = 1000
MOST_EXPRESSIONS = 2000  # each may have a thousand states
SHARE = Number(0.0, 1.0)
ORDERS = ListOf(Whole(1, LONGEST_NGRAM), kind=(list, tuple), most=100)
OF = Choice("words", "content")
KINDS: dict[str, Record] = {
    "strict": Record(
        kind=Anything(),
        of=Choice("words", "shapes"),
        patterns=ListOf(ListOf(Either(None, Text()), most=LONGEST_NGRAM)),
        rarity=MapOf(Whole()),
    ),
    "expression": Record(kind=Anything(), expressions=ListOf(Text(), most=MOST_EXPRESSIONS)),
    "n-gram": Record(kind=Anything(), of=OF, terms=Texts(), orders=ORDERS, stems=Flag()),
    "soft": Record(kind=Anything(), terms=Texts(), orders=ORDERS, stems=Flag(), floor=SHARE),
}
SOFT_ARRAYS = Record(
    weights=Array("f8", "terms", least=0.0),
    offsets=Array("i4", "clusters+1", offsets="entries"),
    indices=Array("i4", "entries", least=0, below="terms"),
    data=Array("f8", "entries"),
    sizes=Array("i4", "clusters", least=0),
)
PARAMETERS = Record(
    method=Choice("mss", "msb", "mb"),
    share=SHARE,
    penalty=Number(0.0),
    start=Number(0.0),
    worlds=Choice("all", "one"),
    prior=Flag(),
    tagger=Text(1000),
    expressions=Choice(None),  # they are among the patterns
    shortest=Whole(1),
    longest=Whole(1),
    top=Whole(),
    min_count=Whole(1),
    keywords=Whole(),
    shapes=Flag(),
    orders=ORDERS,
    stems=Flag(),
    idf=Flag(),
    near=SHARE,
    floor=SHARE,
)
QUESTION_SCHEMA = Schema(
    PARAMETERS,
    header=Record(
        format=Anything(),
        version=Anything(),
        written_by=Optional(Anything()),
        model=Anything(),
        parameters=Anything(),
        classes=Labels(least=2),
        parts=ListOf(Anything(), most=1000),  # by `KINDS`
    ),
)


MOST_WHOLE = 1 << 31

Arrays = dict[str, AnyArray]
Description = JsonObject  # of patterns of one kind


def describe_patterns(patterns: PatternCollection, arrays: Arrays) -> list[Description]:
    """Return patterns as JSON; arrays are put into ``arrays``, under names."""
    return [_describe_part(part, number, arrays) for number, part in enumerate(patterns.parts)]


def build_patterns(descriptions: Sequence[Description], archive: OpenArchive) -> PatternCollection:
    """Build patterns from what `describe_patterns` wrote down, and check them."""
    return PatternCollection([_build_part(part, number, archive) for number, part in enumerate(descriptions)])


def _describe_part(part: Patterns, number: int, arrays: Arrays) -> Description:
    if isinstance(part, StrictPatterns):
        frequencies = {word: int(part.frequencies.get(word, 0)) for word in part.number}
        return {"kind": "strict", "of": part.of, "patterns": part.patterns, "rarity": frequencies}
    if isinstance(part, RegularExpressions):
        return {"kind": "expression", "expressions": part.expressions}
    described: Description = {"terms": part.terms, "orders": part.orders, "stems": bool(part.stems)}
    if isinstance(part, NGramPatterns):
        return {"kind": "n-gram", "of": part.of, **described}
    centroids = part.centroids
    arrays |= {
        f"soft{number}-weights": part.weights,
        f"soft{number}-data": centroids.data,
        f"soft{number}-indices": centroids.indices,
        f"soft{number}-offsets": centroids.indptr,
        f"soft{number}-sizes": part.sizes,
    }
    return {"kind": "soft", "floor": float(part.floor), **described}


def _build_part(part: Description, number: int, archive: OpenArchive) -> Patterns:
    kind = part.get("kind") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelFileError(f"it has patterns of an unknown kind {str(kind)[:40]!r}")
    KINDS[kind].check(part, f"{kind} patterns")
    if kind == "strict":
        return _build_strict(part)
    if kind == "expression":
        return RegularExpressions(part["expressions"])
    terms, orders = part["terms"], tuple(part["orders"])
    if not orders:
        raise ModelFileError("its n-grams are of an unknown kind")
    if kind == "n-gram":
        return NGramPatterns(terms, orders, part["of"], bool(part["stems"]))
    found: dict[str, AnyArray] = {
        name: archive.read_array(f"soft{number}-{name}", 1) for name in ("weights", "data")
    } | {name: _read_whole_numbers(archive, f"soft{number}-{name}") for name in ("offsets", "indices", "sizes")}
    SOFT_ARRAYS.check(found, "soft patterns", {"terms": len(terms)})
    shape = (len(found["sizes"]), len(terms))
    centroids = csr_array((found["data"], found["indices"], found["offsets"]), shape=shape)
    sizes, weights = found["sizes"].astype(np.int64), cast("Floats", found["weights"])
    return SoftPatterns(terms, weights, centroids, sizes, orders, bool(part["stems"]), float(part["floor"]))


def _build_strict(part: Description) -> StrictPatterns:
    patterns = [tuple(pattern) for pattern in part["patterns"]]
    if not all(any(pattern) for pattern in patterns):
        raise ModelFileError("one of its strict patterns has no word")
    return StrictPatterns(patterns, part["rarity"], part["of"])


def _read_whole_numbers(archive: OpenArchive, name: str) -> SmallInts:
    array = archive.read_array(name, 1)
    if (np.abs(array) >= MOST_WHOLE).any() or (np.trunc(array) != array).any():
        raise ModelFileError(f"its {name} are not whole numbers")
    return array.astype(np.int32)
