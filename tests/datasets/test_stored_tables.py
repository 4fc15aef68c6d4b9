"""Tables on disk are those in memory, row by row and error by error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.datasets import read_table, store_table, table_formats, write_table
from rekern.errors import InputError
from rekern.structures.stored_pairs import StoredPairs

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).filter(str.strip)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=12), st.integers(0, 12), st.randoms())
def test_stored_pairs_are_the_list(pairs, cut, chance):
    stored = StoredPairs(pairs[:cut])
    stored.extend(pairs[cut:])
    assert len(stored) == len(pairs) and list(stored) == pairs
    assert stored[cut:] == pairs[cut:] and stored[::-2] == pairs[::-2]
    rows = [chance.randrange(-len(pairs), len(pairs)) for _ in pairs]
    assert [stored[row] for row in rows] == [pairs[row] for row in rows]
    with pytest.raises(IndexError):
        stored[len(pairs)]


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "json", "parquet", "tsv.gz"])
@pytest.mark.parametrize("labels", [[1, 0, 1, 0, 7], [1, 0.5, 1, 0, 2], ["yes", "1", "no", "1", "yes"]])
def test_a_stored_table_is_the_table(tmp_path, monkeypatch, ending, labels):
    if ending == "json":
        import json

        rows = [{"source": f"a {n}", "target": "b\u2028é", "label": label} for n, label in enumerate(labels)]
        (tmp_path / "t.json").write_text(json.dumps(rows))
    else:
        written = [str(label) for label in labels] if ending == "parquet" else labels
        columns = {"source": [f"a {n}" for n in range(5)], "target": ["b é"] * 5, "label": written, "id": [7] * 5}
        write_table(tmp_path / f"t.{ending}", columns)
    iterate = table_formats.iterate_columns
    monkeypatch.setattr("rekern.datasets.tables.iterate_columns", lambda *a, **k: iterate(*a, **{**k, "rows": 2}))
    stored, whole = store_table(tmp_path / f"t.{ending}"), read_table(tmp_path / f"t.{ending}")
    assert list(stored.pairs) == whole.pairs and stored.labels == whole.labels
    assert list(map(type, stored.labels)) == list(map(type, whole.labels))
    assert list(stored.lines) == whole.lines and stored.place(3) == whole.place(3)


@pytest.mark.parametrize("bad", ["a\tb\t", "a\tb\tnan", "\tb", "a\tb\t1e999"])
def test_errors_are_those_of_the_whole_table(tmp_path, monkeypatch, bad):
    path = tmp_path / "t.tsv"
    path.write_text("source\ttarget\tlabel\n" + "a\tb\t1\n" * 3 + bad + "\n" + "a\tb\t0\n")
    iterate = table_formats.iterate_columns
    monkeypatch.setattr("rekern.datasets.tables.iterate_columns", lambda *a, **k: iterate(*a, **{**k, "rows": 2}))
    with pytest.raises(InputError) as whole:
        read_table(path)
    with pytest.raises(InputError) as stored:
        store_table(path)
    assert str(stored.value) == str(whole.value) and "line 5" in str(stored.value)


def test_memory_does_not_grow_with_the_texts(tmp_path):
    import gc
    import tracemalloc

    path, size = tmp_path / "t.tsv", 20_000
    with open(path, "w") as file:
        file.write("source\ttarget\tlabel\n")
        for number in range(size):
            file.write(f"{'word ' * 40}{number}\t{'other ' * 40}\t{number % 2}\n")
    store_table(path)  # imports what it needs, which counts as memory
    gc.collect()
    tracemalloc.start()
    table = store_table(path)
    gc.collect()
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 60 * size < path.stat().st_size / 4
    assert np.array(table.labels).sum() == size // 2


def test_stored_pairs_may_be_appended_to_themselves():
    pairs = StoredPairs([("a", "b"), ("", "é")])
    pairs.extend(pairs)
    assert list(pairs) == [("a", "b"), ("", "é")] * 2


def test_what_is_no_pair_is_refused_and_moves_nothing():
    pairs = StoredPairs([("a", "b")])
    with pytest.raises(ValueError, match="too many values"):
        pairs.extend([("c", "d", "e")])
    with pytest.raises(AttributeError):
        pairs.extend([("c", None)])
    pairs.extend([("f", "g")])
    assert list(pairs) == [("a", "b"), ("f", "g")]
