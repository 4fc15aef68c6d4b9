"""What the file of a semantic parser may say."""

from __future__ import annotations

from rekern.core.state_schema import (
    POSITIVE,
    Anything,
    Array,
    Choice,
    Either,
    Flag,
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
from rekern.krisp.productions import CLASSES

LARGEST_BEAM = 1_000_000
MOST_ROUNDS = 1_000_000
MOST_FOLDS = 1000
PROBABILITY = Number(0.0, 1.0)
LARGEST_FACTOR = 1e30  # of what is multiplied with coefficients
PARSER_ARRAYS = Record(
    coefficients=Array("f8", "labels", "substrings"),
    sigmoids=Array("f8", 3, "labels", least=-LARGEST_FACTOR, most=LARGEST_FACTOR),
    norms=Array("f8", "kernels", "substrings", least=0.0, most=LARGEST_FACTOR),
)
# A grammar in a model file. What its productions must satisfy together, and their limits, are the same as for a grammar
# file: `rekern.krisp.grammar_checks`.
PRODUCTION = Record(
    number=Whole(),
    left=Text(),
    parts=Texts(),
    slots=Texts(),
    sql=Either(None, Text()),
    kind=Choice("rule", *CLASSES),
    value=Either(None, Text()),
    phrases=Texts(),
    silent=Flag(),
)
GRAMMAR = Record(
    start=Text(),
    productions=ListOf(PRODUCTION),
    name_queries=MapOf(Text()),
    name_templates=MapOf(PRODUCTION),
)
PARSER_SCHEMA = Schema(
    Record(
        beam=Whole(1, LARGEST_BEAM),
        threshold=PROBABILITY,
        rounds=Whole(0, MOST_ROUNDS),
        C=POSITIVE,
        stretch=PROBABILITY,
        names=Choice("type", "word"),
        stems=Flag(),
        ranking=Optional(Whole(0, MOST_FOLDS)),
    ),
    header=Record(
        format=Anything(),
        version=Anything(),
        written_by=Optional(Anything()),
        model=Anything(),
        parameters=Anything(),
        kernel=MapOf(Anything()),  # by the schemas of its classes
        productions=ListOf(Either(Whole(), ListOf(Either(Whole(), Text()), 2))),
        stems=Either(None, ListOf(Either(Texts(), MapOf(Text())), 2)),
        notes=Optional(MapOf(Anything())),  # by the calibration
    ),
)
