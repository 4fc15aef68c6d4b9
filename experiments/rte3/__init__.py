"""The groups of scores that were written for RTE-3: importing this package adds them to those of `Similarities`."""

from experiments.rte3.content import INCLUSION, score_inclusion
from experiments.rte3.role_scores import ROLES, WAYS, score_roles, score_ways
from rekern.similarity.score_groups import GROUPS, Group

for name, names, score in (
    ("inclusion", INCLUSION, score_inclusion),
    ("roles", ROLES, score_roles),
    ("ways", WAYS, score_ways),
):
    GROUPS[name] = Group(names, score, needs_space=True, needs_trees=True, is_directed=True)
