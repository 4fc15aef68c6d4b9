"""Words of many texts, split and looked up in compiled code, and the tokens of words gathered into one array."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.arrays import AnyArray, Ints, SmallInts, offsets_of
from rekern.core.compiling import compiled, inlined
from rekern.core.hashing import mix, size_table

LINE_END = 10  # the code that marks the last word of a text


@inlined
def _is_space(code):
    """Whether ``str.split`` splits at a character."""
    if code < 128:
        return code == 32 or 9 <= code <= 13 or 28 <= code <= 31
    if code < 0x1680:
        return code == 0x85 or code == 0xA0
    return (
        0x2000 <= code <= 0x200A
        or code == 0x1680
        or code == 0x2028
        or code == 0x2029
        or code == 0x202F
        or code == 0x205F
        or code == 0x3000
    )


@compiled
def _extend(code, character):
    return (code ^ character) * np.uint64(0x9E3779B97F4A7C15)


def split_texts(
    codes: AnyArray, ends: Ints, n_words: int, slots: SmallInts, starts: Ints, known: AnyArray, seed: np.uint64
) -> tuple[Ints, SmallInts, SmallInts, Ints]:
    """Split texts at white space and look up each word.

    Text ``i`` ends before ``codes[ends[i]]`` and begins where the one before it ends. Word ``n`` of the index, which
    has ``n_words``, is ``known[starts[n]:starts[n + 1]]``; the last word of a text has a line end after it there.

    Returns the numbers of the words (-1 for a word that the index does not have), where they begin and end in
    ``codes``, and where the words of each text begin among all words.
    """
    room = len(codes) // 2 + len(ends) + 1
    numbers, begins, stops = np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int32)
    offsets = np.zeros(len(ends) + 1, np.int64)
    count = _split_texts(codes, ends, n_words, slots, starts, known, seed, numbers, begins, stops, offsets)
    return numbers[:count], begins[:count], stops[:count], offsets


@compiled
def _split_texts(codes, ends, n_words, slots, starts, known, seed, numbers, begins, stops, offsets):
    last_slot = len(slots) - 1
    shift = np.uint64(64 - size_table(len(slots) // 2))
    count = place = 0
    for text in range(len(ends)):
        stop = ends[text]
        begin, code = place, seed
        while place <= stop:
            if place < stop and not _is_space(codes[place]):
                code = _extend(code, np.uint64(codes[place]))
            else:
                if begin < place:
                    begins[count] = begin
                    stops[count] = place
                    numbers[count] = np.int64(code)
                    count += 1
                begin, code = place + 1, seed
            place += 1
        place = stop
        offsets[text + 1] = count
        if count > offsets[text]:
            numbers[count - 1] = np.int64(_extend(np.uint64(numbers[count - 1]), np.uint64(LINE_END)))
        for word in range(offsets[text], count):
            begin, size = begins[word], stops[word] - begins[word]
            length = size + (word == count - 1)
            slot = np.int64(mix(np.uint64(numbers[word])) >> shift)
            numbers[word] = -1
            while slots[slot] >= 0:
                candidate = slots[slot]
                if candidate < n_words:  # else another thread is about to add it
                    at = starts[candidate]
                    if starts[candidate + 1] - at == length and (length == size or known[at + size] == LINE_END):
                        step = 0
                        while step < size and known[at + step] == codes[begin + step]:
                            step += 1
                        if step == size:
                            numbers[word] = candidate
                            break
                slot = (slot + 1) & last_slot
    return count


@compiled
def index_words(slots, starts, known, first, last, seed):
    """Put words ``first`` to ``last - 1`` into the slots of the index, which has room for them."""
    last_slot = len(slots) - 1
    shift = np.uint64(64 - size_table(len(slots) // 2))
    for word in range(first, last):
        code = seed
        for place in range(starts[word], starts[word + 1]):
            code = _extend(code, np.uint64(known[place]))
        slot = np.int64(mix(code) >> shift)
        while slots[slot] >= 0:
            slot = (slot + 1) & last_slot
        slots[slot] = word


def gather_tokens(words: Ints, starts: Ints, ids: SmallInts, n_names: int) -> tuple[SmallInts, Ints, Ints]:
    """The tokens of words in a row, numbered anew in order of first occurrence.

    Returns the new numbers, where the tokens of each word begin, and the old number of each new one.
    """
    offsets = offsets_of(starts[words + 1] - starts[words])
    found = np.empty(offsets[-1], np.int32)
    distinct = np.empty(min(n_names, len(found)), np.int64)
    count = _gather_tokens(words, starts, ids, offsets, found, distinct, np.full(n_names, -1, np.int32))
    return found, offsets, distinct[:count]


@compiled
def _gather_tokens(words, starts, ids, offsets, found, distinct, new):
    count = 0
    for index in range(len(words)):
        start = starts[words[index]] - offsets[index]
        for place in range(offsets[index], offsets[index + 1]):
            number = ids[start + place]
            if new[number] < 0:
                new[number] = count
                distinct[count] = number
                count += 1
            found[place] = new[number]
    return count
