"""From the JSON of a request to a table of pairs or texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, WithJsonSchema

from rekern.core.json_values import Json, JsonObject
from rekern.datasets.named_columns import NamedColumns
from rekern.datasets.table_formats import collect_records
from rekern.datasets.tables import TableBlock, make_block
from rekern.web.problems import Problem
from rekern.web.served_models import ServedModel
from rekern.web.site import Site

# Rows are checked here and not by their schema, so that a message names the row and says what to do.
PairRows = Annotated[
    list[Json],
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
                    {
                        "type": "object",
                        "properties": {"source": {"type": "string"}, "target": {"type": "string"}},
                        "required": ["source", "target"],
                        "additionalProperties": True,
                    },
                ]
            },
        }
    ),
]
TextRows = Annotated[
    list[Json],
    WithJsonSchema({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}}),
]
PAIRS = Field(None, description="Pairs: two texts each, or objects with source, target and others, such as an id.")
TEXTS = Field(None, description="Single texts, for a model of texts: strings, or objects with text and others.")
EXAMPLES = {"pairs": '{"pairs": [["…", "…"]]}', "texts": '{"texts": ["…"]}'}
PAIR = 'give two texts, ["…", "…"], or an object with source and target'


def read_rows(
    site: Site,
    model: ServedModel,
    pairs: Sequence[Json] | None,
    texts: Sequence[Json] | None,
    group: str | None = None,
) -> TableBlock:
    """Return the rows of a request as a table; its rows are counted from 0, as in JSON.

    ``group`` is the field of the pairs that belong together.
    """
    wanted, other = ("texts", "pairs") if model.is_for_texts else ("pairs", "texts")
    given = texts if model.is_for_texts else pairs
    if given is None:
        refused = texts if wanted == "pairs" else pairs
        problem = f"the model {model.name} judges {wanted}, not {other}" if refused is not None else "nothing to judge"
        raise Problem("invalid-input", f"{problem}: give {wanted}, as in {EXAMPLES[wanted]}", column=wanted)
    site.check_rows(len(given))
    if not given:
        raise Problem("invalid-input", f"there are no {wanted}: give at least one", column=wanted)
    columns = None if model.is_for_texts else _read_plain_pairs(site, given)
    if columns is None:
        make = _make_text_record if model.is_for_texts else _make_pair_record
        records = [make(item, row) for row, item in enumerate(given)]
        for row, record in enumerate(records):
            for name, value in record.items():
                if isinstance(value, str):
                    site.check_text(value, name, row)
        columns = collect_records(records, list(range(len(records))), None, "row")
    return make_block(columns, {"source": "source", "target": "target", "label": None, "group": group})


def _read_plain_pairs(site: Site, given: Sequence[Json]) -> NamedColumns | None:
    """Return lists of two texts as columns, without looking at each; None if there is anything else, or to refuse."""
    if set(map(type, given)) != {list} or set(map(len, given)) != {2}:
        return None
    sides = [list(side) for side in zip(*given)]
    texts = sides[0] + sides[1]
    if set(map(type, texts)) != {str} or max(map(len, texts)) > site.limits.characters:
        return None
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # half of a character
        return None
    return NamedColumns(["source", "target"], sides.__getitem__, list(range(len(given))), "row")


def _make_pair_record(item: Json, row: int) -> JsonObject:
    if isinstance(item, dict):
        for side in ("source", "target"):
            if not isinstance(item.get(side), str):
                raise Problem("invalid-input", f"row {row}, {side}: this is no text; {PAIR}", row=row, column=side)
        return item
    if not isinstance(item, list) or len(item) != 2 or not all(isinstance(side, str) for side in item):
        raise Problem("invalid-input", f"row {row}: this is no pair; {PAIR}", row=row)
    return {"source": item[0], "target": item[1]}


def _make_text_record(item: Json, row: int) -> JsonObject:
    record = item if isinstance(item, dict) else {"text": item}
    if not isinstance(record.get("text"), str):
        remedy = "give a string, or an object with text"
        raise Problem("invalid-input", f"row {row}: this is no text; {remedy}", row=row, column="text")
    return record
