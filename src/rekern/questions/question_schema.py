"""What the file of a question classifier may say."""

from __future__ import annotations

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
