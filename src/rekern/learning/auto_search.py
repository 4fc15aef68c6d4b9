"""From training pairs to the search for a kernel: the folds, the resources, the ladder."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from rekern.core.arrays import Ints
from rekern.kernels.kernel import Kernel
from rekern.learning.candidate_groups import group_shared_texts, number_groups
from rekern.learning.cross_validation import Fold, make_group_folds, make_stratified_group_folds
from rekern.learning.kernel_choice import CHOSEN, ON_SAMPLE, KernelChoice, Trial
from rekern.learning.kernel_ladder import Resources, Step, find_trees, list_steps
from rekern.learning.kernel_search import KernelSearch, Winner
from rekern.learning.named_kernels import resolve_kernel
from rekern.learning.pair_input import join_side, list_pairs, list_texts, take_items
from rekern.learning.search_tasks import OrderTask, SearchTask
from rekern.structures.data_frames import find_columns
from rekern.structures.representations import Representations

SAMPLE = 6000  # pairs on which kernels are compared first, if there are too many for a Gram


@dataclass(frozen=True)
class SearchSettings:
    """How to search: for how long, in how many folds, with which resources."""

    minutes: float
    folds: int
    seed: int
    gram_limit: int
    n_jobs: int | None
    resources: Resources
    on_trial: Callable[[Trial], None] | None


class ChosenKernel(NamedTuple):
    """The result of a search."""

    kernel: Kernel
    C: float
    choice: KernelChoice


class TrainingPairs(NamedTuple):
    """Training pairs as kernels read them, and the text of both sides."""

    items: Sequence[object]
    texts: list[tuple[str, str]]
    table: Representations | None


def read_training_pairs(X: object) -> TrainingPairs:
    """Read pairs, or a table with more columns than the two texts.

    >>> read_training_pairs([("a b", "c"), (["d"], ["e", "f"])]).texts
    [('a b', 'c'), ('d', 'e f')]
    """
    table = None
    if isinstance(X, Representations) or find_columns(X) is not None:
        table = Representations.from_items(X)
        sides = list_texts(table)
    else:
        sides = list_pairs(X)
    items = sides if table is None else table
    return TrainingPairs(cast("Sequence[object]", items), [(join_side(s), join_side(t)) for s, t in sides], table)


def choose_kernel(
    task: SearchTask, pairs: TrainingPairs, classes: Ints | None, groups: Sequence[Hashable] | None, how: SearchSettings
) -> ChosenKernel:
    """Search for the best kernel of training pairs.

    ``classes`` keep their shares in the folds. Pairs that share a text stay together, and so do pairs of one of the
    ``groups``, if these are given.
    """
    together = group_texts(pairs.texts, groups)
    folds = make_search_folds(together, classes, how.folds, how.seed)
    if folds is None:
        trial = Trial("the default kernel", 1.0, None, None, 0, 0.0, "chosen without folds: too few pairs")
        return ChosenKernel(resolve_kernel(None), 1.0, KernelChoice(task.measure_name, len(together), 0, [trial]))
    trees = find_trees(pairs.table) if pairs.table is not None else ()
    many = task.size > how.gram_limit
    steps = list_steps(replace(how.resources, trees=trees, answers=isinstance(task, OrderTask), many_pairs=many))
    search = KernelSearch(
        task, pairs.items, folds, together, 60 * how.minutes, how.gram_limit, how.n_jobs, how.on_trial
    )
    winner = climb_ladder(search, steps, classes, how.folds, how.seed)
    trials = search.trials
    trials[winner.place] = trials[winner.place]._replace(outcome=CHOSEN)
    return ChosenKernel(winner.kernel, winner.C, KernelChoice(task.measure_name, len(together), len(folds), trials))


def climb_ladder(search: KernelSearch, steps: Sequence[Step], classes: Ints | None, n_folds: int, seed: int) -> Winner:
    """Try the steps of a ladder, then the best ones in other ways; return the winner.

    Of pairs that are too many for a Gram this is done on a sample first, and the best kernels are tried on all pairs.
    The trials on the sample are added to those of ``search``.
    """
    rows = sample_groups(search.groups, SAMPLE, seed)
    if search.matrices.use_grams or not len(rows) or 2 * len(rows) > len(search.groups):
        return search.climb(steps)
    groups = number_groups(search.groups[rows].tolist())
    folds = make_search_folds(groups, None if classes is None else classes[rows], n_folds, seed)
    if folds is None:
        return search.climb(steps)

    def report(trial: Trial) -> None:
        search.record(trial._replace(outcome=f"{trial.outcome}, on {len(rows):,}{ON_SAMPLE}"))

    items = take_items(search.matrices.items, rows)
    small = KernelSearch(search.task.take(rows), items, folds, groups, search.seconds / 2, 0, search.n_jobs, report)
    small.climb(steps)
    finalists = small.list_finalists()
    del small  # its matrices are large
    return search.try_finalists(finalists)


def sample_groups(groups: Ints, most: int, seed: int) -> Ints:
    """Choose whole groups of pairs at random, with at most so many pairs together; none that would fill a fold.

    >>> sample_groups(np.repeat(np.arange(20), 2), 10, seed=0).tolist()
    [4, 5, 8, 9, 12, 13, 26, 27, 38, 39]
    """
    sizes = np.bincount(groups)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(sizes <= most // 5))
    return np.flatnonzero(np.isin(groups, order[np.cumsum(sizes[order]) <= most]))


def group_texts(texts: Sequence[tuple[str, str]], groups: Sequence[Hashable] | None) -> Ints:
    """Number the pairs that must stay together: those that share a text, and those of one group.

    >>> group_texts([("a", "b"), ("c", "b"), ("d", "e")], None).tolist()
    [0, 0, 1]
    """
    if groups is None:
        return number_groups(group_shared_texts(texts).tolist())
    numbers = number_groups(groups, len(texts)).tolist()
    named = [(f"group {number}", f"text {target}") for number, (_, target) in zip(numbers, texts)]
    return number_groups(group_shared_texts(named).tolist())


def make_search_folds(groups: Ints, classes: Ints | None, folds: int, seed: int) -> list[Fold] | None:
    """Make folds that keep groups together and classes in proportion.

    There are fewer folds if a class or the groups are too few for them, and None if they are too few for two.

    >>> [fold.test.tolist() for fold in make_search_folds(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]), 5, 0)]
    [[0, 1, 3], [2]]
    """
    most = min(folds, len(np.unique(groups)))
    if classes is not None:
        most = min(most, int(np.bincount(classes).min()))
    if most < 2:
        return None
    if classes is None:
        return make_group_folds(groups.tolist(), most)
    return make_stratified_group_folds(groups, classes, most, seed)
