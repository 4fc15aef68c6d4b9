"""For how many training pairs a Gram is computed, and how much memory that takes."""

import os
from pathlib import Path

GRAM_LIMIT = 10_000  # pairs; more are trained on features
LARGE_GRAM = 5000  # pairs; more are trained on a Gram of 32 bits
VALUE_BYTES = 4
BYTES_PER_CHARACTER = 90  # of the lists of rules of a text
LINE_FORMATS = (".tsv", ".csv", ".jsonl")


def guess_memory(path: str | os.PathLike[str]) -> int:
    """Return about how many bytes a large Gram of the pairs in a file takes, with its lists; 0 if it has none.

    A line is taken for a pair, and only formats of lines are looked at.

    >>> guess_memory("no such file.tsv")
    0
    """
    file = Path(path)
    if file.suffix.lower() not in LINE_FORMATS or not file.is_file():
        return 0
    size, pairs = file.stat().st_size, 0
    if size < 1 << 30:
        with file.open("rb") as stream:
            pairs = sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
    is_large = LARGE_GRAM < pairs <= GRAM_LIMIT + 1  # with a header
    return VALUE_BYTES * pairs**2 + BYTES_PER_CHARACTER * size if is_large else 0
