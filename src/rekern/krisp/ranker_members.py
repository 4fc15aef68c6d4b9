"""The members of the file of a trained parser that rank readings."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.json_values import JsonObject
from rekern.core.model_archive import OpenArchive
from rekern.core.state_schema import Array, Flag, ListOf, MapOf, Number, Optional, Record, Row, Text, Texts
from rekern.errors import ModelFileError
from rekern.krisp.reading_ranker import CERTAINTY, SCORES, ReadingRanker, SentenceKnowledge
from rekern.krisp.second_opinion import LABELS, SecondOpinion
from rekern.krisp.word_translation import WordTranslation

RANKER_MEMBER = "ranker.json"
EARLIER = 7  # weights in files of earlier versions
LARGEST = 1e9  # of a weight, so that sums of products are finite
WEIGHT = Number(-LARGEST, LARGEST)
PROBABILITY = Number(0.0, 1.0)
RANKER = Record(
    sentences=ListOf(Texts()),
    telling=ListOf(MapOf(Texts()), len(LABELS)),
    denied=ListOf(Row(Text(), Texts())),
    parts=Texts(),
    distant=Optional(Flag()),  # files of earlier versions do not have it
    translation=Optional(MapOf(MapOf(PROBABILITY))),  # files of earlier versions have none
    weights=ListOf(WEIGHT),
    certainty=ListOf(WEIGHT, len(CERTAINTY)),
)
OPINION = Record(
    opinion_mean=Array("f8", "parts", least=-LARGEST, most=LARGEST),
    opinion_dual=Array("f8", "sentences", "parts", least=-LARGEST, most=LARGEST),
)


def write_ranker(ranker: ReadingRanker) -> tuple[JsonObject, dict[str, Floats]]:
    """A ranker as plain values, and its arrays."""
    words, arrays = ranker.known.opinion.to_state()
    content = {
        **words,
        "translation": ranker.known.translation.table,
        "weights": ranker.weights.tolist(),
        "certainty": ranker.certainty.tolist(),
    }
    return content, {f"opinion_{name}": array for name, array in arrays.items()}


def read_ranker(archive: OpenArchive) -> ReadingRanker:
    """The ranker that `write_ranker` wrote; all of it is checked."""
    content = archive.read_json(RANKER_MEMBER)
    RANKER.check(content, "ranker")
    if len(set(content["parts"])) < len(content["parts"]):
        raise ModelFileError("its ranker has a part of meanings twice")
    words = max(map(len, content["sentences"]), default=0)  # all pairs of the words of a sentence are kept
    archive.limits.check("sentence_words", words, f"its ranker has a sentence of {words:,} words")
    arrays = {
        "opinion_mean": archive.read_array("opinion_mean", 1),
        "opinion_dual": archive.read_array("opinion_dual", 2),
    }
    OPINION.check(arrays, "ranker", {"parts": len(content["parts"]), "sentences": len(content["sentences"])})
    opinion = SecondOpinion.from_state(content, {"mean": arrays["opinion_mean"], "dual": arrays["opinion_dual"]})
    weights = content["weights"]
    if not EARLIER <= len(weights) <= len(SCORES):
        raise ModelFileError("its ranker has not one weight for each score")
    weights = [*weights, *[0.0] * (len(SCORES) - len(weights))]  # scores that came later do not count
    knowledge = SentenceKnowledge(opinion, WordTranslation(content.get("translation", {})))
    return ReadingRanker(knowledge, np.array(weights, dtype=float), np.array(content["certainty"], dtype=float))
