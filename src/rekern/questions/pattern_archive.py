"""Patterns as they are stored in model files: JSON and arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from rekern.core.arrays import AnyArray, SmallInts
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.errors import ModelFileError
from rekern.questions.ngram_patterns import NGramPatterns
from rekern.questions.pattern_collection import PatternCollection, Patterns
from rekern.questions.regular_expressions import RegularExpressions
from rekern.questions.soft_patterns import SoftPatterns
from rekern.questions.strict_patterns import StrictPatterns

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
    if part["kind"] == "strict":
        return _build_strict(part)
    if part["kind"] == "expression":
        return RegularExpressions([str(expression) for expression in part["expressions"]])
    terms = [str(term) for term in part["terms"]]
    orders = tuple(int(order) for order in part["orders"])
    if not orders or min(orders) < 1 or part.get("of", "words") not in ("words", "content"):
        raise ModelFileError("its n-grams are of an unknown kind")
    if part["kind"] == "n-gram":
        return NGramPatterns(terms, orders, str(part["of"]), bool(part["stems"]))
    if part["kind"] != "soft":
        raise ModelFileError(f"it has patterns of an unknown kind {part['kind']!r}")
    data, weights = archive.read_array(f"soft{number}-data", 1), archive.read_array(f"soft{number}-weights", 1)
    indices, offsets = (_read_whole_numbers(archive, f"soft{number}-{name}") for name in ("indices", "offsets"))
    if len(weights) != len(terms) or len(indices) != len(data) or (len(data) and indices.max() >= len(terms)):
        raise ModelFileError("its soft patterns do not fit together")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(data) or (np.diff(offsets) < 0).any():
        raise ModelFileError("its soft patterns do not fit together")
    sizes = archive.read_array(f"soft{number}-sizes", 1).astype(np.int64)
    centroids = csr_array((data, indices, offsets), shape=(len(offsets) - 1, len(terms)))
    return SoftPatterns(terms, weights, centroids, sizes, orders, bool(part["stems"]), float(part["floor"]))


def _build_strict(part: Description) -> StrictPatterns:
    if part["of"] not in ("words", "shapes"):
        raise ModelFileError("its strict patterns are of an unknown kind")
    patterns = [tuple(None if word is None else str(word) for word in pattern) for pattern in part["patterns"]]
    if not all(any(pattern) for pattern in patterns):
        raise ModelFileError("one of its strict patterns has no word")
    return StrictPatterns(patterns, {str(word): int(count) for word, count in part["rarity"].items()}, part["of"])


def _read_whole_numbers(archive: OpenArchive, name: str) -> SmallInts:
    array = archive.read_array(name, 1)
    whole = array.astype(np.int32)
    if (whole != array).any() or (whole < 0).any():
        raise ModelFileError(f"its {name} are not whole numbers")
    return whole
