"""Columns for all rules of a corpus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rekern.core.arrays import Floats, Ints, Keys, SmallInts, offsets_of
from rekern.core.inverted_lists import invert_numbers
from rekern.core.key_index import number_keys
from rekern.core.parallel_jobs import run_in_threads, split_range
from rekern.kernels.rewriting.rule_column_core import assemble_rows, combine_keys, number_combinations
from rekern.kernels.rewriting.window_rows import WindowRows


class RuleColumns(NamedTuple):
    """Sparse rows over numbered columns, and the key of every column."""

    indptr: Ints
    columns: SmallInts
    values: Floats
    keys: Keys


def number_rules(
    windows: list[WindowRows], scale: Floats, size_keys: list[np.uint64], n_jobs: int | None
) -> RuleColumns:
    """Number all rules of all window sizes as columns; the rows of each size are scaled as given."""
    counts = np.sum([rows.count_rules() for rows in windows], axis=0, dtype=np.int64)
    indptr = offsets_of(counts)
    if indptr[-1] >= 1 << 31:
        raise ValueError(f"{indptr[-1]:,} features are too many for one matrix; use a smaller k or fewer pairs")
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    # All window sizes at once: not all of this work is divided among threads.
    plain = run_in_threads(_number_plain_rules, list(zip(windows, size_keys)), n_jobs)
    wilds = run_in_threads(number_keys, [(rows.get_wildcard_rules().keys, n_jobs) for rows in windows], n_jobs)
    fill, offset, keys = indptr[:-1].copy(), 0, []
    for rows, row_scale, numbered, (wild_numbers, wild_keys) in zip(windows, scale, plain, wilds):
        wild, (begin, numbers, plain_keys) = rows.get_wildcard_rules(), numbered
        shared = (fill, columns, values, row_scale, offset, rows.source, rows.target, wild, begin, numbers)
        ranges = split_range(len(fill), max(256, len(fill) // 16))
        run_in_threads(
            assemble_rows, [(*span, *shared, wild_numbers, offset + len(plain_keys)) for span in ranges], n_jobs
        )
        offset += len(plain_keys) + len(wild_keys)
        keys += [plain_keys, wild_keys]
    return RuleColumns(indptr, columns, values, np.concatenate(keys))


def _number_plain_rules(rows: WindowRows, size_key: np.uint64) -> tuple[Ints, SmallInts, Keys]:
    """Number the rules without wildcards: where each pair's numbers begin, the numbers, and the key of each number."""
    source, target = rows.source, rows.target
    begin = offsets_of(np.diff(source.indptr) * np.diff(target.indptr))
    source_numbers, distinct_source = number_keys(source.keys, 1)
    target_numbers, distinct_target = number_keys(target.keys, 1)
    heads, found, entries = invert_numbers(source.indptr, source_numbers, len(distinct_source))
    numbers = np.empty(begin[-1], np.int32)
    size, first, second = number_combinations(
        heads, found, entries, source.indptr, target.indptr, target_numbers, len(distinct_target), begin, numbers
    )
    keys = np.empty(size, np.uint64)
    combine_keys(first, second, source.keys, target.keys, size_key, keys)
    return begin, numbers, keys
