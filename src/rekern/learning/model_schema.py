"""What the file of a model of pairs or texts may say."""

from __future__ import annotations

from rekern.core.state_schema import POSITIVE as COST
from rekern.core.state_schema import (
    Anything,
    Choice,
    Constraint,
    Either,
    InstanceOf,
    Labels,
    ListOf,
    MapOf,
    Number,
    Optional,
    Record,
    Schema,
    Text,
    Whole,
    parameters,
)
from rekern.datasets.named_columns import LONGEST_NAME, ROLES
from rekern.learning.kernel_choice import MEASURES

MOST_TABLES = 10_000
TRIAL = Record(
    kernel=Text(1000),
    C=Number(),
    score=Either(None, Number()),
    error=Either(None, Number()),
    folds=Whole(),
    seconds=Number(),
    outcome=Text(1000),
)
HEADER: dict[str, Constraint] = {
    "format": Anything(),
    "version": Anything(),
    "written_by": Optional(Anything()),
    "model": Anything(),
    "parameters": MapOf(Anything()),  # checked when they are built, as ``parts``
    "kernel": Anything(),  # by the schemas of its classes
    "solver": Text(1000),
    "tables": Whole(0, MOST_TABLES),
    "state": Optional(Anything()),  # by the decision functions
    "items": Optional(Anything()),  # by the schemas of tokens and trees
    "labels": Optional(Labels("pairs", least=1)),
    "columns": Optional(Record(**{role: Optional(Text(LONGEST_NAME)) for role in ROLES})),
    "compact": Optional(Record(rules=Whole(), largest_change=Number(0.0))),
    "how_chosen": Optional(
        Record(measure=Choice(*MEASURES), pairs=Whole(), folds=Whole(), trials=ListOf(TRIAL, most=MOST_TABLES))
    ),
}
GRAM_LIMIT = Whole()
LANDMARKS = Either(None, Whole(1))
THRESHOLD = Number(1e-9, 1 - 1e-9)  # within the limits of `find_thresholds`
CLASSIFIER = Schema(
    parameters(
        C=COST,
        class_weight=Either(None, Choice("balanced"), InstanceOf(dict)),
        calibration=Whole(0, 1000),
        gram_limit=GRAM_LIMIT,
        threshold=Either(Choice("accuracy", "f1"), Number(0.0, 1.0, above=True)),
        landmarks=LANDMARKS,
    ),
    header=Record(
        **HEADER,
        classes=Optional(Labels(least=2)),
        thresholds=Optional(Record(accuracy=Optional(THRESHOLD), f1=Optional(THRESHOLD))),
    ),
)
REGRESSOR = Schema(
    parameters(
        C=COST, epsilon=Number(0.0), response=Choice("real", "ordinal"), gram_limit=GRAM_LIMIT, landmarks=LANDMARKS
    ),
    header=Record(**HEADER, levels=Optional(Labels(least=1))),
)
RANKER = Schema(parameters(C=COST, gram_limit=GRAM_LIMIT, landmarks=LANDMARKS), header=Record(**HEADER))
