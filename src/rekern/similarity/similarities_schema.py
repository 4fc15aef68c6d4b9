"""What a model file may say about `Similarities`."""

from __future__ import annotations

from pathlib import Path

from rekern.core.state_schema import (
    COLUMN,
    KERNEL,
    TOKENIZER,
    Array,
    Either,
    Flag,
    InstanceOf,
    ListOf,
    Number,
    ObjectOf,
    Optional,
    Record,
    Schema,
    Spreads,
    Text,
    Texts,
    Weights,
    Whole,
    parameters,
)
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.structures.word_space import WordSpace

SIMILARITIES_SCHEMA = Schema(
    parameters(
        only=Either(None, Texts(kind=tuple), Texts()),
        standardize=Flag(),
        tokenizer=TOKENIZER,
        groups=Either(Texts(kind=tuple), Texts()),
        symmetric=Flag(),
        on=COLUMN,
        wordnet=Either(None, Text(), InstanceOf(WordNet)),
        concepts=Either(None, ObjectOf("ExplicitSemantics")),
        space=Either(None, InstanceOf(WordSpace)),
        thesaurus=Either(None, Text(), InstanceOf(Path), ListOf(Texts(2, tuple), kind=(list, tuple)), ListOf(Texts(2))),
        kernels=ListOf(KERNEL, kind=(list, tuple)),
        min_match=Whole(1, 1 << 20),
    ),
    learned=Record(
        idf_=Weights(),
        unseen_idf_=Number(0.0),
        frequent_=Texts(kind=tuple),
        lemma_idf_=Optional(Weights()),
        frequent_lemmas_=Optional(Texts(kind=tuple)),
        space_=Optional(Either(None, InstanceOf(WordSpace))),
        mean_=Array("f8", "scores"),
        scale_=Spreads("scores"),  # 0 for a constant score
    ),
    resources=("wordnet", "thesaurus"),
)
