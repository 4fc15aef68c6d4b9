"""Columns for all rules of a corpus, without hashing the many that have no wildcards.

A rule without wildcards is a source k-gram g and a target k-gram h. The rules of one g are numbered together: a mark
for each h says which number it got. A g of one pair alone (most long ones) needs not even that.
"""

from typing import Any, NamedTuple

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import mix
from rekern.core.inverted_lists import invert_numbers
from rekern.core.jobs import run_in_threads, split_range
from rekern.core.key_index import number_keys
from rekern.kernels.rewriting.window_features import Rows


class Columns(NamedTuple):
    """Sparse rows over numbered columns, and the key of every column."""

    indptr: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    keys: np.ndarray


@compiled
def _number_combinations(heads, rows, entries, source_indptr, target_indptr, target_numbers, distinct, begin, numbers):
    """Number the combinations of each pair's k-grams; returns how many are distinct, and the two entries of each.

    ``begin[row]`` is where the numbers of a pair stand; there they lie source k-gram by source k-gram.
    """
    mark = np.full(distinct, -1, np.int64)
    given = np.empty(distinct, np.int32)
    first = np.empty(len(numbers), np.int32)
    second = np.empty(len(numbers), np.int32)
    size = 0
    for gram in range(len(heads) - 1):
        alone = heads[gram + 1] - heads[gram] == 1
        for at in range(heads[gram], heads[gram + 1]):
            row, entry = rows[at], entries[at]
            start, end = target_indptr[row], target_indptr[row + 1]
            place = begin[row] + (entry - source_indptr[row]) * (end - start)
            for other in range(start, end):
                if alone:
                    numbers[place + other - start] = size
                else:
                    code = target_numbers[other]
                    if mark[code] == gram:
                        numbers[place + other - start] = given[code]
                        continue
                    mark[code] = gram
                    given[code] = size
                    numbers[place + other - start] = size
                first[size] = entry
                second[size] = other
                size += 1
    return size, first, second


@compiled
def _assemble(
    first, last, fill, columns, values, scale, offset, source, target, rules, begin, numbers, wild, wild_offset
):
    """Write the columns and values of pairs ``first`` … ``last``, each from ``fill[row]`` on, and move ``fill``."""
    source_indptr, _, source_values = source
    target_indptr, _, target_values = target
    rule_indptr, _, rule_values = rules
    for row in range(first, last):
        at = fill[row]
        number = begin[row]
        for one in range(source_indptr[row], source_indptr[row + 1]):
            value = source_values[one] * scale[row]
            for other in range(target_indptr[row], target_indptr[row + 1]):
                columns[at] = numbers[number] + offset
                values[at] = value * target_values[other]
                number += 1
                at += 1
        for one in range(rule_indptr[row], rule_indptr[row + 1]):
            columns[at] = wild[one] + wild_offset
            values[at] = rule_values[one] * scale[row]
            at += 1
        fill[row] = at


@compiled
def _combined_keys(first, second, source_keys, target_keys, size_key, keys):
    for index in range(len(keys)):
        keys[index] = mix(source_keys[first[index]] + target_keys[second[index]] + size_key)


def number_rules(windows: list[Rows], scale: np.ndarray, size_keys: list[Any], n_jobs: int | None) -> Columns:
    """All rules of all window sizes as numbered columns, each size scaled as given."""
    counts = np.sum([rows.counts() for rows in windows], axis=0, dtype=np.int64)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    if indptr[-1] >= 1 << 31:
        raise ValueError(f"{indptr[-1]:,} features are too many for one matrix; use a smaller k or fewer pairs")
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    plain = run_in_threads(_combinations, list(zip(windows, size_keys)), n_jobs)
    fill, offset, keys = indptr[:-1].copy(), 0, []
    for rows, row_scale, (begin, numbers, plain_keys) in zip(windows, scale, plain):
        wild = rows.wild()
        wild_numbers, wild_keys = number_keys(wild.keys, n_jobs)
        shared = (fill, columns, values, row_scale, offset, rows.source, rows.target, wild, begin, numbers)
        ranges = split_range(len(fill), max(256, len(fill) // 16))
        run_in_threads(_assemble, [(*span, *shared, wild_numbers, offset + len(plain_keys)) for span in ranges], n_jobs)
        offset += len(plain_keys) + len(wild_keys)
        keys += [plain_keys, wild_keys]
    return Columns(indptr, columns, values, np.concatenate(keys))


def _combinations(rows: Rows, size_key: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each pair's numbers begin, the numbers, and the key of each number."""
    source, target = rows.source, rows.target
    begin = np.concatenate([[0], np.cumsum(np.diff(source.indptr) * np.diff(target.indptr))])
    source_numbers, distinct_source = number_keys(source.keys, 1)
    target_numbers, distinct_target = number_keys(target.keys, 1)
    heads, found, entries = invert_numbers(source.indptr, source_numbers, len(distinct_source))
    numbers = np.empty(begin[-1], np.int32)
    size, first, second = _number_combinations(
        heads, found, entries, source.indptr, target.indptr, target_numbers, len(distinct_target), begin, numbers
    )
    keys = np.empty(size, np.uint64)
    _combined_keys(first, second, source.keys, target.keys, size_key, keys)
    return begin, numbers, keys
