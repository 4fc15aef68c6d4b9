"""The memory of a large Gram is guessed from the lines of a file."""

import pytest

from rekern.learning.gram_limits import BYTES_PER_CHARACTER, GRAM_LIMIT, LARGE_GRAM, guess_memory


@pytest.mark.parametrize(
    ("name", "lines", "is_large"),
    [
        ("pairs.tsv", LARGE_GRAM, False),
        ("pairs.tsv", LARGE_GRAM + 1, True),
        ("pairs.JSONL", GRAM_LIMIT + 1, True),
        ("pairs.tsv", GRAM_LIMIT + 2, False),
        ("pairs.parquet", LARGE_GRAM + 1, False),
    ],
)
def test_memory_is_taken_for_a_large_gram_only(tmp_path, name, lines, is_large):
    path = tmp_path / name
    path.write_bytes(b"a\tb\t1\n" * lines)
    expected = 4 * lines**2 + BYTES_PER_CHARACTER * path.stat().st_size
    assert guess_memory(path) == (expected if is_large else 0)
    assert guess_memory(tmp_path) == 0
