"""The members of the file of a trained parser that rank readings."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.core.state_schema import Array, ListOf, MapOf, Number, Record, Row, Text, Texts
from rekern.krisp.reading_ranker import CERTAINTY, SCORES, ReadingRanker
from rekern.krisp.second_opinion import LABELS, SecondOpinion

RANKER_MEMBER = "ranker.json"
LARGEST = 1e9  # of a weight, so that sums of products are finite
WEIGHT = Number(-LARGEST, LARGEST)
RANKER = Record(
    sentences=ListOf(Texts()),
    telling=ListOf(MapOf(Texts()), len(LABELS)),
    denied=ListOf(Row(Text(), Texts())),
    parts=Texts(),
    weights=ListOf(WEIGHT, len(SCORES)),
    certainty=ListOf(WEIGHT, len(CERTAINTY)),
)
OPINION = Record(
    opinion_mean=Array("f8", "parts", least=-LARGEST, most=LARGEST),
    opinion_dual=Array("f8", "sentences", "parts", least=-LARGEST, most=LARGEST),
)


def write_ranker(ranker: ReadingRanker) -> tuple[JsonObject, dict[str, Floats]]:
    """A ranker as plain values, and its arrays."""
    words, arrays = ranker.opinion.to_state()
    content = {**words, "weights": ranker.weights.tolist(), "certainty": ranker.certainty.tolist()}
    return content, {f"opinion_{name}": array for name, array in arrays.items()}


def read_ranker(archive: OpenArchive) -> ReadingRanker:
    """The ranker that `write_ranker` wrote; all of it is checked."""
    content = archive.read_json(RANKER_MEMBER)
    RANKER.check(content, "ranker")
    arrays = {
        "opinion_mean": archive.read_array("opinion_mean", 1),
        "opinion_dual": archive.read_array("opinion_dual", 2),
    }
    OPINION.check(arrays, "ranker", {"parts": len(content["parts"]), "sentences": len(content["sentences"])})
    opinion = SecondOpinion.from_state(content, {"mean": arrays["opinion_mean"], "dual": arrays["opinion_dual"]})
    return ReadingRanker(
        opinion, np.array(content["weights"], dtype=float), np.array(content["certainty"], dtype=float)
    )
