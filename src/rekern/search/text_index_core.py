"""Inverted lists of words, and the texts whose words score best for a query."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

import numpy as np

from rekern.core.compiling import compiled

SLACK = 1.0 + 1e-9  # more than the rounding errors of a sum
FEW = 32  # a search in a list is worth it if the list has so many times as many rows as there are texts to look for


@compiled
def count_words(ids, offsets, keys, is_word):
    """Return for each text where its distinct words begin, their keys in ascending order, their counts, its length.

    ``keys`` are those of the vocabulary. What is no word is left out, and does not count for the length.
    """
    starts = np.zeros(len(offsets), np.int64)
    lengths = np.zeros(len(offsets) - 1, np.int32)
    found = np.empty(len(ids), np.uint64)
    counts = np.empty(len(ids), np.int32)
    buffer = np.empty(len(ids), np.uint64)
    fill = 0
    for text in range(len(offsets) - 1):
        size = 0
        for place in range(offsets[text], offsets[text + 1]):
            if is_word[ids[place]]:
                buffer[size] = keys[ids[place]]
                size += 1
        lengths[text] = size
        words = buffer[:size]
        words.sort()
        for place in range(size):
            if place and words[place] == words[place - 1]:
                counts[fill - 1] += 1
            else:
                found[fill] = words[place]
                counts[fill] = 1
                fill += 1
        starts[text + 1] = fill
    return starts, found[:fill].copy(), counts[:fill].copy(), lengths


@compiled
def merge_lists(size, places, starts, rows, counts, places2, starts2, rows2, counts2, shift):
    """Merge two sets of lists: list i of each goes to the list with the number ``places[i]``; ``shift`` is added to the
    rows of the second.
    """
    heads = np.zeros(size + 1, np.int64)
    for word in range(len(places)):
        heads[places[word] + 1] += starts[word + 1] - starts[word]
    for word in range(len(places2)):
        heads[places2[word] + 1] += starts2[word + 1] - starts2[word]
    for word in range(size):
        heads[word + 1] += heads[word]
    all_rows = np.empty(len(rows) + len(rows2), np.int32)
    all_counts = np.empty(len(rows) + len(rows2), np.int32)
    fill = heads[:-1].copy()
    for word in range(len(places)):
        for at in range(starts[word], starts[word + 1]):
            to = fill[places[word]]
            all_rows[to] = rows[at]
            all_counts[to] = counts[at]
            fill[places[word]] = to + 1
    for word in range(len(places2)):
        for at in range(starts2[word], starts2[word + 1]):
            to = fill[places2[word]]
            all_rows[to] = rows2[at] + shift
            all_counts[to] = counts2[at]
            fill[places2[word]] = to + 1
    return heads, all_rows, all_counts


@compiled
def are_lists_ascending(starts, rows):
    """Return whether the rows of each list ascend."""
    for word in range(len(starts) - 1):
        for at in range(starts[word] + 1, starts[word + 1]):
            if rows[at] <= rows[at - 1]:
                return False
    return True


@compiled
def find_shares(starts, rows, counts, norms):
    """Return for each word the largest share count / (count + norm) that it has in a text."""
    largest = np.zeros(len(starts) - 1)
    for word in range(len(starts) - 1):
        for at in range(starts[word], starts[word + 1]):
            count = np.float64(counts[at])
            largest[word] = max(largest[word], count / (count + norms[rows[at]]))
    return largest


@compiled
def multiply_rows(left, rows, right, others):
    """Return the products of pairs of rows, added up in double precision in the order of the columns."""
    products = np.zeros(len(rows))
    for pair in range(len(rows)):
        one, two = left[rows[pair]], right[others[pair]]
        for column in range(len(one)):
            products[pair] += np.float64(one[column]) * np.float64(two[column])
    return products


@compiled
def _is_behind(score, row, score2, row2):
    """Return whether a text stands behind another one: its score is lower or, if they are equal, its row later."""
    return score < score2 or (score == score2 and row > row2)


@compiled
def _sink(scores, rows, place, size):
    """Restore the heap, whose root is the last text of all, after the text at a place has been replaced."""
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        if child + 1 < size and _is_behind(scores[child + 1], rows[child + 1], scores[child], rows[child]):
            child += 1
        if not _is_behind(scores[child], rows[child], scores[place], rows[place]):
            return
        scores[place], scores[child] = scores[child], scores[place]
        rows[place], rows[child] = rows[child], rows[place]
        place = child


@compiled
def _select(total, texts, size, best_scores, best_rows):
    """Put the best of the first ``size`` texts into a heap; return how many there are."""
    most = len(best_scores)
    kept = min(size, most)
    for place in range(kept):
        best_rows[place] = texts[place]
        best_scores[place] = total[texts[place]]
    for place in range(kept // 2 - 1, -1, -1):
        _sink(best_scores, best_rows, place, kept)
    for place in range(kept, size):
        row = texts[place]
        score = total[row]
        if _is_behind(best_scores[0], best_rows[0], score, row):
            best_scores[0], best_rows[0] = score, row
            _sink(best_scores, best_rows, 0, kept)
    return kept


@compiled
def _search(rows, begin, end, row):
    """Return the place of a row in a list, or that of the next one if the row is not there."""
    while begin < end:
        middle = (begin + end) // 2
        if rows[middle] < row:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def _move_forward(total, texts, size, rest, border):
    """Move the texts that may still reach a border to the front; return how many there are."""
    kept = 0
    for place in range(size):
        if (total[texts[place]] + rest) * SLACK >= border:
            texts[kept], texts[place] = texts[place], texts[kept]
            kept += 1
    return kept


@compiled
def _score(words, weights, shares, starts, rows, counts, norms, total, texts, best_scores, best_rows):
    """Add up the scores of texts in ``total``; return how many ``texts`` may be among the best, and how many there are.

    Words are taken in the order of what they can add, the most first. As soon as all words that are left together
    cannot lift a new text to the best, only texts that have a score already are looked for in their lists.
    """
    bounds = weights * shares[words]
    order = np.argsort(-bounds, kind="mergesort")
    rest = np.zeros(len(order) + 1)
    for place in range(len(order) - 1, -1, -1):
        rest[place] = rest[place + 1] + bounds[order[place]]
    most = len(best_scores)
    size, known = 0, 0
    is_closed = False  # whether no new text can come in
    for place in range(len(order)):
        word, weight = words[order[place]], weights[order[place]]
        begin, end = starts[word], starts[word + 1]
        if size >= most and (is_closed or end - begin > size // 4):
            _select(total, texts, size, best_scores, best_rows)
            border = best_scores[0]
            if border > rest[place] * SLACK:
                is_closed = True
            if is_closed:
                size = _move_forward(total, texts, size, rest[place], border)
        if not is_closed:
            for at in range(begin, end):
                row = rows[at]
                if total[row] == 0.0:
                    texts[size] = row
                    size += 1
                total[row] += weight * (counts[at] / (counts[at] + norms[row]))
            known = size
        elif size * FEW < end - begin:
            for index in range(size):
                row = texts[index]
                at = _search(rows, begin, end, row)
                if at < end and rows[at] == row:
                    total[row] += weight * (counts[at] / (counts[at] + norms[row]))
        else:
            for at in range(begin, end):
                row = rows[at]
                if total[row] > 0.0:
                    total[row] += weight * (counts[at] / (counts[at] + norms[row]))
    return size, known


@compiled
def find_best(first, last, query_starts, words, weights, index, own, n, best_rows, best_scores):
    """Write the best ``n`` texts of the queries ``first`` to ``last - 1``, the best first; -1 where there are no more.

    ``own`` is the row of the first query of all among the texts, which is no candidate of itself; -1 for other queries.
    """
    starts, rows, counts, norms, shares = index
    total = np.zeros(len(norms))
    texts = np.empty(len(norms), np.int32)
    most = n + 1 if own >= 0 else n
    heap_scores, heap_rows = np.empty(most), np.empty(most, np.int32)
    for query in range(first, last):
        begin, end = query_starts[query], query_starts[query + 1]
        size, known = _score(
            words[begin:end],
            weights[begin:end],
            shares,
            starts,
            rows,
            counts,
            norms,
            total,
            texts,
            heap_scores,
            heap_rows,
        )
        kept = _select(total, texts, size, heap_scores, heap_rows)
        place = kept
        while place > 0:  # the root is the last one: take it away, again and again
            place -= 1
            heap_scores[0], heap_scores[place] = heap_scores[place], heap_scores[0]
            heap_rows[0], heap_rows[place] = heap_rows[place], heap_rows[0]
            _sink(heap_scores, heap_rows, 0, place)
        fill = 0
        for place in range(kept):
            if fill < n and not (own >= 0 and heap_rows[place] == own + query):
                best_rows[query, fill] = heap_rows[place]
                best_scores[query, fill] = heap_scores[place]
                fill += 1
        for place in range(fill, n):
            best_rows[query, place] = -1
            best_scores[query, place] = 0.0
        for place in range(known):
            total[texts[place]] = 0.0
