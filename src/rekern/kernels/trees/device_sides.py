"""The two sides of a Gram of trees as a GPU takes them: chunks of trees, each folded into a forest of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, SmallInts
from rekern.core.cuda_compiling import CudaFunction
from rekern.core.parallel_jobs import run_in_threads
from rekern.kernels.trees.device_layout_core import (
    describe_kids,
    describe_subtrees,
    lay_out_classes,
    list_level_segments,
    list_runs,
    list_sum_segments,
    measure_heights,
    number_productions,
    sort_by_height,
)
from rekern.kernels.trees.folded_forest_core import Forest, build_forest
from rekern.kernels.trees.label_similarity import LabelPlan
from rekern.kernels.trees.tree_sums_cuda_core import ROWS_OF_TILE
from rekern.structures.trees import TreeArrays


class DeviceCore(NamedTuple):
    """How the GPU computes a tree kernel."""

    fill_levels: CudaFunction
    numbers: Floats  # mu, decay, factor, longest, leaf, middle, as far as the kernel has them
    labels: LabelPlan | None = None  # how labels are compared, where not only equal ones match
    by_production: bool = False  # whether only subtrees of equal productions have values, and not of equal labels
    has_sums: bool = False  # whether what is summed is not what the level above needs

    def get_leaf(self) -> float:
        """Return the value of two nodes of which one is a leaf."""
        return float(self.numbers[4])

    def get_longest(self) -> int:
        """Return the greatest length of a subsequence of children, 0 for any."""
        return int(self.numbers[3])


class Side(NamedTuple):
    """A chunk of the trees of the rows or of the columns."""

    first: int  # its first tree
    trees: int
    widest: int  # the most children of a node
    # What the GPU needs, in the order of `DeviceSide`, in one piece:
    # - facts about each subtree,
    # - the labels, ranks and classes of all children,
    # - the classes of the children, for each group,
    # - the subtrees by height,
    # - the nodes of the trees, sorted by subtree,
    # - their runs of one class, in each tree, and where those of each tree begin,
    # - the same runs, class by class.
    whole: SmallInts
    shapes: list[tuple[int, ...]]
    segments: Ints  # height, class, begin and length of the subtrees by height that are of one height and class
    starts: Ints  # the first subtree of each class
    sizes: Ints  # how many subtrees it has
    inner: Ints  # how many of them have children
    entries: Ints  # where the entries of each class begin


class PairOfSides(NamedTuple):
    """What the GPU needs to know of two chunks: where values are, and how the work is cut into tiles."""

    # Of the classes, of the segments of the levels, of the segments of sums, the tiles of each level, and the queue of
    # tiles with one count more than there are levels; one after the other.
    tables: Ints
    classes: int  # how many rows they have
    segments: int
    sum_segments: int
    levels: int
    tiles: int
    sum_tiles: int
    values: int  # how many Δ there are
    sums: int  # how many sums of rows


def fold_chunks(
    corpora: list[tuple[TreeArrays, list[tuple[int, int]]]],
    class_of: SmallInts,
    core: DeviceCore,
    n_jobs: int | None,
) -> list[list[Side]]:
    """Return the chunks of one or two corpora with the same labels; a chunk is a range of trees."""
    classes = len(class_of)
    calls = [(*arrays, *span, class_of, classes) for arrays, spans in corpora for span in spans]
    forests = run_in_threads(build_forest, calls, n_jobs)
    numbers, count = _number_classes(forests, class_of, core.by_production)
    with_leaves = core.get_leaf() > 0
    described = [
        (arrays, span, forest, own, count, with_leaves)
        for (arrays, span), forest, own in zip(
            [(arrays, span) for arrays, spans in corpora for span in spans], forests, numbers
        )
    ]
    sides = iter(run_in_threads(_describe_chunk, described, n_jobs))
    return [[next(sides) for _ in spans] for _, spans in corpora]


def _number_classes(forests: list[Forest], class_of: SmallInts, by_production: bool) -> tuple[list[SmallInts], int]:
    """Return the class of each group of each forest, and how many classes there are: of labels, or of productions."""
    labels = [forest.labels[forest.groups[:-1]] for forest in forests]
    if not by_production:
        return [class_of[own] for own in labels], len(class_of)
    if not forests:
        return [], 1
    shifts = np.cumsum([0] + [len(forest.classes) for forest in forests])
    numbers, count = number_productions(
        np.concatenate([forest.codes for forest in forests]),
        np.concatenate([forest.widths for forest in forests]),
        np.concatenate(labels),
        np.concatenate([forest.sequences[:-1] + shift for forest, shift in zip(forests, shifts)]),
        np.concatenate([forest.classes for forest in forests]),
    )
    return np.split(numbers, np.cumsum([len(own) for own in labels])[:-1]), max(count, 1)


def _describe_chunk(
    corpus: TreeArrays, span: tuple[int, int], forest: Forest, numbers: SmallInts, count: int, with_leaves: bool
) -> Side:
    facts, starts, sizes, inner = describe_subtrees(
        numbers, forest.groups, forest.widths, forest.sequences, forest.columns, forest.labels, count
    )
    start = corpus.offsets[span[0]]

    def sort_subtrees() -> tuple[SmallInts, Ints]:
        heights = measure_heights(corpus.first, corpus.counts, start, forest.nodes, len(forest.labels))
        found: tuple[SmallInts, Ints] = sort_by_height(heights, facts)
        return found

    with ThreadPoolExecutor(2) as pool:  # beside the longest part of the work
        sorted_subtrees, kids = pool.submit(sort_subtrees), pool.submit(describe_kids, forest.kids, facts)
        occurrences, runs, tree_runs, entries, entry_runs = list_runs(
            forest.nodes, forest.offsets, facts, count, with_leaves
        )
    order, segments = sorted_subtrees.result()
    needed = (facts, kids.result(), forest.classes, order, occurrences, runs, tree_runs, entry_runs)
    arrays = [array if array.size else np.zeros([max(size, 1) for size in array.shape], np.int32) for array in needed]
    return Side(
        first=span[0],
        trees=span[1] - span[0],
        widest=int(forest.widths.max(initial=0)),
        whole=np.concatenate([array.reshape(-1) for array in arrays]),
        shapes=[array.shape for array in arrays],
        segments=segments,
        starts=starts,
        sizes=sizes,
        inner=inner,
        entries=entries,
    )


def pair_sides(left: Side, right: Side, threads: int) -> PairOfSides:
    """Lay out the values of two chunks, and cut the work into tiles for blocks of so many threads."""
    classes, values, sums, shared = lay_out_classes(left.inner, left.sizes, right.inner, right.entries)
    sum_segments, sum_tiles = list_sum_segments(left.starts, left.sizes, classes, shared, ROWS_OF_TILE, threads)
    segments, level_tiles, tiles = list_level_segments(
        left.segments, classes, right.inner, right.starts, right.sizes, ROWS_OF_TILE, threads
    )
    tables = (classes.reshape(-1), segments.reshape(-1), sum_segments.reshape(-1), level_tiles)
    whole = np.concatenate((*tables, np.zeros(1 + len(level_tiles), np.int64)))
    rows_of = (len(classes), len(segments), len(sum_segments), len(level_tiles))
    return PairOfSides(whole, *rows_of, tiles, sum_tiles, values, sums)
