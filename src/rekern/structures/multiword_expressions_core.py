"""Counting of the documents that contain all words of an n-gram, as a compiled function of arrays."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from rekern.core.compiling import compiled


@compiled
def count_together(ids, offsets, ngrams, listed, offsets_listed, present, together):
    """Count the documents that contain all words of each n-gram, in any order and anywhere.

    A negative number is no word. ``listed[offsets_listed[word] : offsets_listed[word + 1]]`` are the n-grams whose
    rarest word this is; ``present[word]`` is the last document with the word, counted from 1.
    """
    for document in range(1, len(offsets)):
        words = ids[offsets[document - 1] : offsets[document]]
        for word in words:
            if word >= 0:
                present[word] = document
        for word in words:
            if word < 0 or present[word] != document:
                continue
            for entry in listed[offsets_listed[word] : offsets_listed[word + 1]]:
                all_present = True
                for other in ngrams[entry]:
                    if other >= 0 and abs(present[other]) != document:
                        all_present = False
                        break
                if all_present:
                    together[entry] += 1
            present[word] = -document  # present, but done
