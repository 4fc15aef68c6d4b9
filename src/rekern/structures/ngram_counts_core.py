"""Counting of the documents that contain an n-gram, as compiled functions of arrays.

Documents are token numbers in one flat array with offsets. A negative number is no word: n-grams end there. ``marks``
hold the last document that was counted for an entry, so that each document counts once.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from rekern.core.compiling import compiled
from rekern.core.hashing import extend_hash


@compiled
def _find_cell(key, mask):
    return np.int64((key ^ (key >> np.uint64(32))) & mask)


@compiled
def _find_slot(key, mask):
    return np.int64((key >> np.uint64(17)) & np.uint64(mask))


@compiled
def _hash_ngram(words):
    key = np.uint64(0)
    for word in words:
        if word < 0:
            break
        key = extend_hash(key, word + 1)
    return key


@compiled
def count_cells(ids, offsets, first, shortest, longest, cells, marks):
    """Count for each cell of a hash table the documents with an n-gram whose hash selects the cell.

    The count of a cell is an upper bound for each of its n-grams. The documents have the numbers from ``first`` on,
    which is at least 1.
    """
    mask = np.uint64(len(cells) - 1)
    for document in range(len(offsets) - 1):
        number = first + document
        for start in range(offsets[document], offsets[document + 1]):
            key = np.uint64(0)
            for size in range(1, longest + 1):
                place = start + size - 1
                if place >= offsets[document + 1] or ids[place] < 0:
                    break
                key = extend_hash(key, ids[place] + 1)
                if size >= shortest:
                    cell = _find_cell(key, mask)
                    if marks[cell] != number:
                        marks[cell] = number
                        cells[cell] += 1


@compiled
def count_ngrams(ids, offsets, first, begin, shortest, longest, cells, floor, slots, ngrams, counts, marks, used):
    """Count exactly the documents of every n-gram whose cell has at least the count ``floor``.

    ``slots`` is a hash table of entries (0: none, else entry + 1); ``ngrams[entry]`` are the words, padded with -1.
    Returns the document to continue with, which is before the end if there is no room for more entries, and the number
    of entries.
    """
    mask = np.uint64(len(cells) - 1)
    slot_mask = np.int64(len(slots) - 1)
    for document in range(begin, len(offsets) - 1):
        number = first + document
        for start in range(offsets[document], offsets[document + 1]):
            key = np.uint64(0)
            for size in range(1, longest + 1):
                place = start + size - 1
                if place >= offsets[document + 1] or ids[place] < 0:
                    break
                key = extend_hash(key, ids[place] + 1)
                if size < shortest or cells[_find_cell(key, mask)] < floor:
                    continue
                slot = _find_slot(key, slot_mask)
                entry = np.int64(-1)
                while slots[slot]:
                    entry = slots[slot] - 1
                    for word in range(longest):
                        wanted = ids[start + word] if word < size else -1
                        if ngrams[entry, word] != wanted:
                            entry = np.int64(-1)
                            break
                    if entry >= 0:
                        break
                    slot = (slot + 1) & slot_mask
                if entry < 0:
                    if used == len(counts):
                        return document, used
                    entry = used
                    used += 1
                    slots[slot] = used
                    for word in range(longest):
                        ngrams[entry, word] = ids[start + word] if word < size else -1
                if marks[entry] != number:
                    marks[entry] = number
                    counts[entry] += 1
    return len(offsets) - 1, used


@compiled
def fill_slots(ngrams, used, slots):
    """Enter the n-grams into an empty hash table."""
    slot_mask = np.int64(len(slots) - 1)
    for entry in range(used):
        slot = _find_slot(_hash_ngram(ngrams[entry]), slot_mask)
        while slots[slot]:
            slot = (slot + 1) & slot_mask
        slots[slot] = entry + 1


@compiled
def read_cells(ngrams, used, cells):
    """Return the count in the cell of each entry."""
    mask = np.uint64(len(cells) - 1)
    found = np.zeros(used, np.int64)
    for entry in range(used):
        found[entry] = cells[_find_cell(_hash_ngram(ngrams[entry]), mask)]
    return found


@compiled
def count_together(ids, offsets, first, ngrams, listed, offsets_listed, present, together):
    """Count the documents that contain all words of each n-gram, in any order and anywhere.

    ``listed[offsets_listed[word] : offsets_listed[word + 1]]`` are the n-grams whose rarest word this is;
    ``present[word]`` is the last document with the word.
    """
    for document in range(len(offsets) - 1):
        number = first + document
        for place in range(offsets[document], offsets[document + 1]):
            if ids[place] >= 0:
                present[ids[place]] = number
        for place in range(offsets[document], offsets[document + 1]):
            word = ids[place]
            if word < 0 or present[word] != number:
                continue
            for index in range(offsets_listed[word], offsets_listed[word + 1]):
                entry = listed[index]
                all_present = True
                for other in range(ngrams.shape[1]):
                    if ngrams[entry, other] < 0:
                        break
                    if abs(present[ngrams[entry, other]]) != number:
                        all_present = False
                        break
                if all_present:
                    together[entry] += 1
            present[word] = -number  # present, but done
