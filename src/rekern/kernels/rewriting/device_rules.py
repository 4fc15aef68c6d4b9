"""The rules of pairs listed and numbered by a GPU, and the rows of a Gram from them.

This is for the common case: wildcards that weigh 1 and stand for one token, in windows of up to six. All numbers are
whole then, and their sums are exact in any order. In other cases the processor makes the lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys, SmallInts, offsets_of
from rekern.core.cuda_compiling import WARP, count_threads
from rekern.core.device import DeviceArray, allocate, download, measure_memory, upload
from rekern.core.hashing import constants
from rekern.core.inverted_lists_cuda_core import PARTS
from rekern.core.list_building_cuda_core import (
    count_columns,
    fill_numbers,
    keep_entries,
    lay_out_lists,
    merge_entries,
    number_keys,
    number_lists,
    place_columns,
)
from rekern.core.list_products_cuda_core import EACH, fill_whole_block
from rekern.kernels.rewriting.device_rows import MOST_BLOCKS, MOST_TASKS, DeviceRows
from rekern.kernels.rewriting.rule_extraction import RuleExtractor
from rekern.kernels.rewriting.rule_keys import find_constants
from rekern.kernels.rewriting.rule_listing_cuda_core import list_grams, list_rules
from rekern.kernels.strings.pattern_placement_core import ALWAYS_COMPLETE
from rekern.structures.pairs import Pairs

SALTS = 5  # the constants of these are not in the keys of rules
LARGEST = 1 << 31  # whole numbers of 32 bits are below
MOST_ENTRIES = 1 << 30
ENTRY_BYTES = 64  # of an entry while lists are made: its key, value and slot, and its share of both tables
BOUND_BYTES = 8  # of a tile of a list: how many entries it has, and where they begin
MATRIX_SHARE = 2  # of the memory, one part for the lists
TILE_THREADS = 256  # that add up a tile of columns


class ListedKeys(NamedTuple):
    """The keys of all parts of pairs in the memory of the GPU, as cells of entries (`list_building_cuda_core`)."""

    rows: int
    starts: DeviceArray
    size: int
    keys: DeviceArray
    values: DeviceArray
    table: DeviceArray  # of which entries of a cell are equal; then it is free
    squares: Floats  # of the parts and rows


class DeviceLists(NamedTuple):
    """Inverted lists in the memory of the GPU, as `fill_whole_block` takes them."""

    rows: int
    starts: DeviceArray
    kept: DeviceArray
    entries: DeviceArray
    bounds: DeviceArray
    lists: DeviceArray


def can_list_rules(extractor: RuleExtractor, corpora: list[Pairs]) -> bool:
    """Return whether the values of all rules of these pairs are whole numbers, and no pair has very many rules."""
    is_whole = extractor.decay == 1.0 or extractor.wildcards == "none"
    is_short = extractor.span == 1 and max(map(max, extractor.windows)) <= ALWAYS_COMPLETE
    is_light = not any(extractor.mark_long(pairs).any() for pairs in corpora)
    return is_whole and is_short and extractor.wildcards != "free" and is_light


class DeviceRules(DeviceRows):
    """Rows from lists that the GPU has made."""

    def __init__(self, lists: DeviceLists, scales: list[Floats], diagonal: Floats | None):
        super().__init__(scales[1].shape[1], diagonal)
        self.lists = lists
        first = upload(scales[0])
        self.scales = [first, first if scales[1] is scales[0] else upload(scales[1])]

    @classmethod
    def list_pairs(cls, extractor: RuleExtractor, left: Pairs, right: Pairs | None) -> DeviceRules | None:
        """List the rules of pairs, for their Gram with others or with themselves; None if the GPU cannot."""
        corpora = [left] if right is None else [left, right]
        if not can_list_rules(extractor, corpora):
            return None
        listed = list_keys(extractor, corpora)
        if listed is None:
            return None
        sources, targets, rules = (listed.squares[kind::PARTS] for kind in range(PARTS))
        if (sources.max(axis=1) * targets.max(axis=1) + rules.max(axis=1)).max(initial=0.0) >= LARGEST:
            return None
        squares = sources * targets + rules
        scale = extractor.find_scales(squares)
        split = len(left)
        lists = invert_keys(listed, split, 0 if right is None else split)
        if lists is None:
            return None
        if right is not None:
            return cls(lists, [scale[:, :split].copy(), scale[:, split:].copy()], None)
        return cls(lists, [scale, scale], extractor.add_windows(squares))

    def fill(self, block: DeviceArray, first: int, start: int, offset: int) -> None:
        """Fill a block of rows."""
        span = count_columns_of_tile()
        tasks = min(block.shape[0] * (-(-self.columns // span) - offset // span), MOST_TASKS)
        arrays = (*self.lists, *self.scales)
        fill_whole_block.launch(tasks, block, first, start, offset, *arrays, most=TILE_THREADS)


def count_columns_of_tile() -> int:
    """Return how many columns a tile has."""
    return EACH * min(TILE_THREADS, count_threads())


def join_texts(corpora: list[Pairs]) -> tuple[SmallInts, Ints, Keys]:
    """Return the token numbers, offsets and token keys of corpora, one after the other."""
    tokens = [pairs.tokens for pairs in corpora]
    fingers = [some.token_keys() for some in tokens]
    begins = offsets_of(np.array([len(finger) for finger in fingers]))
    ids = np.concatenate([some.ids + begin for some, begin in zip(tokens, begins.tolist())]).astype(np.int32)
    lengths = np.concatenate([np.diff(some.offsets) for some in tokens])
    return ids, offsets_of(lengths), np.concatenate(fingers)


def list_keys(extractor: RuleExtractor, corpora: list[Pairs]) -> ListedKeys | None:
    """Return the keys of all parts of all pairs; None if there are too many for the memory of the GPU."""
    ids, offsets, finger = join_texts(corpora)
    rows, lengths = (len(offsets) - 1) // 2, np.diff(offsets)
    texts = upload(ids), upload(offsets), upload(finger)
    windows = extractor.windows
    salts = constants(SALTS, PARTS * len(windows))
    counts = np.zeros((PARTS * len(windows), rows), np.int64)
    arguments: list[tuple[object, ...]] = []
    for window, (size, size2) in enumerate(windows):
        found = find_constants((size, size2), 1)
        factors, factors2 = upload(found.source_factors), upload(found.target_factors)
        for side in (0, 1):
            counts[PARTS * window + side] = np.maximum(lengths[side::2] - (size, size2)[side] + 1, 0)
        salt = salts[PARTS * window + 2 : PARTS * window + 3] + found.size_key
        arguments.append((size, size2, factors, factors2, upload(found.pair_keys), upload(salt)))
    blocks = min(rows, MOST_BLOCKS)
    if extractor.wildcards == "aligned":
        numbers = allocate(len(windows), rows, dtype=np.int64)
        nothing = upload(np.zeros(1, np.int64)), allocate(0, dtype=np.uint64)
        for window, given in enumerate(arguments):
            list_rules.launch(blocks, *texts, *given, numbers[window], *nothing, most=WARP)
        counts[PARTS - 1 :: PARTS] = download(numbers)
    starts = offsets_of(counts.reshape(-1))
    size = int(starts[-1])
    if size >= MOST_ENTRIES or size * ENTRY_BYTES > measure_memory() // MATRIX_SHARE:
        return None
    keys, places = allocate(max(size, 1), dtype=np.uint64), upload(starts)
    for window, given in enumerate(arguments):
        for side in (0, 1):
            part = PARTS * window + side
            own = given[side], given[2 + side], upload(salts[part : part + 1])
            list_grams.launch(blocks, *texts, side, *own, places[part * rows : (part + 1) * rows], keys, most=WARP)
        if extractor.wildcards == "aligned":
            part = PARTS * window + 2
            own_places = places[part * rows : (part + 1) * rows]
            list_rules.launch(blocks, *texts, *given, numbers[window], own_places, keys, most=WARP)
    table, values = allocate(max(2 * size, 1), dtype=np.int32), allocate(max(size, 1), dtype=np.int32)
    squares = allocate(len(starts) - 1)
    merge_entries.launch(min(len(starts) - 1, MOST_TASKS), keys, places, table, values, squares, most=WARP)
    return ListedKeys(rows, places, size, keys, values, table, download(squares).astype(np.float64).reshape(-1, rows))


def invert_keys(listed: ListedKeys, split: int, left: int) -> DeviceLists | None:
    """Return the lists of the rows from ``left`` on; before ``split`` they are the rows of the Gram.

    With very many columns, the tiles of all lists may need more memory than the lists; None if there is too little.
    """
    rows, places, size, keys, values, table, squares = listed
    cells, threads = min(squares.size, MOST_TASKS), count_threads()
    bits = max(4, (2 * size).bit_length())
    shift = upload(np.full(1, 64 - bits, np.uint64))
    numbers, slots = allocate(1 << bits, dtype=np.int32), allocate(max(size, 1), dtype=np.int32)
    counts = allocate((1 if split == rows else 2) << bits, dtype=np.int32)
    many = min(-(-(1 << bits) // threads), MOST_BLOCKS)
    fill_numbers.launch(many, numbers, -1)
    fill_numbers.launch(many, counts, 0)
    counts = counts.reshape(1 if split == rows else 2, 1 << bits)
    number_keys.launch(cells, keys, places, values, rows, split, shift, numbers, slots, counts, most=WARP)
    total = upload(np.zeros(2, np.int32))
    number_lists.launch(many, counts, numbers, total[:1])
    lists = int(download(total)[0])
    columns, span = rows - left, count_columns_of_tile()
    across = -(-columns // span)
    if lists * (across + 1) * BOUND_BYTES > measure_memory() // MATRIX_SHARE:
        return None
    filled = allocate(max(lists * across, 1), dtype=np.int32)
    fill_numbers.launch(min(-(-lists * across // threads), MOST_BLOCKS), filled, 0)
    tasks = min(len(squares) * columns, MOST_TASKS)
    count_columns.launch(tasks, slots, places, rows, left, columns, span, numbers, filled, most=WARP)
    bounds = allocate(max(lists * (across + 1), 1), dtype=np.int32)
    lay_out_lists.launch(min(-(-lists // threads), MOST_BLOCKS), filled, across, bounds, total[1:])
    length = int(download(total)[1])
    found = allocate(max(length, 1), dtype=np.uint32)
    place_columns.launch(
        tasks, slots, values, places, rows, left, columns, span, numbers, filled, bounds, found, most=WARP
    )
    kept = allocate(squares.size, dtype=np.int32)
    keep_entries.launch(cells, slots, values, places, numbers, kept, table, most=WARP)
    return DeviceLists(rows, places, kept, table, bounds, found)
